package gate

import "operatorbench/e2e/result"

// Progress says how far a comparison has come that is still being driven. The
// driver asks for it after each round, and drops what is settled.
type Progress struct {
	Verdict Verdict // so far
	// Settled tells that the verdict will not change: all that is gated is fine,
	// or something is a regression. Then there is nothing left to drive.
	Settled bool
	Styles  []StyleProgress
	Metrics []MetricProgress // all that is gated
}

// StyleProgress is how far the comparison of one style has come.
type StyleProgress struct {
	Style   string
	Verdict Verdict // so far
	// Settled styles need no further round: each style has error probabilities of
	// its own, so that dropping one changes nothing of the others.
	Settled bool
	Rounds  int      // that base and head have both been driven
	Planned int      // Options.Planned of the style; 0: not known
	Open    []string // what cannot be told yet
}

// MetricProgress is whether one gated metric is settled.
type MetricProgress struct {
	Style, Name string
	Verdict     Verdict
	Settled     bool
}

// Look judges the recording of a comparison as far as it is driven. It is pure, and valid however often it is asked and
// whenever the driver stops for what it says: every look after a full round is one of a group-sequential design, whose
// error probabilities are spent in proportion to o.Planned (see Options), so that a driver must fix that number before
// the first look (it may be estimated from how long the first round took, never from what was measured).
//
// A look is taken only after a whole round: one that every variant of the style has finished. Later, Compare of the
// same recording repeats the looks and comes to the same verdicts.
func Look(o Options, recording result.Recording) (*Progress, error) {
	base, head, again, err := Sides("the run", recording)
	if err != nil {
		return nil, err
	}
	r, err := decide(o, base, head, again, true)
	if err != nil {
		return nil, err
	}
	return r.Progress(), nil
}

// Progress sums up a comparison for the driver.
func (r *Result) Progress() *Progress {
	p := &Progress{Verdict: r.Verdict, Settled: r.Verdict != Inconclusive}
	style := func(name string) *StyleProgress {
		for i := range p.Styles {
			if p.Styles[i].Style == name {
				return &p.Styles[i]
			}
		}
		p.Styles = append(p.Styles, StyleProgress{Style: name, Verdict: Pass, Planned: r.Planned[name]})
		return &p.Styles[len(p.Styles)-1]
	}
	add := func(of, name string, v Verdict, rounds int) {
		s := style(of)
		s.Rounds = max(s.Rounds, rounds)
		if rank(v) < rank(s.Verdict) {
			s.Verdict = v
		}
		if v == Inconclusive {
			s.Open = append(s.Open, name)
		}
		p.Metrics = append(p.Metrics, MetricProgress{of, name, v, v != Inconclusive})
	}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		add(s.Style, s.Name(), s.Verdict, 0)
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		add(m.Style, m.Name(), m.Verdict, m.Rounds)
	}
	for i := range p.Styles {
		s := &p.Styles[i]
		s.Settled = s.Verdict == Regression || len(s.Open) == 0
	}
	return p
}
