package scenarios

import (
	"cmp"
	"fmt"

	"operatorbench/e2e/plain"
)

// StepDrift is the step's name in a file.
const StepDrift = "drift"

// driftStep changes the main child behind the operator's back.
func driftStep() stepKind {
	return stepKind{
		name: StepDrift, own: true, waits: true,
		text: func(s Step) string { return s.Drift.text() },
		check: func(c *checker, s step) {
			if !s.custom.there || !s.custom.rested {
				c.FailAt(s.at("drift"), "drift: it is not certain that there is a main child: await handled first")
			}
			c.seen.drifted = c.seen.drifted || s.Drift.Fields != nil
			switch replicas := s.Drift.Replicas; {
			case s.Drift.Pod != nil:
				c.replaces(s, "one of its pods is killed")
			case s.Drift.Pods != nil:
				c.replaces(s, "its pods are killed")
			case s.Drift.Owner != nil: // its pods stay
			case replicas == nil && s.Drift.Merge == nil:
				c.replaces(s, "its main child drifts to other pods")
			case replicas == nil: // its pods stay, unless the patch is of their template
				if _, spec := s.Drift.Merge["spec"]; spec {
					c.replaces(s, "its main child drifts to other pods")
				}
			case *replicas == 0:
				c.replaces(s, "its main child drifts to no pods")
			}
		},
	}
}

// Drift is what is done to the main child; exactly one field is set.
type Drift struct {
	Replicas *int      `yaml:"replicas"`
	Image    string    `yaml:"image"` // of its first container
	Delete   *struct{} `yaml:"delete"`
	// Merge is a merge patch of the child, in which null removes a field.
	Merge  map[string]any `yaml:"merge"`
	Owner  *struct{}      `yaml:"owner"`  // it gets a second owner, which does not control it
	Fields []string       `yaml:"fields"` // each of these that it has, one after the other, is set to another value
	Pod    *struct{}      `yaml:"pod"`    // one of its pods is killed, without grace
	Pods   *struct{}      `yaml:"pods"`   // all of them are, one right after the other

	child string // its kind, once the scenario is bound
}

// DriftFields lists what Drift.Fields can name: of the main child's first container, of its pods' specification, and
// of the main child itself.
func DriftFields() []string {
	return []string{"ports", "command", "args", "resources", "securityContext", "podSecurityContext", "serviceAccountName", "labels", "ownerReferences"}
}

func (d Drift) text() string {
	child := cmp.Or(d.child, "main child")
	switch {
	case d.Replicas != nil:
		return fmt.Sprintf("scale the %s to %d", child, *d.Replicas)
	case d.Image != "":
		return fmt.Sprintf("change the %s's image", child)
	case d.Owner != nil:
		return fmt.Sprintf("give the %s a second owner", child)
	case d.Fields != nil:
		return fmt.Sprintf("change %s of the %s, one after the other", plain.List(d.Fields), child)
	case d.Pod != nil:
		return fmt.Sprintf("kill a pod of the %s", child)
	case d.Pods != nil:
		return fmt.Sprintf("kill every pod of the %s", child)
	case d.Merge != nil:
		return fmt.Sprintf("patch the %s with %s", child, asJSON(d.Merge))
	}
	return "delete the " + child
}
