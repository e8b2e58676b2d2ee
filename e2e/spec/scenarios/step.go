package scenarios

import (
	"reflect"

	"operatorbench/e2e/plain"
)

// stepKind is a kind of step: one file, which says all of it but how it is done. That says one file of package drive.
type stepKind struct {
	name   string            // of its field in a file
	text   func(Step) string // what it does, in a few words
	check  func(*checker, step)
	result func(s Step, before *Spec) *Spec // what is asked for behind it; nil: what was before

	own     bool // it is always of the scenario's own custom resource
	asks    bool // for what can be brought about
	changes bool // a custom resource that is there, or makes one
	waits   bool // for the operator, or for the cluster
}

// stepKinds lists all kinds of step.
func stepKinds() []stepKind {
	return []stepKind{
		createStep(), patchStep(), applyStep(), scaleStep(), readScaleStep(), seriesStep(), annotateStep(), finalizeStep(),
		deleteStep(), submitStep(), wrongStep(), driftStep(), turnStep(), pauseStep(), faultStep(), mendStep(), awaitStep(), probeStep(),
	}
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
