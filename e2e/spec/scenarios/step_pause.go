package scenarios

import "operatorbench/e2e/spec"

// pauseStep pauses the custom resource, or lets it go on.
func pauseStep() stepKind {
	return stepKind{
		name: spec.StepPause, own: true, changes: true,
		is: func(s Step) bool { return s.Pause != nil },
		text: func(s Step) string {
			if *s.Pause {
				return "pause"
			}
			return "go on"
		},
		check: func(c *checker, s step) {
			c.present(s, spec.StepPause)
			if *s.Pause == s.custom.paused {
				c.FailAt(s.at(spec.StepPause), "pause: the custom resource is so already")
			}
			s.custom.paused = *s.Pause
		},
	}
}
