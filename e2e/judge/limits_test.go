package judge_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

func (s *story) block(ms float64, style, variant string, round int, stage string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindBlock, Block: &record.Block{Style: style, Variant: variant, Round: round, Stage: stage}})
}

// A scenario whose given state was not reached in time has latencies all the
// same: at least its timeout.
func TestStepsThatNeverBeganAreCensored(t *testing.T) {
	s := newStory(t)
	s.begin(100, "native", "scale up", 4)
	s.end(101, record.TimedOut)
	r := s.result()
	assert.Equal(t, spec.Fail, r.Outcome())
	assert.Equal(t, []string{"child written timeout 10000", "ready timeout 10000", "status written timeout 10000", "quiet timeout 10000"}, phases(r))
	assert.Equal(t, at(100), r.Samples[0].From)
	assert.Equal(t, at(101), r.Samples[0].At)

	s.begin(200, "argo", "delete", -1)
	s.end(201, record.TimedOut)
	assert.Equal(t, []string{"CR gone timeout 10000", "child gone timeout 10000", "pods gone timeout 10000"}, phases(s.result()))

	s.begin(300, "native", "scale up", 5)
	s.end(301, record.Interrupted)
	assert.Empty(t, s.result().Samples, "what was interrupted is not known")
}

// A sample that never ended, of a style whose block is over, does not hear of
// what the next style does in its own namespace.
func TestEventsElsewhereAreOfTheStyleInTurn(t *testing.T) {
	other := argo
	other.Variant = "head"
	s := newStory(t, argo, other)
	s.block(0, "argo", "", 1, record.Installed)
	s.begin(1, "argo", "create", 1, func(b *record.Sample) { b.Namespace = "first" })
	cr := custom(1, 1, 0)
	cr.namespace = "first"
	s.act(10, 15, "create", cr)
	s.block(20, "argo", "", 1, record.Removed)
	s.block(30, "argo", "head", 1, record.Installed)
	s.begin(40, "argo", "create", 1, func(b *record.Sample) { b.Variant, b.Namespace = "head", "second" })
	cr.namespace, cr.uid = "second", "cr2"
	s.act(50, 55, "create", cr)
	s.see(60, "ADDED", workflow("w1", "Running"))
	all, err := timelines(s.seq())
	require.NoError(t, err)
	require.Len(t, all, 2)
	for _, timeline := range all {
		var heard int
		for _, e := range timeline.Events {
			if e.Kind == record.KindWatch {
				heard++
			}
		}
		assert.Equal(t, map[string]int{"": 0, "head": 1}[timeline.Sample.Variant], heard, "variant %q", timeline.Sample.Variant)
	}
}

// Two variants of a style in one recording are judged apart, each by its own
// declarations.
func TestVariantsOfOneStyle(t *testing.T) {
	base, head := native, native
	base.Variant, head.Variant, head.Declares.Status.Supported = "base", "head", false
	s := newStory(t, base, head)
	for i, variant := range []string{"base", "head"} {
		from := len(s.entries)
		s.created(func(b *record.Sample) { b.Variant = variant })
		s.end(1710, record.Settled)
		s.entries[len(s.entries)-1].End.Variant = variant
		for j := from; j < len(s.entries); j++ {
			s.entries[j] = moved(s.entries[j], at(float64(i)*2000), "services-"+variant, 1)
		}
	}
	j := s.judge()
	require.Len(t, j.Results, 2)
	for i, variant := range []string{"base", "head"} {
		r := j.Results[i]
		assert.Equal(t, variant, r.Variant)
		assert.Equal(t, spec.Pass, r.Outcome())
		for _, one := range r.Samples {
			assert.Equal(t, variant, one.Variant)
		}
	}
	assert.Contains(t, phases(j.Results[0]), "status written ok 690")
	assert.Equal(t, []string{"acknowledged ok 5", "child written ok 10", "ready ok 640", "quiet ok 690"}, phases(j.Results[1]))

	s.begin(9000, "native", "create", 1, func(b *record.Sample) { b.Variant = "tail" })
	_, err := judge.Judge(s.seq())
	require.ErrorContains(t, err, `style "native@tail" is not in the header`)
}

// moved copies an entry to another time, namespace and round.
func moved(e record.Entry, by time.Duration, namespace string, round int) record.Entry {
	e.Time += by
	switch e.Kind {
	case record.KindBegin:
		b := *e.Begin
		b.Namespace, b.Round = namespace, round
		e.Begin = &b
	case record.KindAction:
		a := *e.Action
		a.Namespace, a.From = namespace, a.From+by
		e.Action = &a
	case record.KindWatch:
		w := *e.Watch
		w.Namespace = namespace
		e.Watch = &w
	case record.KindEnd:
		o := *e.End
		o.Namespace, o.Round = namespace, round
		e.End = &o
	}
	return e
}

// An inner phase can ask for a namespace, and for more of the object.
func TestInnerPhasesOnConditions(t *testing.T) {
	style := record.Style{Style: spec.Style{
		Name: "native",
		Phases: []spec.Phase{
			{Name: "anywhere", Resource: workflows, Path: "status.phase"},
			{Name: "namespace", Resource: workflows, Path: "status.phase", Namespace: "argo-events"},
			{Name: "other namespace", Resource: workflows, Path: "status.phase", Namespace: "argo"},
			{Name: "equals", Resource: workflows, Where: []spec.FieldCondition{{Path: "status.phase", Equals: []string{"Failed", "Running"}}}},
			{Name: "equals other", Resource: workflows, Where: []spec.FieldCondition{{Path: "status.phase", Equals: []string{"Failed"}}}},
			{Name: "matches", Resource: workflows, Where: []spec.FieldCondition{{Path: "metadata.name", Matches: `^w\d+$`}}},
			{Name: "matches other", Resource: workflows, Where: []spec.FieldCondition{{Path: "metadata.name", Matches: `^cron-`}}},
			{Name: "exists", Resource: workflows, Where: []spec.FieldCondition{{Path: "status"}}},
			{Name: "absent", Resource: workflows, Where: []spec.FieldCondition{{Path: "status.finishedAt"}}},
			{Name: "all of them", Resource: workflows, Path: "status.phase", Equals: []string{"Running"}, Where: []spec.FieldCondition{
				{Path: "metadata.name", Matches: "w"}, {Path: "metadata.namespace", Equals: []string{"argo-events"}},
			}},
			{Name: "all but one", Resource: workflows, Path: "status.phase", Equals: []string{"Running"}, Where: []spec.FieldCondition{
				{Path: "metadata.name", Matches: "w"}, {Path: "metadata.namespace", Equals: []string{"argo"}},
			}},
			{Name: "a query of gjson", Resource: workflows, Path: `{"x":status.phase}.x`, Equals: []string{"Running"}},
		},
	}}
	s := newStory(t, style)
	s.begin(0, "native", "create", 1, func(b *record.Sample) { b.Expect = nil })
	s.act(10, 15, "create", custom(1, 1, 0))
	s.see(20, "ADDED", workflow("w1", "Running"))
	s.end(1100, record.Settled)
	var reached []string
	for _, one := range s.result().Samples {
		if one.Outcome == judge.OK && one.At == at(20) {
			reached = append(reached, one.Phase)
		}
	}
	assert.Equal(t, []string{"quiet", "anywhere", "namespace", "equals", "matches", "exists", "all of them", "a query of gjson"}, reached)
}

// Rounds that were abandoned, whose objects were never seen to go, do not
// gather in a judge that goes along with a long run.
func TestAbandonedRoundsAreForgotten(t *testing.T) {
	for _, blocks := range []bool{true, false} {
		t.Run(fmt.Sprintf("blocks %v", blocks), func(t *testing.T) {
			s := newStory(t)
			s.created()
			s.see(705, "ADDED", workflow("w1", "Running"))
			s.end(1710, record.TimedOut)
			splitter := timeline.NewSplitter()
			most := 0
			add := func(e record.Entry) {
				_, err := splitter.Add(e)
				require.NoError(t, err)
				most = max(most, splitter.Objects())
			}
			add(s.entries[0])
			for round := 1; round <= 50; round++ {
				if blocks {
					add(record.Entry{Kind: record.KindBlock, Block: &record.Block{Style: "native", Round: round, Stage: record.Installed}})
				}
				for _, e := range s.entries[1:] {
					space := fmt.Sprintf("services-%d", round)
					if e.Watch != nil && e.Watch.Resource == workflows {
						space = "argo-events"
					}
					add(moved(e, at(2000)*time.Duration(round), space, round))
				}
			}
			assert.Less(t, most, 20)
		})
	}
}

// A long scenario with many acts is not judged from its beginning with each.
// Ten times the acts then take ten times the processor's time, not a hundred
// times; half as many hundreds is what garbage collection and caches may add.
func TestManyActsAreJudgedOnce(t *testing.T) {
	storm := func(acts int) time.Duration {
		s := newStory(t)
		s.begin(0, "native", "storm", 1, func(b *record.Sample) { b.Timeout = time.Hour })
		for i := 1; i <= acts; i++ {
			ms := float64(i) * 10
			s.act(ms, ms+1, "patch", custom(i+1, 1, i))
			s.see(ms+2, "MODIFIED", custom(i+1, 1, i))
			s.see(ms+3, "MODIFIED", deployment(i, 1, 1, 1))
		}
		s.end(600_000, record.Settled)
		began := processorTime(t)
		r := s.result()
		took := processorTime(t) - began
		assert.Equal(t, spec.Fail, r.Outcome())
		return took
	}
	few, many := storm(600), storm(6000)
	for range 4 { // the least of five: what else the machine does only adds
		few, many = min(few, storm(600)), min(many, storm(6000))
	}
	assert.Less(t, many, 50*few, "each act replays all events before it")
}

// processorTime is what this process has used so far, unlike the clock whatever
// else the machine does.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
