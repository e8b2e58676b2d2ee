package judge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// slow is an expression that takes long for each letter, within the bounds of what
// an expression may be.
const slow = `(a?){40}(b|a+c|a+d|a*e){50}z`

var errSlow = errors.New("judging takes too long")

// within judges entries, and stops once that takes more of the processor than it may.
func within(t *testing.T, entries iter.Seq[record.Entry], most time.Duration) (*judge.Judgement, error) {
	t.Helper()
	began := processorTime(t)
	j, err := judge.Judge(func(yield func(record.Entry, error) bool) {
		for e := range entries {
			if processorTime(t)-began > most {
				yield(record.Entry{}, errSlow)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	})
	took := processorTime(t) - began
	t.Logf("took %s", took)
	assert.Less(t, took, most)
	return j, err
}

// event is a watch event of the story's namespace.
func event(ms float64, what, resource, namespace, uid string, object any) record.Entry {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err) // of maps of strings
	}
	return record.Entry{Time: at(ms), Kind: record.KindWatch, Watch: &record.Watch{
		Event: what, Resource: resource, Namespace: namespace, Name: uid, UID: uid, Object: raw,
	}}
}

// A recording of some kilobytes, compressed, made judging run for hours: its expressions
// were bounded, and not what they are matched against, nor how often.
func TestHostileExpressions(t *testing.T) {
	long := strings.Repeat("a", 40_000)
	matrix := func(b *record.Sample) { b.Matrix, b.Expect = true, []string{"diagnosable"} }
	tests := map[string]func(s *story) (n int, entry func(i int) record.Entry){
		"of a style's phases": func(s *story) (int, func(int) record.Entry) {
			style := native
			for i := range 100 {
				style.Phases = append(style.Phases, spec.Phase{
					Name: "p" + strconv.Itoa(i), Resource: spec.Deployments, Event: "MODIFIED",
					Where: []spec.FieldCondition{{Path: "metadata.annotations.x", Matches: slow + strconv.Itoa(i) + "$"}},
				})
			}
			s.entries[0].Header.Styles = []record.Style{style}
			s.begin(0, "native", "create", 1)
			return 500, func(i int) record.Entry {
				return event(float64(i), "MODIFIED", spec.Deployments, "services", "d1", fields{"metadata": fields{"annotations": fields{"x": long}}})
			}
		},
		"of a style's work": func(s *story) (int, func(int) record.Entry) {
			style := argo
			style.Phases, style.Idle = nil, nil
			style.Work = []spec.Work{{
				Resource: workflows, Namespace: "argo-events",
				Of: spec.FieldCondition{Path: "metadata.labels.of", Matches: "{{.Name}}" + slow}, Ended: spec.FieldCondition{Path: "status.phase", Matches: slow},
			}}
			s.entries[0].Header.Styles = []record.Style{style}
			s.begin(0, "argo", "create", 1, matrix, func(b *record.Sample) {
				for i := range 900 {
					b.Others = append(b.Others, record.Other{Namespace: "services", Name: "a" + strconv.Itoa(i)})
				}
			})
			return 2000, func(i int) record.Entry {
				return event(float64(i), "ADDED", workflows, "argo-events", "w"+strconv.Itoa(i), fields{"metadata": fields{"labels": fields{"of": long}}, "status": fields{"phase": long}})
			}
		},
		"of samples' causes": func(s *story) (int, func(int) record.Entry) {
			s.begin(0, "native", "create", 1, matrix, func(b *record.Sample) { b.Cause = slow })
			s.act(1, 2, "create", custom(1, 1, 0))
			return 1500, func(i int) record.Entry {
				if i == 1499 {
					return record.Entry{Time: at(5000), Kind: record.KindEnd, End: &record.End{Style: "native", Scenario: "create", Round: 1, Namespace: "services", Outcome: record.TimedOut}}
				}
				condition := fields{"type": "Ready", "status": "False", "reason": "No", "message": fmt.Sprint("cache services ", long, i)}
				return event(float64(3+i), "MODIFIED", customs, "services", "cr1", fields{"status": fields{"conditions": []any{condition}}})
			}
		},
		"paths": func(s *story) (int, func(int) record.Entry) {
			style := native
			for i := range 1000 {
				style.Phases = append(style.Phases, spec.Phase{Name: "p" + strconv.Itoa(i), Resource: spec.Deployments, Event: "MODIFIED", Path: "#(#(a))#." + strconv.Itoa(i)})
			}
			s.entries[0].Header.Styles = []record.Style{style}
			s.begin(0, "native", "create", 1)
			return 500, func(i int) record.Entry {
				return event(float64(i), "MODIFIED", spec.Deployments, "services", "d1", fields{"metadata": fields{"annotations": fields{"x": long}}})
			}
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			n, entry := test(s)
			_, err := within(t, func(yield func(record.Entry) bool) {
				for _, e := range s.entries {
					if !yield(e) {
						return
					}
				}
				for i := range n {
					if !yield(entry(i)) {
						return
					}
				}
			}, 20*time.Second*shadow)
			require.ErrorContains(t, err, "this is no recording of a run")
			require.ErrorContains(t, err, "line ")
		})
	}
}

// What is looked at again for each entry is bounded, too.
func TestHostileRepetition(t *testing.T) {
	for name, tell := range map[string]func(s *story){
		"gaps over all that was judged": func(s *story) {
			for i := range 5_000 {
				s.begin(float64(i), "native", "create", 1)
				s.end(float64(i), record.Interrupted)
			}
			for range 20_000 {
				s.gap(0, 10_000, spec.Pods)
			}
		},
		"samples that begin with very many objects": func(s *story) {
			s.begin(0, "native", "create", 1)
			for i := range 10_000 {
				s.add(event(0, "LISTED", spec.Pods, "services", strconv.Itoa(i), fields{}))
			}
			for i := range 5_000 {
				s.end(float64(i), record.Interrupted)
				s.begin(float64(i), "native", "create", 1)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			tell(s)
			_, err := within(t, slices.Values(s.entries), 20*time.Second*shadow)
			require.ErrorContains(t, err, "this is no recording of a run")
		})
	}
}

// Nine causes of 18 KB took 20 s and 790 MB: they were compiled without bound, and each as
// often as a sample had it.
func TestHostileCauses(t *testing.T) {
	for name, test := range map[string]struct {
		cause   string
		samples int
		message string
	}{
		"long":           {strings.Repeat("(a{1000})", 2000), 9, "bytes long"},
		"of many steps":  {"(a{1000}){100}", 9, "repeat"},
		"of all samples": {"(abcdefghi){150}", 10_000, "expected a message that names this resource and its cause"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			for i := range test.samples {
				ms := float64(10 * i)
				s.begin(ms, "native", "create", 1, func(b *record.Sample) {
					b.Matrix, b.Expect, b.Cause = true, []string{"diagnosable"}, test.cause
				})
				s.act(ms+1, ms+2, "create", custom(1, 3, 0))
				s.end(ms+3, record.TimedOut)
			}
			j, err := within(t, slices.Values(s.entries), 5*time.Second*shadow)
			require.NoError(t, err)
			require.Len(t, j.Results, test.samples)
			for _, r := range j.Results {
				require.Contains(t, r.Verdicts[0].Message, test.message)
			}
		})
	}
}

// manyObjects is a sample with so many objects, each seen once.
func manyObjects(tb testing.TB, kind string, n int) []record.Entry {
	tb.Helper()
	s := newStory(tb)
	owned := func(uid string) any { return fields{"metadata": fields{"ownerReferences": owner(uid)}} }
	added := func(resource string, object any) func(i int) record.Entry {
		return func(i int) record.Entry { return event(4, "ADDED", resource, "services", "o"+strconv.Itoa(i), object) }
	}
	object := map[string]func(i int) record.Entry{
		"children": added(spec.Deployments, owned("cr1")),
		"children that go": func(i int) record.Entry {
			return event(4, []string{"ADDED", "DELETED"}[i%2], spec.Deployments, "services", "d"+strconv.Itoa(i/2), owned("cr1"))
		},
		"Deployments of others": added(spec.Deployments, owned("another")),
		"Deployments by name":   added(spec.Deployments, fields{}),
		"custom resources":      added(customs, fields{}),
		"pods":                  added(spec.Pods, owned("r1")),
	}[kind]
	style := map[bool]string{true: "argo", false: "native"}[kind == "Deployments by name"]
	s.begin(0, style, "create", 3)
	s.act(1, 2, "create", custom(1, 3, 0))
	s.see(3, "ADDED", custom(1, 3, 0))
	for i := range n {
		s.add(object(i))
	}
	s.end(2000, record.TimedOut)
	return s.entries
}

var kindsOfMany = []string{"children", "children that go", "Deployments of others", "Deployments by name", "custom resources", "pods"}

// A sample with 60,000 Deployments took 57 s: at each event all of them were looked
// through. Now ten times as many take about ten times as long.
func TestManyObjectsOfOneSample(t *testing.T) {
	for _, kind := range kindsOfMany {
		t.Run(kind, func(t *testing.T) {
			_, err := within(t, slices.Values(manyObjects(t, kind, 60_000)), 10*time.Second*shadow)
			require.NoError(t, err)
		})
	}
}

// BenchmarkObjects is to show that what an object takes does not depend on how many there are.
func BenchmarkObjects(b *testing.B) {
	for _, kind := range kindsOfMany {
		for _, n := range []int{6_000, 60_000} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(kind, " ", "-"), n), func(b *testing.B) {
				entries := manyObjects(b, kind, n)
				for b.Loop() {
					_, err := judge.Judge(sequence(entries))
					require.NoError(b, err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/object")
			})
		}
	}
}
