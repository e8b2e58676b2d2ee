package main

import (
	"flag"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	job "operatorbench/e2e/run"
)

// Shards that were driven and have no recording are no matrix that is as expected.
func TestShardsWithoutARecordingAreAnError(t *testing.T) {
	var options job.Options
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	options.Register(flags)
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, flags.Parse([]string{"--operator=native", "--scenario=matrix", "--results=" + filepath.Join(results, "shard-1")}))
	session, err := job.Load(t.Context(), options, root, time.Time{}, io.Discard)
	require.NoError(t, err)
	err = joinShards(t.Context(), []*job.Session{session}, results, io.Discard, io.Discard)
	require.ErrorContains(t, err, "report what the shards found: ")
	require.ErrorContains(t, err, results)
}
