package judge_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// story is a hand-made recording. Its times are milliseconds.
type story struct {
	t       testing.TB
	entries []record.Entry
	sample  record.Sample
	version int // the next resource version
	// rested is when the sample had come to rest, and over when what was left of its faults was undone; 0: not recorded.
	rested, over float64
}

// customs is the custom resource of the default workload.
const customs = "memcacheds.v1alpha1.cache.example.com"

const workflows = "workflows.v1alpha1.argoproj.io"

// Two styles: one finds its child by owner and writes the status, the other
// names its child and works by Workflows elsewhere.
var (
	native = record.Style{Style: spec.Style{Name: "native", Declares: spec.Declares{Status: spec.Declaration{Supported: true, Fields: []string{spec.StatusNodes, spec.StatusObservedGeneration}}}}}
	argo   = record.Style{Style: spec.Style{
		Name:  "argo",
		Child: spec.Child{Name: "{{.Name}}-deployment"},
		Idle:  []string{"workflow finished"},
		Phases: []spec.Phase{
			{Name: "workflow created", Resource: workflows, Event: "ADDED"},
			{Name: "workflow finished", Resource: workflows, Path: "status.phase", Equals: []string{"Succeeded", "Failed"}},
		},
	}}
)

// newStory begins a recording of styles; none: of those two.
func newStory(tb testing.TB, styles ...record.Style) *story {
	tb.Helper()
	if len(styles) == 0 {
		styles = []record.Style{native, argo}
	}
	return &story{t: tb, entries: []record.Entry{{
		Kind: record.KindHeader, Header: &record.Header{Schema: record.Schema, Run: "abc123", Styles: styles},
	}}}
}

func at(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func (s *story) add(e record.Entry) { s.entries = append(s.entries, e) }

var (
	sized   = []string{"converged", "stays-converged", "write-history", "status"}
	deleted = []string{"gone", "stays-converged", "write-history", "garbage"}
)

// begin opens a sample that wants a size; below zero: that the custom resource be gone.
func (s *story) begin(ms float64, style, scenario string, size int, change ...func(*record.Sample)) {
	s.sample = record.Sample{
		Style: style, Scenario: scenario, Round: 1, Namespace: "services", Name: "cache",
		Timeout: 10 * time.Second, Window: time.Second, Expect: deleted,
	}
	if size >= 0 {
		s.sample.Size, s.sample.Expect = &size, sized
	}
	for _, f := range change {
		f(&s.sample)
	}
	begin := s.sample
	s.add(record.Entry{Time: at(ms), Kind: record.KindBegin, Begin: &begin})
}

func (s *story) end(ms float64, outcome string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindEnd, End: &record.End{
		Outcome: outcome, Reason: "as told", Rested: at(s.rested), Style: s.sample.Style, Scenario: s.sample.Scenario, Round: s.sample.Round, Namespace: s.sample.Namespace,
	}})
}

func (s *story) gap(from, to float64, resource string) {
	s.add(record.Entry{Time: at(to), Kind: record.KindGap, Gap: &record.Gap{From: at(from), Resource: resource, Namespace: "services", Reason: "connection lost"}})
}

// thing is an object of the story.
type thing struct {
	resource, namespace, name, uid string
	version                        int // of the resource; 0: the next one
	object                         map[string]any
}

func (x thing) at(version int) thing { x.version = version; return x }

func (x thing) named(name, uid string) thing { x.name, x.uid = name, uid; return x }

func (s *story) raw(x thing) json.RawMessage {
	if x.version == 0 {
		s.version++
		x.version = s.version
	}
	meta := map[string]any{"name": x.name, "namespace": x.namespace, "uid": x.uid, "resourceVersion": strconv.Itoa(x.version)}
	object := map[string]any{"metadata": meta}
	for k, v := range x.object {
		if k == "metadata" {
			for k, v := range v.(map[string]any) {
				meta[k] = v
			}
			continue
		}
		object[k] = v
	}
	raw, err := json.Marshal(object)
	require.NoError(s.t, err)
	return raw
}

// act is a measured action that took from until to.
func (s *story) act(from, to float64, verb string, x thing) {
	raw := s.raw(x)
	s.add(record.Entry{Time: at(to), Kind: record.KindAction, Action: &record.Action{
		From: at(from), Verb: verb, Resource: x.resource, Namespace: x.namespace, Name: x.name, Measured: true, Object: raw,
	}})
}

func (s *story) see(ms float64, event string, x thing) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindWatch, Watch: &record.Watch{
		Event: event, Resource: x.resource, Namespace: x.namespace, Name: x.name, UID: x.uid, Object: s.raw(x),
	}})
}

// done is a measured action that takes 5 ms, and 1 ms later what the watch shows of it.
func (s *story) done(ms float64, verb string, x thing) {
	s.act(ms, ms+5, verb, x)
	s.see(ms+6, map[string]string{"create": "ADDED", "patch": "MODIFIED", "update": "MODIFIED", "delete": "DELETED"}[verb], x)
}

type fields = map[string]any

func owner(uid string) []any { return []any{fields{"uid": uid, "controller": true}} }

// custom is the custom resource at a generation; nodes below zero: no status yet.
func custom(generation, size, observed int, nodes ...string) thing {
	object := fields{"metadata": fields{"generation": generation}, "spec": fields{"size": size}}
	if observed > 0 {
		object["status"] = fields{"observedGeneration": observed, "nodes": nodes}
	}
	return thing{resource: customs, namespace: "services", name: "cache", uid: "cr1", object: object}
}

// deployment is the custom resource's child, its status current.
func deployment(generation, asks, has, ready int) thing {
	return thing{resource: spec.Deployments, namespace: "services", name: "cache-deployment", uid: "d1", object: fields{
		"metadata": fields{"generation": generation, "ownerReferences": owner("cr1")},
		"spec":     fields{"replicas": asks},
		"status":   fields{"observedGeneration": generation, "replicas": has, "readyReplicas": ready, "updatedReplicas": has},
	}}
}

func replicaSet() thing {
	return thing{resource: spec.ReplicaSets, namespace: "services", name: "cache-deployment-5d", uid: "r1", object: fields{
		"metadata": fields{"ownerReferences": owner("d1")}, "spec": fields{"replicas": 1},
	}}
}

func pod(n int, phase string) thing {
	return thing{resource: spec.Pods, namespace: "services", name: fmt.Sprintf("p%d", n), uid: fmt.Sprintf("pod%d", n), object: fields{
		"metadata": fields{"ownerReferences": owner("r1")}, "status": fields{"phase": phase},
	}}
}

func workflow(name, phase string) thing {
	return thing{resource: workflows, namespace: "argo-events", name: name, uid: name, object: fields{"status": fields{"phase": phase}}}
}

// created tells of a native create with three replicas, up to 700 ms.
func (s *story) created(change ...func(*record.Sample)) {
	s.begin(0, "native", "create", 3, change...)
	s.done(10, "create", custom(1, 3, 0).at(100))
	s.see(20, "ADDED", deployment(1, 3, 0, 0))
	s.see(25, "ADDED", replicaSet())
	for n := 1; n <= 3; n++ {
		s.see(30, "ADDED", pod(n, "Pending"))
		s.see(500+float64(n), "MODIFIED", pod(n, "Running"))
	}
	s.see(600, "MODIFIED", deployment(1, 3, 3, 2))
	s.see(650, "MODIFIED", deployment(1, 3, 3, 3))
	s.see(700, "MODIFIED", custom(1, 3, 1, "p1", "p2", "p3"))
}

func (s *story) seq() iter.Seq2[record.Entry, error] { return sequence(s.entries) }

func sequence(entries []record.Entry) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *story) judge() *judge.Judgement {
	s.t.Helper()
	j, err := judge.Judge(s.seq())
	require.NoError(s.t, err)
	s.unmoved(j)
	return j
}

// unmoved judges the story again with every message reworded: no verdict hangs on one.
func (s *story) unmoved(j *judge.Judgement) {
	s.t.Helper()
	again, err := judge.Judge(reworded(s.seq()))
	require.NoError(s.t, err)
	require.Equal(s.t, decided(j), decided(again), "with every message reworded")
}

// result judges the story's last sample.
func (s *story) result() judge.Result {
	s.t.Helper()
	j := s.judge()
	require.NotEmpty(s.t, j.Results)
	return j.Results[len(j.Results)-1]
}

// verdict judges the story's last sample by one oracle.
func (s *story) verdict(oracle string) judge.Verdict {
	s.t.Helper()
	r := s.result()
	i := slices.IndexFunc(r.Verdicts, func(v judge.Verdict) bool { return v.Oracle == oracle })
	require.GreaterOrEqual(s.t, i, 0, "%s was not expected", oracle)
	return r.Verdicts[i]
}

// telling is what a story tells, and what an oracle must find in it.
type telling struct {
	tell    func(*story)
	want    spec.Outcome
	message string
}

// says judges the story's last sample by one oracle, and checks its outcome and a part of its message.
func (s *story) says(oracle string, want spec.Outcome, message string) judge.Verdict {
	s.t.Helper()
	v := s.verdict(oracle)
	assert.Equal(s.t, want, v.Outcome, v.Message)
	assert.Contains(s.t, v.Message, message)
	return v
}

// phases are a result's samples as "phase outcome milliseconds".
func phases(r judge.Result) []string {
	var list []string
	for _, s := range r.Samples {
		list = append(list, fmt.Sprintf("%s %s %.0f", s.Phase, s.Outcome, s.Value*1000))
	}
	return list
}
