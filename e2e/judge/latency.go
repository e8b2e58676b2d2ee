package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
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
	// Namespace, From and At trace the value to its recording: the custom resource's namespace (namespace/name where
	// those of a load share it); the intent, as in the action's "from" (of a load: in the last action's "intended");
	// and the entry that showed the phase, as in its "t" (for a timeout: the sample's end). Nanoseconds on the
	// recording's clock; Value is their difference. Where the scenario's act was never made, they are the sample's
	// begin and end entries, and Value is its timeout.
	Namespace string        `json:"namespace"`
	From      time.Duration `json:"from"`
	At        time.Duration `json:"at"`
	// Value runs from the intent to the watch event that showed the phase. For
	// a timeout it is the time that was waited.
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"` // s: seconds
	Outcome string  `json:"outcome"`
	Warmup  bool    `json:"warmup,omitempty"`
	// Late is how long after it was due the harness sent the last step of a load, in nanoseconds. Value includes it.
	Late time.Duration `json:"late,omitempty"`
	// Rate is how many changes a second were due in the step of a ramp that the sample is of; 0: it is of none.
	Rate int `json:"rate,omitempty"`
	// Stage is that of a growth which it is in, and Held how many custom resources were there when that began; empty: it
	// is of none. What was created while the operator was stopped counts from when that was started.
	Stage string `json:"stage,omitempty"`
	Held  int    `json:"held,omitempty"`
}

// latencies returns a Sample for each phase that the sample went through, and for each that was waited for and did not
// come. A phase that never had to happen, because its state was there all along, has none.
func latencies(t *timeline.Timeline, verdicts []Verdict) []Sample {
	if !t.Actions.Measured {
		return neverBegan(t)
	}
	judged := countsAs(verdicts)
	samples := make([]Sample, 0, len(t.Phases))
	for i, p := range t.Phases {
		at, reached := t.Reached(p.Name)
		outcome := judged
		if !reached {
			at, outcome = t.EndedAt, absent(t, i)
		}
		if outcome == "" {
			continue
		}
		if t.Unheard(p.Needs) != "" || t.End == nil || t.End.Outcome == record.Interrupted {
			outcome = Interrupted
		}
		s := sample(t, p.Name, at)
		s.Outcome = outcome
		samples = append(samples, s)
	}
	return samples
}

// sample is a phase's, from the intent until a time of the recording.
func sample(t *timeline.Timeline, phase string, at time.Duration) Sample {
	from := t.Actions.Intent
	if over := t.FaultsAt(record.Over); t.Sample.Stage == record.StageDown && len(over) > 0 && phase != spec.PhaseAcknowledged {
		from = over[len(over)-1].From
	}
	return Sample{
		Operator: t.Style.Name, Variant: t.Sample.Variant, Scenario: t.Sample.Scenario, Phase: phase, Run: t.Run, Block: t.Sample.Round,
		Namespace: t.Sample.Place(), From: from, At: at,
		Value: (at - from).Seconds(), Unit: "s", Warmup: t.Sample.Warmup, Late: t.Actions.Late,
		Rate: t.Sample.Rate, Stage: t.Sample.Stage, Held: t.Sample.Held,
	}
}

// neverBegan returns the censored samples of a scenario whose given state was not reached in time, so that its own act
// was never made: not to count them would let a style that is slow to get there look better than it is. The API server
// was never asked to acknowledge anything. Of inner phases it is not known whether there would have been any.
func neverBegan(t *timeline.Timeline) []Sample {
	if t.End == nil || t.End.Outcome != record.TimedOut {
		return nil
	}
	var samples []Sample
	for _, p := range t.Phases {
		if p.Inner >= 0 || p.Name == spec.PhaseAcknowledged {
			continue
		}
		s := sample(t, p.Name, t.EndedAt)
		s.From, s.Value, s.Outcome = t.Began, t.Sample.Timeout.Seconds(), Timeout
		samples = append(samples, s)
	}
	return samples
}

// countsAs is the outcome that reached phases have, given the sample's verdicts.
func countsAs(verdicts []Verdict) string {
	is := func(o spec.Outcome) bool {
		return slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Outcome == o })
	}
	switch {
	case is(spec.Fail):
		return Wrong
	case is(spec.Invalid):
		return Interrupted
	}
	return OK
}

// absent is the outcome of a phase that was not reached; empty: it did not have to be.
func absent(t *timeline.Timeline, i int) string {
	p := &t.Phases[i]
	timedOut := t.End != nil && t.End.Outcome == record.TimedOut
	over := t.End == nil || t.End.Outcome == record.Interrupted
	switch {
	case p.Holds != nil && t.Marks[i].Holds:
		return ""
	case p.Inner >= 0 && !t.Actions.Reconcile:
		return ""
	case over:
		return Interrupted
	case timedOut:
		return Timeout
	case p.Holds != nil: // ended as settled, but is not
		return Wrong
	}
	return ""
}
