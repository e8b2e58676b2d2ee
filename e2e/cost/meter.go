package cost

import (
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/workloads"
)

// Meter adds up what styles cost, in one pass over a recording. It keeps a few bytes for each pod and for each request
// of a style, and no entry. It accepts entries that make no sense together, and leaves out what cannot be concluded
// from them.
type Meter struct {
	order  []*style
	styles map[string]*style
	spaces map[string]bool // namespaces of any style

	custom, main string // the custom resource and its main child, as plural.version.group

	beside *beside          // the block of the matrix or of a load that is driven now
	passes map[string]*pass // by namespace

	block   *block              // the one that is driven now; nil: between two
	open    map[string]*running // by namespace
	windows []*window           // of the samples that count
	actions map[target]int
	harness map[target][]request
	calls   []call
	audited bool // the recording has an audit log
	used    bool // the recording has usage
	aside   bool // a block of the correctness matrix, or of a load, is under way
	lost    []gap
}

// NewMeter returns a meter that has seen nothing.
func NewMeter() *Meter {
	return &Meter{
		styles: map[string]*style{}, spaces: map[string]bool{}, open: map[string]*running{},
		passes: map[string]*pass{}, actions: map[target]int{}, harness: map[target][]request{},
	}
}

// Add takes the next entry of a recording, in its order.
func (m *Meter) Add(e record.Entry) {
	if e.Block != nil {
		m.aside = e.Block.Wave > 0 || e.Block.Load != ""
	}
	switch {
	case m.aside: // faults and overlapping samples cost what they cost
		m.asides(e)
	case e.Header != nil:
		m.header(e.Header)
	case e.Block != nil:
		m.stage(e)
	case e.Begin != nil:
		m.begin(e)
	case e.Action != nil:
		m.action(e)
	case e.Watch != nil:
		m.deployed(e)
		m.watch(e.Watch)
	case e.Gap != nil:
		m.gap(e)
	case e.End != nil:
		m.end(e)
	case e.Usage != nil:
		m.used = true
		if m.block != nil {
			m.block.look(e)
		}
	case e.Audit != nil:
		m.audited = true
		m.audit(e.Audit)
	}
}

// style is what was seen of one style in one variant.
type style struct {
	record.Style
	custom, main string // as the meter's
	components   []component
	names        map[string]string // component by pod, as namespace/name
	kinds        map[string]bool   // custom resources that were seen in its namespaces
	scenarios    []string
	rounds       map[int]bool
	changes      int
	blocks       []*block // that were driven to their end
	cold, many   []Value  // from blocks beside these: see beside
	growth       growth
	rests        []Rest
	kept         []Kept
	busiest      []Busiest
	counted      []Counted
	strains      []Strain
	logs         map[int]logged // by round
}

func (m *Meter) header(h *record.Header) {
	if len(m.styles) > 0 {
		return // recordings are metered one by one
	}
	if w, err := workloads.Recorded(h.Workload); err == nil { // the program has its own
		m.custom, m.main = w.Resource.Name(), w.Main().Resource
	}
	for _, s := range h.Styles {
		m.style(s.Name, s.Variant, s)
	}
}

// style returns the style of a name, which the header need not have told of.
func (m *Meter) style(name, variant string, known record.Style) *style {
	label := record.Label(name, variant)
	if s := m.styles[label]; s != nil {
		return s
	}
	s := &style{Style: known, custom: m.custom, main: m.main, components: compile(known.Components), names: map[string]string{}, kinds: map[string]bool{}, rounds: map[int]bool{}, logs: map[int]logged{}}
	s.Name, s.Variant = name, variant
	m.styles[label] = s
	m.order = append(m.order, s)
	for _, namespace := range known.Namespaces {
		m.spaces[namespace] = true
	}
	return s
}

// stage follows how far a block is.
func (m *Meter) stage(e record.Entry) {
	b := e.Block
	if m.block != nil && (m.block.style.Name != b.Style || m.block.style.Variant != b.Variant || m.block.round != b.Round) {
		m.block = nil // it was not driven to its end
	}
	if m.block == nil {
		if b.Stage != record.Installing && b.Stage != record.Installed {
			return
		}
		m.block = newBlock(m.style(b.Style, b.Variant, record.Style{}), b.Round)
	}
	m.block.stages[b.Stage] = e.Time
	if b.Installed != nil {
		m.block.style.Namespaces = b.Installed.Namespaces
		for _, namespace := range b.Installed.Namespaces {
			m.spaces[namespace] = true
		}
	}
	switch b.Stage {
	case record.Installed:
		m.block.quiet(e.Time)
	case record.Rested: // what came before was its start
		m.block.idle.from = e.Time
	case record.Driven:
		m.block.finish(e.Time)
		m.block.style.blocks = append(m.block.style.blocks, m.block)
	case record.Removed:
		m.block.seen, m.block = nil, nil
	}
}

// gap notes what was not heard.
func (m *Meter) gap(e record.Entry) {
	g := gap{from: e.Gap.From, to: e.Time, resource: e.Gap.Resource, namespace: e.Gap.Namespace}
	if m.spaces[g.namespace] || g.namespace == "" || g.resource == record.AuditLog || g.resource == usageFigures {
		m.lost = append(m.lost, g)
	}
}

// usageFigures is the resource of a gap in what pods use: see package record/usage.
const usageFigures = "usage"

// Costs sums up what was added so far: one Cost for each style and variant, in
// the header's order. Styles that were never driven are left out.
func (m *Meter) Costs() []Cost {
	m.resolve()
	var costs []Cost
	for _, s := range m.order {
		if len(s.rounds) == 0 && len(s.blocks) == 0 && len(s.cold) == 0 && len(s.growth) == 0 && len(s.kept) == 0 && len(s.busiest) == 0 &&
			len(s.strains) == 0 && len(s.logs) == 0 && len(m.unchangedCalls(s)) == 0 {
			continue
		}
		c := Cost{Style: s.Name, Variant: s.Variant, Rounds: len(s.rounds), Changes: s.changes, Counters: m.counters(s)}
		m.measure(s, &c)
		costs = append(costs, c)
	}
	return costs
}

// custom reports whether a resource, spelled as in a recording, is one that the
// cluster was taught: its group is a domain, but none of Kubernetes' own.
func custom(resource string) bool {
	_, rest, _ := strings.Cut(resource, ".")
	_, group, _ := strings.Cut(rest, ".")
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}

// within reports whether a namespace is one of the style's own.
func (s *style) within(namespace string) bool { return slices.Contains(s.Namespaces, namespace) }
