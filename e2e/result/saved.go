package result

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
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
	Phases []phase         `json:"phases,omitempty"`
	Cost   *cost.Cost      `json:"cost,omitempty"`
	Grants *grants.Use     `json:"grants,omitempty"`
	Block  *restarts.Block `json:"block,omitempty"`
}

// phase is what a judge.Sample has that its judge.Result has not.
type phase struct {
	Phase   string        `json:"phase"`
	From    time.Duration `json:"from"`
	At      time.Duration `json:"at"`
	Value   float64       `json:"value"`
	Outcome string        `json:"outcome"`
	Late    time.Duration `json:"late,omitempty"`
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
	return r.Environment.Write(folder)
}

func (r Recording) write(to io.Writer) error {
	text, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	lines := json.NewEncoder(text)
	lines.SetEscapeHTML(false)
	err = lines.Encode(saved{Header: &r.Judgement.Header})
	for _, warning := range r.Judgement.Warnings {
		err = errors.Join(err, lines.Encode(saved{Warning: warning}))
	}
	for _, one := range r.Judgement.Results {
		line := saved{Result: &one, Phases: plain.Map(one.Samples, func(s judge.Sample) phase { return phase{s.Phase, s.From, s.At, s.Value, s.Outcome, s.Late} })}
		one.Samples = nil
		err = errors.Join(err, lines.Encode(line))
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

// loadSaved reads what Save wrote.
func loadSaved(name string) (Recording, error) {
	in, err := record.Open(name)
	if err != nil {
		return Recording{}, err
	}
	defer in.Close()
	r := Recording{Judgement: &judge.Judgement{}}
	lines := json.NewDecoder(bufio.NewReader(in))
	lines.DisallowUnknownFields()
	for number := 1; ; number++ {
		var line saved
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF) && number > 1:
			return r, nil
		case err != nil:
			return Recording{}, fmt.Errorf("%s: line %d: not what a run was judged to: %w", name, number, err)
		case (line.Header != nil) != (number == 1):
			return Recording{}, fmt.Errorf("%s: line %d: expected a header in the first line and nowhere else", name, number)
		}
		r.add(line)
	}
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
				Namespace: one.Namespace, From: p.From, At: p.At, Value: p.Value, Unit: "s", Outcome: p.Outcome, Warmup: one.Warmup, Late: p.Late, Rate: one.Rate,
				Stage: one.Stage, Held: one.Held,
			})
		}
		r.Judgement.Results = append(r.Judgement.Results, one)
	case line.Cost != nil:
		r.Costs = append(r.Costs, *line.Cost)
	case line.Grants != nil:
		r.Grants = append(r.Grants, *line.Grants)
	case line.Block != nil:
		r.Restarts = append(r.Restarts, *line.Block)
	}
}
