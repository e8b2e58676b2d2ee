package scenarios

// StepPause is the step's name in a file.
const StepPause = "pause"

// pauseStep pauses the custom resource, or lets it go on.
func pauseStep() stepKind {
	return stepKind{
		name: StepPause, own: true, changes: true,
		text: func(s Step) string {
			if *s.Pause {
				return "pause"
			}
			return "go on"
		},
		check: func(c *checker, s step) {
			c.present(s, StepPause)
			if *s.Pause == s.custom.paused {
				c.FailAt(s.at(StepPause), "pause: the custom resource is so already")
			}
			s.custom.paused = *s.Pause
		},
	}
}
