package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func TestPackKeepsEveryFigure(t *testing.T) {
	results, out := copied(t), t.TempDir()
	t.Chdir(t.TempDir()) // where nothing is expected of a style
	_, want, _ := opbench(t, "report", "--format=json", results)
	status, stdout, stderr := opbench(t, "pack", "--out="+out, "--most=3000", results)
	require.Equal(t, exitOK, status, stderr)
	names := strings.Fields(stdout)
	require.Greater(t, len(names), 2, "several parts, and the environment")
	for _, name := range names {
		info, err := os.Stat(name)
		require.NoError(t, err)
		if filepath.Base(name) != record.EnvironmentFile {
			assert.LessOrEqual(t, info.Size(), int64(3000), name)
		}
	}
	_, got, _ := opbench(t, "report", "--format=json", out)
	assert.JSONEq(t, want, got)

	status, stdout, stderr = opbench(t, "pack", "--out="+out, out) // what is packed, anew and in one file
	require.Equal(t, exitOK, status, stderr)
	assert.Len(t, strings.Fields(stdout), 2, "no part of the old ones stays")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, left, 2)
	_, got, _ = opbench(t, "report", "--format=json", out)
	assert.JSONEq(t, want, got)
}

func TestPackSeveralRuns(t *testing.T) {
	first, second, out := copied(t), copied(t), t.TempDir()
	status, _, stderr := opbench(t, "pack", "--out="+out, first, second)
	require.Equal(t, exitOK, status, stderr)
	assert.FileExists(t, filepath.Join(out, "shard-2", "recording.jsonl.zst"))
	_, stdout, _ := opbench(t, "report", out)
	assert.Regexp(t, `(?s)Run handmade.*floor pass 3/3.*Run handmade.*floor pass 3/3`, stdout, "both are in one report")

	status, _, stderr = opbench(t, "pack", "--out="+out, first)
	require.Equal(t, exitOK, status, stderr)
	assert.NoDirExists(t, filepath.Join(out, "shard-1"))
}

// What cannot be replaced stays as it was.
func TestPackRefusesAndLeaves(t *testing.T) {
	killed := copied(t)
	require.NoError(t, os.Remove(filepath.Join(killed, record.EnvironmentFile)))
	out := t.TempDir()
	opbench(t, "pack", "--out="+out, copied(t))
	opbench(t, "pack", "--out="+out, killed)
	assert.FileExists(t, filepath.Join(out, "recording.jsonl.zst"), "what cannot be replaced stays")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, left, 2, "and nothing half done")
}

// shards is a results folder of two runs, packed.
func shards(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	status, _, stderr := opbench(t, "pack", "--out="+out, "--most=2000", copied(t), copied(t))
	require.Equal(t, exitOK, status, stderr)
	return out
}

// Of several runs the one that is damaged is named and left out; of one alone
// nothing is reported.
func TestADamagedShardIsNamedAndLeftOut(t *testing.T) {
	out := shards(t)
	t.Chdir(t.TempDir()) // where nothing is expected of a style
	lost := filepath.Join(out, "shard-2", "recording.jsonl.zst.2")
	require.NoError(t, os.Remove(lost))
	for _, format := range []string{"terminal", "markdown", "comment", "json"} {
		status, stdout, stderr := opbench(t, "report", "--format="+format, out)
		assert.Equal(t, exitOK, status, stderr)
		assert.Contains(t, stderr, lost+" is missing")
		assert.Contains(t, stderr, "it is left out, the other 1 of 2 runs are reported")
		assert.Contains(t, stdout, "is missing", "%s says so, too", format)
	}
	_, stdout, _ := opbench(t, "report", out)
	assert.Contains(t, stdout, "floor pass 3/3", "the other is reported")
	status, _, stderr := opbench(t, "judge", "--out="+t.TempDir(), out)
	assert.Equal(t, exitError, status)
	assert.Contains(t, stderr, lost+" is missing")

	status, stdout, stderr = opbench(t, "report", filepath.Join(out, "shard-2"))
	assert.Equal(t, exitError, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, lost+" is missing")

	damaged := filepath.Join(out, "shard-1", "recording.jsonl.zst")
	text, err := os.ReadFile(damaged)
	require.NoError(t, err)
	text[len(text)-1] ^= 1
	require.NoError(t, os.WriteFile(damaged, text, 0o644))
	status, stdout, stderr = opbench(t, "report", out)
	assert.Equal(t, exitError, status, "nothing is left to report")
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, damaged+" is damaged: its checksum is not the one that")
	assert.Contains(t, stderr, lost+" is missing")
}

// What is published already can be packed anew, with more beside it.
func TestPackAddsToWhatIsPacked(t *testing.T) {
	out, more := shards(t), copied(t)
	status, _, stderr := opbench(t, "pack", "--out="+out, out, more)
	require.Equal(t, exitOK, status, stderr)
	_, stdout, _ := opbench(t, "report", out)
	assert.Regexp(t, `(?s)(Run handmade.*floor pass 3/3.*){3}`, stdout, "all three are there")
}

// contents are the files below a folder, with what is in them.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, folder)] = string(text)
		return err
	}))
	return files
}

// What would not be put back, or could be somebody's, is refused before anything
// is touched.
func TestPackLosesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, out string) (args []string)
		want    string
	}{
		"over its input": {func(t *testing.T, out string) []string {
			require.NoError(t, os.CopyFS(out, os.DirFS(copied(t))))
			return []string{out}
		}, "holds recording.jsonl"},
		"over one of several": {func(t *testing.T, out string) []string {
			status, _, stderr := opbench(t, "pack", "--out="+out, copied(t), copied(t))
			require.Equal(t, exitOK, status, stderr)
			return []string{filepath.Join(out, "shard-1")}
		}, "shard-2 would be lost"},
		"over the first of several, by its file": {func(t *testing.T, out string) []string {
			status, _, stderr := opbench(t, "pack", "--out="+out, copied(t), copied(t))
			require.Equal(t, exitOK, status, stderr)
			return []string{filepath.Join(out, "shard-1"), copied(t)}
		}, "shard-2 would be lost"},
		"over notes in a shard": {func(t *testing.T, out string) []string {
			status, _, stderr := opbench(t, "pack", "--out="+out, copied(t), copied(t))
			require.Equal(t, exitOK, status, stderr)
			require.NoError(t, os.WriteFile(filepath.Join(out, "shard-2", "notes.txt"), nil, 0o600))
			return []string{copied(t)}
		}, "shard-2 holds more than pack puts there"},
		"over somebody's environment": {func(t *testing.T, out string) []string {
			require.NoError(t, os.WriteFile(filepath.Join(out, record.EnvironmentFile), nil, 0o600))
			return []string{copied(t)}
		}, "without a packed recording"},
		"a second input that is damaged": {func(t *testing.T, out string) []string {
			status, _, stderr := opbench(t, "pack", "--out="+out, copied(t))
			require.Equal(t, exitOK, status, stderr)
			damaged := copied(t)
			found, err := record.Find(damaged)
			require.NoError(t, err)
			require.NoError(t, os.Remove(found))
			require.NoError(t, os.WriteFile(filepath.Join(damaged, "recording.jsonl.gz"), []byte("\x1f\x8bnot really"), 0o600))
			return []string{copied(t), damaged}
		}, "pack the recording"},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			args := test.prepare(t, out)
			before := contents(t, out)
			status, _, stderr := opbench(t, append([]string{"pack", "--out=" + out}, args...)...)
			assert.Equal(t, exitError, status)
			assert.Contains(t, stderr, test.want)
			assert.Equal(t, before, contents(t, out))
		})
	}
}

// Files that only look like pack's stay.
func TestPackLeavesOthers(t *testing.T) {
	out := t.TempDir()
	for _, name := range []string{"recording.jsonl.zst.bak", "recording.jsonl.old", "recording.jsonl-notes", "report.html"} {
		require.NoError(t, os.WriteFile(filepath.Join(out, name), []byte("mine"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(out, "shard-list"), 0o755))
	for range 2 {
		status, _, stderr := opbench(t, "pack", "--out="+out, copied(t))
		require.Equal(t, exitOK, status, stderr)
	}
	files := contents(t, out)
	assert.Len(t, files, 6)
	assert.Equal(t, "mine", files["/recording.jsonl.zst.bak"])
	assert.DirExists(t, filepath.Join(out, "shard-list"))
}

// A disk that is full, or gone, at any moment of the replacement.
func TestPackIsReplacedWholeOrNotAtAll(t *testing.T) {
	for fails := 0; ; fails++ {
		out, fresh := t.TempDir(), t.TempDir()
		for i := range 3 {
			require.NoError(t, os.WriteFile(filepath.Join(out, strconv.Itoa(i)), []byte("old"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(fresh, strconv.Itoa(i)), []byte("new"), 0o600))
		}
		before, calls := contents(t, out), 0
		err := replacePacked(out, []string{"0", "1", "2"}, fresh, func(from, to string) error {
			if calls++; calls == fails+1 {
				return syscall.ENOSPC
			}
			return os.Rename(from, to)
		})
		left, problem := os.ReadDir(out)
		require.NoError(t, problem)
		require.Len(t, left, 3, "nothing half done")
		if err == nil {
			assert.Equal(t, 6, fails)
			assert.Equal(t, map[string]string{"/0": "new", "/1": "new", "/2": "new"}, contents(t, out))
			return
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		assert.Equal(t, before, contents(t, out))
	}
}
