package scenarios

import (
	"fmt"
	"reflect"

	"operatorbench/e2e/plain"
)

// stepKind is a kind of step: all that is known of it but how it is done. That says package drive.
type stepKind struct {
	name   string            // of its field in a file
	text   func(Step) string // what it does, in a few words
	check  func(*checker, step)
	result func(Step) *Spec // what is asked for behind it; nil: what was before

	own     bool // it is always of the scenario's own custom resource
	asks    bool // for what can be brought about
	changes bool // a custom resource that is there, or makes one
	waits   bool // for the operator, or for the cluster
}

// stepKinds lists all kinds of step.
func stepKinds() []stepKind { //nolint:funlen // a list
	return []stepKind{
		{
			name: "create", asks: true, changes: true, check: (*checker).create,
			text:   func(s Step) string { return fmt.Sprintf("create %d", s.Create.Size) },
			result: func(s Step) *Spec { return s.Create },
		},
		{
			name: "patch", asks: true, changes: true, check: (*checker).ask,
			text:   func(s Step) string { return fmt.Sprintf("patch %d", s.Patch.Size) },
			result: func(s Step) *Spec { return s.Patch },
		},
		{
			name: "apply", asks: true, changes: true, check: (*checker).ask,
			text:   func(s Step) string { return fmt.Sprintf("apply %d", s.Apply.Size) },
			result: func(s Step) *Spec { return s.Apply },
		},
		{
			name: "scale", asks: true, changes: true, check: (*checker).ask,
			text:   func(s Step) string { return fmt.Sprintf("scale to %d by the scale subresource", s.Scale.Size) },
			result: func(s Step) *Spec { return s.Scale },
		},
		{
			name: "delete", asks: true, check: (*checker).delete,
			text:   func(Step) string { return "delete" },
			result: func(Step) *Spec { return nil },
		},
		{
			name: "readScale", own: true, waits: true, check: (*checker).present,
			text: func(Step) string { return "read the scale subresource" },
		},
		{name: "series", own: true, check: (*checker).series, text: func(s Step) string { return s.Series.text() }},
		{
			name: "annotate", changes: true, check: (*checker).annotate,
			text: func(s Step) string { return fmt.Sprintf("annotate %d times", s.Annotate) },
		},
		{
			name: "finalize", check: (*checker).finalize,
			text: func(s Step) string { return either(*s.Finalize, "add a finalizer", "remove the finalizer") },
		},
		{name: "submit", changes: true, check: (*checker).submit, text: func(s Step) string { return s.Submit.text() }},
		{
			name: "wrong", own: true, changes: true, waits: true, check: (*checker).wrong,
			text: func(s Step) string {
				return fmt.Sprintf("set wrong values, up to %d that the definition takes, each set right again", s.Wrong)
			},
		},
		{name: "drift", own: true, waits: true, check: (*checker).drift, text: func(s Step) string { return s.Drift.text() }},
		{
			name: "turn", own: true, changes: true, check: (*checker).turn,
			text: func(s Step) string { return fmt.Sprintf("turn the knob of the effect %s", s.Turn) },
		},
		{
			name: "pause", own: true, changes: true, check: (*checker).pause,
			text: func(s Step) string { return either(*s.Pause, "pause", "go on") },
		},
		{
			name: "fault", own: true, waits: true, check: (*checker).fault,
			text: func(s Step) string { return s.Fault.Kind + " " + s.Fault.What },
		},
		{name: "mend", own: true, waits: true, check: (*checker).mend, text: func(s Step) string { return "mend " + s.Mend }},
		{name: "await", own: true, waits: true, check: (*checker).await, text: func(s Step) string { return "await " + s.Await }},
		{name: "probe", own: true, waits: true, check: (*checker).probe, text: func(s Step) string { return "let the probe " + s.Probe }},
	}
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// StepKinds are the names of all kinds of step.
func StepKinds() []string {
	return plain.Map(stepKinds(), func(k stepKind) string { return k.name })
}

// kinds returns the kinds that the step is of, which are named as the fields that are set. The schema allows one.
func (s Step) kinds() []stepKind {
	set := map[string]bool{}
	for field, value := range reflect.ValueOf(s).Fields() {
		set[field.Tag.Get("yaml")] = !value.IsZero()
	}
	return plain.Where(stepKinds(), func(k stepKind) bool { return set[k.name] })
}

// kind returns the step's kind; of a step that is of none, one that does nothing.
func (s Step) kind() stepKind {
	return append(s.kinds(), stepKind{text: func(Step) string { return "" }})[0]
}

// Kind is the name of the step's kind, as in a file.
func (s Step) Kind() string { return s.kind().name }

// Waits reports whether the step waits for the operator or the cluster.
func (s Step) Waits() bool { return s.kind().waits }
