package judge

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// A status may be late: an operator hears of an event after it has happened, so that names of pods that have died,
// or a condition that was True for an older generation, is lag, which must be over at the end (see also outlived). But
// it must never be early. Each status that the operator wrote is looked at for what is new in it, a claim:
//
//   - nodes names a pod that it did not name: that pod runs;
//   - observedGeneration is another, and the condition that says so is not False:
//     the main child asks for the size of that generation (where nothing was broken
//     on purpose and what is asked for can be brought about: else that the operator
//     tried is enough; nor while the custom resource is paused);
//   - replicas is more than before: there are so many pods;
//   - the condition that says so turns True, or is True of another generation:
//     size pods are ready for that generation. A condition without an
//     observedGeneration is of the status's. So one that stays True while a newer
//     generation is observed, and not rolled out, is a claim too.
//
// Nor may it take back what stands: the condition that says so turns from True, for the same generation, though the main
// child asks for the size, its pods are ready, and nothing of them has changed for standsFor. It is judged where the
// operator was stopped, killed or restarted, or nothing was broken, and it was not paused: else it may say what it cannot
// do.
//
// A claim is early where what it says was neither written before it nor seen within a grace after it. What was written
// before is told by the resource versions: watches of different resources are not ordered with each other. The grace is
// for those who take a pod that has just begun to run for one that is ready, or write the status first and then, in the
// same reconcile, the main child.
const (
	claimGrace = 250 * time.Millisecond
	writeGrace = time.Second
	// claimLag is how old what an operator knows may be when it writes.
	claimLag = 10 * time.Second
	// standsFor is how long nothing may have changed before what is said of it is taken back.
	standsFor = 5 * time.Second
)

// childState is a custom resource's main children and pods as they stood from a time on.
type childState struct {
	at       time.Duration
	version  uint64 // of the event that led to it
	children []child
	pods     int // that were there
	ready    int // pods that were ready
}

type child struct {
	asks, ready, has int
	owner            string
	deleting         bool
}

// ran is when a pod was first seen to run.
type ran struct {
	at      time.Duration
	version uint64
}

// past is what a custom resource's claims are held against.
type past struct {
	states []childState
	ran    map[string]ran           // by pod
	begun  map[string]time.Duration // by uid/generation: when it was first seen
	sizes  map[string]int           // by the same
	// touched is when something of them was seen to change.
	touched []time.Duration
	spend   func(steps int) bool
}

func lifeKey(uid string, generation int64) string {
	return uid + "/" + strconv.FormatInt(generation, 10)
}

// pastOf goes through the sample for a custom resource.
func pastOf(t *timeline.Timeline, s *timeline.Subject) *past {
	p := &past{ran: map[string]ran{}, begun: map[string]time.Duration{}, sizes: map[string]int{}, spend: t.Spend}
	p.take(t.StateAt(-1), s, 0, 0)
	for e := range timeline.Each(t.Before) {
		p.asked(t, s, e)
		p.touch(t, s, e)
	}
	t.Replay(func(now *timeline.Timeline, e *timeline.Event) {
		if e.Kind != record.KindWatch || !t.IsRead(e.Watch.Resource) || e.Watch.Namespace != s.Namespace {
			return
		}
		p.asked(t, s, e)
		p.take(now, s, e.Time, e.Object.Version())
		p.touch(t, s, e)
	})
	return p
}

// asked notes what a generation of the custom resource asks for.
func (p *past) asked(t *timeline.Timeline, s *timeline.Subject, e *timeline.Event) {
	if t.SubjectOf(e) != s {
		return
	}
	key := lifeKey(e.Object.UID, e.Object.Generation)
	if _, known := p.begun[key]; !known {
		p.begun[key], p.sizes[key] = e.Time, e.Object.Size
	}
}

// touch notes that something changed beside the custom resource, in its namespace.
func (p *past) touch(t *timeline.Timeline, s *timeline.Subject, e *timeline.Event) {
	if e.Watch.Namespace == s.Namespace && e.Watch.Resource != t.Customs {
		p.touched = append(p.touched, e.Time)
	}
}

// touchedIn reports whether something changed between two times, or whether that would take too long to find out.
func (p *past) touchedIn(from, to time.Duration) bool {
	return !p.spend(len(p.touched)) || slices.ContainsFunc(p.touched, func(at time.Duration) bool { return from <= at && at <= to })
}

// take notes how the custom resource's main children and pods stand.
func (p *past) take(now *timeline.Timeline, s *timeline.Subject, at time.Duration, version uint64) {
	state := childState{at: at, version: version, children: plain.Map(now.ChildrenOf(s), func(d *wire.Object) child {
		return child{d.Replicas, d.ReadyReplicas, d.StatusReplicas, d.Controller, d.Deleting}
	})}
	for _, pod := range now.World.PodsOf(s.IsChild) {
		state.pods++
		if pod.Phase != "Running" {
			continue
		}
		if _, known := p.ran[pod.Name]; !known {
			p.ran[pod.Name] = ran{at, version}
		}
		if !pod.Deleting && (pod.Detail == nil || timeline.IsReady(pod)) {
			state.ready++
		}
	}
	p.states = append(p.states, state)
}

// holds reports whether a state between two times is as it is asked for, or one
// that came later and was written before a version.
func (p *past) holds(from, to time.Duration, version uint64, is func(*childState) bool) bool {
	if !p.spend(len(p.states)) {
		return true
	}
	for i := range p.states {
		s := &p.states[i]
		ended := i+1 < len(p.states) && p.states[i+1].at < from
		if !ended && (s.at <= to || s.version > 0 && s.version <= version) && is(s) {
			return true
		}
	}
	return false
}

// claim is a status that the operator wrote, with the one before it.
type claim struct {
	t            *timeline.Timeline
	past         *past
	at           time.Duration
	version      uint64
	before, says *wire.Object
}

// falseClaim says what is expected of a custom resource's status at any time, and what it said that was not so.
func falseClaim(t *timeline.Timeline, s *timeline.Subject) string {
	p := pastOf(t, s)
	before := map[string]*wire.Object{}
	for e := range timeline.Each(t.Before) {
		if t.SubjectOf(e) == s {
			before[e.Object.UID] = e.Object
		}
	}
	for e := range t.All() {
		if t.SubjectOf(e) != s || e.Watch.Event == spec.Deleted {
			continue
		}
		c := claim{t, p, e.Time, e.Object.Version(), before[e.Object.UID], e.Object}
		if before[e.Object.UID] = e.Object; c.before == nil {
			c.before = &wire.Object{}
		}
		if e.Object.Deleting || unknown(t, e.Time) {
			continue
		}
		if wrong := c.wrong(); wrong != "" {
			return fmt.Sprintf("a status that never claims a state before it is reached; at %s %s", t.Since(e.Time), wrong)
		}
		if wrong := c.takenBack(); wrong != "" {
			return fmt.Sprintf("a status that takes back nothing that stands; at %s %s", t.Since(e.Time), wrong)
		}
	}
	return outlived(t, s, p)
}

// unknown reports whether it cannot be told what was so around a time: the sample
// ended too soon after it, or a watch was interrupted.
func unknown(t *timeline.Timeline, at time.Duration) bool {
	return at+writeGrace > t.EndedAt || slices.ContainsFunc(t.Gaps, func(gap timeline.Event) bool {
		return gap.Gap.From <= at+writeGrace && gap.Time >= at-claimLag
	})
}

func (c *claim) wrong() string {
	for _, check := range []func() string{c.generations, c.nodes, c.observed, c.replicas, c.selector, c.ready} {
		if wrong := check(); wrong != "" {
			return wrong
		}
	}
	return ""
}

// generations: none is claimed that is not there.
func (c *claim) generations() string {
	style, o := c.t.Style, c.says
	switch {
	case style.Says("observedGeneration") && o.ObservedGeneration > o.Generation:
		return fmt.Sprintf("it said observedGeneration %d, of generation %d", o.ObservedGeneration, o.Generation)
	case style.Says("conditions"):
		if wrong := malformed(o); wrong != "" {
			return "expected " + wrong
		}
	}
	return ""
}

func (c *claim) nodes() string {
	if !c.t.Style.Says("nodes") {
		return ""
	}
	for _, name := range c.says.Nodes {
		if slices.Contains(c.before.Nodes, name) {
			continue
		}
		switch ran, known := c.past.ran[name]; {
		case !known:
			return fmt.Sprintf("nodes named %s, no pod of it that ever ran", name)
		case ran.at > c.at+claimGrace && (ran.version == 0 || ran.version > c.version):
			return fmt.Sprintf("nodes named the pod %s, which ran at %s", name, c.t.Since(ran.at))
		}
	}
	return ""
}

// observed judges the observed generation: where something is broken, or cannot be brought about, it is enough that the
// operator tried, which no watch shows. Who says that it is not ready, or is told to pause, does not claim to be done.
func (c *claim) observed() string {
	generation := c.says.ObservedGeneration
	if !c.t.Style.Says("observedGeneration") || generation == c.before.ObservedGeneration || generation == 0 || len(c.t.Faults) > 0 || c.t.Sample.Unmeetable {
		return ""
	}
	if ready := readyOf(c.t, c.says); c.paused() || ready.Type != "" && !ready.True() {
		return ""
	}
	size, from, known := c.asked(generation)
	if !known || c.past.holds(from, c.at+writeGrace, c.version, func(s *childState) bool {
		return slices.ContainsFunc(s.children, func(d child) bool {
			return d.asks == size || d.deleting || d.owner != "" && d.owner != c.says.UID
		})
	}) {
		return ""
	}
	return fmt.Sprintf("it said observedGeneration %d, and no %s asked for the size of that, %d, within %s", generation, c.t.Child.Kind, size, writeGrace)
}

// paused reports whether the custom resource then was.
func (c *claim) paused() bool {
	return slices.ContainsFunc(c.t.Pauses(), func(p timeline.Pause) bool { return p.From <= c.at && c.at <= p.To })
}

// asked is the size that a generation asks for, and since when.
func (c *claim) asked(generation int64) (size int, from time.Duration, known bool) {
	key := lifeKey(c.says.UID, generation)
	from, known = c.past.begun[key]
	return c.past.sizes[key], from - writeGrace, known
}

func (c *claim) holds(from time.Duration, is func(*childState) bool) bool {
	return c.past.holds(from, c.at+claimGrace, c.version, is)
}

func (c *claim) replicas() string {
	n := c.says.StatusReplicas
	if !c.t.Style.Says("replicas") || n <= c.before.StatusReplicas || c.holds(c.at-claimLag, func(s *childState) bool {
		return s.pods >= n || slices.ContainsFunc(s.children, func(d child) bool { return d.has >= n })
	}) {
		return ""
	}
	return fmt.Sprintf("it said replicas %d, and there were not so many pods", n)
}

func (c *claim) selector() string {
	if text := c.says.Selector; c.t.Style.Says("selector") && text != c.before.Selector {
		if _, err := labels.Parse(text); err != nil {
			return fmt.Sprintf("selector was %q, which is none: %v", text, err)
		}
	}
	return ""
}

// ready: size pods were, for the generation that the condition is of.
func (c *claim) ready() string {
	kind := c.t.Style.Declares.Status.Ready
	is, was := readyOf(c.t, c.says), readyOf(c.t, c.before)
	if !is.True() || was.True() && was.ObservedGeneration == is.ObservedGeneration {
		return ""
	}
	size, from, known := c.asked(is.ObservedGeneration)
	switch {
	case is.ObservedGeneration == 0: // of none in particular: whatever the main child asked for was there
		if c.holds(c.at-claimLag, func(s *childState) bool {
			return slices.ContainsFunc(s.children, func(d child) bool { return max(d.ready, s.ready) >= d.asks })
		}) {
			return ""
		}
		return fmt.Sprintf("condition %s was True (%s), and the pods were not ready", kind, is.Reason)
	case !known || c.holds(max(from, c.at-claimLag), func(s *childState) bool {
		return slices.ContainsFunc(s.children, func(d child) bool { return d.asks == size && max(d.ready, s.ready) >= size })
	}):
		return ""
	}
	return fmt.Sprintf("condition %s was True (%s) for generation %d, and its %s were not ready", kind, is.Reason, is.ObservedGeneration, plain.Plural(size, "pod"))
}

// takenBack: the condition turned from True, and nothing was the matter.
func (c *claim) takenBack() string {
	is, was := readyOf(c.t, c.says), readyOf(c.t, c.before)
	if !was.True() || is.Type == "" || is.True() || is.ObservedGeneration != was.ObservedGeneration || is.ObservedGeneration != c.says.Generation ||
		c.paused() || slices.ContainsFunc(c.t.FaultsBegun(), mayHinder) {
		return ""
	}
	size, _, known := c.asked(is.ObservedGeneration)
	if !known || c.past.touchedIn(c.at-standsFor, c.at+claimGrace) || !c.past.holds(c.at, c.at, 0, func(s *childState) bool {
		return len(s.children) == 1 && s.children[0].asks == size && !s.children[0].deleting && s.pods == size && s.ready == size
	}) {
		return ""
	}
	kind := c.t.Style.Declares.Status.Ready
	return fmt.Sprintf("condition %s was %s, and nothing of its %s and its %s had changed for %s",
		kind, condition(c.says.Condition(kind)), c.t.Child.Kind, plain.Plural(size, "ready pod"), standsFor)
}

// mayHinder reports whether an operator that is there may be unable to do something while a fault lasts.
func mayHinder(f *record.Fault) bool {
	return !slices.Contains([]string{spec.FaultStop, spec.FaultKill, spec.FaultRestart}, f.Kind)
}

// disables reports whether a fault may keep the operator from seeing, or saying, what is so.
func disables(f *record.Fault) bool {
	return !slices.Contains([]string{spec.FaultRemoveImage, spec.FaultMutate, spec.FaultOccupy, spec.FaultDouble}, f.Kind)
}

// readyOf is the condition, with the generation that the status is of where it does not say.
func readyOf(t *timeline.Timeline, o *wire.Object) wire.Condition {
	is := o.Condition(t.Style.Declares.Status.Ready)
	if is.ObservedGeneration == 0 && t.Style.Says("observedGeneration") {
		is.ObservedGeneration = o.ObservedGeneration
	}
	return is
}
