package scenarios

import (
	"fmt"

	"operatorbench/e2e/spec"
)

// driftStep changes the operator's Deployment behind its back.
func driftStep() stepKind {
	return stepKind{
		name: spec.StepDrift, own: true,
		is:   func(s Step) bool { return s.Drift != nil },
		text: func(s Step) string { return s.Drift.text() },
		check: func(c *checker, s step) {
			if !s.custom.there || !s.custom.rested {
				c.FailAt(s.at("drift"), "drift: it is not certain that there is a Deployment: await handled first")
			}
			switch replicas := s.Drift.Replicas; {
			case replicas == nil:
				c.replaces(s, "its Deployment drifts to other pods")
			case *replicas == 0:
				c.replaces(s, "its Deployment drifts to no pods")
			}
		},
	}
}

// Drift is what is done to the Deployment; exactly one field is set.
type Drift struct {
	Replicas *int      `yaml:"replicas"`
	Image    string    `yaml:"image"` // of its first container
	Delete   *struct{} `yaml:"delete"`
}

func (d Drift) text() string {
	switch {
	case d.Replicas != nil:
		return fmt.Sprintf("scale the Deployment to %d", *d.Replicas)
	case d.Image != "":
		return "change the Deployment's image"
	}
	return "delete the Deployment"
}
