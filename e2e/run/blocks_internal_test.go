package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/fixtures"
)

func labels(participants []*participant) string {
	var list []string
	for _, p := range participants {
		list = append(list, p.label())
	}
	return strings.Join(list, " ")
}

// Every order of the participants is about as frequent as any other, and a seed and a
// round give one order.
func TestTheOrderOfARoundIsRandomAndComesFromTheSeed(t *testing.T) {
	participants := []*participant{{}, {variant: "a"}, {variant: "b"}}
	count := map[string]int{}
	const rounds = 600
	for round := range rounds {
		shuffled := labels(order(participants, 7, round))
		count[shuffled]++
		assert.Equal(t, shuffled, labels(order(participants, 7, round)))
	}
	require.Len(t, count, 6)
	for shuffled, n := range count {
		assert.InDelta(t, rounds/6, n, 40, shuffled) // more than four standard deviations
	}
	assert.Equal(t, "floor floor@a floor@b", labels(participants), "the participants themselves keep their order")
}

// Every participant has a turn in each round; what is kept is a style.
func TestEveryParticipantHasATurnInEachRound(t *testing.T) {
	list := []scenarios.Scenario{{Name: "create", Group: spec.GroupLatency}}
	j := &job{participants: []*participant{{}, styled(spec.Style{Name: "slow"}), styled(spec.Style{Name: "fast"})}, scenarios: list, options: Options{Rounds: 3, Seed: 7, Keep: true}}
	count := map[string]int{}
	all := j.turns()
	for i, one := range all {
		count[one.participant.label()]++
		assert.Equal(t, i/3+1, one.round)
		assert.Equal(t, i%3 == 0, one.participant == j.floor(), "the floor comes first where the cluster is kept")
		assert.Equal(t, i == len(all)-1, one.last)
	}
	assert.Equal(t, map[string]int{"floor": 3, "slow": 3, "fast": 3}, count)
	assert.Equal(t, "round 3/3", all[8].what())
	j.options.Rounds = 0
	assert.Len(t, j.turns(), 3*roundsToShow)
}

// The floor is measured as often as the styles that stand beside it; a comparison
// with a base has no use for that.
func TestPassesOfTheFloor(t *testing.T) {
	for want, s := range map[int]*job{
		3: {options: Options{Passes: 3}}, 1: {options: Options{Passes: 3}, base: &base{}},
	} {
		assert.Equal(t, want, s.passes(&participant{}))
	}
	assert.Equal(t, 1, (&job{}).passes(&participant{}))
}

// A repository with a style, and with what else is added beside it, at two revisions.
func repositoryWith(t *testing.T, change func(folder string), add ...func(operators string)) string {
	t.Helper()
	root := t.TempDir()
	style := filepath.Join(root, "operators", "mine")
	require.NoError(t, os.MkdirAll(filepath.Dir(style), 0o755))
	require.NoError(t, os.CopyFS(style, os.DirFS("../spec/styles/testdata/never-ready")))
	text, err := os.ReadFile(filepath.Join(style, "style.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(style, "style.yaml"), []byte(strings.NewReplacer("name: never-ready", "name: mine", "native", "pause").Replace(string(text))), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "fixtures"), 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(root, "fixtures", "images"), os.DirFS("../../fixtures/images")))
	require.NoError(t, os.CopyFS(filepath.Join(root, "fixtures"), fixtures.Files))
	for _, more := range add {
		more(filepath.Dir(style))
	}
	committed(t, root)
	change(style)
	return root
}

func compared(t *testing.T, root, operator, revision string, change ...func(*Options)) (*job, error) {
	t.Helper()
	j := &job{console: &console{out: t.Output()}, root: root, workload: workloadtest.Default(t), folder: filepath.Join(t.TempDir(), "results"), participants: []*participant{{}}, options: Options{Operator: operator, Base: revision}}
	for _, c := range change {
		c(&j.options)
	}
	err := j.compare(t.Context())
	if err == nil {
		t.Cleanup(func() { assert.NoError(t, j.base.remove()) })
	} else {
		assert.NoDirExists(t, j.folder, "nothing is left")
	}
	return j, err
}

func TestAChangedStyleIsComparedWithItsBase(t *testing.T) {
	manifest := ""
	root := repositoryWith(t, func(style string) {
		files, err := filepath.Glob(filepath.Join(style, "manifests", "*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		manifest = string(text)
		changed := strings.Replace(manifest, "metadata:\n", "metadata:\n  annotations: {changed: \"yes\"}\n", 1)
		require.NotEqual(t, manifest, changed)
		require.NoError(t, os.WriteFile(files[0], []byte(changed), 0o600))
	})
	s, err := compared(t, root, "all", "HEAD")
	require.NoError(t, err)
	assert.Equal(t, "floor mine@base mine@again mine@head", labels(s.participants))
	require.Len(t, s.comparisons, 1)
	assert.Equal(t, s.participants[1:], s.comparisons[0].participants, "these take turns")
	before, err := manifestsHash(s.participants[1].operator)
	require.NoError(t, err)
	again, err := manifestsHash(s.participants[2].operator)
	require.NoError(t, err)
	after, err := manifestsHash(s.participants[3].operator)
	require.NoError(t, err)
	assert.Equal(t, before, again)
	assert.NotEqual(t, before, after)
}

func TestAnUnchangedStyleIsComparedOnlyIfThatIsAskedFor(t *testing.T) {
	root := repositoryWith(t, func(style string) {
		require.NoError(t, os.WriteFile(filepath.Join(style, "README.md"), []byte("More words.\n"), 0o600))
	})
	_, err := compared(t, root, "all", "HEAD")
	require.ErrorIs(t, err, ErrUnchanged)
	_, err = compared(t, root, "mine", "HEAD")
	require.ErrorIs(t, err, ErrUnchanged)
	s, err := compared(t, root, "mine", "HEAD", func(o *Options) { o.Unchanged = true })
	require.NoError(t, err)
	assert.Equal(t, "floor mine@base mine@again mine@head", labels(s.participants))
}

func TestABaseThatIsNotThereIsRefused(t *testing.T) {
	root := repositoryWith(t, func(string) {})
	branch, err := git(t.Context(), root, "branch", "--show-current")
	require.NoError(t, err)
	for _, revision := range []string{"no-such-branch", "--output=/tmp/x"} {
		_, err := compared(t, root, "all", revision)
		require.EqualError(t, err, fmt.Sprintf("--base=%s: there is no revision %q in this repository; name a commit, or one of: %s", revision, revision, branch))
	}
	_, err = git(t.Context(), root, "remote", "add", "origin", root)
	require.NoError(t, err)
	for revision, fetch := range map[string]string{"origin/topic": "git fetch origin topic", "0123abcd": "git fetch origin 0123abcd"} {
		_, err := compared(t, root, "all", revision)
		require.ErrorContains(t, err, fmt.Sprintf("there is no revision %q in this repository; fetch it first (%s); name a commit", revision, fetch))
	}
	for _, revision := range []string{"--upload-pack=x", "origin/--upload-pack=x", "a;rm -rf b", "$(id)"} {
		_, err := compared(t, root, "all", revision)
		require.ErrorContains(t, err, "there is no revision")
		require.NotContains(t, err.Error(), "git fetch", "what a hint repeats is typed into a shell")
	}
	_, err = compared(t, t.TempDir(), "all", "HEAD")
	require.ErrorContains(t, err, "not a git repository")
}

// What the base has and head has not cannot be slower, and is not fine either.
func TestWhatHeadHasLost(t *testing.T) {
	scenario := func(name, expect string) string {
		return "name: " + name + "\nexpect: [" + expect + "]\nsteps: [{of: another time}]\n"
	}
	write := func(t *testing.T, root, name, text string) {
		t.Helper()
		file := filepath.Join(root, scenarios.Folder, name+".yaml")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	for name, test := range map[string]struct {
		add    func(t *testing.T, root string)
		change func(t *testing.T, root string)
		ask    string
		want   []record.Gone
		added  []string
	}{
		"a style": {
			change: func(t *testing.T, root string) {
				require.NoError(t, os.RemoveAll(filepath.Join(root, "operators", "mine")))
			},
			ask:  "all",
			want: []record.Gone{{Style: "mine", Why: "its folder operators/mine was deleted or renamed"}},
		},
		"a style that is named": {
			change: func(t *testing.T, root string) {
				require.NoError(t, os.RemoveAll(filepath.Join(root, "operators", "mine")))
			},
			ask:  "mine",
			want: []record.Gone{{Style: "mine", Why: "its folder operators/mine was deleted or renamed"}},
		},
		"a style's name": {
			change: func(t *testing.T, root string) {
				old, renamed := filepath.Join(root, "operators", "mine"), filepath.Join(root, "operators", "yours")
				require.NoError(t, os.Rename(old, renamed))
				text, err := os.ReadFile(filepath.Join(renamed, "style.yaml"))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(renamed, "style.yaml"), []byte(strings.Replace(string(text), "name: mine", "name: yours", 1)), 0o600))
			},
			ask:   "all",
			want:  []record.Gone{{Style: "mine", Why: "its folder operators/mine was deleted or renamed"}},
			added: []string{"yours"},
		},
		"a scenario": {
			add: func(t *testing.T, root string) { write(t, root, "lost", scenario("lost", "converged")) },
			change: func(t *testing.T, root string) {
				require.NoError(t, os.Remove(filepath.Join(root, scenarios.Folder, "lost.yaml")))
			},
			ask:  "all",
			want: []record.Gone{{Scenario: "lost", Why: "its file was deleted, or it was renamed"}},
		},
		"a scenario of the workload": {
			add: func(t *testing.T, root string) {
				write(t, root, "../workloads/memcached/scenarios/lost", scenario("lost", "converged"))
			},
			change: func(t *testing.T, root string) {
				require.NoError(t, os.RemoveAll(filepath.Join(root, "fixtures", "workloads")))
			},
			ask:  "all",
			want: []record.Gone{{Scenario: "lost", Why: "its file was deleted, or it was renamed"}},
		},
		"nothing, of a file that moved": {
			add: func(t *testing.T, root string) {
				write(t, root, "change-refused", scenario("change-refused", "refused"))
			},
			change: func(t *testing.T, root string) {
				require.NoError(t, os.RemoveAll(filepath.Join(root, "operators", "mine")))
			},
			ask:  "all",
			want: []record.Gone{{Style: "mine", Why: "its folder operators/mine was deleted or renamed"}},
		},
		"what a scenario expects": {
			add:    func(t *testing.T, root string) { write(t, root, "create", scenario("create", "converged, unheard-of")) },
			change: func(*testing.T, string) {},
			ask:    "all",
			want:   []record.Gone{{Scenario: "create", Oracle: "unheard-of", Why: "the scenario no longer lists it under expect"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			add := func(folder string) {
				if test.add != nil {
					test.add(t, filepath.Dir(folder))
				}
			}
			root := repositoryWith(t, func(style string) { test.change(t, filepath.Dir(filepath.Dir(style))) }, add)
			s, err := compared(t, root, test.ask, "HEAD")
			require.NoError(t, err)
			assert.Equal(t, test.want, s.base.gone)
			assert.Equal(t, test.added, s.base.added)
			assert.Equal(t, "floor", labels(s.participants))
			require.False(t, s.Drivable())
			s.options.Cluster = "kind"
			rec := &recording{job: s}
			require.NoError(t, rec.RecordLost(t.Context()))
			require.NoError(t, rec.synced.Stop(), "all was on disk before the file was closed")
			recording, err := result.Load(s.folder)
			require.NoError(t, err)
			assert.Empty(t, recording.Environment.Undriven, "it was not killed")
			assert.False(t, recording.Environment.Early)
			base, head, again, err := gate.Sides(s.folder, recording)
			require.NoError(t, err)
			result, err := gate.Compare(gate.DefaultOptions(), base, head, again)
			require.NoError(t, err)
			assert.Equal(t, gate.Regression, result.Verdict)
		})
	}
}
