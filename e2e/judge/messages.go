package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

// message is something that the cluster tells a person.
type message struct {
	event *Event
	where string // what a person must look at
	text  string
	names bool // it is of the sample's own custom resource, or of what was made for it
	alarm bool // it is not said of what goes well
}

func (m message) String() string { return m.where + " says " + m.text }

// messages are what a person can find out with kubectl get and describe since
// the harness began: conditions of the custom resource and of what was made for
// it, containers that wait or have ended, Events, and the messages of the
// objects in which the style works. Each is listed once.
func (t *Timeline) messages() []message {
	t.settle()
	kin := t.kin()
	from := t.stepsBegan()
	seen := map[string]bool{}
	var list []message
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindWatch || e.Time < from {
			continue
		}
		for _, m := range t.said(e, kin) {
			if key := m.String(); m.text != "" && !seen[key] {
				seen[key], m.event = true, e
				list = append(list, m)
			}
		}
	}
	return list
}

// kin are the uids of the sample's own custom resource and of all that was made
// for it in its namespace.
func (t *Timeline) kin() map[string]bool {
	kin := map[string]bool{}
	for _, uid := range t.acts.uids {
		kin[uid] = true
	}
	for uid, d := range t.world.deployments {
		kin[uid] = kin[uid] || t.isChild(d)
	}
	for uid, set := range t.world.replicaSets {
		kin[uid] = kin[uid] || kin[set.owner]
	}
	for uid, pod := range t.world.pods {
		kin[uid] = kin[uid] || kin[pod.owner]
	}
	return kin
}

// said is what one event tells.
func (t *Timeline) said(e *Event, kin map[string]bool) []message {
	names := kin[e.Object.UID] || t.worksForOwn(e)
	what := title(e.Watch.Resource, e.Watch.Name)
	var list []message
	for _, text := range e.messages() {
		list = append(list, message{where: what, text: text, names: names, alarm: true})
	}
	d := e.Object.Detail
	if d == nil {
		return list
	}
	for _, c := range d.Conditions {
		if e.Watch.Resource == Pods && c.Type != "PodScheduled" {
			continue // each pod that starts is not ready first, and says why in them all
		}
		list = append(list, message{where: "condition " + c.Type + " of " + what, text: c.text(), names: names, alarm: c.alarms()})
	}
	for _, c := range d.Containers {
		where := "container " + c.Name + " of " + what
		if c.State.Waiting != nil {
			list = append(list, message{where: where, text: c.State.Waiting.text(), names: names, alarm: c.State.Waiting.Message != ""})
		}
		for _, death := range []*Death{c.State.Terminated, c.LastState.Terminated} {
			if death != nil {
				list = append(list, message{where: where, text: death.text(), names: names, alarm: death.ExitCode != 0})
			}
		}
	}
	switch e.Watch.Resource {
	case Pods:
		list = append(list, message{where: what, text: d.text(), names: names, alarm: true})
	case Events:
		about := d.Regarding
		names = names || kin[about.UID] || t.isOwnName(about)
		where := fmt.Sprintf("an Event about %s %s", about.Kind, about.Name)
		list = append(list, message{where: where, text: d.text(), names: names, alarm: d.Type != "Normal"})
	}
	for i := range list {
		list[i].names = list[i].names || t.namedIn(list[i].text)
	}
	return list
}

// alarms tells whether a condition says that something is amiss.
func (m Told) alarms() bool {
	good := slices.Contains([]string{"Available", "Progressing", "Ready", "PodScheduled"}, m.Type)
	return good == (m.Status != "True")
}

// worksForOwn tells whether an event belongs with an object in which the style
// works for the sample's own custom resource.
func (t *Timeline) worksForOwn(e *Event) bool {
	return e.aside != nil && e.aside.job != nil && e.aside.subject == t.subjects[0]
}

// isOwnName tells whether an Event without a uid is about the sample's own
// custom resource or its Deployment, by their names.
func (t *Timeline) isOwnName(about Regarding) bool {
	own := t.subjects[0]
	if about.UID != "" || about.Namespace != own.namespace {
		return false
	}
	return about.Kind == "Memcached" && about.Name == own.name || about.Kind == "Deployment" && own.childName != "" && about.Name == own.childName
}

// namedIn tells whether a text names the sample's own custom resource: by its
// namespace, too, since others have the same name elsewhere.
func (t *Timeline) namedIn(text string) bool {
	own := t.subjects[0]
	name := own.name
	if own.childName != "" && strings.Contains(text, own.childName) {
		name = own.childName
	}
	return strings.Contains(text, own.namespace) && strings.Contains(text, name)
}

// cause is what a message must say.
type cause struct {
	*regexp.Regexp
	names *strings.Replacer
}

// said tells whether a text names the cause. A namespace's name does not count:
// it may have been made of the words by which a scenario is called.
func (c *cause) said(text string) bool { return c.MatchString(c.names.Replace(text)) }

// cause is the sample's cause, to be matched in any case; nil: it has none.
func (t *Timeline) cause() (*cause, error) {
	if t.Sample.Cause == "" {
		return nil, nil
	}
	pattern, err := regexp.Compile("(?i)" + t.Sample.Cause)
	if err != nil {
		return nil, fmt.Errorf("the sample's cause is no regular expression: %w", err)
	}
	var names []string
	for _, s := range t.subjects {
		names = append(names, s.namespace, "NAMESPACE")
	}
	return &cause{pattern, strings.NewReplacer(names...)}, nil
}

// lastAct is when the harness last did something, up to a time, that can be the
// cause of what is told then.
func (t *Timeline) lastAct(until time.Duration) time.Duration {
	last := t.stepsBegan()
	for i := range t.Events {
		switch e := &t.Events[i]; {
		case e.Kind == record.KindFault && e.Fault.Stage == record.Begun && e.Fault.From <= until:
			last = max(last, e.Fault.From)
		case e.Kind == record.KindAction && !e.Action.Nudge && e.Action.From <= until:
			last = max(last, e.Action.From)
		}
	}
	return last
}
