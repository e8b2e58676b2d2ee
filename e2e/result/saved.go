package result

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// SavedName is the file of a published run that stands for its recording: all that a
// report is computed from, as the oracles judged it.
const SavedName = "results.jsonl.zst"

// saved is a line of that file; one field is set. The header comes first.
type saved struct {
	Header  *record.Header `json:"header,omitempty"`
	Warning string         `json:"warning,omitempty"`
	Result  *judge.Result  `json:"result,omitempty"`
	// Phases are the samples of Result.
	Phases []phase `json:"phases,omitempty"`
	// Times is how many samples of a step the result stands for, which have one outcome; 0: for one.
	Times int `json:"times,omitempty"`
	// Climb stands for the samples of a ramp's round: they are a hundred thousand where all others are a few.
	Climb  *Climb          `json:"climb,omitempty"`
	Cost   *cost.Cost      `json:"cost,omitempty"`
	Grants *grants.Use     `json:"grants,omitempty"`
	Block  *restarts.Block `json:"block,omitempty"`
}

// phase is what a judge.Sample has that its judge.Result has not.
type phase struct {
	Phase   string        `json:"phase"`
	From    time.Duration `json:"from"`
	At      time.Duration `json:"at"`
	Value   *float64      `json:"value,omitempty"` // nil: the seconds from From to At
	Outcome string        `json:"outcome"`
	Late    time.Duration `json:"late,omitempty"`
}

func phaseOf(s judge.Sample) phase {
	p := phase{s.Phase, s.From, s.At, nil, s.Outcome, s.Late}
	if s.Value != p.took() {
		p.Value = &s.Value
	}
	return p
}

// took is what the phase took, in seconds.
func (p phase) took() float64 {
	if p.Value != nil {
		return *p.Value
	}
	return (p.At - p.From).Seconds()
}

// Save writes a judged recording, compressed, with its environment into a folder, from which Load reads it again.
func (r Recording) Save(folder string) error {
	if r.Environment == nil {
		return fmt.Errorf("save run %s: there is no %s: published figures say where they were measured", r.Judgement.Header.Run, record.EnvironmentFile)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("save run %s: %w", r.Judgement.Header.Run, err)
	}
	if err := record.Replace(filepath.Join(folder, SavedName), r.write); err != nil {
		return fmt.Errorf("save run %s: %w", r.Judgement.Header.Run, err)
	}
	environment := *r.Environment
	environment.Images = slices.Clone(environment.Images)
	for i := range environment.Images {
		environment.Images[i].Packages = nil // two thirds of the file, the same in each run; the recording has them
	}
	return environment.WriteCompressed(folder)
}

func (r Recording) write(to io.Writer) error {
	text, err := record.Compressor(to)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(text)
	lines.SetEscapeHTML(false)
	err = lines.Encode(saved{Header: &r.Judgement.Header})
	for _, warning := range r.Judgement.Warnings {
		err = errors.Join(err, lines.Encode(saved{Warning: warning}))
	}
	for _, line := range r.results() {
		err = errors.Join(err, lines.Encode(line))
	}
	for _, climb := range append(r.Climbs, Of(r).climbs()...) {
		err = errors.Join(err, lines.Encode(saved{Climb: &climb}))
	}
	for i := range r.Costs {
		err = errors.Join(err, lines.Encode(saved{Cost: &r.Costs[i]}))
	}
	for i := range r.Grants {
		err = errors.Join(err, lines.Encode(saved{Grants: &r.Grants[i]}))
	}
	for i := range r.Restarts {
		err = errors.Join(err, lines.Encode(saved{Block: &r.Restarts[i]}))
	}
	return errors.Join(err, text.Close())
}

// results are the lines of all samples. Those of a ramp's step, and those that only make a growth's custom resources, are
// one for each outcome, the first one, which took as long as they did on average: no figure is of a single one.
func (r Recording) results() []saved {
	type step struct {
		style, variant, scenario string
		round, rate, held        int
		outcome                  spec.Outcome
	}
	var all []saved
	first := map[step]int{}          // where in all
	took := map[step]time.Duration{} // in all
	for _, one := range r.Judgement.Results {
		phases := plain.Map(one.Samples, phaseOf)
		one.Samples, one.Verdicts = nil, silent(one.Verdicts)
		if one.Rate == 0 && one.Stage != record.StageFill {
			all = append(all, saved{Result: &one, Phases: phases})
			continue
		}
		of := step{one.Style, one.Variant, one.Scenario, one.Round, one.Rate, one.Held, one.Outcome()}
		i, there := first[of]
		if !there {
			i = len(all)
			first[of], all = i, append(all, saved{Result: &one})
		}
		all[i].Times++
		took[of] += one.Ended - one.Began
		all[i].Result.Ended = all[i].Result.Began + took[of]/time.Duration(all[i].Times)
	}
	return all
}

// silent returns verdicts without what those say that passed: no report tells it.
func silent(verdicts []judge.Verdict) []judge.Verdict {
	verdicts = slices.Clone(verdicts)
	for i := range verdicts {
		if verdicts[i].Outcome == spec.Pass {
			verdicts[i].Message, verdicts[i].Evidence = "", nil
		}
	}
	return verdicts
}

// loadSaved reads what Save wrote.
func loadSaved(name string) (Recording, error) {
	in, err := record.Open(name)
	if err != nil {
		return Recording{}, err
	}
	defer in.Close()
	r := Recording{Judgement: &judge.Judgement{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, record.MaxLine) // what is compressed may be a thousand times as long as its file
	for number := 1; ; number++ {
		var line saved
		switch err := next(lines, &line); {
		case errors.Is(err, io.EOF) && number > 1:
			return r, nil
		case err != nil:
			return Recording{}, fmt.Errorf("%s: line %d: not what a run was judged to: %w", name, number, err)
		case (line.Header != nil) != (number == 1):
			return Recording{}, fmt.Errorf("%s: line %d: expected a header in the first line and nowhere else", name, number)
		case line.Times < 0 || line.Times > timeline.MostResults-len(r.Judgement.Results) || line.Climb != nil && len(line.Climb.Steps) == 0:
			return Recording{}, fmt.Errorf("%s: line %d: expected at most %d samples in all, and of a ramp a step at least", name, number, timeline.MostResults)
		}
		r.add(line)
	}
}

// next reads a line; io.EOF: there is none.
func next(lines *bufio.Scanner, into *saved) error {
	if !lines.Scan() {
		return cmp.Or(lines.Err(), io.EOF)
	}
	decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("more than one value")
	}
	return nil
}

func (r *Recording) add(line saved) {
	switch {
	case line.Header != nil:
		r.Judgement.Header = *line.Header
	case line.Warning != "":
		r.Judgement.Warnings = append(r.Judgement.Warnings, line.Warning)
	case line.Result != nil:
		one := *line.Result
		for _, p := range line.Phases {
			one.Samples = append(one.Samples, judge.Sample{
				Operator: one.Style, Variant: one.Variant, Scenario: one.Scenario, Phase: p.Phase, Run: r.Judgement.Header.Run, Block: one.Round,
				Namespace: one.Namespace, From: p.From, At: p.At, Value: p.took(), Unit: "s", Outcome: p.Outcome, Warmup: one.Warmup, Late: p.Late, Rate: one.Rate,
				Stage: one.Stage, Held: one.Held,
			})
		}
		r.Judgement.Results = append(r.Judgement.Results, slices.Repeat([]judge.Result{one}, max(line.Times, 1))...)
	case line.Climb != nil:
		r.Climbs = append(r.Climbs, *line.Climb)
	case line.Cost != nil:
		r.Costs = append(r.Costs, *line.Cost)
	case line.Grants != nil:
		r.Grants = append(r.Grants, *line.Grants)
	case line.Block != nil:
		r.Restarts = append(r.Restarts, *line.Block)
	}
}
