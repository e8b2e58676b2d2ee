package judge

import "regexp"

// told returns the first message since the intent that a person can find and
// that names the sample's cause; false: there is none.
func (t *Timeline) told() (string, bool) {
	cause, err := regexp.Compile("(?i)" + t.Sample.Cause)
	if t.Sample.Cause == "" || err != nil {
		return "", false
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Time < t.acts.intent {
			continue
		}
		for _, message := range e.messages {
			if cause.MatchString(message) {
				return message, true
			}
		}
	}
	return "", false
}
