package timeline

import (
	"fmt"
	"regexp"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/timeline/wire"
)

// Message is something that the cluster tells a person.
type Message struct {
	Event *Event
	Where string // what a person must look at
	Text  string
	Names bool // it is about the sample's own custom resource, or an object made for it
	Alarm bool // it is not said where all goes well
}

func (m Message) String() string { return m.Where + " says " + m.Text }

// Messages are what a person can find out with kubectl get and describe since the harness began: conditions of the
// custom resource and of the objects made for it, containers that wait or have ended, Events, and the messages of the
// objects in which the style works. Each is listed once.
func (t *Timeline) Messages() []Message {
	t.Settle()
	related := t.related()
	from := t.StepsBegan()
	seen := map[string]bool{}
	var list []Message
	for e := range t.All() {
		if e.Kind != record.KindWatch || e.Time < from {
			continue
		}
		for _, m := range t.said(e, related) {
			if key := m.String(); m.Text != "" && !seen[key] {
				seen[key], m.Event = true, e
				list = append(list, m)
			}
		}
	}
	return list
}

// related are the uids of the sample's own custom resource and of all that was made for it in its namespace.
func (t *Timeline) related() map[string]bool {
	related := map[string]bool{}
	for _, uid := range t.Actions.UIDs {
		related[uid] = true
	}
	for uid, d := range t.World.Mains {
		related[uid] = related[uid] || t.Subjects[0].Owns(d)
	}
	for range 2 { // a CronJob, say, and its Jobs
		for _, objects := range t.World.others {
			for uid, o := range objects {
				related[uid] = related[uid] || related[o.Owner]
			}
		}
	}
	for uid, set := range t.World.ReplicaSets {
		related[uid] = related[uid] || related[set.Owner]
	}
	for uid, pod := range t.World.Pods {
		related[uid] = related[uid] || related[pod.Owner]
	}
	return related
}

// said is what one event tells.
func (t *Timeline) said(e *Event, related map[string]bool) []Message {
	names, d := related[e.Object.UID] || t.worksForOwn(e), e.Object.Detail
	what := Title(e.Watch.Resource, e.Watch.Name)
	var list []Message
	say := func(where, text string, alarm bool) {
		list = append(list, Message{Where: where, Text: text, Names: names || d != nil && t.namedIn(text), Alarm: alarm})
	}
	for _, text := range e.messages() {
		say(what, text, true)
	}
	for _, c := range e.Object.Notices() {
		if e.Watch.Resource == spec.Pods && c.Type != "PodScheduled" {
			continue // each pod that starts is not ready first, and says why in them all
		}
		say("condition "+c.Type+" of "+what, c.Text(), c.Alarms())
	}
	if e.Object.Message != "" {
		say(t.Spec.Status.Message+" of "+what, e.Object.Message, true)
	}
	if d == nil {
		return list
	}
	for _, c := range d.Containers {
		where := "container " + c.Name + " of " + what
		if c.State.Waiting != nil {
			say(where, c.State.Waiting.Text(), c.State.Waiting.Message != "")
		}
		for _, ended := range []*wire.Termination{c.State.Terminated, c.LastState.Terminated} {
			if ended != nil {
				say(where, ended.Text(), ended.ExitCode != 0)
			}
		}
	}
	switch e.Watch.Resource {
	case spec.Pods:
		say(what, d.Text(), true)
	case spec.Events:
		about := d.Regarding
		names = names || related[about.UID] || t.isOwnName(about)
		say(fmt.Sprintf("an Event about %s %s", about.Kind, about.Name), d.Text(), d.Type != "Normal")
	}
	return list
}

// worksForOwn reports whether an event belongs with an object in which the style
// works for the sample's own custom resource.
func (t *Timeline) worksForOwn(e *Event) bool {
	return e.Outside != nil && e.Outside.Job != nil && e.Outside.Subject == t.Subjects[0]
}

// isOwnName reports whether an Event without a uid is about the sample's own
// custom resource or its Deployment, by their names.
func (t *Timeline) isOwnName(about wire.Regarding) bool {
	own := t.Subjects[0]
	if about.UID != "" || about.Namespace != own.Namespace {
		return false
	}
	return about.Kind == t.Spec.Resource.Kind && about.Name == own.Name || about.Kind == t.Child.Kind && own.childName != "" && about.Name == own.childName
}

// namedIn reports whether a text names the sample's own custom resource: by its
// namespace, too, since others have the same name elsewhere.
func (t *Timeline) namedIn(text string) bool {
	own := t.Subjects[0]
	name := own.Name
	if own.childName != "" && strings.Contains(text, own.childName) {
		name = own.childName
	}
	return strings.Contains(text, own.Namespace) && strings.Contains(text, name)
}

// Cause is what a message must say.
type Cause struct {
	pattern *bounds.Pattern
	names   *strings.Replacer
	effort  *effort
	said    map[string]bool // by text: a sample's messages are asked about again and again
}

// Said reports whether a text names the cause. A namespace's name does not count:
// it may have been made of the words by which a scenario is called.
func (c *Cause) Said(text string) bool {
	said, known := c.said[text]
	if !known && c.effort.spend(len(text)+c.pattern.Cost(len(text))) {
		said = c.pattern.MatchString(c.names.Replace(text))
		c.said[text] = said
	}
	return said
}

// Cause is the sample's cause, to be matched in any case; nil: it has none.
func (t *Timeline) Cause() (*Cause, error) {
	if t.Sample.Cause == "" || t.cause != nil {
		return t.cause, nil
	}
	pattern, err := t.causes.compile(t.Sample.Cause, t.effort)
	if err != nil {
		return nil, fmt.Errorf("the sample's cause is no regular expression that can be used: %w", err)
	}
	var names []string
	for _, s := range t.Subjects {
		names = append(names, s.Namespace, "NAMESPACE")
	}
	t.cause = &Cause{pattern, strings.NewReplacer(names...), t.effort, map[string]bool{}}
	return t.cause, nil
}

// causes are the expressions of a recording's causes: samples of one scenario have the same.
type causes map[string]*bounds.Pattern

func (all *causes) compile(text string, effort *effort) (*bounds.Pattern, error) {
	const most = 100
	if known := (*all)[text]; known != nil {
		return known, nil
	}
	pattern, err := bounds.Cause(text)
	if err != nil {
		return nil, err
	}
	if *all == nil || len(*all) == most {
		*all = causes{}
	}
	(*all)[text] = pattern
	effort.spend(pattern.CompileCost())
	return pattern, nil
}

// CauseMessage is the first message since the harness began that a person can find
// by the sample's custom resource and that names the sample's cause; nil: there is none.
func (t *Timeline) CauseMessage() *Message {
	cause, err := t.Cause()
	if cause == nil || err != nil {
		return nil
	}
	for _, m := range t.Messages() {
		if m.Names && cause.Said(m.Text) && !t.Usual(cause, m) {
			return &m
		}
	}
	return nil
}

// Usual reports whether the style has said the same, its cause included, about a custom resource with nothing wrong: a
// text that is there in any case is no diagnosis.
func (t *Timeline) Usual(cause *Cause, m Message) bool {
	shape := shapeOf(m.Text)
	return t.Style.usual[shape] && cause.Said(shape)
}

// learn takes note of the messages about a sample with nothing wrong.
func (t *Timeline) learn() {
	wrong := t.Sample.Cause != "" && !t.Sample.Prepare || len(t.Faults) > 0
	if !t.Matrix || wrong || t.End.Outcome != record.Settled {
		return
	}
	for _, m := range t.Messages() {
		if m.Names && len(m.Text) <= longestUsual && len(t.Style.usual) < mostUsual {
			t.Style.usual[shapeOf(m.Text)] = true
		}
	}
}

// shapeOf is a text without what differs from one custom resource to the next: words with
// a digit, such as figures, the names of pods, and those of a run's namespaces.
func shapeOf(text string) string { return figured.ReplaceAllLiteralString(text, "#") }

var figured = regexp.MustCompile(`[\w.-]*\d[\w.-]*`)

// MostOfAMessage is how many characters of a message are shown.
const MostOfAMessage = 160
