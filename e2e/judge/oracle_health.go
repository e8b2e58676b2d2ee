package judge

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var healthOracle = Named{Name: "health", Needs: onPods, Judge: health}

// health is oracle 9: no container of the operator's own pods restarted or ended in error during the sample, but for
// what the sample's own faults did to those pods. The pods of a style's components are looked at, and those in which it
// worked for this sample; of a style that works in no objects, all pods in its namespaces. A pod that did its work and
// succeeded has ended well; where the sample asks for what cannot be brought about, one that failed has told so.
func health(t *timeline.Timeline) Verdict {
	if len(t.Style.Namespaces) == 0 {
		return notApplicable("the style %s has no pods of its own", t.Style.Name)
	}
	w, err := newPodWatch(t)
	if err != nil {
		return Verdict{Outcome: spec.Invalid, Message: err.Error()}
	}
	for e := range timeline.Each(t.Before) {
		w.know(e)
	}
	// A fault is recorded once it is done: what it did can stand before its entry.
	faults := t.FaultsBegun()
	for i := range t.Events {
		for len(faults) > 0 && faults[0].From <= t.Events[i].Time {
			w.excuse(faults[0])
			w.count(faults[0], 1)
			faults = faults[1:]
		}
		w.look(&t.Events[i])
		if f := t.Events[i].Fault; t.Events[i].Kind == record.KindFault && f.Stage == record.Over {
			w.count(f, -1)
		}
	}
	switch {
	case len(w.pods) == 0:
		return Verdict{Outcome: spec.Invalid, Message: "no pod of the operator was seen"}
	case len(w.troubles) == 0:
		return pass("none of the operator's %s restarted or ended in error", plain.Plural(len(w.pods), "pod"))
	}
	v := fail(w.evidence, "expected the operator's pods to run on; %s", strings.Join(w.troubles, "; "))
	v.containers = w.ended
	return v
}

// podWatch watches over the operator's pods.
type podWatch struct {
	t          *timeline.Timeline
	components []component
	pods       map[string]map[string]int // by uid and container: how often it has ended
	failed     map[string]bool           // pods, by uid
	excused    map[string]bool           // pods that a fault ended, by uid
	once       map[string]bool           // containers that a restart of the node may end once more, by uid/container
	refused    map[string]bool           // pods at work while a fault refused the operator's writes, by uid
	refusing   int                       // such faults, in force
	named      map[string]*wire.Object   // pods as last seen, by uid
	troubles   []string
	ended      []string // containers, as namespace/pod/container
	evidence   []string
}

type component struct {
	spec.Component
	selector labels.Selector
}

func newPodWatch(t *timeline.Timeline) (*podWatch, error) {
	w := &podWatch{
		t: t, pods: map[string]map[string]int{}, failed: map[string]bool{},
		excused: map[string]bool{}, once: map[string]bool{}, refused: map[string]bool{}, named: map[string]*wire.Object{},
	}
	for _, c := range t.Style.Components {
		selector, err := labels.Parse(c.Selector)
		if err != nil {
			return nil, fmt.Errorf("component %s of style %s: selector %q: %w", c.Name, t.Style.Name, c.Selector, err)
		}
		w.components = append(w.components, component{c, selector})
	}
	return w, nil
}

// own reports whether a watch event is of one of the pods that are looked at.
func (w *podWatch) own(e *timeline.Event) bool {
	if e.Kind != record.KindWatch || e.Watch.Resource != spec.Pods || e.Object.Detail == nil || e.Outside == nil {
		return false
	}
	atWork := e.Outside.Job != nil && !w.t.Sample.Unmeetable
	return atWork || len(w.t.Style.Work) == 0 || w.component(e.Object) != ""
}

// component names the component that a pod is of; "": none.
func (w *podWatch) component(pod *wire.Object) string {
	c, _ := plain.Find(w.components, func(c component) bool {
		return c.Namespace == pod.Namespace && c.selector.Matches(labels.Set(pod.Detail.Labels))
	})
	return c.Name
}

// ends counts how often a container has ended, an end in success only if it was started again.
func ends(c *wire.Container) int {
	if d := c.State.Terminated; d != nil && d.ExitCode != 0 {
		return c.RestartCount + 1
	}
	return c.RestartCount
}

// know takes a pod as it is.
func (w *podWatch) know(e *timeline.Event) {
	if !w.own(e) {
		return
	}
	known := map[string]int{}
	for i := range e.Object.Detail.Containers {
		c := &e.Object.Detail.Containers[i]
		known[c.Name] = ends(c)
	}
	w.pods[e.Object.UID], w.named[e.Object.UID] = known, e.Object
	w.failed[e.Object.UID] = e.Object.Phase == "Failed"
}

func (w *podWatch) look(e *timeline.Event) {
	if !w.own(e) {
		return
	}
	uid, pod := e.Object.UID, e.Object
	known := w.pods[uid]
	if known == nil && e.Watch.Event == spec.Added {
		known = map[string]int{}
	}
	if w.refusing > 0 && e.Outside.Job != nil && w.component(pod) == "" {
		w.refused[uid] = true
	}
	says := w.refused[uid] && w.namesCause(pod)
	if known != nil && !w.excused[uid] && !says && !pod.Deleting && e.Watch.Event != spec.Deleted {
		w.judge(e, known)
	}
	w.know(e)
}

// judge compares a pod with how it was.
func (w *podWatch) judge(e *timeline.Event, known map[string]int) {
	pod := e.Object
	for i := range pod.Detail.Containers {
		c := &pod.Detail.Containers[i]
		n := ends(c) - known[c.Name]
		if n > 0 && w.once[pod.UID+"/"+c.Name] {
			delete(w.once, pod.UID+"/"+c.Name)
			n--
		}
		if n <= 0 {
			continue
		}
		ended := c.State.Terminated
		if ended == nil {
			ended = c.LastState.Terminated
		}
		how := "restarted"
		if ended != nil {
			how = "ended with " + plain.Clip(ended.Text(), timeline.MostOfAMessage)
		}
		w.ended = append(w.ended, pod.Namespace+"/"+pod.Name+"/"+c.Name)
		w.trouble(e, fmt.Sprintf("container %s of pod %s/%s %s", c.Name, pod.Namespace, pod.Name, how))
	}
	if pod.Phase == "Failed" && !w.failed[pod.UID] && len(pod.Detail.Text()) > 0 {
		w.trouble(e, fmt.Sprintf("pod %s/%s failed: %s", pod.Namespace, pod.Name, plain.Clip(pod.Detail.Text(), timeline.MostOfAMessage)))
	}
}

func (w *podWatch) trouble(e *timeline.Event, what string) {
	const most = 6
	at := w.t.Since(e.Time)
	if w.troubles = append(w.troubles, what+" at "+at); len(w.evidence) < most {
		w.evidence = append(w.evidence, line(w.t, e)+": "+plain.Clip(what, timeline.MostOfAMessage))
	}
}

// namesCause reports whether a container of the pod ended with a message that names what the fault made impossible.
func (w *podWatch) namesCause(pod *wire.Object) bool {
	cause, err := w.t.Cause()
	if err != nil || cause == nil {
		return false
	}
	return slices.ContainsFunc(pod.Detail.Containers, func(c wire.Container) bool {
		return c.State.Terminated != nil && cause.Said(c.State.Terminated.Text())
	})
}

// count takes note of a fault that denies writes, as it begins and ends.
func (w *podWatch) count(f *record.Fault, by int) {
	if scenarios.KindOfFault(f.Kind).Denies {
		w.refusing += by
	}
}

// excuse takes note of the pods that a fault ends, as they are when it begins.
func (w *podWatch) excuse(f *record.Fault) {
	for uid, pod := range w.named {
		switch {
		case f.Kind == spec.FaultRestart && f.What == spec.RestartNode:
			for container := range w.pods[uid] {
				w.once[uid+"/"+container] = true
			}
		case scenarios.KindOfFault(f.Kind).Ends && (f.What == spec.AllComponents || f.What == w.component(pod)),
			slices.Contains(f.Objects, "pods/"+pod.Namespace+"/"+pod.Name):
			w.excused[uid] = true
		}
	}
}
