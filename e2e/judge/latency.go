package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
)

// Outcomes of a Sample.
const (
	OK          = "ok"          // the phase was reached, and the sample's oracles passed
	Wrong       = "wrong"       // some oracle failed: the latency does not count
	Timeout     = "timeout"     // censored: not reached after Value seconds
	Interrupted = "interrupted" // not known: the run or a watch was interrupted
)

// Sample is one measured latency, and one line of samples.jsonl.
type Sample struct {
	Operator string `json:"operator"`
	Variant  string `json:"variant,omitempty"` // for comparisons: base or head, say
	Scenario string `json:"scenario"`
	Phase    string `json:"phase"`
	Run      string `json:"run"`
	Block    int    `json:"block"` // the round, from 1
	// Namespace, From and At trace the value to its recording: the custom
	// resource's namespace; the intent, as in the action's "from" (of a load: in
	// the last action's "intended"); and the entry that showed the phase, as in
	// its "t" (for a timeout: the sample's end). Nanoseconds on the recording's
	// clock; Value is their difference. Where the scenario's act was never made,
	// they are the sample's begin and end entries, and Value is its timeout.
	Namespace string        `json:"namespace"`
	From      time.Duration `json:"from"`
	At        time.Duration `json:"at"`
	// Value runs from the intent to the watch event that showed the phase. For
	// a timeout it is the time that was waited.
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"` // s: seconds
	Outcome string  `json:"outcome"`
	Warmup  bool    `json:"warmup,omitempty"`
}

// reached returns when a phase was reached, on the recording's clock.
func (t *Timeline) reached(name string) (time.Duration, bool) {
	for i, p := range t.phases {
		if p.name != name {
			continue
		}
		switch {
		case p.name == PhaseAcknowledged:
			return t.acts.acked, t.acts.any
		case p.name == PhaseQuiet:
			settled := t.End != nil && t.End.Outcome == record.Settled
			return t.last, settled && t.acts.any && t.last >= t.acts.intent
		}
		return t.marks[i].at, t.marks[i].reached
	}
	return 0, false
}

// latencies returns a Sample for each phase that the sample went through or
// waited for in vain. A phase that never had to happen, because its state was
// there all along, has none.
func latencies(t *Timeline, verdicts []Verdict) []Sample {
	if !t.acts.measured {
		return t.neverBegan()
	}
	judged := countsAs(verdicts)
	samples := make([]Sample, 0, len(t.phases))
	for i, p := range t.phases {
		at, reached := t.reached(p.name)
		outcome := judged
		if !reached {
			at, outcome = t.EndedAt, t.absent(i)
		}
		if outcome == "" {
			continue
		}
		if t.blind(p.needs) != "" || t.End == nil || t.End.Outcome == record.Interrupted {
			outcome = Interrupted
		}
		s := t.sample(p.name, at)
		s.Outcome = outcome
		samples = append(samples, s)
	}
	return samples
}

// sample is a phase's, from the intent until a time of the recording.
func (t *Timeline) sample(phase string, at time.Duration) Sample {
	return Sample{
		Operator: t.style.Name, Variant: t.Sample.Variant, Scenario: t.Sample.Scenario, Phase: phase, Run: t.Run, Block: t.Sample.Round,
		Namespace: t.Sample.Namespace, From: t.acts.intent, At: at,
		Value: (at - t.acts.intent).Seconds(), Unit: "s", Warmup: t.Sample.Warmup,
	}
}

// neverBegan returns the censored samples of a scenario whose given state was
// not reached in time, so that its own act was never made: not to count them
// would let a style that is slow to get there look better than it is. The API
// server was never asked to acknowledge anything. Of inner phases it is not
// known whether there would have been any.
func (t *Timeline) neverBegan() []Sample {
	if t.End == nil || t.End.Outcome != record.TimedOut {
		return nil
	}
	var samples []Sample
	for _, p := range t.phases {
		if p.inner >= 0 || p.name == PhaseAcknowledged {
			continue
		}
		s := t.sample(p.name, t.EndedAt)
		s.From, s.Value, s.Outcome = t.Began, t.Sample.Timeout.Seconds(), Timeout
		samples = append(samples, s)
	}
	return samples
}

// countsAs is the outcome that reached phases have, given the sample's verdicts.
func countsAs(verdicts []Verdict) string {
	is := func(o Outcome) bool {
		return slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Outcome == o })
	}
	switch {
	case is(Fail):
		return Wrong
	case is(Invalid):
		return Interrupted
	}
	return OK
}

// absent is the outcome of a phase that was not reached; empty: it did not
// have to be.
func (t *Timeline) absent(i int) string {
	p := &t.phases[i]
	timedOut := t.End != nil && t.End.Outcome == record.TimedOut
	over := t.End == nil || t.End.Outcome == record.Interrupted
	switch {
	case p.holds != nil && t.marks[i].holds:
		return ""
	case p.inner >= 0 && !t.acts.reconcile:
		return ""
	case over:
		return Interrupted
	case timedOut:
		return Timeout
	case p.holds != nil: // ended as settled, but is not
		return Wrong
	}
	return ""
}
