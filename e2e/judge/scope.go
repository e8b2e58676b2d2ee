package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

// scope is where the objects of a sample are.
type scope struct {
	spaces []string // its own namespace, then others that it has custom resources in
	style  *style
	matrix bool
	load   bool
}

func scopeOf(sample *record.Sample, s *style) scope {
	where := scope{spaces: []string{sample.Namespace}, style: s, matrix: sample.Matrix, load: sample.Load}
	for _, other := range sample.Others {
		if !where.covers(other.Namespace) {
			where.spaces = append(where.spaces, other.Namespace)
		}
	}
	return where
}

// covers tells whether a namespace is the sample's.
func (s *scope) covers(namespace string) bool {
	return s.spaces[0] == namespace || len(s.spaces) > 1 && slices.Contains(s.spaces, namespace)
}

// misses tells whether a gap hides something of the sample: one in its
// namespaces or in all, or one elsewhere on what its style works by.
func (s *scope) misses(g *record.Gap) bool {
	switch {
	case g.Namespace == "" || s.covers(g.Namespace):
		return true
	case s.matrix:
		return s.style.own[g.Namespace]
	}
	return s.style.byResource[g.Resource] != nil
}

// outage is a time in which watches break because of a fault.
type outage struct {
	kind     string
	resource string        // whose watches break; empty: all
	what     string        // for people
	from, to time.Duration // to: below zero, no end of it is known
}

// grace is how long after a fault watches may take to come back.
const grace = 30 * time.Second

// newOutage says which watches a fault breaks; false: none. A restart takes away
// the API server. When a definition is replaced, the API server closes the
// watches of its resource.
func newOutage(f *record.Fault) (outage, bool) {
	switch f.Kind {
	case "restart":
		return outage{kind: f.Kind, what: "the restart of the " + f.What, from: f.From, to: -1}, true
	case "definition":
		return outage{kind: f.Kind, resource: CustomResources, what: "another definition", from: f.From, to: -1}, true
	}
	return outage{}, false
}

// outages lists those of the sample's faults that break watches.
func (t *Timeline) outages() []outage {
	var list []outage
	for i := range t.faults {
		f := t.faults[i].Fault
		if o, breaks := newOutage(f); breaks && f.Stage == record.Begun {
			list = append(list, o)
			continue
		}
		for k := range list {
			if o := &list[k]; o.kind == f.Kind && o.to < 0 && f.Stage == record.Over && f.Error == "" {
				o.to = t.faults[i].Time + grace
			}
		}
	}
	return list
}

// explains tells whether a gap is the outage's doing.
func (o *outage) explains(gap *record.Entry) bool {
	return (o.resource == "" || o.resource == gap.Gap.Resource) && gap.Time >= o.from && (o.to < 0 || gap.Gap.From <= o.to)
}

// explained says which outage a gap is the doing of; nil: of none.
func explained(outages []outage, gap *record.Entry) *outage {
	for i := range outages {
		if outages[i].explains(gap) {
			return &outages[i]
		}
	}
	return nil
}

// blind returns the first gap in the sample's watching of any of the resources
// that no fault explains, as a sentence; empty: all was seen.
func (t *Timeline) blind(resources []string) string {
	outages := t.outages()
	for i := range t.gaps {
		gap := &t.gaps[i].Entry
		if slices.Contains(resources, gap.Gap.Resource) && explained(outages, gap) == nil {
			return unheard(gap)
		}
	}
	return ""
}

// interruptions tells of the gaps that faults explain, as the end of a verdict's
// message: what is judged then is what the watches brought afterwards.
func (t *Timeline) interruptions(resources []string) string {
	var told strings.Builder
	outages := t.outages()
	for i := range t.gaps {
		gap := &t.gaps[i].Entry
		if !slices.Contains(resources, gap.Gap.Resource) {
			continue
		}
		if o := explained(outages, gap); o != nil {
			told.WriteString(interruption(o, gap))
		}
	}
	return told.String()
}

func interruption(o *outage, gap *record.Entry) string {
	return fmt.Sprintf("; %s interrupted the watch of %s for %s", o.what, kind(gap.Gap.Resource), round(gap.Time-gap.Gap.From))
}

func unheard(gap *record.Entry) string {
	return fmt.Sprintf("nothing was heard of %s for %s: %s", gap.Gap.Resource, round(gap.Time-gap.Gap.From), gap.Gap.Reason)
}
