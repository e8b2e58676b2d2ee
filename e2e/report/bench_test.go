package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/report"
	made "operatorbench/e2e/report/internal/madetest"
)

// BenchmarkReport makes a report of 30 styles, 100,000 latencies, and writes all its files.
func BenchmarkReport(b *testing.B) {
	judged := made.Many(made.Thirty(), 15).Judgement
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, report.New(nil, judged).WriteFiles(dir))
	}
}
