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
}

func scopeOf(sample *record.Sample, s *style) scope {
	where := scope{spaces: []string{sample.Namespace}, style: s, matrix: sample.Matrix}
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
	what     string
	from, to time.Duration // to: below zero, no end of it is known
}

// restart is the kind of fault that takes away the API server, and with it every
// watch. They come back some time after it serves again.
const (
	restart = "restart"
	grace   = 30 * time.Second
)

// outages lists the restarts among the sample's faults.
func (t *Timeline) outages() []outage {
	var list []outage
	for i := range t.faults {
		switch f := t.faults[i].Fault; {
		case f.Kind != restart || f.Error != "":
		case f.Stage == record.Begun:
			list = append(list, outage{"the restart of the " + f.What, f.From, -1})
		case len(list) > 0 && list[len(list)-1].to < 0:
			list[len(list)-1].to = t.faults[i].Time + grace
		}
	}
	return list
}

// explains tells whether a gap is the outage's doing.
func (o *outage) explains(gap *record.Entry) bool {
	return gap.Time >= o.from && (o.to < 0 || gap.Gap.From <= o.to)
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
