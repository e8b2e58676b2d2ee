package cost

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Why a figure is not known.
const (
	noBlocks   = "the recording has no whole block of it: it was made before blocks were recorded, or was cut off"
	noUsage    = "the recording has no figures of the kubelets"
	noStages   = "nothing is installed"
	noIdle     = "no two looks at the pods came while it was idle"
	noFloor    = "the floor, whose blocks tell what is not the style's, has no such figures"
	noCounter  = "no kubelet told of all pods together at the moments that it told of each"
	usageLost  = "the kubelets' figures were interrupted"
	notTwice   = "no look at the pods came before the first sample and behind the last one"
	noChange   = "no change was made"
	noLimits   = "the recording does not tell how CPU limits held its pods back"
	noFirst    = "the first custom resource of no block got a Deployment"
	noAudit    = "the recording has no audit log"
	auditLost  = "the audit log does not tell of its requests without a gap"
	noPods     = "pods in its own namespaces were not watched"
	watchLost  = "the watch of its own namespaces was interrupted in every sample"
	noSettled  = "no measured sample settled"
	oldOwnPods = "it was recorded before the styles' own namespaces were"
)

// values collects a figure.
type values struct {
	figure Figure
	why    string
}

func (v *values) add(round int, value float64) {
	v.figure.Values = append(v.figure.Values, Value{Round: round, Value: value})
}

// done is the figure, which says why if it has no value.
func (v *values) done(unit string) Figure {
	v.figure.Unit = unit
	if !v.figure.Known() {
		v.figure.Missing = v.why
	}
	return v.figure
}

// measure fills in what comes from clocks and kubelets.
func (m *Meter) measure(s *style, c *Cost) {
	blocks := slices.DeleteFunc(slices.Clone(s.blocks), func(b *block) bool { return b.round == 0 })
	c.Install = stageTime(blocks, record.Installing, record.Installed)
	c.Uninstall = stageTime(blocks, record.Driven, record.Removed)
	c.FirstHandled = firstHandled(blocks)
	c.Throttled, c.ThrottledShare = throttled(blocks)
	good, why := m.good(blocks)
	cpu, idleCPU, busy, pause := values{why: why}, values{why: why}, values{why: why}, values{why: why}
	peak, idleMemory := values{why: why}, values{why: why}
	for _, b := range good {
		spent := (b.stop.at - b.start.at).Seconds()
		used := seconds(b.stop.total - b.start.total)
		idle, known := b.idle.rate()
		if known {
			idleCPU.add(b.round, idle)
		}
		if b.changes > 0 {
			cpu.add(b.round, used/float64(b.changes))
			if known {
				busy.add(b.round, (used-idle*spent)/float64(b.changes))
			}
		}
		pause.add(b.round, b.pause.Seconds())
		peak.add(b.round, float64(b.peak))
		if median, known := b.idle.median(); known {
			idleMemory.add(b.round, float64(median))
		}
	}
	if len(good) > 0 {
		cpu.why, idleCPU.why, busy.why, idleMemory.why = noChange, noIdle, noIdle, noIdle
	}
	c.CPU, c.IdleCPU, c.BusyCPU = cpu.done("s"), idleCPU.done("cores"), busy.done("s")
	c.LongestPause, c.PeakMemory, c.IdleMemory = pause.done("s"), peak.done("bytes"), idleMemory.done("bytes")
	c.UnseenCPU = m.unseen(good, why)
	c.ComponentCPU = componentCPU(s, good)
}

// good are the blocks whose CPU time and memory are known, and why there is none.
func (m *Meter) good(blocks []*block) (good []*block, why string) {
	switch {
	case len(blocks) == 0:
		return nil, noBlocks
	case !m.used:
		return nil, noUsage
	}
	why = notTwice
	for _, b := range blocks {
		if b.start == nil || b.stop == nil || b.stop.at <= b.start.at {
			continue
		}
		if slices.ContainsFunc(m.lost, func(g gap) bool { return g.resource == usageFigures && g.overlaps(b.start.at, b.stop.at) }) {
			why = usageLost
			continue
		}
		good = append(good, b)
	}
	return good, why
}

// stageTime is how long it took from one stage until another.
func stageTime(blocks []*block, from, to string) Figure {
	v := values{why: noStages}
	if len(blocks) == 0 {
		v.why = noBlocks
	}
	for _, b := range blocks {
		began, known := b.stages[from]
		ended, too := b.stages[to]
		if known && too {
			v.add(b.round, (ended - began).Seconds())
		}
	}
	return v.done("s")
}

// firstHandled is how long it took until a style had handled its first event.
func firstHandled(blocks []*block) Figure {
	v := values{why: noFirst}
	if len(blocks) == 0 {
		v.why = noBlocks
	}
	for _, b := range blocks {
		began, known := b.stages[record.Installing]
		ended, too := b.stages[record.Installed]
		switch {
		case !known || !too:
			v.why = noStages
		case b.handled > 0:
			v.add(b.round, (ended - began + b.handled).Seconds())
		}
	}
	return v.done("s")
}

// throttled is how CPU limits held a style's pods back.
func throttled(blocks []*block) (time, share Figure) {
	t, of := values{why: noLimits}, values{why: noLimits}
	if len(blocks) == 0 {
		t.why, of.why = noBlocks, noBlocks
	}
	for _, b := range blocks {
		if b.throttled == nil {
			continue
		}
		t.add(b.round, b.throttled.Time.Seconds())
		of.add(b.round, float64(b.throttled.ThrottledPeriods)/float64(max(b.throttled.Periods, 1)))
	}
	return t.done("s"), of.done("1")
}

func seconds(ns int64) float64 { return time.Duration(ns).Seconds() }

// rate is what was used idle, in CPU seconds for each second.
func (i *idle) rate() (cores float64, known bool) {
	if i.spent <= 0 {
		return 0, false
	}
	return seconds(i.cpu) / i.spent.Seconds(), true
}

func (i *idle) median() (bytes int64, known bool) {
	if len(i.memory) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(i.memory))
	return sorted[(len(sorted)-1)/2], true
}

// componentCPU shares the CPU time out to components.
func componentCPU(s *style, blocks []*block) []ComponentFigure {
	shares := make([]map[string]int64, len(blocks))
	names := map[string]bool{}
	for i, b := range blocks {
		shares[i] = map[string]int64{}
		for pod, used := range b.stop.byPod {
			name := s.names[pod]
			if name == "" {
				name = unknownPods
			}
			names[name] = true
			shares[i][name] += used - b.start.byPod[pod]
		}
	}
	var all []ComponentFigure
	for _, name := range slices.Sorted(maps.Keys(names)) {
		v := values{why: noChange}
		for i, b := range blocks {
			if b.changes > 0 {
				v.add(b.round, seconds(shares[i][name])/float64(b.changes))
			}
		}
		all = append(all, ComponentFigure{Component: name, Figure: v.done("s")})
	}
	return all
}

// unseen is the cross-check: see Cost.UnseenCPU.
func (m *Meter) unseen(blocks []*block, why string) Figure {
	v := values{why: why}
	if len(blocks) == 0 {
		return v.done("s")
	}
	floor := values{why: noFloor}
	if standing := m.styles[spec.Floor]; standing != nil {
		good, _ := m.good(standing.blocks)
		for _, b := range good {
			if lost, known := b.unaccounted(); known {
				floor.add(b.round, lost)
			}
		}
	}
	v.why = noCounter
	if !floor.figure.Known() {
		v.why = noFloor
		return v.done("s")
	}
	median := floor.figure.Median()
	for _, b := range blocks {
		if lost, known := b.unaccounted(); known {
			v.add(b.round, lost-median)
		}
	}
	return v.done("s")
}

// unaccounted is the CPU time that the counter of all pods gained and no pod
// that was seen accounts for, for each change: that of pods that ended, the
// custom resources' own among them.
func (b *block) unaccounted() (lost float64, known bool) {
	changes := 0
	for _, n := range b.nodes {
		if n.first == nil || n.first == n.last {
			return 0, false
		}
		lost += seconds(n.last.gained - n.first.gained)
		changes = max(changes, n.last.changes-n.first.changes)
	}
	if changes == 0 {
		return 0, false
	}
	return lost / float64(changes), true
}

// String is for people: the median and the range.
func (f Figure) String() string {
	if !f.Known() {
		return "not known: " + f.Missing
	}
	least, most := f.Range()
	return fmt.Sprintf("%.4g %s (%.4g to %.4g, n=%d)", f.Median(), f.Unit, least, most, len(f.Values))
}
