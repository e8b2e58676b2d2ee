package gate

import (
	"encoding/json"
	"io"

	"operatorbench/e2e/stat"
)

// JSONSchema is the version of gate.json.
const JSONSchema = 1

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
	Seed       uint64             `json:"seed"`
	Forced     []string           `json:"forced,omitempty"`
	Warnings   []string           `json:"warnings,omitempty"`
	Facts      []string           `json:"facts,omitempty"`
	Scenarios  []ScenarioDocument `json:"scenarios"`
	Metrics    []MetricDocument   `json:"metrics"`
	Counters   []CounterDocument  `json:"counters"`
}

// ScenarioDocument is a Scenario in gate.json.
type ScenarioDocument struct {
	Style    string        `json:"style"`
	Scenario string        `json:"scenario"`
	Verdict  Verdict       `json:"verdict"`
	Base     TallyDocument `json:"base"`
	Head     TallyDocument `json:"head"`
	Message  string        `json:"message"`
}

// TallyDocument is a Tally in gate.json.
type TallyDocument struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Unjudged int `json:"unjudged,omitempty"`
}

// MetricDocument is a Metric in gate.json.
type MetricDocument struct {
	Style     string              `json:"style"`
	Scenario  string              `json:"scenario"`
	Phase     string              `json:"phase"`
	Gated     bool                `json:"gated"`
	Verdict   Verdict             `json:"verdict"`
	Base      *QuantileDocument   `json:"base,omitempty"`
	Head      *QuantileDocument   `json:"head,omitempty"`
	Ratio     *BoundsDocument     `json:"ratio,omitempty"`
	Interval  *BoundsDocument     `json:"interval,omitempty"`
	Again     *BoundsDocument     `json:"again,omitempty"` // interval of base against itself
	Rounds    int                 `json:"rounds"`
	P         float64             `json:"p"`
	Corrected float64             `json:"corrected"`
	Needed    int                 `json:"needed,omitempty"` // rounds that would do
	First     *DifferenceDocument `json:"first,omitempty"`
	Message   string              `json:"message"`
}

// QuantileDocument is the median of one side.
type QuantileDocument struct {
	Samples  int     `json:"samples"`
	Lost     int     `json:"lost,omitempty"` // did not count: wrong, or interrupted
	P50      float64 `json:"p50"`            // seconds
	Censored bool    `json:"censored,omitempty"`
}

// BoundsDocument are bounds; null is none.
type BoundsDocument struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// DifferenceDocument is a Difference in gate.json; times are seconds.
type DifferenceDocument struct {
	Phase string  `json:"phase"`
	Only  bool    `json:"onlyHead,omitempty"`
	At    float64 `json:"at"`
	Added float64 `json:"added"`
}

// CounterDocument is a Counter in gate.json.
type CounterDocument struct {
	Style    string        `json:"style"`
	Scenario string        `json:"scenario"`
	Name     string        `json:"name"`
	Gated    bool          `json:"gated"`
	Verdict  Verdict       `json:"verdict"`
	Base     RangeDocument `json:"base"`
	Head     RangeDocument `json:"head"`
}

// RangeDocument is a Range in gate.json.
type RangeDocument struct {
	Least   int `json:"least"`
	Most    int `json:"most"`
	Samples int `json:"samples"`
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
		Paired: r.Paired, Rounds: r.Rounds, Tolerance: r.Tolerance, Effect: r.Effect, Alpha: r.Alpha, Seed: r.Seed,
		Forced: r.Forced, Warnings: r.Warnings, Facts: r.Facts,
		Scenarios: []ScenarioDocument{}, Metrics: []MetricDocument{}, Counters: []CounterDocument{},
	}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		d.Scenarios = append(d.Scenarios, ScenarioDocument{
			Style: s.Style, Scenario: s.Scenario, Verdict: s.Verdict, Base: TallyDocument(s.Base), Head: TallyDocument(s.Head), Message: s.Message(),
		})
	}
	for i := range r.Metrics {
		d.Metrics = append(d.Metrics, r.Metrics[i].document())
	}
	for _, c := range r.Counters {
		d.Counters = append(d.Counters, CounterDocument{
			Style: c.Style, Scenario: c.Scenario, Name: c.Name, Gated: c.Gated, Verdict: c.Verdict,
			Base: RangeDocument{c.Base.Least, c.Base.Most, c.Base.N}, Head: RangeDocument{c.Head.Least, c.Head.Most, c.Head.N},
		})
	}
	return d
}

func (m *Metric) document() MetricDocument {
	d := MetricDocument{
		Style: m.Style, Scenario: m.Scenario, Phase: m.Phase, Gated: m.Gated, Verdict: m.Verdict,
		Rounds: m.Ratio.Rounds, P: m.P, Corrected: m.Corrected, Needed: m.Needed, Message: m.Message(),
	}
	if m.Ratio.Rounds > 0 {
		d.Base = &QuantileDocument{m.Samples.Base, m.Lost.Base, m.Ratio.Base.Value, m.Ratio.Base.Censored}
		d.Head = &QuantileDocument{m.Samples.Head, m.Lost.Head, m.Ratio.Head.Value, m.Ratio.Head.Censored}
		d.Ratio, d.Interval = bounds(&m.Ratio.Value), bounds(m.Ratio.Interval)
	}
	if m.Again != nil {
		d.Again = bounds(m.Again.Interval)
	}
	if m.First != nil {
		d.First = &DifferenceDocument{m.First.Phase, m.First.Only, m.First.At, m.First.Added}
	}
	return d
}

func bounds(b *stat.Bounds) *BoundsDocument {
	if b == nil {
		return nil
	}
	return &BoundsDocument{finite(b.Low), finite(b.High)}
}
