package cost

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// Why a figure is not known.
const (
	noBlocks  = "the recording has no whole block of it: it was made before blocks were recorded, or was cut off"
	noUsage   = "the recording has no figures of the kubelets"
	noStages  = "nothing is installed"
	noIdle    = "there are fewer than two readings of its pods while it was idle"
	usageLost = "the kubelets' figures were interrupted"
	notTwice  = "there is no reading of its pods both before the first sample and after the last one"
	noChange  = "no change was made"
	noLimits  = "the recording does not tell how CPU limits held its pods back"
	noFirst   = "the first custom resource of no block was written for"
	noAudit   = "the recording has no audit log"
	auditLost = "the audit log does not tell of its requests without a gap"
	noPods    = "pods in its own namespaces were not watched"
	watchLost = "the watch of its own namespaces was interrupted in every sample"
	noWrite   = "the audit log tells of no create in which it wrote a main child"
	noSettled = "no measured sample settled"
)

// turns are a style's blocks that tell of figures; none: why there are none.
type turns struct {
	blocks []*block
	none   string
}

// figure is what each block tells; missing says why none does.
func (t turns) figure(unit, missing string, of func(*block) (value float64, known bool)) Figure {
	f := Figure{Unit: unit}
	for _, b := range t.blocks {
		if value, known := of(b); known {
			f.Values = append(f.Values, Value{Round: b.round, Value: value})
		}
	}
	switch {
	case len(t.blocks) == 0:
		f.Missing = t.none
	case !f.Known():
		f.Missing = missing
	}
	return f
}

// measure fills in what comes from clocks and kubelets.
func (m *Meter) measure(s *style, c *Cost) {
	all := turns{slices.DeleteFunc(slices.Clone(s.blocks), func(b *block) bool { return b.round == 0 }), noBlocks}
	first := noFirst
	if slices.ContainsFunc(all.blocks, func(b *block) bool { _, known := b.installing(); return !known }) {
		first = noStages
	}
	c.Install = all.figure("s", noStages, (*block).installing)
	c.Uninstall = all.figure("s", noStages, func(b *block) (float64, bool) { return b.between(record.Driven, record.Removed, 0) })
	c.FirstHandled = all.figure("s", first, func(b *block) (float64, bool) {
		took, known := b.between(record.Installing, record.Installed, b.handled)
		return took, known && b.handled > 0
	})
	c.ColdStart = told("s", noCold, s.cold)
	c.ManyMemory = told("bytes", noMany, s.many)
	c.Growth, c.Rests, c.Kept, c.Busiest, c.Counted, c.Strain = s.growth, s.rests, s.kept, s.busiest, s.counted, s.strains
	c.LogLines = told("1", noLines, s.logLines())
	c.UnchangedCalls = told("1", noUnchanged, m.unchangedCalls(s))
	c.CallsBefore = told("1", noWrite, m.callsBefore(s))
	c.Throttled = all.figure("s", noLimits, func(b *block) (float64, bool) { return b.limited().Time.Seconds(), b.throttled != nil })
	c.ThrottledShare = all.figure("1", noLimits, func(b *block) (float64, bool) {
		return float64(b.limited().ThrottledPeriods) / float64(max(b.limited().Periods, 1)), b.throttled != nil
	})
	good := m.good(all.blocks)
	c.CPU = good.figure("s", noChange, func(b *block) (float64, bool) { return b.used() / float64(b.changes), b.changes > 0 })
	c.IdleCPU = good.figure("cores", noIdle, func(b *block) (float64, bool) { return b.idle.rate() })
	c.BusyCPU = good.figure("s", noIdle, func(b *block) (float64, bool) {
		idle, known := b.idle.rate()
		return (b.used() - idle*(b.stop.at-b.start.at).Seconds()) / float64(b.changes), known && b.changes > 0
	})
	c.PeakMemory = good.figure("bytes", "", func(b *block) (float64, bool) { return float64(b.peak), true })
	c.IdleMemory = good.figure("bytes", noIdle, func(b *block) (float64, bool) { return b.idle.median() })
	c.ComponentCPU = componentCPU(s, good)
}

// good are the blocks whose CPU time and memory are known.
func (m *Meter) good(blocks []*block) turns {
	switch {
	case len(blocks) == 0:
		return turns{none: noBlocks}
	case !m.used:
		return turns{none: noUsage}
	}
	good := turns{none: notTwice}
	for _, b := range blocks {
		if b.start == nil || b.stop == nil || b.stop.at <= b.start.at {
			continue
		}
		if slices.ContainsFunc(m.lost, func(g gap) bool { return g.resource == usageFigures && g.overlaps(b.start.at, b.stop.at) }) {
			good.none = usageLost
			continue
		}
		good.blocks = append(good.blocks, b)
	}
	return good
}

// between is how long it took from one stage until another, and what came after it.
func (b *block) between(from, to string, after time.Duration) (took float64, known bool) {
	began, known := b.stages[from]
	ended, too := b.stages[to]
	return (ended - began + after).Seconds(), known && too
}

func (b *block) installing() (took float64, known bool) {
	return b.between(record.Installing, record.Installed, 0)
}

// limited is how CPU limits held the style's pods back, as far as that is known.
func (b *block) limited() record.Throttled {
	if b.throttled == nil {
		return record.Throttled{}
	}
	return *b.throttled
}

// used is the CPU time of the measured part, in seconds.
func (b *block) used() float64 { return seconds(b.stop.total - b.start.total) }

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// rate is what was used idle, in CPU seconds for each second.
func (i *idle) rate() (cores float64, known bool) {
	if i.spent <= 0 {
		return 0, false
	}
	return seconds(i.cpu) / i.spent.Seconds(), true
}

func (i *idle) median() (bytes float64, known bool) {
	if len(i.memory) == 0 {
		return 0, false
	}
	return float64(middle(i.memory)), true
}

// middle is the lower of the middle two, where their number is even; there is one.
func middle[T cmp.Ordered](list []T) T {
	return slices.Sorted(slices.Values(list))[(len(list)-1)/2]
}

// middleMemory is the same of working sets.
func middleMemory(looks []moment) int64 {
	return middle(plain.Map(looks, func(look moment) int64 { return look.memory }))
}

// componentCPU shares the CPU time out to components.
func componentCPU(s *style, good turns) []ComponentFigure {
	shares := map[string]map[*block]int64{} // by component
	for _, b := range good.blocks {
		for pod, used := range b.stop.byPod {
			name := cmp.Or(s.names[pod], unknownPods)
			if shares[name] == nil {
				shares[name] = map[*block]int64{}
			}
			shares[name][b] += used - b.start.byPod[pod]
		}
	}
	var all []ComponentFigure
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		all = append(all, ComponentFigure{Component: name, Figure: good.figure("s", noChange, func(b *block) (float64, bool) {
			return seconds(shares[name][b]) / float64(b.changes), b.changes > 0
		})})
	}
	return all
}
