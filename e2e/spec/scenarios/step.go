package scenarios

import (
	"slices"

	"operatorbench/e2e/plain"
)

// stepKind is a kind of step: one file, which says all of it but how it is done. That says one file of package drive.
type stepKind struct {
	name   string            // of its field in a file
	is     func(Step) bool   // whether a step is of that kind
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

// kind is what a step is; of one that is nothing it does nothing.
func (s Step) kind() stepKind {
	all := stepKinds()
	if i := slices.IndexFunc(all, func(k stepKind) bool { return k.is(s) }); i >= 0 {
		return all[i]
	}
	return stepKind{text: func(Step) string { return "" }}
}

// Kind is the name of the step's kind, as in a file.
func (s Step) Kind() string { return s.kind().name }

// Waits tells whether the step waits for the operator or the cluster.
func (s Step) Waits() bool { return s.kind().waits }
