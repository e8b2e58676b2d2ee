package report

import (
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// DocumentMatrix is the correctness matrix: a cell for each scenario that a
// style was driven through, those that were measured too.
type DocumentMatrix struct {
	Styles      []string             `json:"styles"` // labels, in the order of the columns
	Scenarios   []DocumentScenario   `json:"scenarios"`
	Cells       []DocumentMatrixCell `json:"cells"`       // by scenario, then by style
	Differences []result.Difference  `json:"differences"` // from what is expected, as far as that is known
}

// DocumentScenario is a row of the matrix.
type DocumentScenario struct {
	Name        string `json:"name"`
	Group       string `json:"group"` // latency, basic, level, input, fault or upgrade
	Description string `json:"description,omitempty"`
	StandsFor   string `json:"standsFor,omitempty"` // which real need or failure
}

// DocumentMatrixCell is one style in one scenario, over all repeats.
type DocumentMatrixCell struct {
	Label          string       `json:"label"`
	Scenario       string       `json:"scenario"`
	Verdict        spec.Outcome `json:"verdict"` // pass, fail, flaky, late, invalid, not applicable
	DocumentCounts              // of repeats
	Reason         string       `json:"reason,omitempty"` // of what is invalid, late or not applicable
	// Oracles are all that were asked.
	Oracles  []DocumentOracle    `json:"oracles"`
	Recovery *DocumentRecovery   `json:"recovery,omitempty"` // left out where nothing was broken
	Service  *DocumentService    `json:"service,omitempty"`  // left out where the managed system was not asked
	Expected *result.Expectation `json:"expected,omitempty"` // left out where it is not known
	Repeats  []DocumentResult    `json:"repeats"`
}

// DocumentOracle is what an oracle said over the repeats. Message and evidence
// are those of the first repeat with the worst outcome; left out for a pass.
type DocumentOracle struct {
	Oracle        string       `json:"oracle"`
	Outcome       spec.Outcome `json:"outcome"` // the worst
	Passed        int          `json:"passed"`
	Failed        int          `json:"failed"`
	Invalid       int          `json:"invalid"`
	NotApplicable int          `json:"notApplicable"`
	Message       string       `json:"message,omitempty"`
	Evidence      []string     `json:"evidence,omitempty"`
	Run           string       `json:"run,omitempty"`
	Round         int          `json:"round,omitempty"`
	Namespace     string       `json:"namespace,omitempty"`
}

// DocumentRecovery is how a style recovered from a fault.
type DocumentRecovery struct {
	Itself int `json:"itself"` // repeats
	Nudge  int `json:"nudge"`  // repeats in which the custom resource had to be touched
	Never  int `json:"never"`
	// Seconds from the end of the last fault until what was wanted was reached, of
	// the repeats that recovered by themselves, in order of size.
	Seconds []float64 `json:"seconds"`
}

// DocumentService is how the managed system answered in the repeat in which it was without an answer the longest.
type DocumentService struct {
	Asked    int     `json:"asked"`
	Answered int     `json:"answered"`
	Gap      float64 `json:"gap"` // seconds that it was without an answer at most; 0: it answered each question
}

// documentMatrix is nil where there is no matrix.
func (r *Report) documentMatrix() *DocumentMatrix {
	if !r.HasMatrix() {
		return nil
	}
	d := &DocumentMatrix{Styles: whole(r.Matrix.Labels()), Scenarios: []DocumentScenario{}, Cells: []DocumentMatrixCell{}, Differences: whole(r.Differences())}
	for _, row := range r.Matrix.Rows() {
		d.Scenarios = append(d.Scenarios, DocumentScenario{row.Name, row.Group, row.Description, row.StandsFor})
		for _, c := range row.Cells {
			if c != nil {
				d.Cells = append(d.Cells, r.documentMatrixCell(c))
			}
		}
	}
	return d
}

func (r *Report) documentMatrixCell(c *result.Cell) DocumentMatrixCell {
	d := DocumentMatrixCell{
		Label: c.Style.Label, Scenario: c.Scenario, Verdict: c.Verdict, DocumentCounts: DocumentCounts(c.Tally),
		Reason: c.Reason, Oracles: make([]DocumentOracle, 0, len(c.Oracles)), Repeats: whole(plain.Map(c.Results, documentResult)),
	}
	for _, o := range c.Oracles {
		one := DocumentOracle{Oracle: o.Name, Outcome: o.Outcome, Passed: o.Passed, Failed: o.Failed, Invalid: o.Invalid, NotApplicable: o.NotApplicable}
		if o.Outcome != spec.Pass {
			one.Message, one.Evidence, one.Run, one.Round, one.Namespace = o.Message, o.Evidence, o.Run, o.Round, o.Namespace
		}
		d.Oracles = append(d.Oracles, one)
	}
	if of := c.Recovery; of != nil {
		d.Recovery = &DocumentRecovery{of.Itself, of.Nudge, of.Never, whole(plain.Map(of.After, time.Duration.Seconds))}
	}
	if s := c.Service; s != nil {
		d.Service = &DocumentService{s.Asked, s.Answered, s.Gap.Seconds()}
	}
	if e := r.Expectation(c); e.Known {
		d.Expected = &e
	}
	return d
}
