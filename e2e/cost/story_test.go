package cost_test

import (
	"encoding/json"
	"fmt"
	"time"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

const (
	workflows = "workflows.v1alpha1.argoproj.io"
	crs       = "memcacheds.v1alpha1.cache.example.com"
	mib       = 1 << 20
)

// argo works by Workflows, whose pods live shortly.
var argo = record.Style{Style: spec.Style{
	Name:       "argo",
	Components: []spec.Component{{Name: "controller", Namespace: "argo", Selector: "app=controller"}},
}, Installed: spec.Installed{Namespaces: []string{"argo"}}}

var floorStyle = record.Style{Style: spec.Style{Name: spec.Floor}}

// story is a hand-made recording. Its times are milliseconds.
type story struct {
	entries []record.Entry
	clock   time.Time // the API server's, at the recording's begin: another than the recorder's
	uid     int
	sample  record.Sample
}

func newStory(styles ...record.Style) *story {
	s := &story{clock: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	s.add(record.Entry{Kind: record.KindHeader, Header: &record.Header{Schema: record.Schema, Run: "abc123", Styles: styles}})
	return s
}

func (s *story) add(e record.Entry) { s.entries = append(s.entries, e) }

func at(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }

func (s *story) stage(ms int, style record.Style, round int, stage string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindBlock, Block: &record.Block{Style: style.Name, Variant: style.Variant, Round: round, Stage: stage}})
}

// begin opens a sample; its action is acknowledged 5 ms after it, and is in the
// audit log.
func (s *story) begin(ms int, style record.Style, scenario string, round int, change ...func(*record.Sample)) {
	s.sample = record.Sample{
		Style: style.Name, Variant: style.Variant, Scenario: scenario, Round: round,
		Namespace: fmt.Sprintf("services-%s-%d", style.Name, round), Name: "cache", Window: time.Second,
	}
	for _, f := range change {
		f(&s.sample)
	}
	begin := s.sample
	s.add(record.Entry{Time: at(ms), Kind: record.KindBegin, Begin: &begin})
	s.add(record.Entry{Time: at(ms + 5), Kind: record.KindAction, Action: &record.Action{
		From: at(ms), Verb: "patch", Resource: crs, Namespace: s.sample.Namespace, Name: "cache",
	}})
	s.asked(ms+2, "kubernetes-admin", "", "patch", crs, s.sample.Namespace)
}

func (s *story) end(ms int, outcome string) {
	o := s.sample
	s.add(record.Entry{Time: at(ms), Kind: record.KindEnd, End: &record.End{
		Outcome: outcome, Style: o.Style, Variant: o.Variant, Scenario: o.Scenario, Round: o.Round, Namespace: o.Namespace,
	}})
}

// asked is a request in the audit log.
func (s *story) asked(ms int, user, pod, verb, resource, namespace string) {
	s.add(record.Entry{Time: at(ms + 300), Kind: record.KindAudit, Audit: &record.Audit{
		Received: s.clock.Add(at(ms)), Answered: s.clock.Add(at(ms + 1)),
		User: user, Pod: pod, Verb: verb, Resource: resource, Namespace: namespace, Name: "cache", Code: 200,
	}})
}

const account = "system:serviceaccount:argo:default"

// pod is a pod in the style's namespace.
func (s *story) pod(ms int, event, name string, meta map[string]any) {
	s.object(ms, event, "pods.v1", name, meta)
}

func (s *story) object(ms int, event, resource, name string, meta map[string]any) {
	s.uid++
	raw, err := json.Marshal(map[string]any{"metadata": meta})
	if err != nil {
		panic(err) // of what a test wrote
	}
	s.add(record.Entry{Time: at(ms), Kind: record.KindWatch, Watch: &record.Watch{
		Event: event, Resource: resource, Namespace: "argo", Name: name, UID: fmt.Sprint("u", s.uid), Object: raw,
	}})
}

var (
	ofController = map[string]any{"labels": map[string]any{"app": "controller"}}
	ofWorkflow   = map[string]any{"ownerReferences": []any{map[string]any{"kind": "Workflow"}}}
)

// used is a pod's figure: CPU in milliseconds, memory in MiB.
func used(name string, cpu, memory int64) record.PodUsage {
	return record.PodUsage{Namespace: "argo", Name: name, CPU: cpu * 1e6, Memory: memory * mib}
}

// throttled adds to a pod's figure that limits held it back, for milliseconds.
func throttled(p record.PodUsage, ms, periods, of int64) record.PodUsage {
	p.Throttled = &record.Throttled{Time: at(int(ms)), Periods: periods, ThrottledPeriods: of}
	return p
}

// deployment is that of the sample's custom resource.
func (s *story) deployment(ms int, event string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindWatch, Watch: &record.Watch{
		Event: event, Resource: "deployments.v1.apps", Namespace: s.sample.Namespace, Name: "cache", UID: "d",
	}})
}

// look is a kubelet's answer.
func (s *story) look(ms int, pods ...record.PodUsage) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindUsage, Usage: &record.Usage{Node: "n", Pods: pods}})
}

func (s *story) costs() []cost.Cost {
	m := cost.NewMeter()
	for _, e := range s.entries {
		m.Add(e)
	}
	return m.Costs()
}

// block is a whole turn of argo in a round, of known cost: installing takes 3 s,
// removing 2 s. One warm-up and one measured change are handled, in 10 s each,
// with a Workflow of two pods. The controller uses 100 ms of CPU for each change
// and 20 ms in each second. A step pod uses 400 ms; the last look sees 390.
func (s *story) block(from, round int) (end int) {
	t := func(ms int) int { return from + ms }
	s.stage(t(0), argo, round, record.Installing)
	s.stage(t(3000), argo, round, record.Installed)
	s.pod(t(3010), "LISTED", "c", ofController)
	s.look(t(3500), throttled(used("c", 1000, 50), 700, 40, 10))
	cpu := int64(1000)
	for n := range 2 {
		b := 4000 + n*10_000
		s.begin(t(b), argo, "scale-up", round, func(x *record.Sample) { x.Warmup = n == 0 })
		s.object(t(b+20), "ADDED", workflows, fmt.Sprint("w", n), nil)
		s.deployment(t(b+250), "ADDED")
		for p := range 2 {
			name := fmt.Sprintf("step-%d-%d", n, p)
			s.pod(t(b+100+p*2000), "ADDED", name, ofWorkflow)
			s.asked(t(b+500+p*2000), account, name, "create", "workflowtaskresults.v1alpha1.argoproj.io", "argo")
			s.look(t(b+1500+p*2000), used("c", cpu+50, 60), used(name, 390, 20))
		}
		s.asked(t(b+600), account, "c", "get", "pods.v1", "argo")
		s.asked(t(b+700), account, "c", "update", "leases.v1.coordination.k8s.io", "argo")
		cpu += 300
		s.look(t(b+8600), used("c", cpu-18, 55))
		s.look(t(b+9500), used("c", cpu, 55))
		s.end(t(b+9600), record.Settled)
	}
	s.look(t(23_700), used("c", cpu+4, 55))
	s.look(t(28_700), throttled(used("c", cpu+104, 55), 1700, 120, 30))
	s.stage(t(29_000), argo, round, record.Driven)
	s.stage(t(31_000), argo, round, record.Removed)
	return t(31_000)
}

// floor is a block of the floor.
func (s *story) floor(from, round int) (end int) {
	s.stage(from, floorStyle, round, record.Installed)
	s.look(from + 10)
	s.begin(from+100, floorStyle, "scale-up", round)
	s.look(from + 500)
	s.look(from + 1500)
	s.end(from+1600, record.Settled)
	s.look(from + 1700)
	s.stage(from+1800, floorStyle, round, record.Driven)
	return from + 1800
}
