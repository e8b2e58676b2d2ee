package published_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/published"
	"operatorbench/e2e/record"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// publishedOnce is a repository with one published run, whose recording a commit that is
// not the newest has, in two files.
func publishedOnce(t *testing.T) (root string, lock *published.Lock) {
	t.Helper()
	root = t.TempDir()
	folder := filepath.Join(root, "docs", "results", "quick", "run001")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	git(t, root, "init", "-q", "-b", "main")
	git(t, root, "config", "uploadpack.allowAnySHA1InWant", "true")
	git(t, root, "commit", "-q", "--allow-empty", "-m", "Begin")
	require.NoError(t, (&record.Environment{Run: "run001"}).Write(folder))
	require.NoError(t, os.WriteFile(filepath.Join(folder, record.CompressedName), []byte("recorded"), 0o600))
	repository := published.Repository{Root: root}
	lock = &published.Lock{}
	_, err := lock.Add(t.Context(), repository)
	require.ErrorContains(t, err, "commit it first")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "Publish run001")
	added, err := lock.Add(t.Context(), repository)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(folder, record.CompressedName)}, added)
	require.FileExists(t, added[0], "until the lock is written")
	require.NoError(t, lock.Write(root))
	require.NoError(t, os.Remove(added[0]))
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "Lock it")
	return root, lock
}

func TestARecordingIsBroughtFromAnEarlierCommit(t *testing.T) {
	root, lock := publishedOnce(t)
	read, err := published.Read(root)
	require.NoError(t, err)
	assert.Equal(t, lock, read)
	shallow := filepath.Join(t.TempDir(), "clone")
	git(t, root, "clone", "-q", "--depth=1", "file://"+root, shallow)
	for _, clone := range []string{root, shallow} {
		found, err := lock.Find("docs/results/quick/run001/")
		require.NoError(t, err)
		to := t.TempDir()
		for range 2 { // the second time it is there
			require.NoError(t, published.Repository{Root: clone}.Get(t.Context(), found[0], to))
		}
		got, err := os.ReadFile(filepath.Join(to, record.CompressedName))
		require.NoError(t, err)
		assert.Equal(t, "recorded", string(got))
		assert.FileExists(t, filepath.Join(to, record.EnvironmentFile))
	}
}

func TestARunThatIsPublishedNoMoreIsLockedNoMore(t *testing.T) {
	root, lock := publishedOnce(t)
	require.NoError(t, os.RemoveAll(filepath.Join(root, "docs", "results", "quick", "run001")))
	_, err := lock.Add(t.Context(), published.Repository{Root: root})
	require.NoError(t, err)
	assert.Empty(t, lock.Recordings)
}

func TestWhatIsNotTheRecordingIsRefused(t *testing.T) {
	root, lock := publishedOnce(t)
	repository, to := published.Repository{Root: root}, t.TempDir()
	good := lock.Recordings[0]
	for what, test := range map[string]struct {
		change func(*published.Recording)
		want   string
	}{
		"another file":   {func(r *published.Recording) { r.Files = []string{"docs/results/quick/run001/environment.json"} }, "with SHA-256"},
		"twice":          {func(r *published.Recording) { r.Files = append(r.Files, r.Files...) }, "with SHA-256"},
		"no such file":   {func(r *published.Recording) { r.Files = []string{"nothing"} }, "git cat-file"},
		"no such commit": {func(r *published.Recording) { r.Commit = "0123456789012345678901234567890123456789" }, "git fetch --unshallow"},
	} {
		one := good
		test.change(&one)
		err := repository.Get(t.Context(), one, to)
		require.ErrorContains(t, err, test.want, what)
		require.ErrorContains(t, err, "run run001", what)
		assert.NoFileExists(t, filepath.Join(to, record.CompressedName), what)
	}
	_, err := lock.Find("run002")
	require.ErrorContains(t, err, "has no run run002: there are run001")
}

func TestALockThatLeadsElsewhereIsRefused(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs", "results"), 0o755))
	for text, want := range map[string]string{
		"recordings: [{run: run001}]":          "expected commit",
		"recordings: [{run: ../../r}]":         `run id "../../r"`,
		"recordings: [{commit: r}]":            `run id ""`,
		"recordings: [{run: run001, more: 1}]": "unknown field",
		"recordings: 7":                        "cannot unmarshal",
		"recordings: [{run: run001, folder: ../.., files: [a], bytes: 1, commit: '0123456789012345678901234567890123456789', sha256: '0123456789012345678901234567890123456789012345678901234567890123'}]":     "expected a path in the repository",
		"recordings: [{run: run001, folder: docs, files: ['../a'], bytes: 1, commit: '0123456789012345678901234567890123456789', sha256: '0123456789012345678901234567890123456789012345678901234567890123'}]": "expected a path in the repository",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(published.LockFile)), []byte(text), 0o600))
		_, err := published.Read(root)
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, published.LockFile)
	}
}

// Whoever has the old lock open, or under another name, still has it whole: a full disk or a kill never leaves half a
// lock, without which no recording is found.
func TestALockIsReplacedWhole(t *testing.T) {
	root, lock := publishedOnce(t)
	name := filepath.Join(root, filepath.FromSlash(published.LockFile))
	old, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.Link(name, name+".old"))
	lock.Recordings = nil
	require.NoError(t, lock.Write(root))
	kept, err := os.ReadFile(name + ".old")
	require.NoError(t, err)
	assert.Equal(t, string(old), string(kept))
}

// The lock names a run once: of two folders, one would be in it no more, and its recording not in the tree.
func TestWhatCannotBeFoundAgainIsNotLocked(t *testing.T) {
	for name, test := range map[string]struct{ folder, run, want string }{
		"another's run": {"other", "run001", "run run001 is published in docs/results/quick/run001 too"},
		"no run":        {"run002", "", `run id ""`},
		"a path":        {"run002", "../run002", `run id "../run002"`},
	} {
		t.Run(name, func(t *testing.T) {
			root, lock := publishedOnce(t)
			folder := filepath.Join(root, "docs", "results", test.folder)
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, (&record.Environment{Run: test.run}).Write(folder))
			require.NoError(t, os.WriteFile(filepath.Join(folder, record.CompressedName), []byte("recorded"), 0o600))
			git(t, root, "add", "-A")
			git(t, root, "commit", "-qm", "Publish more")
			_, err := lock.Add(t.Context(), published.Repository{Root: root})
			require.ErrorContains(t, err, test.want)
			assert.Len(t, lock.Recordings, 1)
			assert.Equal(t, "docs/results/quick/run001", lock.Recordings[0].Folder)
		})
	}
}

// Whoever doubts a published figure can judge its recording: the history of main has each, whole. A commit that was made
// beside it, and never came into it, is none.
func TestEveryRecordingIsInTheHistory(t *testing.T) {
	root := filepath.Join("..", "..")
	shallow, err := exec.Command("git", "-C", root, "rev-parse", "--is-shallow-repository").Output()
	require.NoError(t, err)
	lock, err := published.Read(root)
	require.NoError(t, err)
	require.NotEmpty(t, lock.Recordings)
	for _, one := range lock.Recordings {
		if out, err := exec.Command("git", "-C", root, "merge-base", "--is-ancestor", one.Commit, "HEAD").CombinedOutput(); err != nil { //nolint:gosec // the lock is checked
			assert.Equal(t, "true\n", string(shallow), "run %s: the commit %s is not in the history, and this clone has all of it: %v: %s", one.Run, one.Commit, err, out)
			continue
		}
		bytes := int64(0)
		for _, file := range one.Files {
			out, err := exec.Command("git", "-C", root, "cat-file", "-s", one.Commit+":"+file).Output() //nolint:gosec // the lock is checked
			require.NoError(t, err, "%s: %s", one.Run, file)
			size, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
			require.NoError(t, err)
			bytes += size
		}
		assert.Equal(t, one.Bytes, bytes, one.Run)
	}
}
