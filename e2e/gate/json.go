package gate

import (
	"encoding/json"
	"io"

	"operatorbench/e2e/stat"
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
	Key
	Verdict  Verdict         `json:"verdict"`
	Base     *SideDocument   `json:"base,omitempty"`
	Head     *SideDocument   `json:"head,omitempty"`
	Ratio    *float64        `json:"ratio,omitempty"`
	Interval *BoundsDocument `json:"interval,omitempty"`
	Again    *BoundsDocument `json:"again,omitempty"` // interval of base against itself
	Test
	Message string `json:"message"`
}

// SideDocument is one side of a metric: seconds, bytes or a count; of a tail the share above base's p90.
type SideDocument struct {
	Samples  int      `json:"samples"`
	Lost     int      `json:"lost,omitempty"` // did not count: wrong, or interrupted
	Value    float64  `json:"value"`
	Censored bool     `json:"censored,omitempty"`
	P90      *float64 `json:"p90,omitempty"`
}

// BoundsDocument are bounds; null is none.
type BoundsDocument struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
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
	d := MetricDocument{Key: m.Key, Verdict: m.Verdict, Test: m.Test, Message: m.Message()}
	if m.Rounds > 0 {
		d.Base = side(m.Samples.Base, m.Lost.Base, m.Base, m.High.Base)
		d.Head = side(m.Samples.Head, m.Lost.Head, m.Head, m.High.Head)
		d.Interval, d.Again = bounds(m.Interval), bounds(m.Again)
	}
	if m.Ratio != nil {
		d.Ratio = finite(*m.Ratio)
	}
	return d
}

func side(samples, lost int, o stat.Observation, high *stat.Observation) *SideDocument {
	d := &SideDocument{Samples: samples, Lost: lost, Value: o.Value, Censored: o.Censored}
	if high != nil {
		d.P90 = &high.Value
	}
	return d
}

func bounds(b *stat.Bounds) *BoundsDocument {
	if b == nil {
		return nil
	}
	return &BoundsDocument{finite(b.Low), finite(b.High)}
}
