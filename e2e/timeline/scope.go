package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Scope is where the objects of a sample are.
type Scope struct {
	spaces []string // its own namespace, then others that it has custom resources in
	Style  *style
	*Workload
	Matrix bool
	Load   bool // it is one of the many custom resources of a load
}

func scopeOf(sample *record.Sample, s *style, w *Workload) Scope {
	where := Scope{spaces: []string{sample.Namespace}, Style: s, Workload: w, Matrix: sample.Matrix, Load: sample.Load}
	for _, other := range sample.Others {
		if !where.Covers(other.Namespace) {
			where.spaces = append(where.spaces, other.Namespace)
		}
	}
	return where
}

// Covers reports whether a namespace is the sample's.
func (s *Scope) Covers(namespace string) bool {
	return s.spaces[0] == namespace || len(s.spaces) > 1 && slices.Contains(s.spaces, namespace)
}

// Misses reports whether a gap hides something of the sample: one in its
// namespaces or in all, or one elsewhere on what its style works by.
func (s *Scope) Misses(g *record.Gap) bool {
	switch {
	case g.Namespace == "" || s.Covers(g.Namespace):
		return true
	case s.Matrix:
		return s.Style.own[g.Namespace]
	}
	return s.Style.byResource[g.Resource] != nil
}

// Outage is a time in which watches break because of a fault.
type Outage struct {
	kind     string
	resource string        // whose watches break; empty: all
	what     string        // for people
	from, to time.Duration // to: below zero, no end of it is known
}

// grace is how long after a fault watches may take to come back.
const grace = 30 * time.Second

// newOutage says which watches a fault breaks; false: none. A restart takes away the API server. When a definition is
// replaced, the API server closes the watches of its resource.
func (s *Scope) newOutage(f *record.Fault) (Outage, bool) {
	switch f.Kind {
	case spec.FaultRestart:
		return Outage{kind: f.Kind, what: "the restart of the " + f.What, from: f.From, to: -1}, true
	case spec.FaultDefinition:
		return Outage{kind: f.Kind, resource: s.Customs, what: "the replacement of the CustomResourceDefinition", from: f.From, to: -1}, true
	}
	return Outage{}, false
}

// Outages lists those of the sample's faults that break watches.
func (t *Timeline) Outages() []Outage {
	var list []Outage
	for i := range t.Faults {
		f := t.Faults[i].Fault
		if o, breaks := t.newOutage(f); breaks && f.Stage == record.Begun {
			list = append(list, o)
			continue
		}
		for k := range list {
			if o := &list[k]; o.kind == f.Kind && o.to < 0 && f.Stage == record.Over && f.Error == "" {
				o.to = t.Faults[i].Time + grace
			}
		}
	}
	return list
}

// explains reports whether a gap is the outage's doing.
func (o *Outage) explains(gap *record.Entry) bool {
	return (o.resource == "" || o.resource == gap.Gap.Resource) && gap.Time >= o.from && (o.to < 0 || gap.Gap.From <= o.to)
}

// Explained says which outage a gap is the doing of; nil: of none.
func Explained(outages []Outage, gap *record.Entry) *Outage {
	for i := range outages {
		if outages[i].explains(gap) {
			return &outages[i]
		}
	}
	return nil
}

// Unheard returns the first gap in the sample's watching of any of the resources
// that no fault explains, as a sentence; empty: all was seen.
func (t *Timeline) Unheard(resources []string) string {
	outages := t.Outages()
	for i := range t.Gaps {
		gap := &t.Gaps[i].Entry
		if slices.Contains(resources, gap.Gap.Resource) && Explained(outages, gap) == nil {
			return UnheardOf(gap)
		}
	}
	return ""
}

// Interruptions tells of the gaps that faults explain, as the end of a verdict's
// message: what is judged then is what the watches brought afterwards.
func (t *Timeline) Interruptions(resources []string) string {
	var text strings.Builder
	outages := t.Outages()
	for i := range t.Gaps {
		gap := &t.Gaps[i].Entry
		if !slices.Contains(resources, gap.Gap.Resource) {
			continue
		}
		if o := Explained(outages, gap); o != nil {
			text.WriteString(Interruption(o, gap))
		}
	}
	return text.String()
}

// Interruption says, as the end of a message, for how long an outage interrupted a watch.
func Interruption(o *Outage, gap *record.Entry) string {
	return fmt.Sprintf("; %s interrupted the watch of %s for %s", o.what, Kind(gap.Gap.Resource), Round(gap.Time-gap.Gap.From))
}

// UnheardOf says for how long nothing was heard of a resource, and why.
func UnheardOf(gap *record.Entry) string {
	return fmt.Sprintf("nothing was heard of %s for %s: %s", gap.Gap.Resource, Round(gap.Time-gap.Gap.From), gap.Gap.Reason)
}
