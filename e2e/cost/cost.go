// Package cost says what an operator style uses, from a recording: pods, custom objects and API calls for each change,
// CPU seconds, memory, and the time that it takes to install and to uninstall. It is pure: entries in, figures out.
//
// Two kinds of figure are kept apart. A Counter is exact: it counts what one sample's change brought about, so that two
// runs of the same style can be compared value for value. A Figure is measured: it comes from sampled counters or
// clocks, and is shown with its median and range.
//
// What a recording does not tell is never zero: Missing says why it is unknown.
package cost

import (
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// Cost is what one style, or one variant of it, used.
type Cost struct {
	Style   string `json:"style"`
	Variant string `json:"variant,omitempty"`
	// Rounds are those in which the style was driven. Round 0 only warms up, and is left out of everything.
	Rounds int `json:"rounds"`
	// Changes are the changes of custom resources in these: each action of the harness on a sample's custom resource
	// that the API accepted. Those of warm-up and prepare samples are among them, since the CPU time of a block cannot
	// be told apart between them; the Counters leave those out.
	Changes int `json:"changes"`

	Install   Figure `json:"install"`   // seconds
	Uninstall Figure `json:"uninstall"` // seconds
	// FirstHandled is how long it took to install the style and to have its first event handled: installing it, and
	// from a block's first change of a custom resource until the first Deployment for it was there; seconds.
	FirstHandled Figure `json:"firstHandled"`

	// CPU is the CPU time of the style's pods for each change, in CPU seconds: of a whole block, from the last look
	// before its first sample until the first look behind its last one, divided by its changes. Of a pod that lives on
	// it is exact, by the kernel's counter; of one that ended it is the last figure that was seen. It holds what the
	// style uses while idle.
	CPU Figure `json:"cpu"`
	// IdleCPU is what the style uses while nothing changes: cores, that is CPU seconds for each second.
	IdleCPU Figure `json:"idleCpu"`
	// BusyCPU is CPU without what the style would have used idle in that time.
	BusyCPU Figure `json:"busyCpu"`
	// UnseenCPU and LongestPause are in published results of earlier versions. Nothing reads them.
	UnseenCPU    Figure `json:"unseenCpu,omitzero"`
	LongestPause Figure `json:"longestPause,omitzero"`
	// PeakMemory and IdleMemory are working sets summed over all of the style's pods at one moment, in bytes: the
	// largest of a block, and the median of the moments at which the style was idle.
	PeakMemory Figure `json:"peakMemory"`
	IdleMemory Figure `json:"idleMemory"`

	// ManyMemory is the same as IdleMemory with 100 custom resources that were all handled: of a load.
	ManyMemory Figure `json:"manyMemory"`
	// Growth is the same with as many as each load left, in the order of how many.
	Growth []Held `json:"growth,omitempty"`

	// Rests are what it uses alone at each number of custom resources of a growth, in their order, and Kept what that took
	// the harness.
	Rests []Rest `json:"rests,omitempty"`
	Kept  []Kept `json:"kept,omitempty"`
	// Busiest are the most requests that its pods sent in a load.
	Busiest []Busiest `json:"busiest,omitempty"`
	// Counted is what its own metrics count in a load, beside the audit log.
	Counted []Counted `json:"counted,omitempty"`
	// Strain is how busy machine and API server were in its loads, and in the steps of its ramps.
	Strain []Strain `json:"strain,omitempty"`

	// ColdStart is how long an operator that is started takes until it has handled something: in the correctness
	// matrix, from the first container that started after the whole operator had been down until the first Deployment
	// that was made then, for what had been asked for meanwhile; seconds.
	ColdStart Figure `json:"coldStart"`
	// UnchangedCalls are the requests that the style's accounts make in a custom resource's namespace for each write of
	// it that changes nothing: of the correctness matrix, by the audit log.
	UnchangedCalls Figure `json:"unchangedCalls"`
	// LogLines are those that the style's pods log for each request of the harness, in the scenarios of the correctness
	// matrix in which no fault concerns the whole operator. What they log when they start is among them.
	LogLines Figure `json:"logLines"`
	// CallsBefore are the requests of the style's pods to the API server at a create, until the one that writes the main
	// child: each that is waited for delays it. Those for leases are left out.
	CallsBefore Figure `json:"callsBefore"`

	// Throttled is for how long CPU limits held the style's pods back in a block, from its installation on, in seconds;
	// ThrottledShare is the share of the kernel's periods of 100 ms in which they used a limit up, 0 without limits. Of
	// a pod that ended it is the last figure that was seen.
	Throttled      Figure `json:"throttled"`
	ThrottledShare Figure `json:"throttledShare"`

	// ComponentCPU is CPU by component, in CPU seconds for each change, ordered
	// by name; pods of no component are named by what owns them.
	ComponentCPU []ComponentFigure `json:"componentCpu,omitempty"`

	// Counters are ordered by scenario, as first driven; then come pods, custom
	// objects, and API calls: all, writes, leases, and by component and verb.
	Counters []Counter `json:"counters"`
}

// Label is the style's name with its variant.
func (c Cost) Label() string { return record.Label(c.Style, c.Variant) }

// ComponentFigure is a figure of one component.
type ComponentFigure struct {
	Component string `json:"component"`
	Figure
}

// Figure is a measured quantity with one value for each round that has one.
type Figure struct {
	Unit   string  `json:"unit"` // s, cores or bytes
	Values []Value `json:"values,omitempty"`
	// Missing says why there is no value; "" where there is one.
	Missing string `json:"missing,omitempty"`
}

// Reading is what a quantity was in one round.
type Reading[T int | float64] struct {
	Round int `json:"round"`
	Value T   `json:"value"`
}

// Value is what a figure has.
type Value = Reading[float64]

// Count is what a counter has.
type Count = Reading[int]

// Known reports whether there is any value.
func (f Figure) Known() bool { return len(f.Values) > 0 }

// Median is the median of the rounds' values, the mean of the middle two where
// their number is even; 0 where nothing is known.
func (f Figure) Median() float64 {
	n := len(f.Values)
	if n == 0 {
		return 0
	}
	values := plain.Map(f.Values, func(v Value) float64 { return v.Value })
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// Names of counters. Others are made of a prefix and what they count:
// "made workflows.v1alpha1.argoproj.io", "calls sensor create".
const (
	Pods   = "pods"   // pods made in the style's namespaces, components that restarted included
	Calls  = "calls"  // requests of the style's pods to the API server, those for leases left out
	Writes = "writes" // of these: create, update, patch and delete
	Leases = "leases" // requests for the leases of leader election: they go by the clock, not by the change

	MadePrefix  = "made "  // + resource as in record.Watch.Resource: custom objects made in the style's namespaces
	CallsPrefix = "calls " // + component + " " + verb
)

// Counter is an exact count of the effects of one change of a scenario: from the harness's request until the
// sample's end. Warm-up and prepare samples are not counted, nor are samples that did not settle.
type Counter struct {
	Name     string  `json:"name"`
	Style    string  `json:"style"`
	Variant  string  `json:"variant,omitempty"`
	Scenario string  `json:"scenario"`
	Values   []Count `json:"values,omitempty"` // in the order of the samples' ends
	// Missing says why there is no value; "" where there is one.
	Missing string `json:"missing,omitempty"`
}

// Known reports whether there is any value.
func (c Counter) Known() bool { return len(c.Values) > 0 }

// PerChange sums up a counter over all scenarios: for each round the mean over
// its samples, so that it can stand beside the figures.
func (c Cost) PerChange(name string) Figure {
	f := Figure{Unit: "1"}
	sums, counts := map[int]int{}, map[int]int{}
	for _, counter := range c.Counters {
		if counter.Name != name {
			continue
		}
		if !counter.Known() && f.Missing == "" {
			f.Missing = counter.Missing
		}
		for _, v := range counter.Values {
			sums[v.Round] += v.Value
			counts[v.Round]++
		}
	}
	for round, n := range counts {
		f.Values = append(f.Values, Value{Round: round, Value: float64(sums[round]) / float64(n)})
	}
	slices.SortFunc(f.Values, func(a, b Value) int { return a.Round - b.Round })
	switch {
	case f.Known():
		f.Missing = ""
	case f.Missing == "":
		f.Missing = "the recording has no sample that counts"
	}
	return f
}
