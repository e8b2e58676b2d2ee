package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/spec"
)

// large is a judged recording of so many samples: two styles and the floor,
// two scenarios, ten phases each.
func large(samples int) *judge.Judgement {
	const phases = 10
	random := rand.New(rand.NewPCG(1, 2))
	j := &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: "large", Styles: []record.Style{{Style: spec.Style{Name: spec.Floor}}, {Style: spec.Style{Name: "native"}}, {Style: spec.Style{Name: "argo"}}}}}
	for n := 0; n < samples; n += phases {
		style := j.Header.Styles[n/phases%3].Name
		r := judge.Result{
			Style: style, Scenario: []string{"create", "delete"}[n/phases/3%2], Round: 1 + n/phases/6,
			Namespace: fmt.Sprintf("services-%d", n), End: record.Settled,
		}
		for _, oracle := range judge.OracleNames() {
			r.Verdicts = append(r.Verdicts, judge.Verdict{Oracle: oracle, Outcome: spec.Pass, Message: "as it should be"})
		}
		for p := range phases {
			value := random.ExpFloat64()
			r.Samples = append(r.Samples, judge.Sample{
				Operator: style, Scenario: r.Scenario, Phase: fmt.Sprintf("phase %d", p), Run: "large", Block: r.Round, Namespace: r.Namespace,
				From: 1, At: 2, Value: value, Unit: "s", Outcome: judge.OK,
			})
		}
		j.Results = append(j.Results, r)
	}
	return j
}

// BenchmarkReport makes a report of 100,000 samples and writes all its files.
func BenchmarkReport(b *testing.B) {
	judged := large(100_000)
	dir := b.TempDir()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, report.New(nil, judged).WriteFiles(dir))
	}
}

func BenchmarkFiles(b *testing.B) {
	r := report.New(nil, large(100_000))
	for _, file := range report.Files() {
		b.Run(file.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, file.Print(r, discard{}))
			}
		})
	}
}

// discard is io.Discard without its ReadFrom and WriteString.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
