package report

import (
	"encoding/json"
	"fmt"
	"io"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// DocumentSchema is the version of Document that this package writes. Within a version, fields are only added.
const DocumentSchema = 2

// Document is report.json: the report for other programs. Its JSON Schema is docs/schema/report.schema.json. What
// samples it was computed from is in samples.jsonl.
type Document struct {
	Schema       int                   `json:"schema"`
	Runs         []string              `json:"runs"`
	Environments []*record.Environment `json:"environments"` // of the recordings whose environment is known
	Warnings     []string              `json:"warnings"`
	Styles       []DocumentStyle       `json:"styles"` // the floor first
	Scenarios    []string              `json:"scenarios"`
	// Counts are all samples of Cells by their outcomes.
	Counts DocumentCounts `json:"counts"`
	// Rankings order the styles of each run in each of its scenarios, the floor apart.
	Rankings []DocumentRank `json:"rankings"`
	Cells    []DocumentCell `json:"cells"`
	Costs    []result.Cost  `json:"costs"`
	// Claims is always empty: what the tutorial claims is in docs/tutorial.md, beside
	// its figures. It is there because a field goes only with a new version.
	Claims []string `json:"claims"`
	// Matrix is left out where no sample was made for it.
	Matrix *DocumentMatrix `json:"matrix,omitempty"`
	Grants []grants.Use    `json:"grants,omitempty"` // rights and their use, of styles that hold any
}

// DocumentStyle is a style in one of its variants.
type DocumentStyle struct {
	Label   string `json:"label"` // style, or style@variant: what the rest refers to
	Style   string `json:"style"`
	Variant string `json:"variant,omitempty"`
	Floor   bool   `json:"floor,omitempty"` // the harness writes the Deployment itself
}

// DocumentCounts are samples by their outcomes.
type DocumentCounts struct {
	Passed        int `json:"passed"`
	Failed        int `json:"failed"`
	Late          int `json:"late"` // not done when their time was over
	Invalid       int `json:"invalid"`
	NotApplicable int `json:"notApplicable"`
}

// DocumentRank is a style's place in a scenario, among those of the same run.
type DocumentRank struct {
	Run      string `json:"run"`
	Scenario string `json:"scenario"`
	result.Rank
}

// DocumentCell is one style in one scenario.
type DocumentCell struct {
	Run      string           `json:"run"`
	Label    string           `json:"label"`
	Scenario string           `json:"scenario"`
	Verdict  spec.Outcome     `json:"verdict"` // pass, fail, flaky, late, invalid, not applicable
	Passed   int              `json:"passed"`  // of Rounds
	Rounds   int              `json:"rounds"`  // samples, the warm-up ones included
	Warmups  int              `json:"warmups"` // samples that only warmed up: not in the latencies
	Late     int              `json:"late"`    // samples that were not done when their time was over
	Phases   []DocumentPhase  `json:"phases"`
	Results  []DocumentResult `json:"results"`
}

// DocumentPhase are the latencies of one phase, in seconds.
type DocumentPhase struct {
	Phase       string `json:"phase"`
	N           int    `json:"n"`           // latencies that count, the censored ones included
	Rounds      int    `json:"rounds"`      // that these are of: the replicates
	Censored    int    `json:"censored"`    // of these, timeouts
	Wrong       int    `json:"wrong"`       // not counted: an oracle failed
	Interrupted int    `json:"interrupted"` // not counted: not known
	// The order statistics are left out where N is 0, and p90 and p99 where it is too small for them (36, 368).
	P50 *Quantile  `json:"p50,omitempty"`
	P90 *Quantile  `json:"p90,omitempty"`
	P99 *Quantile  `json:"p99,omitempty"`
	Max *Statistic `json:"max,omitempty"`
	// Floor is the floor's p50 in the same runs; ToFloor is P50 divided by it, which
	// loads do not have. Left out where they are not known.
	Floor   *Statistic `json:"floor,omitempty"`
	ToFloor float64    `json:"toFloor,omitempty"`
}

// Statistic is an order statistic. A censored one is only known to be larger.
type Statistic struct {
	Seconds  float64 `json:"seconds"`
	Censored bool    `json:"censored,omitempty"`
}

// Quantile is an order statistic with its confidence interval, where n allows one.
type Quantile struct {
	Statistic
	Interval *Interval `json:"interval,omitempty"`
}

// Interval is a confidence interval whose ends are latencies.
type Interval struct {
	Low   Statistic `json:"low"`
	High  Statistic `json:"high"`
	Level float64   `json:"level"` // the coverage: guaranteed where each round has one latency
}

// DocumentResult is one round, judged.
type DocumentResult struct {
	Run       string            `json:"run"`
	Round     int               `json:"round"` // from 1; 0 only warms up
	Warmup    bool              `json:"warmup,omitempty"`
	Namespace string            `json:"namespace"`
	Outcome   spec.Outcome      `json:"outcome"`
	End       string            `json:"end"` // settled, timeout or interrupted
	Reason    string            `json:"reason,omitempty"`
	Verdicts  []DocumentVerdict `json:"verdicts"`
}

// DocumentVerdict is what one oracle says of one round.
type DocumentVerdict struct {
	Oracle   string       `json:"oracle"`
	Outcome  spec.Outcome `json:"outcome"`
	Message  string       `json:"message,omitempty"` // left out for a pass
	Evidence []string     `json:"evidence,omitempty"`
}

// Document returns the report as report.json has it.
func (r *Report) Document() *Document {
	d := &Document{
		Schema: DocumentSchema, Runs: whole(r.Runs), Environments: []*record.Environment{}, Warnings: whole(r.Warnings), Counts: DocumentCounts(r.Count()),
		Styles: whole(plain.Map(r.Styles, r.documentStyle)), Scenarios: whole(r.Scenarios), Rankings: []DocumentRank{}, Cells: whole(plain.Map(r.Cells, r.documentCell)),
		Costs: whole(r.Costs), Claims: []string{}, Matrix: r.documentMatrix(), Grants: r.Grants,
	}
	for _, one := range r.Tables() {
		for _, scenario := range one.Scenarios {
			for _, k := range one.Ranking(scenario) {
				if style, _ := r.Named(k.Label); style != spec.Floor {
					d.Rankings = append(d.Rankings, DocumentRank{one.Cell(k.Label, scenario).Run, scenario, k})
				}
			}
		}
	}
	known := plain.Pick(r.Parts, func(one result.Part) (*record.Environment, bool) { return one.Environment, one.Environment != nil })
	d.Environments = plain.Once(d.Environments, known...)
	return d
}

func (r *Report) documentStyle(label string) DocumentStyle {
	style, variant := r.Named(label)
	return DocumentStyle{Label: label, Style: style, Variant: variant, Floor: style == spec.Floor}
}

func (r *Report) documentCell(c *result.Cell) DocumentCell {
	d := DocumentCell{
		Run: c.Run, Label: c.Style.Label, Scenario: c.Scenario, Verdict: c.Verdict, Passed: c.Passed, Rounds: c.All(), Warmups: c.Warmups, Late: c.Late,
		Phases: make([]DocumentPhase, 0, len(c.Phases)), Results: whole(plain.Map(c.Results, documentResult)),
	}
	for _, s := range c.Phases {
		p := DocumentPhase{Phase: s.Phase, N: s.N, Rounds: s.Rounds, Censored: s.Censored, Wrong: s.Wrong, Interrupted: s.Interrupted}
		if s.N > 0 {
			top := statistic(s.Max)
			p.P50, p.Max = quantile(s.P50, s.CI50), &top
		}
		if s.Shows(0.9) {
			p.P90 = quantile(s.P90, s.CI90)
		}
		if s.Shows(0.99) {
			p.P99 = quantile(s.P99, s.CI99)
		}
		if floor, there := c.Floor(s.Phase); there {
			middle := statistic(floor.P50)
			p.Floor = &middle
		}
		p.ToFloor, _ = c.ToFloor(s)
		d.Phases = append(d.Phases, p)
	}
	return d
}

func documentResult(one result.Judged) DocumentResult {
	d := DocumentResult{
		Run: one.Run, Round: one.Round, Warmup: one.Warmup, Namespace: one.Namespace, Outcome: one.Outcome(),
		End: one.End, Reason: one.Reason, Verdicts: make([]DocumentVerdict, len(one.Verdicts)),
	}
	for i, v := range one.Verdicts {
		d.Verdicts[i] = DocumentVerdict{Oracle: v.Oracle, Outcome: v.Outcome}
		if v.Outcome != spec.Pass {
			d.Verdicts[i].Message, d.Verdicts[i].Evidence = v.Message, v.Evidence
		}
	}
	return d
}

func statistic(o stat.Observation) Statistic {
	return Statistic{Seconds: o.Value, Censored: o.Censored}
}

func quantile(o stat.Observation, ci *stat.Interval) *Quantile {
	q := &Quantile{Statistic: statistic(o)}
	if ci != nil {
		q.Interval = &Interval{Low: statistic(ci.Low), High: statistic(ci.High), Level: ci.Level}
	}
	return q
}

// whole is a list that is not null in JSON.
func whole[T any](of []T) []T { return append([]T{}, of...) }

// JSON prints the report as a Document, without blanks: jq . makes it readable.
func (r *Report) JSON(out io.Writer) error {
	if err := json.NewEncoder(out).Encode(r.Document()); err != nil {
		return fmt.Errorf("write the report as JSON: %w", err)
	}
	return nil
}
