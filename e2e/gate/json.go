package gate

import (
	"encoding/json"
	"io"
	"math"
)

// JSONSchema is the version of gate.json.
const JSONSchema = 3

// Document is gate.json.
type Document struct {
	Schema     int                `json:"schema"`
	Verdict    Verdict            `json:"verdict"`
	Status     int                `json:"status"` // exit status
	Conclusion string             `json:"conclusion"`
	Base       string             `json:"base"`
	Head       string             `json:"head"`
	Again      string             `json:"again,omitempty"`
	Runs       []string           `json:"runs"` // ids: of base, of head
	Paired     bool               `json:"paired"`
	Rounds     int                `json:"rounds"`
	Tolerance  float64            `json:"tolerance"`
	Effect     float64            `json:"effect"`
	Alpha      float64            `json:"alpha"`
	Planned    map[string]int     `json:"planned,omitempty"` // rounds, by style
	Forced     []string           `json:"forced,omitempty"`
	Warnings   []string           `json:"warnings,omitempty"`
	Facts      []string           `json:"facts,omitempty"`
	Reasons    []string           `json:"reasons,omitempty"`
	Lacks      []Lack             `json:"lacks"`
	Rights     []Lack             `json:"rights"` // that only head has
	Scenarios  []ScenarioDocument `json:"scenarios"`
	Metrics    []MetricDocument   `json:"metrics"`
}

// ScenarioDocument is a Scenario in gate.json.
type ScenarioDocument struct {
	*Scenario
	Message string `json:"message"`
}

// MetricDocument is a Metric in gate.json.
type MetricDocument struct {
	Metric
	Message string `json:"message"`
}

// JSON prints gate.json.
func (r *Result) JSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r.Document())
}

// Document returns the comparison as it is in gate.json.
func (r *Result) Document() *Document {
	d := &Document{
		Schema: JSONSchema, Verdict: r.Verdict, Status: r.Verdict.Status(), Conclusion: r.Conclusion(),
		Base: r.Base.Name, Head: r.Head.Name, Again: r.Again.Name,
		Runs:   []string{r.Base.Recording.Judgement.Header.Run, r.Head.Recording.Judgement.Header.Run},
		Paired: r.Paired, Rounds: r.Rounds, Tolerance: r.Tolerance, Effect: r.Effect, Alpha: r.Alpha, Planned: r.Planned,
		Forced: r.Forced, Warnings: r.Warnings, Facts: r.Facts, Reasons: r.Reasons,
		Lacks: append([]Lack{}, r.Lacks...), Rights: append([]Lack{}, r.Rights...), Scenarios: []ScenarioDocument{}, Metrics: []MetricDocument{},
	}
	for i := range r.Scenarios {
		d.Scenarios = append(d.Scenarios, ScenarioDocument{&r.Scenarios[i], r.Scenarios[i].Message()})
	}
	for i := range r.Metrics {
		d.Metrics = append(d.Metrics, r.Metrics[i].document())
	}
	return d
}

func (m *Metric) document() MetricDocument {
	d := MetricDocument{*m, m.Message()}
	if m.Rounds == 0 {
		d.Base, d.Head = Half{}, Half{}
	}
	if m.Ratio != nil && (math.IsInf(*m.Ratio, 0) || math.IsNaN(*m.Ratio)) {
		d.Ratio = nil // JSON has no such number
	}
	return d
}
