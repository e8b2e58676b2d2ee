package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/timeline/wire"
)

// work is a spec.Work made ready for use.
type work struct {
	spec.Work
	matches *bounds.Template
	of      condition // what is known of Of without a custom resource
	ended   condition
	look    *wire.Lookup
}

func compileWork(w spec.Work) (*work, error) {
	t, err := bounds.NewTemplate(w.Of.Matches)
	if err != nil {
		return nil, fmt.Errorf("of %.80q: %w", w.Of.Matches, err)
	}
	for _, path := range append([]string{w.Of.Path, w.Ended.Path}, w.Messages...) {
		if err := bounds.Path(path); err != nil {
			return nil, fmt.Errorf("path %.80q: %w", path, err)
		}
	}
	c := &work{Work: w, matches: t, look: wire.NewLookup([]string{w.Of.Path, w.Ended.Path})}
	c.of = condition{FieldCondition: w.Of, slot: 0}
	c.ended = condition{FieldCondition: w.Ended, slot: 1}
	if w.Ended.Matches != "" {
		if c.ended.matches, err = bounds.Expression(w.Ended.Matches); err != nil {
			return nil, fmt.Errorf("ended %s: %w", w.Ended.Path, err)
		}
	}
	return c, nil
}

// shownWork is what one event shows of a work object.
type shownWork struct {
	work     *work
	of       string // what stands at Of.Path
	named    bool   // something does, and it may be a custom resource
	Ended    bool
	messages []string
}

func (w *work) show(object []byte, spend func(steps int) bool) shownWork {
	values := w.look.In(object, spend)
	if !spend(w.of.cost(values[0]) + w.ended.cost(values[1])) {
		return shownWork{work: w}
	}
	shown := shownWork{work: w, of: values[0].String(), named: w.of.holds(values[0]), Ended: w.ended.holds(values[1])}
	for _, path := range w.Messages {
		if !spend(wire.Walks(path, object)) {
			break
		}
		for _, message := range gjson.GetBytes(object, path).Array() { // what is no list is one of one
			if text := message.String(); text != "" {
				shown.messages = append(shown.messages, text)
			}
		}
	}
	return shown
}

// job is a work object, with all that belongs with it: pods that it controls, Kubernetes' Events about it and them.
// Whose it is follows from the first event that showed it.
type job struct {
	uid    string
	claims []shownWork // of each style that works by such objects
}

// Outside is what an event outside of a sample's own namespaces is to the sample.
type Outside struct {
	Job     *job // that it belongs with; nil: the operator's own pods, and Events about them
	Subject *Subject
	Work    *shownWork // what it shows of the job's object; nil: it is another object
}

// jobs are the work objects of a block, by their uids and those of the objects that belong with them. They are kept
// when they are deleted: their pods, and Events, may come later.
type jobs map[string]*job

// of returns what an event of the matrix belongs with, and takes note of it; nil: with nothing.
func (all jobs) of(r *Reading) *job {
	if r.object == nil {
		return nil
	}
	uid := r.object.UID
	if known := all[uid]; known != nil {
		return known
	}
	if len(r.work) > 0 {
		all[uid] = &job{uid: uid, claims: r.work}
		return all[uid]
	}
	if parent := all[r.object.Controller]; parent != nil && r.object.Controller != "" {
		all[uid] = parent
		return parent
	}
	if r.object.Detail != nil && r.object.Detail.Regarding.UID != "" {
		return all[r.object.Detail.Regarding.UID]
	}
	return nil
}

// working says which of the sample's custom resources a job is for; nil: none.
func (t *Timeline) working(j *job) *Subject {
	if s, known := t.jobs[j]; known {
		return s
	}
	for i := range j.claims {
		claim := &j.claims[i]
		for k, s := range t.Subjects {
			match := t.matchers[claim.work]
			if claim.named && match != nil && t.effort.spend(match[k].Cost(len(claim.of))) && match[k].MatchString(claim.of) {
				t.jobs[j] = s
				return s
			}
		}
	}
	t.jobs[j] = nil
	return nil
}

// newMatchers compiles what tells the jobs of the sample's custom resources.
func (t *Timeline) newMatchers() error {
	t.jobs, t.matchers = map[*job]*Subject{}, map[*work][]*bounds.Pattern{}
	for _, w := range t.Style.work {
		for _, s := range t.Subjects {
			matcher, err := w.matches.Matcher(s.Namespace, s.Name)
			if err != nil {
				return fmt.Errorf("style %s: work %s: %w", t.Style.Name, w.Resource, err)
			}
			if !t.effort.spend(matcher.CompileCost()) {
				return t.effort.err()
			}
			t.matchers[w] = append(t.matchers[w], matcher)
		}
	}
	return nil
}

// outside says what an event outside of the sample's namespaces is to it; false: it is another's.
func (t *Timeline) outside(w *record.Watch, j *job, shown []shownWork) (*Outside, bool) {
	if !t.Style.own[w.Namespace] {
		return nil, false
	}
	if j == nil {
		return &Outside{}, w.Resource == spec.Pods || w.Resource == spec.Events || t.Style.byResource[w.Resource] != nil
	}
	a := &Outside{Job: j, Subject: t.working(j)}
	for i := range shown {
		if t.matchers[shown[i].work] != nil {
			a.Work = &shown[i]
		}
	}
	return a, a.Subject != nil
}

// WorkObject is an object in which the style works for one custom resource.
type WorkObject struct {
	Name, UID string
	Resource  string
	subject   *Subject
	Made      time.Duration // when it was first seen
	Listed    bool          // it was there before
	ended     bool          // nothing more comes of it, or it is gone
	seq       int
}

func (w *world) work(e *Event) {
	a := e.Outside
	if w.works == nil {
		w.works = map[string]*WorkObject{}
	}
	known := w.works[a.Job.uid]
	if known == nil {
		known = &WorkObject{
			Name: e.Watch.Name, UID: a.Job.uid, Resource: e.Watch.Resource, subject: a.Subject,
			Made: e.Time, Listed: e.Watch.Event != spec.Added, seq: len(w.works),
		}
		w.works[a.Job.uid] = known
	}
	known.ended = a.Work.Ended || e.Watch.Event == spec.Deleted
}

// WorksOf lists the objects in which the style worked for a custom resource, in order of appearance.
func (t *Timeline) WorksOf(s *Subject) []*WorkObject {
	all := slices.SortedFunc(maps.Values(t.World.works), func(a, b *WorkObject) int { return cmp.Compare(a.seq, b.seq) })
	return plain.Where(all, func(w *WorkObject) bool { return w.subject == s })
}

// messages are what a work object tells a person.
func (e *Event) messages() []string {
	if e.Outside == nil || e.Outside.Work == nil {
		return nil
	}
	return e.Outside.Work.messages
}
