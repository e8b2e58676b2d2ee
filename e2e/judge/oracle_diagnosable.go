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
		for _, message := range e.messages() {
			if cause.MatchString(message) {
				return message, true
			}
		}
	}
	return "", false
}

// diagnosable judges whether a person can find out what went wrong: a message
// that names the sample's cause is to be read from this custom resource, or from
// what was made for it.
func diagnosable(t *Timeline) Verdict {
	if t.Sample.Cause == "" {
		return notApplicable("nothing goes wrong of which a person must be told")
	}
	message, told := t.told()
	if !told {
		return fail(nil, "expected a message that says %q; seen none by %s", t.Sample.Cause, t.since(t.EndedAt))
	}
	return pass("%s", cut(message, mostOfAMessage))
}

const mostOfAMessage = 160
