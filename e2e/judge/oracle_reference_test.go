package judge_test

import (
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// wanted is the reference of a recording.
func wanted(tb testing.TB) json.RawMessage {
	tb.Helper()
	w := workloadtest.Default(tb)
	child, err := w.Child(w.New("services", "memcached", 1))
	require.NoError(tb, err)
	raw, err := json.Marshal(child.Object)
	require.NoError(tb, err)
	return raw
}

// asMatrix yields a recording as if its samples were of the correctness matrix.
func asMatrix(entries iter.Seq2[record.Entry, error], header func(*record.Header), oracles ...string) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		for e, err := range entries {
			switch e.Kind {
			case record.KindHeader:
				changed := *e.Header
				header(&changed)
				e.Header = &changed
			case record.KindBlock:
				block := *e.Block
				block.Wave = 1
				e.Block = &block
			case record.KindBegin:
				begin := *e.Begin
				begin.Matrix, begin.Expect = true, oracles
				e.Begin = &begin
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// What real styles wrote: floor the reference itself, native and argo what they
// did not declare then.
func TestReferenceOfRecordedStyles(t *testing.T) {
	const otherwise = ": correct it, or list the intended differences under differs in style.yaml"
	j, err := judge.Judge(asMatrix(record.ReadFile("../../docs/example/recording.jsonl.zst"), func(h *record.Header) {
		h.Reference = wanted(t)
	}, "reference"))
	require.NoError(t, err)
	evidence := map[string][]string{}
	for style, want := range map[string][]string{
		"floor": {"the spec of Deployment memcached is the reference's, but for 0 declared differences"},
		"native": {
			" and 8 paths more" + otherwise,
			"- {path: spec.revisionHistoryLimit, reason: 'want nothing, got 2'}\n",
			`- {path: spec.template.spec.containers.0.ports.0.name, reason: 'want nothing, got "memcached"'}`,
			`- {path: spec.template.spec.containers.0.resources.limits.memory, reason: 'want nothing, got "128Mi"'}`,
			`- {path: spec.template.spec.containers.0.securityContext.readOnlyRootFilesystem, reason: 'want nothing, got true'}`,
			`- {path: spec.selector.matchLabels, reason: 'app: want "memcached", got nothing; `,
		},
		"argo": {
			otherwise,
			`- {path: spec.template.spec.containers.0.command, reason: 'want ["memcached","--memory-limit=64","-o","modern","-v"], got ["memcached","-m","64","-o","modern","-v"]'}`,
			"- {path: spec.template.spec.automountServiceAccountToken, reason: 'want false, got nothing'}",
			"- {path: spec.template.spec.securityContext.runAsUser, reason: 'want 11211, got nothing'}",
			`- {path: spec.template.spec.containers.0.securityContext.capabilities.drop, reason: 'want ["ALL"], got nothing'}`,
			`app.kubernetes.io/instance: want "memcached", got nothing`,
		},
	} {
		t.Run(style, func(t *testing.T) {
			judged := 0
			for _, r := range j.Results {
				v := r.Verdicts[0]
				if r.Style != style || v.Outcome == spec.NotApplicable {
					continue
				}
				judged++
				assert.Equal(t, len(want) > 1, v.Outcome == spec.Fail, v.Message)
				said := v.Message + "\n" + strings.Join(v.Evidence, "\n") + "\n"
				for _, part := range want {
					assert.Contains(t, said, part)
				}
				assert.NotContains(t, said, "spec.replicas")
				assert.NotContains(t, said, "terminationMessage", "a default is no difference")
				var declared []spec.Difference
				require.NoError(t, yaml.Unmarshal([]byte(strings.Join(v.Evidence, "\n")), &declared), "they can be pasted")
				assert.Len(t, declared, len(v.Evidence))
				if before, twice := evidence[style]; twice {
					assert.Equal(t, before, v.Evidence, "the same for every sample")
				}
				evidence[style] = v.Evidence
			}
			assert.Positive(t, judged)
		})
	}
}

// template is a Deployment with the reference's spec, changed.
func template(t *testing.T, size int, change func(spec, pod, container fields)) thing {
	t.Helper()
	var object fields
	require.NoError(t, json.Unmarshal(wanted(t), &object))
	spec := object["spec"].(fields)
	spec["selector"].(fields)["matchLabels"].(fields)["app.kubernetes.io/instance"] = "cache"
	spec["template"].(fields)["metadata"].(fields)["labels"].(fields)["app.kubernetes.io/instance"] = "cache"
	pod := spec["template"].(fields)["spec"].(fields)
	if change != nil {
		change(spec, pod, pod["containers"].([]any)[0].(fields))
	}
	d := deployment(1, size, size, size)
	spec["replicas"] = size
	d.object["spec"] = spec
	return d
}

func TestReference(t *testing.T) {
	differs := []spec.Difference{
		{Path: "spec.template.spec.containers.0.resources", Reason: "limits"},
		{Path: "spec.revisionHistoryLimit", Reason: "fewer"},
	}
	for name, test := range map[string]struct {
		change  func(spec, pod, container fields)
		size    int
		want    spec.Outcome
		message string
	}{
		"equal, two declarations stale": {
			nil, 3, spec.Pass,
			"is the reference's, but for 0 declared differences; declared, but not otherwise any more: spec.template.spec.containers.0.resources, spec.revisionHistoryLimit",
		},
		"defaults": {func(spec, pod, container fields) {
			spec["progressDeadlineSeconds"], spec["revisionHistoryLimit"] = 600, 10
			spec["strategy"] = fields{"type": "RollingUpdate", "rollingUpdate": fields{"maxSurge": "25%", "maxUnavailable": "25%"}}
			spec["template"].(fields)["metadata"].(fields)["creationTimestamp"] = nil
			pod["dnsPolicy"], pod["restartPolicy"], pod["schedulerName"], pod["terminationGracePeriodSeconds"] = "ClusterFirst", "Always", "default-scheduler", 30
			container["terminationMessagePath"], container["terminationMessagePolicy"], container["resources"] = "/dev/termination-log", "File", fields{}
		}, 3, spec.Pass, "but for 0 declared"},
		"declared": {func(spec, _, container fields) {
			spec["revisionHistoryLimit"] = 2
			container["resources"] = fields{"limits": fields{"memory": "128Mi"}}
		}, 3, spec.Pass, "but for 2 declared differences"},
		"one undeclared": {func(spec, _, container fields) {
			spec["revisionHistoryLimit"] = 2
			container["image"] = "memcached:1"
		}, 3, spec.Fail, `the reference at spec.template.spec.containers.0.image: correct it, or list the intended differences under differs in style.yaml; declared, but not otherwise any more: spec.template.spec.containers.0.resources
- {path: spec.template.spec.containers.0.image, reason: 'want "docker.io/library/memcached:1.6.18", got "memcached:1"'}`},
		"a second container": {func(_, pod, _ fields) {
			pod["containers"] = append(pod["containers"].([]any), fields{"name": "sidecar", "image": "x"})
		}, 3, spec.Fail, `
- {path: spec.template.spec.containers.1.image, reason: 'want nothing, got "x"'}
- {path: spec.template.spec.containers.1.name, reason: 'want nothing, got "sidecar"'}`},
		"another type":                         {func(_, pod, _ fields) { pod["securityContext"] = "none" }, 3, spec.Fail, `spec.template.spec.securityContext, reason: 'want {"runAsNonRoot":true,`},
		"a longer path is not below a shorter": {func(_, _, container fields) { container["resourcesClaim"] = true }, 3, spec.Fail, "resourcesClaim, reason: 'want nothing, got true'}"},
		"the size":                             {nil, 2, spec.Fail, "spec.replicas: want 3, got 2"},
		"no template":                          {func(spec, _, _ fields) { delete(spec, "template") }, 3, spec.Fail, `containers.0.image, reason: 'want "docker.io/library/memcached:1.6.18", got nothing'}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			styled := native
			styled.Differs = differs
			s.entries[0].Header.Reference, s.entries[0].Header.Styles = wanted(t), []record.Style{styled}
			s.created(matrix("reference"))
			s.see(900, "MODIFIED", template(t, test.size, test.change))
			s.end(1910, record.Settled)
			v := s.says("reference", test.want, "")
			assert.Contains(t, v.Message+"\n"+strings.Join(v.Evidence, "\n"), test.message)
		})
	}
}

func TestReferenceThatCannotBeJudged(t *testing.T) {
	s := newStory(t)
	s.created(matrix("reference"))
	s.end(1710, record.Settled)
	assert.Equal(t, spec.Invalid, s.verdict("reference").Outcome)

	s = deleteStory(t, matrix("reference"))
	s.entries[0].Header.Reference = wanted(t)
	s.end(3410, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("reference").Outcome)

	s = newStory(t)
	s.entries[0].Header.Reference = wanted(t)
	s.begin(0, "native", "create", 3, matrix("reference"))
	s.act(10, 15, "create", custom(1, 3, 0))
	s.end(1710, record.TimedOut)
	s.says("reference", spec.Fail, "there is no Deployment whose controller is the custom resource cache")

	s = newStory(t)
	s.entries[0].Header.Reference = json.RawMessage(`{"spec":[]}`)
	_, err := judge.Judge(s.seq())
	require.ErrorContains(t, err, "read the spec of the reference")
}
