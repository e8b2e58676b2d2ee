package judge

import (
	"cmp"
	"fmt"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var servesOracle = Named{Name: spec.OracleServes, Judge: servesAllAlong}

// Service is how the managed system answered while it was asked all along.
type Service struct {
	Asked, Answered int
	Gap             time.Duration // the longest time that passed from one answer to the next, with a question between them that was not answered; 0: each was
}

// servesAllAlong judges that the managed system answers all along, while its pods are replaced or lost: no longer than
// the workload's probe says is it without an answer.
func servesAllAlong(t *timeline.Timeline) Verdict {
	probe := t.Spec.Probe
	if probe == nil {
		return notApplicable("the workload %s has no probe", t.Spec.Name)
	}
	service, worst := serviceOf(t)
	switch most := time.Duration(probe.Gap) * time.Second; {
	case service == nil:
		return Verdict{Outcome: spec.Invalid, Message: "the managed system was not asked"}
	case most > 0 && service.Gap > most:
		return fail([]string{probeLine(t, worst)}, "expected the %s to answer all along, but for %s at most; for up to %s it did not (%d of %s answered)",
			t.Spec.Resource.Kind, most, timeline.Round(service.Gap), service.Answered, plain.Plural(service.Asked, "question"))
	}
	return pass("%s", service)
}

func (s *Service) String() string {
	text := fmt.Sprintf("%d of %s answered", s.Answered, plain.Plural(s.Asked, "question"))
	if s.Gap > 0 {
		text += fmt.Sprintf(", the longest time without an answer was at most %s", timeline.Round(s.Gap))
	}
	return text
}

// serviceOf is how the managed system answered, and the last question that was not answered in the longest gap. Nil: it
// was not asked. What the API server did not pass on says nothing: no gap is taken to reach beyond it.
func serviceOf(t *timeline.Timeline) (s *Service, worst *timeline.Event) {
	var last time.Duration     // of an answer
	var missed *timeline.Event // since then
	for e := range t.All() {
		if e.Kind != record.KindProbe || e.Probe.What != spec.ProbeAsk {
			continue
		}
		if s == nil {
			s, last = &Service{}, e.Probe.From
		}
		if e.Probe.Class == record.ProbeUnasked {
			last, missed = e.Time, nil
			continue
		}
		s.Asked++
		if missed != nil && e.Time-last > s.Gap {
			s.Gap, worst = e.Time-last, missed
		}
		if e.Probe.OK {
			s.Answered++
			last, missed = e.Time, nil
			continue
		}
		if missed = e; e.Time-last > s.Gap {
			s.Gap, worst = e.Time-last, e
		}
	}
	if s != nil && s.Asked == 0 { // nothing was passed on
		return nil, nil
	}
	return s, worst
}

// probeLine is a question as evidence.
func probeLine(t *timeline.Timeline, e *timeline.Event) string {
	return fmt.Sprintf("%s probe %s of %s: %s: %s", t.Since(e.Time), e.Probe.What, cmp.Or(e.Probe.Pod, "nobody"), e.Probe.Class, plain.Line(e.Probe.Error))
}
