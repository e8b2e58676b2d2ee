package judge

import "fmt"

// told returns the first message since the harness began that a person can find
// by the sample's custom resource and that names the sample's cause; false:
// there is none.
func (t *Timeline) told() (string, bool) {
	m := t.telling()
	if m == nil {
		return "", false
	}
	return m.String(), true
}

// telling is the message that told returns; nil: there is none.
func (t *Timeline) telling() *message {
	cause, err := t.cause()
	if cause == nil || err != nil {
		return nil
	}
	for _, m := range t.messages() {
		if m.names && cause.said(m.text) {
			return &m
		}
	}
	return nil
}

const mostOfAMessage = 160

// diagnosable judges whether a person can find out what went wrong with this
// custom resource: a message that says so (Sample.Cause) is to be had from it,
// or from what was made for it. Otherwise the nearest are told: what was said of
// it without the cause, and of the cause without it.
func diagnosable(t *Timeline) Verdict {
	cause, err := t.cause()
	switch {
	case err != nil:
		return Verdict{Outcome: Invalid, Message: err.Error()}
	case cause == nil:
		return notApplicable("nothing goes wrong of which a person must be told")
	}
	if m := t.telling(); m != nil {
		return pass("%s after it went wrong, %s says: %s", round(m.event.Time-t.lastAct(m.event.Time)), m.where, cut(m.text, mostOfAMessage))
	}
	near := append(
		t.nearest("of this resource, without the cause", func(m message) bool { return m.names && m.alarm }),
		t.nearest("the cause, without this resource", func(m message) bool { return !m.names && cause.said(m.text) })...)
	said := "nothing near it was said"
	if len(near) > 0 {
		said = "the nearest: " + near[0]
	}
	return fail(near, "expected a message that names this resource and its cause (%s) by %s; %s", t.Sample.Cause, t.since(t.EndedAt), said)
}

// nearest prints the last of the messages that match.
func (t *Timeline) nearest(what string, match func(message) bool) []string {
	const most = 3
	var list []string
	for _, m := range t.messages() {
		if match(m) {
			list = append(list, fmt.Sprintf("%s %s: %s says: %s", t.since(m.event.Time), what, m.where, cut(m.text, mostOfAMessage)))
		}
	}
	return list[max(len(list)-most, 0):]
}
