package cost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// aside begins a block of the matrix, or of a load.
func aside(load string) *story { return asideOf(argo, load) }

func asideOf(style record.Style, load string) *story {
	s := newStory(style)
	for _, stage := range []string{record.Installing, record.Installed} {
		b := &record.Block{Style: style.Name, Round: 1, Stage: stage, Load: load}
		if load == "" {
			b.Wave = 1
		}
		s.add(record.Entry{Time: at(1), Kind: record.KindBlock, Block: b})
	}
	return s
}

func (s *story) driven(ms int) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindBlock, Block: &record.Block{Style: s.sample.Style, Round: 1, Stage: record.Driven, Load: "hold-hundred"}})
}

func (s *story) only(t *testing.T) cost.Cost {
	t.Helper()
	costs := s.costs()
	require.Len(t, costs, 1)
	return costs[0]
}

// once is what a figure of one value has.
func once(t *testing.T, want float64, f cost.Figure) {
	t.Helper()
	require.Len(t, f.Values, 1, f.Missing)
	assert.InDelta(t, want, f.Values[0].Value, 1e-9)
}

func (s *story) stopped(ms int, stage string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindFault, Fault: &record.Fault{Stage: stage, Kind: "stop", What: "all", Namespace: s.sample.Namespace}})
}

func (s *story) started(ms int) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindWatch, Watch: &record.Watch{
		Event: "ADDED", Resource: "events.v1.events.k8s.io", Namespace: "argo", Name: "e", UID: fmt.Sprint("e", ms),
		Object: []byte(`{"reason":"Started","regarding":{"kind":"Pod","name":"c"}}`),
	}})
}

func TestColdStartRunsFromTheContainerToTheFirstDeployment(t *testing.T) {
	s := aside("")
	s.begin(100, argo, "created-while-down", 1)
	s.started(150) // of the installation
	s.stopped(1000, record.Begun)
	s.started(5000)
	s.started(5900) // of another part
	s.deployment(6200, "ADDED")
	s.deployment(6300, "ADDED")
	s.stopped(7000, record.Over)
	s.end(9000, record.Settled)
	once(t, 1.2, s.only(t).ColdStart)
}

func TestColdStartIsUnknownOfWhatNeverComesBack(t *testing.T) {
	s := aside("")
	s.begin(100, argo, "changed-while-down", 1)
	s.deployment(200, "ADDED")
	s.stopped(1000, record.Begun)
	s.started(5000)
	s.end(9000, record.TimedOut)
	assert.Empty(t, s.costs(), "nothing is known of it")
}

func TestMemoryOfAHundredIsThatOfTheirRest(t *testing.T) {
	members := func(style record.Style, n int, outcome string, also ...func(*record.Sample)) *story {
		s := asideOf(style, "hold-hundred")
		load := func(i int) func(*record.Sample) {
			return func(o *record.Sample) {
				o.Load, o.Size, o.Namespace, o.Window = true, new(int), fmt.Sprint("services-", i), 3*time.Second
				for _, change := range also {
					change(o)
				}
			}
		}
		for i := range n {
			s.begin(100, style, "hold-hundred", 1, load(i))
		}
		for i, memory := range []int64{900, 40, 50, 60} { // the first while they were handled
			s.look(5000+1000*i, used("c", 1, memory))
		}
		for i := range n {
			load(i)(&s.sample)
			s.end(8500, outcome)
		}
		s.driven(8600)
		return s
	}
	once(t, 50*mib, members(argo, 100, record.Settled).only(t).ManyMemory)
	assert.Empty(t, members(argo, 50, record.Settled).costs(), "of fewer it is another figure")
	assert.Empty(t, members(argo, 100, record.TimedOut).costs(), "they had not been handled")
	assert.Empty(t, members(argo, 100, record.Settled, func(o *record.Sample) { o.Size = nil }).costs(), "they were deleted")
	assert.Empty(t, members(argo, 100, record.Settled, func(o *record.Sample) { o.Rate = 40 }).costs(), "those of a ramp's step are removed")
	assert.Empty(t, members(record.Style{Style: spec.Style{Name: spec.Floor}}, 100, record.Settled).costs(), "the floor has no pod")
}

// The kubelet is asked once a second, and a sample may come to rest sooner; it is asked
// again when the block is over.
func TestMemoryOfAHundredIsThatOfTheLookAfterThem(t *testing.T) {
	s := aside("hold-hundred")
	load := func(i int) func(*record.Sample) {
		return func(o *record.Sample) {
			o.Load, o.Size, o.Namespace, o.Window = true, new(int), fmt.Sprint("services-", i), 500*time.Millisecond
		}
	}
	for i := range 100 {
		s.begin(100, argo, "hold-hundred", 1, load(i))
	}
	s.look(5000, used("c", 1, 900))
	for i := range 100 {
		load(i)(&s.sample)
		s.end(5900, record.Settled)
	}
	s.look(5950, used("c", 1, 70))
	s.driven(5960)
	s.look(6000, used("c", 1, 10)) // while it is removed
	once(t, 70*mib, s.only(t).ManyMemory)
}

func TestCallsOfAPassWithoutAChangeAreThoseInItsNamespace(t *testing.T) {
	s := aside("")
	s.begin(1000, argo, "no-op-updates", 1) // which writes once
	own := s.sample.Namespace
	s.asked(500, account, "c", "create", "deployments.v1.apps", own) // before
	s.asked(1100, account, "c", "get", "deployments.v1.apps", own)
	s.asked(1200, account, "c", "patch", crs, own)
	s.asked(1200, account, "c", "patch", crs, "services-of-another")
	s.asked(1300, "system:serviceaccount:kube-system:deployment-controller", "", "update", "deployments.v1.apps", own)
	s.asked(1500, "kubernetes-admin", "", "patch", crs, own) // and once more
	s.end(4000, record.Settled)
	s.asked(4200, account, "c", "delete", "deployments.v1.apps", own) // when the namespace goes
	once(t, 1, s.only(t).UnchangedCalls)
}

// Lines are counted for what the harness asked for in waves that broke nothing of the whole operator, each round's
// together.
func TestLogLinesAreForEachRequest(t *testing.T) {
	wave := func(s *story, scenario string, lines *int, faults ...string) {
		s.begin(1000, argo, scenario, 1) // which writes once
		for _, kind := range faults {
			s.add(record.Entry{Time: at(1500), Kind: record.KindFault, Fault: &record.Fault{Stage: record.Begun, Kind: kind, Namespace: s.sample.Namespace}})
		}
		s.end(4000, record.Settled)
		s.add(record.Entry{Time: at(5000), Kind: record.KindLogs, Logs: &record.Logs{Style: argo.Name, Round: 1, Wave: 1, Lines: lines}})
	}
	lines := func(n int) *int { return &n }
	s := aside("")
	wave(s, "scale-to-zero", lines(12), spec.FaultRefuse)
	once(t, 12, s.only(t).LogLines)

	none := aside("")
	wave(none, "scale-to-zero", nil)
	assert.Empty(t, none.costs(), "some log could not be read")
	broken := aside("")
	wave(broken, "killed-while-working", lines(900), spec.FaultKill)
	assert.Empty(t, broken.costs())
}

// The most requests of ten seconds count, of the style's accounts alone, wherever they are.
func TestBusiestOfALoad(t *testing.T) {
	s := aside("hold-hundred")
	s.sample.Style = argo.Name
	for i := range 40 { // twenty a second for two seconds
		s.asked(3000+50*i, account, "c", "create", "deployments.v1.apps", "services")
	}
	for i := range 20 { // one a second
		s.asked(10_500+1000*i, account, "c", "update", crs, "services")
	}
	s.asked(3000, "kubernetes-admin", "", "create", crs, "services")
	s.asked(3000, account, "c", "create", spec.Events, "services")
	s.driven(40_000)
	c := s.only(t)
	require.Len(t, c.Busiest, 1)
	assert.Equal(t, "hold-hundred", c.Busiest[0].Load)
	once(t, 4.3, c.Busiest[0].Requests)
}

// Of what the audit log does not tell without a gap no figure is made: it would be too low.
func TestAGapInTheAuditLogOfALoad(t *testing.T) {
	s := aside("hold-hundred")
	p := used("c", 1, 1)
	p.Done = map[string]float64{"workqueue_work_duration_seconds": 5}
	s.begin(2000, argo, "hold-hundred", 1)
	s.asked(3000, account, "c", "create", "deployments.v1.apps", "services")
	s.part(3500, record.Part{Stage: record.StageFill})
	s.part(4000, record.Part{Stage: record.StageRest})
	s.look(4100, used("c", 1, 1))
	s.asked(4200, account, "c", "get", "deployments.v1.apps", "services")
	s.look(4300, used("c", 1, 1))
	s.add(record.Entry{Time: at(5000), Kind: record.KindGap, Gap: &record.Gap{From: at(4900), Resource: record.AuditLog}})
	s.end(9000, record.Settled)
	s.look(9500, p)
	s.driven(10_000)
	c := s.only(t)
	assert.Empty(t, c.Busiest)
	assert.Empty(t, c.Counted)
	require.Len(t, c.Rests, 1)
	assert.Empty(t, c.Rests[0].Requests.Values)
	once(t, 1*mib, c.Rests[0].Memory)
}

// What a style's own metrics count is counted from a load's first sample on, over restarts, and beside it what the audit
// log has from then on.
func TestCountedInALoad(t *testing.T) {
	load := func(last func(*story)) *story {
		s := aside("hold-hundred")
		counts := func(ms int, pod string, reconciles, requeues float64) {
			p := used(pod, 1, 1)
			p.Done = map[string]float64{"workqueue_work_duration_seconds": reconciles, record.Requeued: requeues}
			s.look(ms, p)
		}
		s.asked(2000, account, "c", "list", "deployments.v1.apps", "")
		counts(3000, "c", 5, 1)
		s.begin(4000, argo, "hold-hundred", 1) // which writes once
		s.asked(4100, account, "c", "create", "deployments.v1.apps", s.sample.Namespace)
		s.asked(4200, account, "c", "get", "deployments.v1.apps", s.sample.Namespace)
		s.asked(4300, account, "c", "update", "leases.v1.coordination.k8s.io", "argo")
		s.asked(4400, "kubernetes-admin", "", "delete", crs, s.sample.Namespace)
		s.asked(4500, "kubernetes-admin", "", "list", crs, s.sample.Namespace)
		counts(5000, "c", 12, 2)
		counts(6000, "c", 3, 0) // the container was started again
		counts(7000, "d", 2, 0) // and the pod replaced
		s.look(8000, used("d", 1, 1))
		s.end(9000, record.Settled)
		if last != nil {
			last(s)
		}
		s.driven(10_000)
		return s
	}
	c := load(func(s *story) {
		p := used("d", 1, 1)
		p.Done = map[string]float64{"workqueue_work_duration_seconds": 4, record.Requeued: 0}
		s.look(9500, p)
	}).only(t)
	require.Len(t, c.Counted, 1)
	is := c.Counted[0]
	assert.Equal(t, "hold-hundred", is.Load)
	once(t, 7+3+4, is.Reconciles)
	once(t, 1, is.Requeues)
	once(t, 2, is.Changes)
	once(t, 2, is.Requests)
	once(t, 1, is.Writes)
	assert.Empty(t, load(nil).only(t).Counted, "the last look did not say")
}

// How busy machine and API server were is told of each step of a ramp, from its first look to its last.
func TestTheStrainOfEachStep(t *testing.T) {
	s := asideOf(floorStyle, "ramp")
	waiting := int64(0)
	look := func(ms int, idle, stolen int64, running int) {
		waiting = 9 - waiting
		s.add(record.Entry{Time: at(ms), Kind: record.KindUsage, Usage: &record.Usage{
			Node: "n", Machine: &record.Machine{Idle: idle, Stolen: stolen, All: int64(ms), Running: running},
			Fairness: &record.Fairness{Waiting: waiting, Rejected: int64(ms) / 1000},
		}})
	}
	step := func(rate int) func(*record.Sample) {
		return func(o *record.Sample) { o.Load, o.Rate, o.Namespace = true, rate, fmt.Sprint("services-", rate) }
	}
	look(1000, 500, 0, 0)
	s.begin(2000, floorStyle, "ramp", 1, step(5))
	look(3000, 1000, 0, 1)
	look(4000, 1100, 100, 9)
	look(5000, 1200, 200, 4)
	s.end(5500, record.Settled)
	look(6000, 2200, 200, 0)
	s.begin(7000, floorStyle, "ramp", 1, step(10))
	look(8000, 4000, 200, 2)
	s.end(8500, record.Settled)
	s.driven(9000)
	assert.Equal(t, []cost.Strain{{Load: "ramp", Rate: 5, Round: 1, Busy: 0.9, Stolen: 0.1, Running: 4, Waiting: 9, Rejected: 2}}, s.only(t).Strain, "of one look nothing is known")
}

// For how long a style's client held its requests back is told of each step, by its own metrics before and behind it.
func TestWhatTheClientHeldBackInAStep(t *testing.T) {
	s := asideOf(argo, "ramp")
	s.sample.Style = argo.Name
	waited := func(ms int, pod string, seconds map[string]float64) {
		p := used(pod, 1, 1)
		p.Done = seconds
		s.add(record.Entry{Time: at(ms), Kind: record.KindUsage, Usage: &record.Usage{
			Node: "n", Pods: []record.PodUsage{p}, Machine: &record.Machine{Idle: int64(ms) / 2, All: int64(ms), Running: 1},
		}})
	}
	seconds := func(n float64) map[string]float64 { return map[string]float64{record.Waited: n} }
	step := func(from, to, rate int) {
		s.begin(from, argo, "ramp", 1, func(o *record.Sample) { o.Load, o.Rate, o.Namespace = true, rate, fmt.Sprint("services-", rate) })
		waited(from+100, "c", nil)
		waited(from+200, "c", nil)
		s.end(to, record.Settled)
	}
	waited(1000, "c", seconds(40))
	step(2000, 12_000, 5) // between, its own metrics are not asked
	waited(12_100, "c", seconds(42.5))
	waited(13_000, "c", seconds(50)) // while the step is cleared away
	step(14_000, 34_000, 10)
	waited(34_100, "d", seconds(30)) // the pod was replaced, and has waited all that in the step
	step(40_000, 50_000, 20)         // behind this one nobody asked before the next
	step(60_000, 70_000, 15)
	waited(70_100, "d", seconds(31))
	s.driven(80_000)
	is := map[int]*cost.Waited{}
	for _, one := range s.only(t).Strain {
		is[one.Rate] = one.Waited
	}
	assert.Equal(t, map[int]*cost.Waited{5: {Seconds: 2.5, Within: 10}, 10: {Seconds: 30, Within: 20}, 20: nil, 15: {Seconds: 1, Within: 10}}, is)
	assert.InDelta(t, 1.5, is[10].AtOnce(), 1e-9)
	assert.Empty(t, s.only(t).Counted, "these metrics count no reconciles")

	none := asideOf(argo, "ramp")
	s = none
	s.sample.Style = argo.Name
	waited(1000, "c", map[string]float64{"workqueue_work_duration_seconds": 4})
	step(2000, 12_000, 5)
	waited(12_100, "c", map[string]float64{"workqueue_work_duration_seconds": 9})
	s.driven(80_000)
	require.Len(t, s.only(t).Strain, 1)
	assert.Nil(t, s.only(t).Strain[0].Waited, "what no metric says is not known")
}
