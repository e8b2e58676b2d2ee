package cost_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// of returns the cost of a style.
func of(t *testing.T, costs []cost.Cost, label string) cost.Cost {
	t.Helper()
	i := slices.IndexFunc(costs, func(c cost.Cost) bool { return c.Label() == label })
	require.GreaterOrEqual(t, i, 0, "no cost of %s", label)
	return costs[i]
}

// two is a recording of two rounds.
func two() *story {
	s := newStory(floorStyle, argo)
	end := s.floor(0, 1)
	end = s.block(end, 1)
	end = s.block(end, 2)
	s.floor(end, 2)
	return s
}

func figure(t *testing.T, want float64, f cost.Figure) {
	t.Helper()
	require.Len(t, f.Values, 2, "one value for each round; %s", f.Missing)
	for i, v := range f.Values {
		assert.Equal(t, i+1, v.Round)
		assert.InDelta(t, want, v.Value, 1e-9)
	}
}

func TestFiguresOfAKnownCost(t *testing.T) {
	c := of(t, two().costs(), "argo")
	assert.Equal(t, 2, c.Rounds)
	assert.Equal(t, 4, c.Changes, "two of them in each round, one as a warm-up")
	figure(t, 3, c.Install)
	figure(t, 2, c.Uninstall)
	figure(t, 3.25, c.FirstHandled)
	figure(t, 1.7, c.Throttled)
	figure(t, 30./120, c.ThrottledShare)
	// From 3.5 s until 23.7 s: the controller's 604 ms, and 390 ms for each of four pods.
	figure(t, (0.604+4*0.390)/2, c.CPU)
	figure(t, 0.020, c.IdleCPU)
	figure(t, (0.604+4*0.390-0.020*20.2)/2, c.BusyCPU)
	figure(t, 80*mib, c.PeakMemory)
	figure(t, 55*mib, c.IdleMemory)
	require.Len(t, c.ComponentCPU, 2)
	assert.Equal(t, "controller", c.ComponentCPU[0].Component)
	figure(t, 0.604/2, c.ComponentCPU[0].Figure)
	assert.Equal(t, "workflow pods", c.ComponentCPU[1].Component)
	figure(t, 0.780, c.ComponentCPU[1].Figure)
}

func TestCountersOfAKnownCost(t *testing.T) {
	c := of(t, two().costs(), "argo")
	for name, want := range map[string]int{
		cost.Pods:                           2,
		cost.MadePrefix + workflows:         1,
		cost.Calls:                          3,
		cost.Writes:                         2,
		cost.Leases:                         1,
		cost.CallsPrefix + "controller get": 1,
		cost.CallsPrefix + "workflow pods create": 2,
	} {
		counter, found := plain.Find(c.Counters, func(counter cost.Counter) bool { return counter.Name == name && counter.Scenario == "scale-up" })
		require.True(t, found, name)
		assert.Equal(t, []cost.Count{{Round: 1, Value: want}, {Round: 2, Value: want}}, counter.Values, "%s: warm-up samples do not count", name)
		assert.Empty(t, counter.Missing)
		figure(t, float64(want), c.PerChange(name))
	}
	assert.Len(t, c.Counters, 7)
}

func TestTheFloorCostsNothingAndIsKnown(t *testing.T) {
	c := of(t, two().costs(), spec.Floor)
	figure(t, 0, c.CPU)
	figure(t, 0, c.PerChange(cost.Pods))
	figure(t, 0, c.PerChange(cost.Calls))
	assert.Equal(t, "nothing is installed", c.Install.Missing)
}

func TestVariantsAreToldApart(t *testing.T) {
	base, head := argo, argo
	base.Variant, head.Variant = "base", "head"
	s := newStory(base, head)
	for i, style := range []record.Style{base, head} {
		from := i * 10_000
		s.stage(from, style, 1, record.Installed)
		s.pod(from+1, "LISTED", "c", ofController)
		s.begin(from+10, style, "create", 1)
		for range i + 1 {
			s.pod(from+20, "ADDED", "step", ofWorkflow)
		}
		s.end(from+100, record.Settled)
		s.stage(from+200, style, 1, record.Driven)
	}
	costs := s.costs()
	require.Len(t, costs, 2)
	assert.InDelta(t, 1, of(t, costs, "argo@base").PerChange(cost.Pods).Median(), 0)
	assert.InDelta(t, 2, of(t, costs, "argo@head").PerChange(cost.Pods).Median(), 0)
}

// What a recording does not tell is said to be unknown, and is not zero.
func TestUnknownIsNotZero(t *testing.T) {
	without := func(kinds ...record.Kind) *story {
		s := two()
		s.entries = slices.DeleteFunc(s.entries, func(e record.Entry) bool { return slices.Contains(kinds, e.Kind) })
		return s
	}
	gap := func(resource, namespace string) *story {
		s := two()
		s.add(record.Entry{Time: at(200_000), Kind: record.KindGap, Gap: &record.Gap{Resource: resource, Namespace: namespace}})
		return s
	}
	aside := func(resource, namespace string) *story { // it ends where a block begins whose cost is not told
		s := two()
		s.add(record.Entry{Time: at(199_000), Kind: record.KindBlock, Block: &record.Block{Style: "argo", Round: 1, Load: "burst", Stage: record.Installing}})
		s.add(record.Entry{Time: at(200_000), Kind: record.KindGap, Gap: &record.Gap{Resource: resource, Namespace: namespace}})
		return s
	}
	old := without(record.KindBlock, record.KindUsage, record.KindAudit)
	old.entries[0].Header = &record.Header{Schema: record.Schema, Styles: []record.Style{{Style: spec.Style{Name: "argo"}}, {Style: spec.Style{Name: spec.Floor}}}}
	pods := func(c cost.Cost) string { return c.PerChange(cost.Pods).Missing }
	calls := func(c cost.Cost) string { return c.PerChange(cost.Calls).Missing }
	cpu := func(c cost.Cost) string { return c.CPU.Missing }
	for name, test := range map[string]struct {
		story   *story
		missing func(cost.Cost) string
		want    string
	}{
		"no audit log":         {without(record.KindAudit), calls, "no audit log"},
		"audit log with a gap": {gap("audit", ""), calls, "without a gap"},
		"no usage":             {without(record.KindUsage), cpu, "no figures of the kubelets"},
		"usage interrupted":    {gap("usage", "n"), cpu, "interrupted"},
		"and said in a load":   {aside("usage", "n"), cpu, "interrupted"},
		"no watch of its pods": {without(record.KindWatch), pods, "not watched"},
		"watch interrupted":    {gap("pods.v1", "argo"), pods, "interrupted in every sample"},
		"no blocks":            {old, cpu, "no whole block"},
	} {
		t.Run(name, func(t *testing.T) {
			missing := test.missing(of(t, test.story.costs(), "argo"))
			assert.Contains(t, missing, test.want)
		})
	}
	// A gap elsewhere hides nothing of the style.
	assert.Empty(t, pods(of(t, gap("pods.v1", "services-argo-1").costs(), "argo")))
}

func TestAStepPodMadeAnewUnderItsNameCountsTwice(t *testing.T) {
	s := newStory(argo)
	s.stage(0, argo, 1, record.Installed)
	s.look(10, used("c", 1000, 1))
	s.begin(20, argo, "create", 1)
	s.look(1000, used("c", 1500, 1))
	s.look(2000, used("c", 100, 1)) // another one
	s.end(2500, record.Settled)
	s.look(3000, used("c", 300, 1))
	s.stage(3100, argo, 1, record.Driven)
	c := of(t, s.costs(), "argo")
	assert.InDelta(t, 0.8, c.CPU.Median(), 1e-9)
}

func TestCostsIsRepeatableAndMarshals(t *testing.T) {
	m := cost.NewMeter()
	for _, e := range two().entries {
		m.Add(e)
	}
	first, second := m.Costs(), m.Costs()
	assert.Equal(t, first, second)
	raw, err := json.Marshal(first)
	require.NoError(t, err)
	var back []cost.Cost
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, first, back)
}

// However a recording is cut or put together, metering it ends without a panic,
// and what it counts is no more than in the whole.
func TestAnyPieceOfARecordingIsMetered(t *testing.T) {
	whole := two().entries
	for cut := range len(whole) + 1 {
		for _, piece := range [][]record.Entry{whole[:cut], whole[cut:], slices.Concat(whole[cut:], whole[:cut])} {
			m := cost.NewMeter()
			for _, e := range piece {
				m.Add(e)
			}
			for _, c := range m.Costs() {
				assert.LessOrEqual(t, c.Changes, 4)
				assert.LessOrEqual(t, c.PerChange(cost.Pods).Median(), 2.0)
				assert.LessOrEqual(t, c.CPU.Median(), 2.0)
			}
		}
	}
	m := cost.NewMeter()
	m.Add(record.Entry{})
	assert.Empty(t, m.Costs())
}

func TestTheExampleRecording(t *testing.T) {
	m := cost.NewMeter()
	for e, err := range record.ReadFile("../../docs/example/recording.jsonl.zst") {
		require.NoError(t, err)
		m.Add(e)
	}
	costs := m.Costs()
	require.NotEmpty(t, costs)
	for _, c := range costs {
		assert.Positive(t, c.Changes, c.Label())
	}
}

// What a recording does not tell is not zero, and what no limit holds back is.
func TestThrottlingIsKnownOrNot(t *testing.T) {
	for name, test := range map[string]struct {
		throttled *record.Throttled
		missing   string
	}{
		"an older recording": {nil, "the recording does not tell how CPU limits held its pods back"},
		"no limits":          {&record.Throttled{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(argo)
			s.stage(0, argo, 1, record.Installing)
			s.stage(1000, argo, 1, record.Installed)
			pod := used("c", 100, 50)
			pod.Throttled = test.throttled
			s.look(1100, pod)
			s.stage(2000, argo, 1, record.Driven)
			c := of(t, s.costs(), "argo")
			assert.Equal(t, test.missing, c.Throttled.Missing)
			assert.Equal(t, test.missing, c.ThrottledShare.Missing)
			assert.Equal(t, test.missing == "", c.Throttled.Known())
			assert.Equal(t, "the first custom resource of no block was written for", c.FirstHandled.Missing)
		})
	}
}

// A pod that was made anew under its name counts from zero, and the old one's time stays.
func TestThrottlingOfAPodMadeAnew(t *testing.T) {
	s := newStory(argo)
	s.stage(0, argo, 1, record.Installing)
	for i, held := range []record.Throttled{{Time: 3e9, Periods: 50, ThrottledPeriods: 20}, {Time: 1e9, Periods: 10, ThrottledPeriods: 10}} {
		pod := used("c", 100, 50)
		pod.Throttled = &held
		s.look(500+i, pod)
	}
	s.stage(1000, argo, 1, record.Installed)
	s.stage(2000, argo, 1, record.Driven)
	c := of(t, s.costs(), "argo")
	require.Len(t, c.Throttled.Values, 1)
	assert.InDelta(t, 4, c.Throttled.Values[0].Value, 1e-9)
	assert.InDelta(t, 0.5, c.ThrottledShare.Values[0].Value, 1e-9)
}

// What a style does to start is no part of its idle use.
func TestIdleBeginsWhenTheStyleHasComeToRest(t *testing.T) {
	s := newStory(argo)
	s.stage(0, argo, 1, record.Installed)
	s.look(100, used("c", 1000, 50))
	s.look(1100, used("c", 1160, 50))
	s.look(2100, used("c", 1160, 10))
	s.stage(2150, argo, 1, record.Rested)
	s.look(2200, used("c", 1160, 10))
	s.look(5200, used("c", 1163, 10))
	s.begin(5210, argo, "create", 1)
	s.look(6000, used("c", 1500, 50))
	s.end(7200, record.Settled)
	s.look(7250, used("c", 1500, 50))
	s.stage(7300, argo, 1, record.Driven)
	c := of(t, s.costs(), "argo")
	require.Empty(t, c.IdleCPU.Missing)
	assert.InDelta(t, 0.001, c.IdleCPU.Median(), 1e-9)
	assert.InDelta(t, 10*mib, c.IdleMemory.Median(), 1)
}

// Each request that is waited for before the write delays it.
func TestCallsBeforeTheWriteOfACreate(t *testing.T) {
	s := newStory(argo)
	for round, reads := range []int{3, 1} {
		from := round * 10_000
		s.stage(from, argo, round+1, record.Installed)
		s.pod(from+5, "LISTED", "c", ofController)
		s.begin(from+1000, argo, "create", round+1)
		last := len(s.entries)
		s.entries[last-2].Action.Verb, s.entries[last-1].Audit.Verb = "create", "create"
		for i := range reads {
			s.asked(from+1010+i, account, "c", "get", "pods.v1", "argo")
		}
		s.asked(from+1100, account, "c", "update", "leases.v1.coordination.k8s.io", "argo")
		s.asked(from+1200, account, "c", "create", "deployments.v1.apps", "argo")
		s.entries[len(s.entries)-1].Audit.Code = 409 // it was not written
		s.asked(from+1250, account, "c", "patch", "deployments.v1.apps", "argo")
		s.entries[len(s.entries)-1].Audit.DryRun = true
		s.asked(from+1260, account, "c", "create", "pods.v1", "argo")
		s.entries[len(s.entries)-1].Audit.Subresource = "exec"
		s.asked(from+1300, account, "c", "create", "deployments.v1.apps", "argo")
		s.asked(from+1400, account, "c", "patch", crs, "argo")
		s.end(from+4000, record.Settled)
		s.stage(from+5000, argo, round+1, record.Driven)
	}
	c := of(t, s.costs(), "argo")
	assert.Equal(t, []cost.Value{{Round: 1, Value: 6}, {Round: 2, Value: 4}}, c.CallsBefore.Values)
	assert.Equal(t, []cost.Value{{Round: 1, Value: 3}, {Round: 2, Value: 3}}, c.PerChange(cost.Writes).Values, "a dry run and a command in a pod write nothing")
	assert.Contains(t, of(t, two().costs(), "argo").CallsBefore.Missing, "no create")
}
