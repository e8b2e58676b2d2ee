package gate_test

import (
	"bytes"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// What a reader sees for each of the verdicts.
func TestGolden(t *testing.T) {
	for name, story := range map[string]func(*testing.T) (gate.Verdict, *gate.Result){
		"fine": fine, "slower": slower, "broken": broken, "missing": missing, "throttled": throttled, "cannot-tell": cannotTell, "faster": faster, "forced": forced,
		"more-rights": moreRights,
	} {
		t.Run(name, func(t *testing.T) {
			want, r := story(t)
			assert.Equal(t, want, r.Verdict)
			golden(t, name, "terminal.txt", func(out io.Writer) error { return r.Terminal(out, false) })
			golden(t, name, "gate.md", r.Markdown)
			golden(t, name, "gate.json", r.JSON)
		})
	}
}

func golden(t *testing.T, folder, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	require.NoError(t, write(&got))
	path := filepath.Join("testdata", folder, name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./e2e/gate -update")
	assert.Equal(t, string(want), got.String(), path)
}

// interleaved compares the variants of a story.
func interleaved(t *testing.T, s *story) *gate.Result {
	t.Helper()
	base, head, again, err := gate.Sides("results/a", s.recording)
	require.NoError(t, err)
	r, err := gate.Compare(gate.DefaultOptions(), base, head, again)
	require.NoError(t, err)
	return r
}

func fine(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("aaaa", 0.04, 3)
	s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		s.count("native", variant, "create", cost.Writes, times(3, 12)...)
		s.count("native", variant, "create", cost.Calls, append(times(5, 11), 6)...)
		s.cost("native", variant).Install = s.figure(12, 1.4)
		s.cost("native", variant).PeakMemory = s.figure(12, 14<<20)
	}
	return gate.Pass, interleaved(t, s)
}

// One more log step: ten seconds more from there on, and one more pod.
func slower(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("bbbb", 0.005, 1)
	s.turns(9, func(variant string, round int) {
		steps := []string{"log-manifest", "parameterize", "map-action"}
		if variant == gate.VariantHead {
			steps = []string{"log-manifest", "log-again", "parameterize", "map-action"}
		}
		s.argo(variant, round, steps...)
	})
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		pods := 4
		if variant == gate.VariantHead {
			pods = 5
		}
		s.count("argo", variant, "create", cost.Pods, times(pods, 9)...)
		s.count("argo", variant, "create", cost.MadePrefix+"workflows.v1alpha1.argoproj.io", times(1, 9)...)
	}
	return gate.Regression, interleaved(t, s)
}

// A limit of the CPU: the status is written twice as late, and installing takes
// three times as long; the recording says why.
func throttled(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("hhhh", 0.1, 4)
	s.turns(12, func(variant string, round int) {
		late := 1.0
		if variant == gate.VariantHead {
			late = 2
		}
		s.drive("native", variant, "create", round, "", step{spec.PhaseAcknowledged, 0.005}, step{spec.PhaseChildWritten, 0.012},
			step{spec.PhaseReady, 0.6}, step{spec.PhaseStatusWritten, 0.182 * late})
	})
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		install, throttled, share := 2.0, 0.0, 0.0
		if variant == gate.VariantHead {
			install, throttled, share = 9.5, 12, 0.2
		}
		c := s.cost("native", variant)
		c.FirstHandled, c.Throttled, c.ThrottledShare = s.figure(12, install), s.figure(12, throttled), s.figure(12, share)
	}
	return gate.Regression, interleaved(t, s)
}

// A style that was renamed, a scenario that head was not driven through, an
// oracle that head's style.yaml declares away, and half of the rounds missing.
func missing(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("iiii", 0.04, 2)
	s.turns(12, func(variant string, round int) {
		s.drive("native", variant, "create", round, "", step{spec.PhaseChildWritten, 0.012})
		if variant != gate.VariantHead {
			s.drive("native", variant, "delete", round, "", step{spec.PhaseChildGone, 0.012})
		}
		if variant != gate.VariantHead || round <= 6 {
			s.drive("native", variant, "scale-up", round, "", step{spec.PhaseChildWritten, 0.012})
		}
	})
	s.recording.Environment.Comparison.Gone = []record.Gone{{Style: "argo", Why: "its folder operators/argo was deleted or renamed"}}
	s.styles(func(style *record.Style) {
		style.Declares.Status = spec.Declaration{Supported: style.Variant != gate.VariantHead, Reason: "nobody reads it"}
	})
	return gate.Regression, interleaved(t, s)
}

// The operator's account becomes cluster-admin, and its pods may use the node; it is
// killed and started again in each block, and a burst is as it was.
func moreRights(t *testing.T) (gate.Verdict, *gate.Result) {
	s := bursts(rand.New(rand.NewPCG(1, 2)), 12, 0.1, 1)
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		s.may("native", variant, spec.Right{ServiceAccount: "native/native", Role: "ClusterRole native", Group: "apps", Resource: "deployments", Verb: "patch"})
	}
	s.may("native", gate.VariantHead, spec.Right{ServiceAccount: "native/native", Role: "ClusterRole cluster-admin", Group: "*", Resource: "*", Verb: "*"})
	for i := range s.recording.Environment.Styles {
		facts := &s.recording.Environment.Styles[i]
		facts.PodSecurity = map[string]string{"native": "restricted"}
		if facts.Variant == gate.VariantHead {
			facts.PodSecurity = map[string]string{"native": "privileged"}
			facts.Privileges = []string{"hostPath /run of Deployment native/native"}
		}
	}
	s.turns(12, func(variant string, round int) {
		b := restarts.Block{Style: "native", Variant: variant, Round: round}
		if variant == gate.VariantHead {
			b.Ends, b.First = 2, "container native of pod native/native-5d9 ended with exit code 137, OOMKilled"
		}
		s.recording.Restarts = append(s.recording.Restarts, b)
	})
	return gate.Regression, interleaved(t, s)
}

func broken(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("cccc", 0.04, 2)
	s.turns(12, func(variant string, round int) {
		fail, slow := "", 1.0
		if variant == gate.VariantHead && round%5 == 4 {
			fail = "gone"
		}
		if variant == gate.VariantHead {
			slow = 1.4
		}
		s.native(variant, round, slow, fail)
	})
	return gate.Regression, interleaved(t, s)
}

// Noise in create, a flaky scenario in delete, and too few rounds of argo.
func cannotTell(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("dddd", 0.5, 1)
	s.recording.Environment.Comparison.Driven = 9 * 25
	s.turns(9, func(variant string, round int) {
		fail := ""
		if variant == gate.VariantBase && round == 3 || variant == gate.VariantHead && round == 5 {
			fail = "gone"
		}
		s.native(variant, round, 1, fail)
		if round <= 3 {
			s.argo(variant, round, "log-manifest")
		}
	})
	return gate.Inconclusive, interleaved(t, s)
}

func faster(t *testing.T) (gate.Verdict, *gate.Result) {
	s := newStory("eeee", 0.04, 3)
	s.turns(12, func(variant string, round int) {
		slow := 1.0
		if variant == gate.VariantHead {
			slow = 0.6
		}
		s.native(variant, round, slow, "")
	})
	return gate.Improvement, interleaved(t, s)
}

// Two runs on different machines by different versions; one was cut
// off, and head times out.
func forced(t *testing.T) (gate.Verdict, *gate.Result) {
	was, is := newStory("ffff", 0.04, 2), newStory("gggg", 0.04, 2)
	was.recording.Environment.Comparison, is.recording.Environment.Comparison = nil, nil
	is.recording.Environment.Host.CPU = "Intel Xeon"
	is.recording.Environment.Kubernetes = "v1.36.1"
	is.recording.Judgement.Header.Seed = 8
	was.recording.Judgement.Header.Schema = 1
	is.recording.Judgement.Warnings = []string{"line 812: the recording's last line is cut off; all before it is judged"}
	for round := 1; round <= 12; round++ {
		was.native("", round, 1, "")
		is.native("", round, 1, "")
		was.drive("argo", "", "create", round, "", step{spec.PhaseReady, 62})
	}
	for i := range is.recording.Judgement.Results {
		if r := &is.recording.Judgement.Results[i]; r.Scenario == "delete" && r.Round > 3 {
			pods := &r.Samples[len(r.Samples)-1]
			pods.Value, pods.Outcome = 180, judge.Timeout
		}
	}
	base, err := gate.Whole("results/base", was.recording)
	require.NoError(t, err)
	head, err := gate.Whole("results/head", is.recording)
	require.NoError(t, err)
	o := gate.DefaultOptions()
	_, err = gate.Compare(o, base, head, gate.Side{})
	require.ErrorContains(t, err, "to compare all the same, with a mark in every output, add --force")
	o.Force = true
	r, err := gate.Compare(o, base, head, gate.Side{})
	require.NoError(t, err)
	return gate.Regression, r
}
