package judge_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
)

// BenchmarkJudge judges recordings of 100,000 latencies from files: real
// recordings over and over. The first is of the floor, native and argo (the last with
// 16 inner phases and objects of 13 KB), also compressed; the second of the floor and
// native, with the audit log and what the pods used. cpu-s is user and system
// time, which unlike the time that passed does not depend on how busy the
// machine is.
func BenchmarkJudge(b *testing.B) {
	b.Run("argo", func(b *testing.B) { benchmarkJudge(b, example, "recording.jsonl") })
	b.Run("argo, compressed", func(b *testing.B) { benchmarkJudge(b, example, "recording.jsonl.zst") })
	b.Run("audited", func(b *testing.B) { benchmarkJudge(b, second, "recording.jsonl") })
}

func benchmarkJudge(b *testing.B, original, name string) {
	b.Helper()
	const wanted = 100_000
	one, err := judge.File(original)
	require.NoError(b, err)
	each := count(one)
	copies := (wanted + each - 1) / each
	name = filepath.Join(b.TempDir(), name)
	size := enlarge(b, original, name, copies)

	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as opbench judge does
	debug.FreeOSMemory()
	require.NoError(b, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // the kernel forgets the most memory that there ever was
	before := processorTime(b)
	b.ReportAllocs()
	for b.Loop() {
		j, err := judge.File(name)
		require.NoError(b, err)
		require.Equal(b, each*copies, count(j))
	}
	b.ReportMetric((processorTime(b)-before).Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(highWater(b), "peak-MB")
	b.ReportMetric(float64(size)/1e6, "file-MB")
	b.ReportMetric(float64(each*copies*b.N)/b.Elapsed().Seconds(), "samples/s")
}

// enlarge writes a recording of so many copies, and returns the file's size.
func enlarge(b *testing.B, original, name string, copies int) int64 {
	b.Helper()
	file, err := os.Create(name)
	require.NoError(b, err)
	defer file.Close()
	if strings.HasSuffix(name, ".zst") {
		packed, err := zstd.NewWriter(file)
		require.NoError(b, err)
		require.NoError(b, newReplica(b, original).write(packed, copies))
		require.NoError(b, packed.Close())
	} else {
		require.NoError(b, newReplica(b, original).write(file, copies))
	}
	info, err := file.Stat()
	require.NoError(b, err)
	return info.Size()
}

func count(j *judge.Judgement) int {
	n := 0
	for range j.Samples() {
		n++
	}
	return n
}
