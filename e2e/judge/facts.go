package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// facts are what is known of a sample only once it has ended: recorded behind its end, or computed from other samples.
// They are gathered first; Result.conclude then decides what hangs on them.
type facts struct {
	slowest reaction        // of the sample, that of its given state included
	others  []time.Duration // the reactions of the style's samples, this one among them, ascending; nil: not yet known
	logs    []*record.Logs  // what was found in the logs of its operator
	gaps    []gap           // in watches, that reach back into the sample
	held    []*record.Held  // what its operator had not let go of
}

// gap is a gap in a watch that ended behind the sample.
type gap struct {
	*record.Entry
	outage *timeline.Outage // which explains it; nil: none
}

// reaction returns the sample's slowest; none is known where there was a gap in the watches that show it.
func (r *Result) reaction() reaction {
	written := r.where.Written()
	if slices.ContainsFunc(r.facts.gaps, func(g gap) bool { return slices.Contains(written, g.Gap.Resource) }) {
		return reaction{}
	}
	return r.facts.slowest
}

// conclude decides all verdicts and latencies that hang on facts.
func (j *Judgement) conclude() {
	byStyle := map[string][]time.Duration{}
	for i := range j.Results {
		if r := &j.Results[i]; r.reaction().took > 0 {
			byStyle[r.label()] = append(byStyle[r.label()], r.reaction().took)
		}
	}
	for _, all := range byStyle {
		slices.Sort(all)
	}
	for i := range j.Results {
		r := &j.Results[i]
		r.facts.others = byStyle[r.label()]
		r.conclude()
	}
}

func (r *Result) label() string { return record.Label(r.Style, r.Variant) }

// conclude replaces what the timeline alone shows by what it shows together with the facts. It changes no list in
// place: an earlier Judgement may share it.
func (r *Result) conclude() {
	r.Verdicts = release(plain.Map(r.Verdicts, r.verdict), r.facts.held)
	counts := countsAs(r.Verdicts)
	r.Samples = plain.Map(r.Samples, func(s Sample) Sample {
		if slices.ContainsFunc(r.facts.gaps, func(g gap) bool { return r.measures(s.Phase, g.Gap.Resource) }) {
			s.Outcome = Interrupted
		}
		if counts != OK && (s.Outcome == OK || s.Outcome == Wrong) {
			s.Outcome = counts
		}
		return s
	})
}

// measures reports whether a phase is read from what was watched of a resource.
func (r *Result) measures(phase, resource string) bool {
	return slices.ContainsFunc(r.phases, func(p timeline.Phase) bool { return p.Name == phase && slices.Contains(p.Needs, resource) })
}

// verdict returns one by the timeline as the facts make it.
func (r *Result) verdict(v Verdict) Verdict {
	o, _ := named(v.Oracle)
	if v.open {
		if decided, known := o.Later(r); known {
			decided.Oracle = v.Oracle
			v = decided
		}
	}
	v = explained(v, r.facts.logs)
	if v.Outcome == spec.NotApplicable || len(r.facts.gaps) == 0 {
		return v
	}
	needs := r.where.Resources(o.Needs...)
	for _, g := range r.facts.gaps {
		switch {
		case !slices.Contains(needs, g.Gap.Resource):
		case g.outage != nil:
			v.Message += timeline.Interruption(g.outage, g.Entry)
		default:
			v.Outcome, v.Message = spec.Invalid, timeline.UnheardOf(g.Entry)
		}
	}
	return v
}
