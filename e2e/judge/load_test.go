package judge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// ofLoad makes a sample one of a load, in a namespace. Its last size is 0.
func ofLoad(namespace string) func(*record.Sample) {
	return func(b *record.Sample) {
		b.Load, b.Namespace, b.Expect = true, namespace, []string{"stays-converged"}
	}
}

// due is an action that was due at a time of the schedule, and sent from then or later.
func (s *story) due(intended, from, to float64, verb string, x thing) {
	s.act(from, to, verb, x)
	s.entries[len(s.entries)-1].Action.Intended = at(intended)
}

// endOf ends a load's sample.
func (s *story) endOf(ms float64, namespace, outcome string) {
	s.sample.Namespace = namespace
	s.end(ms, outcome)
}

// behind tells of a custom resource that is created and changed twice, from 1
// over 2 to 0, by an operator that writes what it is told of the sizes, at the
// given times.
func (s *story) behind(writes ...[2]int) {
	s.begin(0, "argo", "burst", 0, ofLoad("a"))
	s.due(100, 100, 105, "create", custom(1, 1, 0).in("a"))
	s.due(200, 200, 205, "patch", custom(2, 2, 0).in("a"))
	s.due(300, 350, 355, "patch", custom(3, 0, 0).in("a"))
	for i, w := range writes {
		event := "MODIFIED"
		if i == 0 {
			event = "ADDED"
		}
		s.see(float64(w[0]), event, deployment(i+1, w[1], 0, 0).in("a"))
	}
}

func TestALoadIsMeasuredFromWhenItsLastStepWasDue(t *testing.T) {
	s := newStory(t)
	s.behind([2]int{150, 1}, [2]int{400, 0})
	s.end(1500, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 55", "child written ok 100", "ready ok 100", "quiet ok 100"}, phases(r), "the harness was 50 ms late")
	assert.Equal(t, at(300), r.Samples[0].From)
}

// Who replays each change can be right for a while, and is right only when
// nothing that is out of date comes any more.
func TestOfALoadTheLastTimeThatItWasRightCounts(t *testing.T) {
	s := newStory(t)
	s.behind([2]int{150, 1}, [2]int{400, 0}, [2]int{600, 2}, [2]int{900, 0})
	s.end(2500, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 55", "child written ok 600", "ready ok 600", "quiet ok 600"}, phases(r))
}

// One that ends with what is out of date is censored, whatever it was between.
func TestOfALoadWhatIsWrongAtTheEndIsCensored(t *testing.T) {
	s := newStory(t)
	s.behind([2]int{150, 1}, [2]int{400, 0}, [2]int{600, 2})
	s.end(10300, record.TimedOut)
	r := s.result()
	assert.Equal(t, spec.Late, r.Outcome(), "no oracle has a verdict on how far it is behind: %+v", r.Verdicts)
	assert.Contains(t, phases(r), "acknowledged ok 55")
	assert.Contains(t, phases(r), "child written timeout 10000")
	assert.NotContains(t, phases(r), "child written ok 100")
}

// Many are open at once, each in its own namespace: what happens in one is the
// others' business no more than what the operator works by, elsewhere.
func TestSamplesOfALoadAreToldOfTheirOwnNamespaceAlone(t *testing.T) {
	s := newStory(t)
	spaces := []string{"a", "b", "c"}
	for i, namespace := range spaces {
		s.begin(float64(i), "argo", "burst", 0, ofLoad(namespace))
	}
	for i, namespace := range spaces {
		s.due(100, 100+float64(i), 110+float64(i), "create", custom(1, 0, 0).in(namespace))
	}
	s.see(150, "ADDED", workflow("w1", "Running"))
	s.gap(160, 170, workflows)
	s.see(200, "ADDED", deployment(1, 0, 0, 0).in("b"))
	s.see(300, "ADDED", deployment(1, 0, 0, 0).in("a"))
	open := opened(t, s, spaces...)
	assert.Empty(t, open["a"].Missing(), "it waits for no inner phase")
	assert.Empty(t, open["b"].Missing())
	assert.Equal(t, "there is no Deployment cache-deployment", open["c"].Missing())
	assert.Equal(t, at(200), open["b"].LastEvent())
	assert.Equal(t, []string{"ADDED cache-deployment"}, toldOf(open["b"]))
	s.endOf(10100, "a", record.Settled)
	s.endOf(10101, "b", record.Settled)
	s.endOf(10102, "c", record.TimedOut)
	var got []string
	for _, r := range s.judge().Results {
		require.NotEmpty(t, r.Samples)
		for _, sample := range r.Samples {
			assert.NotContains(t, sample.Phase, "workflow")
			if sample.Phase == spec.PhaseChildWritten {
				got = append(got, fmt.Sprintf("%s %s %v %s", r.Namespace, sample.Outcome, time.Duration(sample.Value*float64(time.Second)).Round(time.Millisecond), r.Outcome()))
			}
		}
	}
	assert.Equal(t, []string{"a ok 200ms pass", "b ok 100ms pass", "c timeout 10.002s late"}, got)
}

// A watch that breaks in one's namespace hides that one alone.
func TestAGapInALoadIsItsOwnSamples(t *testing.T) {
	s := newStory(t)
	for _, namespace := range []string{"a", "services"} {
		s.begin(0, "argo", "burst", 0, ofLoad(namespace))
		s.due(100, 100, 110, "create", custom(1, 0, 0).in(namespace))
	}
	s.gap(120, 130, spec.Deployments) // in "services"
	for _, namespace := range []string{"a", "services"} {
		s.see(200, "ADDED", deployment(1, 0, 0, 0).in(namespace))
	}
	s.endOf(3000, "a", record.Settled)
	s.endOf(3000, "services", record.Settled)
	j := s.judge()
	require.Len(t, j.Results, 2)
	assert.Equal(t, spec.Pass, j.Results[0].Outcome())
	assert.Equal(t, spec.Invalid, j.Results[1].Outcome())
	assert.Contains(t, phases(j.Results[1]), "child written interrupted 100")
}

// ofCrowd makes a sample one of those of a load that share a namespace.
func ofCrowd(name string) func(*record.Sample) {
	return func(b *record.Sample) {
		b.Load, b.Shared, b.Namespace, b.Name, b.Expect = true, true, "a", name, []string{"stays-converged"}
	}
}

// leaves ends one of them.
func (s *story) leaves(ms float64, name, outcome string) {
	s.endOf(ms, "a", outcome)
	s.entries[len(s.entries)-1].End.Name = name
}

// crowded creates two of them; the child of each is named by its uid, as an operator may do.
func (s *story) crowded() {
	for _, name := range []string{"cache-1", "cache-2"} {
		s.begin(0, "native", "burst", 0, ofCrowd(name))
	}
	for i, name := range []string{"cache-1", "cache-2"} {
		s.due(float64(100+i), float64(101+2*i), 105, "create", custom(1, 0, 0).in("a").named(name, "uid-"+name))
		s.see(110, "ADDED", custom(1, 0, 0).in("a").named(name, "uid-"+name))
	}
}

func TestThoseOfALoadThatShareANamespaceAreToldApart(t *testing.T) {
	s := newStory(t)
	s.crowded()
	s.see(150, "ADDED", owned(deployment(1, 0, 0, 0).in("a").named("x7", "d1"), "uid-cache-1"))
	s.see(250, "ADDED", owned(deployment(1, 1, 0, 0).in("a").named("x8", "d2"), "uid-cache-2"))
	s.leaves(1500, "cache-1", record.Settled)
	s.leaves(1500, "cache-2", record.TimedOut)
	j := s.judge()
	require.Len(t, j.Results, 2)
	assert.Equal(t, "a/cache-1", j.Results[0].Namespace)
	assert.Equal(t, []string{"acknowledged ok 5", "child written ok 50", "ready ok 50"}, phases(j.Results[0])[:3])
	assert.Equal(t, at(1), j.Results[0].Samples[0].Late)
	assert.Equal(t, "a/cache-2", j.Results[1].Namespace)
	assert.Contains(t, phases(j.Results[1]), "child written timeout 1399", "what the other's operator wrote is not its")
	assert.Equal(t, at(2), j.Results[1].Samples[0].Late)
}

// A child that nobody owns is found by the name that the style gives it, whatever that begins with.
func TestThoseOfALoadAreToldApartByTheNamesOfTheirChildren(t *testing.T) {
	s := newStory(t)
	s.entries[0].Header.Styles[0].Child = spec.Child{Name: "app-{{.Name}}"}
	s.crowded()
	s.see(150, "ADDED", owned(deployment(1, 0, 0, 0).in("a").named("app-cache-1", "d1"), ""))
	s.see(250, "ADDED", owned(deployment(1, 0, 0, 0).in("a").named("app-cache-2", "d2"), ""))
	s.leaves(1500, "cache-1", record.Settled)
	s.leaves(1500, "cache-2", record.Settled)
	j := s.judge()
	require.Len(t, j.Results, 2)
	assert.Contains(t, phases(j.Results[0]), "child written ok 50")
	assert.Contains(t, phases(j.Results[1]), "child written ok 149")
}

func TestNoRecordingSharesANamespaceInPart(t *testing.T) {
	for name, test := range map[string]struct {
		tell func(*story)
		want string
	}{
		"twice":     {func(s *story) { s.begin(20, "native", "burst", 0, ofCrowd("cache-1")) }, "in a/cache-1 began before its last run ended"},
		"one alone": {func(s *story) { s.begin(20, "native", "burst", 0, ofLoad("a")) }, "only some of the namespace's samples share it"},
		"no load":   {func(s *story) { s.begin(20, "native", "create", 0, func(b *record.Sample) { b.Shared = true }) }, "expected that only of a load"},
		"unknown end": {func(s *story) {
			s.begin(20, "native", "burst", 0, ofCrowd("cache-2"))
			s.leaves(30, "cache-3", record.Settled)
		}, "in a/cache-3 ended without having begun"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "burst", 0, ofCrowd("cache-1"))
			test.tell(s)
			_, err := judge.Judge(s.seq())
			require.ErrorContains(t, err, test.want)
		})
	}
}
