package scenarios_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

func size(n int) *scenarios.Spec { return &scenarios.Spec{Size: n} }

func TestWhatTheStepsComeTo(t *testing.T) {
	fault := func(f scenarios.Fault) scenarios.Step { return scenarios.Step{Fault: &f} }
	wrong := scenarios.Step{Submit: &scenarios.Submit{}}
	gone := scenarios.Step{Delete: &scenarios.Delete{}}
	on := func(name string, s scenarios.Step) scenarios.Step { s.On = name; return s }

	for name, test := range map[string]struct {
		steps      []scenarios.Step
		result     *scenarios.Spec
		others     []scenarios.Other
		exclusive  string
		components []string
		faulty     bool
		unmeetable bool
		work       bool
	}{
		"nothing":    {nil, size(1), nil, "", nil, false, false, false},
		"a change":   {[]scenarios.Step{{Patch: size(2)}, {Apply: size(3)}}, size(3), nil, "", nil, false, false, false},
		"a deletion": {[]scenarios.Step{gone}, nil, nil, "", nil, false, false, false},
		"recreated":  {[]scenarios.Step{gone, {Create: size(5)}}, size(5), nil, "", nil, false, false, false},
		"others": {
			[]scenarios.Step{on("a", scenarios.Step{Create: size(2)}), on("elsewhere/b", scenarios.Step{Create: size(3)}), on("a", gone), {Await: "ready"}},
			size(1),
			[]scenarios.Other{{Name: "a"}, {Name: "elsewhere/b", Result: size(3)}},
			"", nil, false, false, false,
		},
		"what is refused counts for nothing": {[]scenarios.Step{{Submit: &scenarios.Submit{Refused: true}}}, size(1), nil, "", nil, false, false, false},
		"the last cannot be met":             {[]scenarios.Step{{Patch: size(2)}, wrong, {Await: "stuck"}}, size(2), nil, "", nil, false, true, false},
		"it is put right":                    {[]scenarios.Step{wrong, {Patch: size(2)}}, size(2), nil, "", nil, false, false, false},
		"another's wish is another's":        {[]scenarios.Step{wrong, on("a", scenarios.Step{Create: size(2)})}, size(1), []scenarios.Other{{Name: "a", Result: size(2)}}, "", nil, false, true, false},
		"exclusive faults in order": {
			[]scenarios.Step{fault(scenarios.Fault{Kind: spec.FaultStop, What: "bus"}), {Patch: size(2)}, {Mend: "stop"}, fault(scenarios.Fault{Kind: spec.FaultKill, What: "all"}), fault(scenarios.Fault{Kind: spec.FaultKill, What: "bus"})},
			size(2), nil, "stop bus, mend stop, kill all, kill bus",
			[]string{"bus"},
			true, false, false,
		},
		"narrow faults": {
			[]scenarios.Step{fault(scenarios.Fault{Kind: spec.FaultRefuse, What: "deployments.apps"}), fault(scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}), {Mend: "refuse"}, {Mend: "suspend"}},
			size(1), nil, "", nil, true, false, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenarios.Scenario{Given: size(1), Steps: test.steps}
			assert.Equal(t, test.result, s.Result())
			assert.Equal(t, test.others, s.Others())
			assert.Equal(t, test.exclusive, s.Exclusive())
			assert.Equal(t, test.components, s.Components())
			assert.Equal(t, test.faulty, s.Faulty())
			assert.Equal(t, test.unmeetable, s.Unmeetable())
			assert.Equal(t, test.work, s.NeedsWork())
		})
	}
	declared := scenarios.Scenario{Component: "sensor", Work: true}
	assert.Equal(t, []string{"sensor"}, declared.Components())
	assert.True(t, declared.NeedsWork())
}

// A series is custom resources beside the scenario's own, at a pace that leaves a
// slow operator no more than a few at a time.
func TestSeries(t *testing.T) {
	s := scenarios.Scenario{Window: time.Minute, Steps: []scenarios.Step{
		{Series: &scenarios.Series{Count: 3, Size: 0, Every: 500 * time.Millisecond}}, {Create: size(1)}, {Scale: size(2)},
	}}
	assert.Equal(t, size(2), s.Result())
	assert.Equal(t, []scenarios.Other{{Name: "series-01", Result: size(0)}, {Name: "series-02", Result: size(0)}, {Name: "series-03", Result: size(0)}}, s.Others())
	assert.Equal(t, 500*time.Millisecond, s.Series().Pace(time.Second))
	assert.Equal(t, 6*time.Second, s.Series().Pace(time.Minute))
	assert.Equal(t, time.Minute+1500*time.Millisecond, s.Lasts(0))
	assert.Equal(t, time.Minute+18*time.Second, s.Lasts(time.Minute))
	s.Before, s.Steps = 20*time.Second, append(s.Steps, scenarios.Step{Await: spec.PointRetried})
	assert.Equal(t, 2*time.Minute+21500*time.Millisecond, s.Lasts(0))
	assert.Equal(t, "memcached", s.CustomName())
	s.Custom = "other"
	assert.Equal(t, "other", s.CustomName())
}

func TestKindsOfFault(t *testing.T) {
	for kind, narrow := range map[string]bool{"kill": false, "stop": false, "refuse": true, "suspend": true, "restart": false, "": false, "nothing": false} {
		assert.Equal(t, narrow, scenarios.KindOfFault(kind).Narrow, kind)
	}
}

// Of a series that keeps some, the first ones go again: each once so many more have come.
func TestASeriesThatKeepsSome(t *testing.T) {
	s := scenarios.Scenario{Steps: []scenarios.Step{{Series: &scenarios.Series{Count: 4, Size: 0, Keep: 2}}}}
	kept := &scenarios.Spec{Size: 0}
	assert.Equal(t, []scenarios.Other{{Name: "series-01"}, {Name: "series-02"}, {Name: "series-03", Result: kept}, {Name: "series-04", Result: kept}}, s.Others())
	var gone []string
	for i := range 4 {
		gone = append(gone, s.Series().Goes(i))
	}
	assert.Equal(t, []string{"", "", "series-01", "series-02"}, gone)
	assert.Empty(t, scenarios.Series{Count: 4}.Goes(3))
}

// Of a series apart each is in a namespace of its own, which goes when as many more have come again.
func TestASeriesApart(t *testing.T) {
	s := scenarios.Scenario{Steps: []scenarios.Step{{Series: &scenarios.Series{Count: 3, Keep: 1, Apart: true}}}}
	assert.Equal(t, []scenarios.Other{{Name: "s01/series-01"}, {Name: "s02/series-02"}, {Name: "s03/series-03", Result: &scenarios.Spec{}}}, s.Others())
	assert.Equal(t, "s02/series-02", s.Series().Goes(2))
	assert.Equal(t, []string{"", "", "s01/series-01"}, []string{s.Series().Leaves(0), s.Series().Leaves(1), s.Series().Leaves(2)})
	assert.Empty(t, scenarios.Series{Count: 3, Keep: 1}.Leaves(2), "it has no namespace of its own")
}
