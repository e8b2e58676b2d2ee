package cost

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
)

// block is one style's turn in one round.
type block struct {
	usage

	round  int
	stages map[string]time.Duration
	seen   map[string]bool // uids of the objects made in the style's namespaces

	podsWatched bool
	peak        int64 // working set, in bytes
	changes     int

	// What is measured goes from the last look before the first sample until the first look behind the last one.
	start, stop *moment
	now         *moment // the last look
	edge        bool    // a sample has ended since the last look

	idle idle

	first     *running          // the block's first sample
	handled   time.Duration     // from its beginning until its first Deployment; 0: there is none
	throttled *record.Throttled // of all of the style's pods since the block began; nil: not known
}

// moment is what the style had used at a look.
type moment struct {
	at     time.Duration
	total  int64
	memory int64
	byPod  map[string]int64 // only at the edges
}

// usage adds up what the kubelets tell of a style's pods since a block began.
type usage struct {
	*style

	pods  map[string]*podTime // by namespace/name
	nodes map[string]int64    // working set, in bytes, at the last look; none: there was no look
	total int64               // CPU time, the dead ones included, in ns
}

func (s *style) usage() usage {
	return usage{style: s, pods: map[string]*podTime{}, nodes: map[string]int64{}}
}

// podTime follows the CPU time of a pod.
type podTime struct {
	last int64 // the figure that was seen last
	used int64 // since the block's first look

	throttled record.Throttled // that was seen last
}

func newBlock(s *style, round int) *block {
	return &block{
		usage: s.usage(), round: round, stages: map[string]time.Duration{}, seen: map[string]bool{}, idle: idle{from: -1},
	}
}

// look takes a kubelet's figures.
func (b *block) look(e record.Entry) {
	if _, driven := b.stages[record.Driven]; driven {
		return
	}
	now := b.usage.look(e, b.throttle)
	b.now = &now
	if _, installed := b.stages[record.Installed]; !installed {
		return
	}
	b.peak = max(b.peak, b.now.memory)
	b.idle.look(b.now)
	if b.edge {
		b.edge, b.stop = false, b.snapshot()
	}
}

// look takes a kubelet's figures, and has each do more with those of a pod.
func (u *usage) look(e record.Entry, each func(*record.PodUsage)) moment {
	_, looked := u.nodes[e.Usage.Node]
	memory := int64(0)
	for i := range e.Usage.Pods {
		if p := &e.Usage.Pods[i]; u.within(p.Namespace) {
			u.total += u.use(p, looked)
			memory += p.Memory
			each(p)
		}
	}
	u.nodes[e.Usage.Node] = memory
	now := moment{at: e.Time, total: u.total}
	for _, memory := range u.nodes {
		now.memory += memory
	}
	return now
}

// use is what a pod has used since it was last seen. A pod that is new since the node's first look has used all of it
// meanwhile, and so has one that was made anew under its name, which shows in a figure that is lower.
func (u *usage) use(p *record.PodUsage, looked bool) (more int64) {
	key := p.Namespace + "/" + p.Name
	known := u.pods[key]
	if known == nil {
		known = &podTime{last: p.CPU}
		if looked {
			known.last = 0
		}
		u.pods[key] = known
	}
	if p.CPU < known.last {
		known.last = 0
	}
	more = p.CPU - known.last
	known.last = p.CPU
	known.used += more
	return more
}

// throttle adds how a pod was held back since it was last seen. All of the style's pods have started in this block.
func (b *block) throttle(p *record.PodUsage) {
	if p.Throttled == nil {
		return
	}
	if b.throttled == nil {
		b.throttled = &record.Throttled{}
	}
	known := b.pods[p.Namespace+"/"+p.Name]
	if p.Throttled.Time < known.throttled.Time || p.Throttled.Periods < known.throttled.Periods {
		known.throttled = record.Throttled{} // it was made anew under its name
	}
	b.throttled.Time += p.Throttled.Time - known.throttled.Time
	b.throttled.Periods += p.Throttled.Periods - known.throttled.Periods
	b.throttled.ThrottledPeriods += p.Throttled.ThrottledPeriods - known.throttled.ThrottledPeriods
	known.throttled = *p.Throttled
}

// disturb is called when a sample begins: the style is idle no more.
func (b *block) disturb(at, window time.Duration) {
	if b.start == nil && b.now != nil {
		b.start = b.snapshot()
	}
	b.idle.close(at)
	b.idle.window = window
}

// quiet says that the style is idle from a time on, which may be past.
func (b *block) quiet(from time.Duration) { b.idle.open(from) }

// finish ends what is measured.
func (b *block) finish(at time.Duration) {
	b.idle.close(at)
	if b.edge && b.now != nil {
		b.stop = b.snapshot() // no look came behind the last sample
	}
	b.pods = nil // what was to be told of them is
}

// snapshot is the last look, with each pod's part in it.
func (b *block) snapshot() *moment {
	m := *b.now
	m.byPod = make(map[string]int64, len(b.pods))
	for key, p := range b.pods {
		m.byPod[key] = p.used
	}
	return &m
}

// idle adds up the looks at which the style had nothing to do. Looks are kept
// while a sample runs, as its end tells since when it was quiet.
type idle struct {
	from   time.Duration // below zero: not idle
	window time.Duration // of the sample that runs
	looks  []*moment
	cpu    int64 // ns
	spent  time.Duration
	memory []int64
}

func (i *idle) look(m *moment) {
	if i.from < 0 {
		i.looks = slices.DeleteFunc(i.looks, func(old *moment) bool { return old.at < m.at-i.window })
	}
	i.looks = append(i.looks, m)
}

func (i *idle) open(from time.Duration) {
	if i.from < 0 {
		i.from = max(from, 0)
	}
}

// close adds the looks of the idle time that ends now.
func (i *idle) close(at time.Duration) {
	if i.from >= 0 {
		quiet := slices.DeleteFunc(i.looks, func(m *moment) bool { return m.at < i.from || m.at > at })
		for n, m := range quiet {
			i.memory = append(i.memory, m.memory)
			if n > 0 {
				i.cpu += m.total - quiet[n-1].total
				i.spent += m.at - quiet[n-1].at
			}
		}
	}
	i.from, i.looks = -1, nil
}
