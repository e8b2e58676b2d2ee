package html

import (
	"regexp"
	"strconv"
	"strings"

	"operatorbench/e2e/spec"
)

// inWords is a phase in words for a stranger; child is the kind of the main child.
func inWords(child, phase string) string {
	words := map[string]string{
		spec.PhaseAcknowledged: "request is acknowledged", spec.PhaseStatusWritten: "status is written",
		spec.PhaseQuiet: "last event", spec.PhaseGone: "custom resource is gone",
		spec.PhaseChildWritten: child + " is written", spec.PhaseReady: "pods are ready",
		spec.PhaseChildGone: child + " is gone", spec.PhasePodsGone: "pods are gone", spec.PhaseAllGone: "all is gone",
	}
	if text, known := words[phase]; known {
		return text
	}
	return phase
}

// ids gives out the page's ids: readable, plain ASCII and unique, whatever the names are made of.
type ids struct{ taken map[string]int }

func newIDs() *ids { return &ids{taken: map[string]int{}} }

// of makes an id from names.
func (i *ids) of(names ...string) string {
	id := slug(strings.Join(names, " "))
	for {
		i.taken[id]++
		n := i.taken[id]
		if n == 1 {
			return id
		}
		id += "-" + strconv.Itoa(n)
	}
}

// others are what slug does not keep.
var others = regexp.MustCompile(`[^a-z0-9]+`)

// slug keeps a text's ASCII letters and digits, in lower case; a hyphen stands for each run of others.
func slug(text string) string {
	const longest = 80
	id := others.ReplaceAllString(strings.ToLower(text), "-")
	return id[:min(len(id), longest)]
}
