package html

import (
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

// slug keeps a text's ASCII letters and digits, in lower case; a hyphen stands for each run of others.
func slug(text string) string {
	const longest = 80
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case b.Len() >= longest:
			return b.String()
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return b.String()
}
