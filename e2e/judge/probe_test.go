package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// asked is a question to the managed system; "": it answered.
func (s *story) asked(from, to float64, what, class string) {
	p := &record.Question{From: at(from), What: what, Namespace: "services", Name: "cache", Pod: "p1", OK: class == "", Class: class}
	if class == record.ProbeNoPod {
		p.Pod = ""
	}
	if class != "" {
		p.Error = "as told"
	}
	s.add(record.Entry{Time: at(to), Kind: record.KindProbe, Probe: p})
}

func probed(t *testing.T, probe *spec.Probe, expect string, tell func(*story)) (judge.Verdict, *judge.Service) {
	t.Helper()
	s := newStory(t)
	w := queue
	w.Probe = probe
	s.entries[0].Header.Workload = &w
	s.begin(0, "native", "version-upgrade", 2, func(b *record.Sample) { b.Expect, b.Matrix = []string{expect}, true })
	s.act(1, 2, "patch", queued(2, 2, 1, "Up").at(100))
	tell(s)
	s.end(20_000, record.Settled)
	j := s.judge()
	require.Len(t, j.Results, 1)
	return s.verdict(expect), j.Results[0].Service
}

func TestAnswersAllAlong(t *testing.T) {
	const ok = ""
	for name, test := range map[string]struct {
		gap     int
		tell    func(*story)
		outcome spec.Outcome
		message string
		service *judge.Service
	}{
		"each": {5, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, ok)
			s.asked(1500, 1510, spec.ProbeAsk, ok)
		}, spec.Pass, "2 of 2 questions answered", &judge.Service{Asked: 2, Answered: 2}},
		"one short gap": {5, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, ok)
			s.asked(1500, 1510, spec.ProbeAsk, record.ProbeRefused)
			s.asked(2000, 2010, spec.ProbeAsk, ok)
		}, spec.Pass, "2 of 3 questions answered, the longest time without an answer was at most 1s", &judge.Service{Asked: 3, Answered: 2, Gap: at(1000)}},
		"a long one": {5, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, ok)
			s.asked(1500, 3500, spec.ProbeAsk, record.ProbeTimeout)
			s.asked(6500, 6510, spec.ProbeAsk, record.ProbeNoPod)
			s.asked(7000, 7010, spec.ProbeAsk, ok)
		}, spec.Fail, "expected the Queue to answer all along, but for 5s at most; for up to 6s it did not (2 of 4 questions answered)", &judge.Service{Asked: 4, Answered: 2, Gap: at(6000)}},
		"a long one, where any is none": {0, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, ok)
			s.asked(9000, 9010, spec.ProbeAsk, record.ProbeNoPod)
		}, spec.Pass, "1 of 2 questions answered", &judge.Service{Asked: 2, Answered: 1, Gap: at(8000)}},
		"never": {5, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, record.ProbeWrong)
			s.asked(9000, 9010, spec.ProbeAsk, record.ProbeWrong)
		}, spec.Fail, "0 of 2 questions answered", &judge.Service{Asked: 2, Gap: at(8010)}},
		"what was not passed on says nothing": {5, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, ok)
			s.asked(1500, 9000, spec.ProbeAsk, record.ProbeUnasked)
			s.asked(9500, 9510, spec.ProbeAsk, record.ProbeRefused)
			s.asked(9600, 9610, spec.ProbeAsk, ok)
		}, spec.Pass, "2 of 3 questions answered, the longest time without an answer was at most 610ms", &judge.Service{Asked: 3, Answered: 2, Gap: at(610)}},
		"nothing was passed on": {5, func(s *story) {
			s.asked(1000, 1010, spec.ProbeAsk, record.ProbeUnasked)
			s.asked(2000, 2010, spec.ProbeAsk, record.ProbeUnasked)
		}, spec.Invalid, "the managed system was not asked", nil},
		"nobody asked": {5, func(*story) {}, spec.Invalid, "the managed system was not asked", nil},
	} {
		v, service := probed(t, &spec.Probe{Ask: spec.ProbeRequest{Port: 1, Expect: "x"}, Gap: test.gap}, spec.OracleServes, test.tell)
		assert.Equal(t, test.outcome, v.Outcome, "%s: %s", name, v.Message)
		assert.Contains(t, v.Message, test.message, name)
		assert.Equal(t, test.service, service, name)
		if test.outcome == spec.Fail {
			assert.Len(t, v.Evidence, 1, name)
		}
	}
	v, _ := probed(t, nil, spec.OracleServes, func(*story) {})
	assert.Equal(t, spec.NotApplicable, v.Outcome)
	assert.Contains(t, v.Message, "the workload queue has no probe")
}

func TestDataKept(t *testing.T) {
	for name, test := range map[string]struct {
		tell    func(*story)
		outcome spec.Outcome
		message string
	}{
		"kept": {func(s *story) {
			s.asked(1000, 1010, spec.ProbeWrite, "")
			s.asked(2000, 2010, spec.ProbeRead, record.ProbeRefused)
			s.asked(3000, 3010, spec.ProbeRead, "")
		}, spec.Pass, "was there at +3.009 s"},
		"lost": {func(s *story) {
			s.asked(1000, 1010, spec.ProbeWrite, "")
			s.asked(3000, 3010, spec.ProbeRead, record.ProbeWrong)
		}, spec.Fail, "expected what the probe wrote at +1.009 s to be there; at +3.009 s it was not"},
		"lost, and another kept": {func(s *story) {
			s.asked(1000, 1010, spec.ProbeWrite, "")
			s.asked(3000, 3010, spec.ProbeRead, record.ProbeWrong)
			s.asked(4000, 4010, spec.ProbeWrite, "")
			s.asked(5000, 5010, spec.ProbeRead, "")
		}, spec.Fail, "expected what the probe wrote at +1.009 s to be there; at +3.009 s it was not"},
		"kept, and another that nobody read": {func(s *story) {
			s.asked(1000, 1010, spec.ProbeWrite, "")
			s.asked(3000, 3010, spec.ProbeRead, "")
			s.asked(4000, 4010, spec.ProbeWrite, "")
		}, spec.Pass, "what the probe wrote at +1.009 s was there at +3.009 s"},
		"never taken": {func(s *story) {
			s.asked(1000, 1010, spec.ProbeWrite, record.ProbeTimeout)
			s.asked(3000, 3010, spec.ProbeRead, record.ProbeWrong)
		}, spec.Fail, "expected the Queue to take what the probe writes"},
		"the write was not passed on": {func(s *story) { s.asked(1000, 1010, spec.ProbeWrite, record.ProbeUnasked) }, spec.Invalid, "could not ask the managed system to keep"},
		"the read was not passed on": {func(s *story) {
			s.asked(1000, 1010, spec.ProbeWrite, "")
			s.asked(3000, 3010, spec.ProbeRead, record.ProbeUnasked)
		}, spec.Invalid, "for what it wrote"},
	} {
		request := &spec.ProbeRequest{Port: 1, Expect: "x"}
		v, _ := probed(t, &spec.Probe{Ask: *request, Write: request, Read: request, Kept: true}, "data-kept", test.tell)
		assert.Equal(t, test.outcome, v.Outcome, "%s: %s", name, v.Message)
		assert.Contains(t, v.Message, test.message, name)
	}
}
