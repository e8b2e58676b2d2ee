package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec/styles"
)

// theirs is another repository with an operator in Go and its style, both committed; own is what its image is made
// from.
func theirs(t *testing.T, own string) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(folder, "bench"), os.DirFS("../../operators/idle")))
	require.NoError(t, os.Remove(filepath.Join(folder, "bench", "verdicts.yaml")))
	text, err := os.ReadFile(filepath.Join(folder, "bench", "style.yaml"))
	require.NoError(t, err)
	text = []byte(replaced(t, replaced(t, string(text), "name: idle\n", "name: bench\n"), "images: [pause]", "images: [pause, {name: own, reference: 'example.org/own:v1', "+own+"}]"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bench", "style.yaml"), text, 0o600))
	write(t, folder, "go.mod", "module example.org/own\n\ngo 1.26\n")
	write(t, folder, "cmd/main.go", "package main\n\nfunc main() {}\n")
	committed(t, folder)
	return folder
}

// committed makes a folder a repository, if it is none, and commits all that is in it.
func committed(t *testing.T, folder string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "all", "--allow-empty"}} {
		_, err := git(t.Context(), folder, args...)
		require.NoError(t, err)
	}
}

// elsewhere compares styles of another repository with what they were, where opbench is in no clone.
func elsewhere(t *testing.T, here string, options Options) (j *job, said string, err error) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	options.Here, options.Base = here, "HEAD"
	options.Sources = options.Sources.anchored(here)
	var out bytes.Buffer
	j = &job{console: &console{out: &out}, root: root, workload: workloadtest.Default(t), folder: filepath.Join(t.TempDir(), "results"), participants: []*participant{{}}, options: options}
	if err = j.compare(t.Context()); err == nil {
		t.Cleanup(func() { assert.NoError(t, j.base.remove()) })
	}
	return j, out.String(), err
}

// Base and head are revisions of the repository that a style's folder is in, however its path is written.
func TestAStyleOfAnotherRepositoryIsComparedWithItsBase(t *testing.T) {
	for name, own := range map[string]func(folder string) string{
		"a relative path":  func(string) string { return "go: ../cmd" },
		"an absolute path": func(folder string) string { return "go: " + folder + "/cmd" },
	} {
		t.Run(name, func(t *testing.T) {
			here := theirs(t, "go: ../cmd")
			style := filepath.Join(here, "bench", "style.yaml")
			text, err := os.ReadFile(style)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(style, []byte(replaced(t, string(text), "go: ../cmd", own(here))), 0o600))
			committed(t, here)
			for _, asked := range []string{"./bench", "bench/", filepath.Join(here, "bench"), styles.All} {
				_, said, err := elsewhere(t, here, Options{Operator: asked})
				require.ErrorIs(t, err, ErrUnchanged)
				if asked != styles.All {
					assert.Contains(t, said, "bench is the same at HEAD and now: there is nothing to measure (--unchanged measures it all the same")
				}
			}
			write(t, here, "cmd/main.go", "\nvar changed = true\n")
			for _, asked := range []string{"./bench", styles.All} {
				j, _, err := elsewhere(t, here, Options{Operator: asked})
				require.NoError(t, err)
				assert.Equal(t, "floor bench@base bench@again bench@head", labels(j.participants))
				base, head := j.participants[1].operator, j.participants[3].operator
				assert.Equal(t, filepath.Join(here, "cmd"), head.Own[0].Source())
				was, err := os.ReadFile(filepath.Join(base.Own[0].Source(), "main.go"))
				require.NoError(t, err)
				assert.NotContains(t, string(was), "changed", "the base's own source")
				assert.Equal(t, j.root, j.base.root, "the catalogue is this program's")
				around := filepath.Dir(j.base.trees[0].folder)
				assert.FileExists(t, filepath.Join(around, "owner.json"), "opbench clean finds it where the run is killed")
				worktrees, err := git(t.Context(), here, "worktree", "list")
				require.NoError(t, err)
				assert.Equal(t, 2, strings.Count(worktrees+"\n", "\n"))
				require.NoError(t, j.base.remove())
				worktrees, err = git(t.Context(), here, "worktree", "list")
				require.NoError(t, err)
				assert.Equal(t, 1, strings.Count(worktrees+"\n", "\n"), worktrees)
				assert.NoDirExists(t, around)
			}
		})
	}
}

// What --results names is the user's until the run has begun: it may be a file by mistake, or an empty folder.
func TestAComparisonThatIsRefusedRemovesNothing(t *testing.T) {
	here := theirs(t, "go: ../cmd")
	for name, make := range map[string]func(string) error{
		"a file":          func(at string) error { return os.WriteFile(at, []byte("notes"), 0o600) },
		"an empty folder": func(at string) error { return os.Mkdir(at, 0o700) },
		"a link":          func(at string) error { return os.Symlink(here, at) },
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "results")
			require.NoError(t, make(at))
			options := Parse(t, "--base=HEAD", "--operator=./bench", "--results="+at)
			options.Here = here
			_, err := Load(t.Context(), options, "../..", time.Time{}, t.Output())
			require.ErrorIs(t, err, ErrUnchanged)
			_, err = os.Lstat(at)
			require.NoError(t, err)
		})
	}
}

func TestWhatHasNoBaseIsRefused(t *testing.T) {
	here := theirs(t, "go: ../cmd")
	outside := filepath.Join(t.TempDir(), "bench")
	require.NoError(t, os.CopyFS(outside, os.DirFS(filepath.Join(here, "bench"))))
	write(t, filepath.Dir(outside), "go.mod", "module example.org/own\n\ngo 1.26\n")
	write(t, filepath.Dir(outside), "cmd/main.go", "package main\n\nfunc main() {}\n")
	_, _, err := elsewhere(t, here, Options{Operator: outside})
	require.ErrorContains(t, err, "--base=HEAD: style bench: "+outside+" is in no Git repository")
}

// A source in a second repository is compared at the revision that is given for it.
func TestASourceInASecondRepository(t *testing.T) {
	second, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, second, "go.mod", "module example.org/second\n\ngo 1.26\n")
	write(t, second, "cmd/main.go", "package main\n\nfunc main() {}\n")
	committed(t, second)
	here := theirs(t, "go: "+second+"/cmd")
	_, _, err = elsewhere(t, here, Options{Operator: "./bench"})
	require.ErrorContains(t, err, "found \""+second+"/cmd\", expected a folder in "+here+", the repository that the style is in, or in one that --source names")

	source := Options{Operator: "./bench", Sources: SourceList{{second, "HEAD"}}}
	_, _, err = elsewhere(t, here, source)
	require.ErrorIs(t, err, ErrUnchanged)
	write(t, second, "cmd/main.go", "\nvar changed = true\n")
	j, _, err := elsewhere(t, here, source)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(j.base.trees[1].folder, "cmd"), j.participants[1].operator.Own[0].Source())
	assert.Equal(t, filepath.Join(second, "cmd"), j.participants[3].operator.Own[0].Source())
	for text, want := range map[string]string{
		"../second":      "--source=../second with --base: say what that repository was, as in --source=../second=v1.2",
		"../second=v1.2": "",
	} {
		var list SourceList
		require.NoError(t, list.Set(text))
		if want == "" {
			require.NoError(t, list.check("main"))
		} else {
			require.EqualError(t, list.check("main"), want)
		}
	}
}

// What a submodule was, the repository says that it is in: a revision of that one means another commit in the
// submodule.
func TestAStyleInASubmodule(t *testing.T) {
	inner := theirs(t, "go: ../cmd")
	outer, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, outer, "README.md", "outer\n")
	committed(t, outer)
	_, said, err := elsewhere(t, outer, Options{Operator: inner + "/bench"})
	require.ErrorIs(t, err, ErrUnchanged, said)
	_, err = git(t.Context(), outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "operator")
	require.NoError(t, err)
	_, said, err = elsewhere(t, outer, Options{Operator: "./operator/bench"})
	require.ErrorIs(t, err, ErrUnchanged)
	assert.Contains(t, said, "bench is new: at HEAD there was nothing to compare it with\n", "the submodule is not yet committed")
	committed(t, outer)

	module := filepath.Join(outer, "operator")
	write(t, module, "cmd/main.go", "\nvar changed = true\n")
	committed(t, module)
	j, _, err := elsewhere(t, outer, Options{Operator: "./operator/bench"})
	require.NoError(t, err, "HEAD of the submodule is the change itself")
	was, err := os.ReadFile(filepath.Join(j.participants[1].operator.Own[0].Source(), "main.go"))
	require.NoError(t, err)
	assert.NotContains(t, string(was), "changed")
	_, _, err = elsewhere(t, module, Options{Operator: "./bench"})
	require.ErrorIs(t, err, ErrUnchanged, "in the submodule, a revision is its own")
}

// What a run writes is no change of the repository that it is in.
func TestTheFolderOfResultsIsNoChange(t *testing.T) {
	here, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, here, "a", "a")
	committed(t, here)
	write(t, here, "gate-results/environment.json", "{}")
	_, dirty := revision(t.Context(), here, filepath.Join(here, "gate-results"))
	assert.False(t, dirty)
	_, dirty = revision(t.Context(), here, t.TempDir())
	assert.True(t, dirty)
}

// What changed and is not looked at is named, and so is an image that is the same on both sides.
func TestWhatIsNotComparedIsNamed(t *testing.T) {
	here := theirs(t, "go: ../cmd")
	require.NoError(t, os.CopyFS(filepath.Join(here, "more", "other"), os.DirFS(filepath.Join(here, "bench"))))
	write(t, here, "cmd/main.go", "\nvar changed = true\n")
	_, said, err := elsewhere(t, here, Options{Operator: "./bench"})
	require.NoError(t, err)
	assert.Contains(t, said, "not compared, although changed since HEAD: ./more/other (--operator takes several, with commas)\n")

	here = theirs(t, "")
	write(t, here, "bench/manifests/operator.yaml", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: idle-operator}\n")
	_, said, err = elsewhere(t, here, Options{Operator: "./bench"})
	require.NoError(t, err)
	assert.Contains(t, said, "bench: both sides run the image example.org/own:v1 as it is now: it is not compared.")
	j, said, err := elsewhere(t, here, Options{Operator: "./bench", Given: Given{"own": "example.org/own:v2"}})
	require.NoError(t, err)
	assert.NotContains(t, said, "both sides")
	assert.Empty(t, j.options.Given.besides([]images.Image{{Name: "own"}}), "what is given is head's")
}

// The scenarios are bound to the workload that the compared style brings, however the style is asked for: this one has
// no scale subresource, and its custom resource is another one.
func TestTheScenariosAreOfTheirWorkload(t *testing.T) {
	here := theirs(t, "go: ../cmd")
	bench := filepath.Join(here, "bench")
	require.NoError(t, os.CopyFS(bench, os.DirFS("../../fixtures/workloads/rabbitmq")))
	workload, err := os.ReadFile(filepath.Join(bench, "workload.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(bench, "workload.yaml"), []byte(replaced(t, string(workload), "name: rabbitmq\n", "name: bench\n")), 0o600))
	style := filepath.Join(bench, "style.yaml")
	text, err := os.ReadFile(style)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(style, []byte(replaced(t, string(text), "name: bench\n", "name: bench\nworkload: .\n")), 0o600))
	committed(t, here)
	write(t, here, "cmd/main.go", "\nvar changed = true\n")
	for _, asked := range []string{"./bench", styles.All} {
		j, _, err := elsewhere(t, here, Options{Operator: asked, Scenario: "scaled-by-subresource,deletion-refused"})
		require.NoError(t, err, asked)
		require.Len(t, j.scenarios, 2, asked)
		for _, s := range j.scenarios {
			switch s.Name {
			case "scaled-by-subresource":
				assert.Equal(t, "a RabbitmqCluster has no scale subresource", s.Unfit(), asked)
			default:
				assert.Contains(t, s.Text(), "rabbitmqclusters.rabbitmq.com", asked)
			}
		}
		require.NoError(t, j.base.remove())
	}
}

// Other people's worktrees stay, even while their folders are not there; those of killed runs go.
func TestOtherPeoplesWorktreesStay(t *testing.T) {
	here := theirs(t, "go: ../cmd")
	disk := t.TempDir()
	add := func(name string) string {
		folder := filepath.Join(disk, name)
		_, err := git(t.Context(), here, "worktree", "add", "--quiet", "--detach", folder)
		require.NoError(t, err)
		return folder
	}
	mine, killed := add("mine"), add(baseFolder+"1")
	require.NoError(t, os.Rename(mine, mine+".away"))
	require.NoError(t, os.RemoveAll(killed))
	require.NoError(t, forget(t.Context(), here))
	require.NoError(t, os.Rename(mine+".away", mine))
	_, err := git(t.Context(), mine, "status")
	require.NoError(t, err)
	list, err := git(t.Context(), here, "worktree", "list")
	require.NoError(t, err)
	assert.NotContains(t, list, baseFolder)
}
