package judge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

var wholeStatus = []string{"nodes", "observedGeneration", "replicas", "selector", "conditions"}

// writing is a story of a style that writes these fields of the status.
func writing(t *testing.T, ready string, written ...string) *story {
	t.Helper()
	s := newStory(t)
	s.entries[0].Header.Styles = []record.Style{{Style: spec.Style{
		Name:     "native",
		Declares: spec.Declares{Status: spec.Declaration{Supported: true, Fields: written, Ready: ready}},
	}}}
	return s
}

func inMatrix(b *record.Sample) { b.Matrix, b.Expect = true, []string{"status"} }

// stating is the custom resource of a generation with a status.
func stating(generation, size int, status fields) thing {
	x := custom(generation, size, 0)
	x.object["status"] = status
	return x
}

func condition(kind, status, reason string, generation int) fields {
	return fields{"type": kind, "status": status, "reason": reason, "observedGeneration": generation}
}

// whole is a status that is right for size pods of a generation, but for what is
// changed in it.
func whole(generation, size int, change ...fields) thing {
	var nodes []string
	for n := range size {
		nodes = append(nodes, fmt.Sprintf("p%d", n+1))
	}
	status := fields{
		"nodes": nodes, "observedGeneration": generation, "replicas": size, "selector": "app=cache",
		"conditions": []any{condition("Ready", "True", "AllReady", generation)},
	}
	for _, c := range change {
		for key, value := range c {
			status[key] = value
		}
	}
	return stating(generation, size, status)
}

func labelled(n int, phase, app string) thing {
	p := pod(n, phase)
	p.object["metadata"].(fields)["labels"] = fields{"app": app}
	p.object["status"] = fields{"phase": phase, "conditions": []any{fields{"type": "Ready", "status": map[bool]string{true: "True", false: "False"}[phase == "Running"]}}}
	return p
}

// grown tells of a create of size 2 in the matrix: the pods run at 5 s and are
// ready, without any status.
func (s *story) grown() {
	s.begin(0, "native", "create", 2, inMatrix)
	s.done(10, "create", custom(1, 2, 0).at(1))
	s.version = 1
	s.see(20, "ADDED", deployment(1, 2, 0, 0))
	s.see(25, "ADDED", replicaSet())
	for n := 1; n <= 2; n++ {
		s.see(30, "ADDED", labelled(n, "Pending", "cache"))
	}
}

func (s *story) run() {
	for n := 1; n <= 2; n++ {
		s.see(5000, "MODIFIED", labelled(n, "Running", "cache"))
	}
	s.see(5010, "MODIFIED", deployment(1, 2, 2, 2))
}

// What is declared is judged at the end, and nothing else is.
func TestStatusAtTheEnd(t *testing.T) {
	none := fields{"conditions": nil}
	for name, test := range map[string]struct {
		ready   string
		fields  []string
		status  fields // otherwise than right
		want    spec.Outcome
		message string
	}{
		"right":               {"Ready", wholeStatus, nil, spec.Pass, "status.nodes names the 2 pods that run, of generation 1, status.replicas 2, status.selector app=cache, Ready True (AllReady)"},
		"nodes":               {"Ready", wholeStatus, fields{"nodes": []string{"p1"}}, spec.Fail, "expected status.nodes to name the running pods [p1 p2]; seen [p1]"},
		"nodes undeclared":    {"", []string{"observedGeneration"}, fields{"nodes": []string{"p1"}}, spec.Pass, "of generation 1"},
		"generation":          {"Ready", wholeStatus, fields{"observedGeneration": 0}, spec.Fail, "expected status.observedGeneration 1; seen 0"},
		"replicas":            {"Ready", wholeStatus, fields{"replicas": 1}, spec.Fail, "expected status.replicas 2, the number of its pods; seen 1"},
		"no replicas":         {"Ready", wholeStatus, fields{"replicas": nil}, spec.Fail, "seen 0"},
		"no selector":         {"Ready", wholeStatus, fields{"selector": ""}, spec.Fail, `expected status.selector to be a label selector that selects its pods; seen ""`},
		"no label selector":   {"Ready", wholeStatus, fields{"selector": "app in cache"}, spec.Fail, `seen "app in cache"`},
		"selector of none":    {"Ready", wholeStatus, fields{"selector": "app=other"}, spec.Fail, `expected status.selector to be a label selector of its pods [p1 p2]; seen "app=other", which selects [p9]`},
		"selector of all":     {"Ready", wholeStatus, fields{"selector": "app"}, spec.Fail, `seen "app", which selects [p1 p2 p9]`},
		"no conditions":       {"Ready", wholeStatus, none, spec.Fail, "expected conditions in the status; seen none"},
		"no Ready":            {"Ready", wholeStatus, fields{"conditions": []any{condition("Other", "True", "r", 1)}}, spec.Fail, "expected a condition Ready; there is none of that type"},
		"not Ready":           {"Ready", wholeStatus, fields{"conditions": []any{condition("Ready", "False", "Waiting", 1)}}, spec.Fail, "expected condition Ready to be True for generation 1; seen False (Waiting) for generation 1"},
		"Ready without words": {"Ready", wholeStatus, fields{"conditions": []any{condition("Ready", "True", "", 1)}}, spec.Fail, "expected condition Ready to have a reason; seen none"},
		"a status of its own": {"Ready", wholeStatus, fields{"conditions": []any{condition("Ready", "Yes", "r", 1)}}, spec.Fail, `expected condition Ready to be True, False or Unknown; seen "Yes"`},
		"of no type":          {"", wholeStatus, fields{"conditions": []any{condition("", "True", "r", 1)}}, spec.Fail, "expected each condition to have a type"},
		"of the next":         {"", wholeStatus, fields{"conditions": []any{condition("Ready", "True", "r", 2)}}, spec.Fail, "expected condition Ready to be of generation 1 at most; seen 2"},
		"conditions alone":    {"Available", []string{"conditions"}, fields{"nodes": nil, "observedGeneration": nil, "conditions": []any{fields{"type": "Available", "status": "True", "reason": "r"}}}, spec.Pass, "Available True (r)"},
		"without Available":   {"Available", []string{"conditions"}, nil, spec.Fail, "expected a condition Available"},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, test.ready, test.fields...)
			s.grown()
			foreign := labelled(9, "Running", "other")
			foreign.object["metadata"].(fields)["ownerReferences"] = owner("somebody")
			s.see(40, "ADDED", foreign)
			s.run()
			s.see(5020, "MODIFIED", whole(1, 2, test.status))
			s.end(9000, record.Settled)
			s.says("status", test.want, test.message)
		})
	}
}

// Ready over a Deployment that is not there yet is no lag.
func TestReadyAtTheEndOfWhatIsNot(t *testing.T) {
	for name, test := range map[string]struct {
		says    fields
		want    spec.Outcome
		message string
	}{
		"said":           {condition("Ready", "True", "AllReady", 1), spec.Fail, "expected condition Ready not to be True, for Deployment cache-deployment has 0 of 2 ready replicas; seen True (AllReady)"},
		"of no one":      {condition("Ready", "True", "AllReady", 0), spec.Fail, "expected condition Ready not to be True"},
		"said otherwise": {condition("Ready", "False", "Waiting", 1), spec.Pass, "Ready False (Waiting)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, "Ready", "conditions")
			s.grown()
			s.see(5020, "MODIFIED", stating(1, 2, fields{"conditions": []any{test.says}}))
			s.end(9000, record.TimedOut)
			s.says("status", test.want, test.message)
		})
	}
}

// A status may be late, and must not be early. What each case tells comes between
// the creation of two pods, which run at 5 s, and a status that is right at 20 s.
func TestStatusIsNeverEarly(t *testing.T) {
	waiting := fields{"nodes": []string{}, "replicas": 0, "conditions": []any{condition("Ready", "False", "Waiting", 1)}}
	with := func(change fields) fields {
		all := fields{}
		for _, from := range []fields{waiting, change} {
			for key, value := range from {
				all[key] = value
			}
		}
		return all
	}
	ready := func(generation int) fields {
		return fields{"conditions": []any{condition("Ready", "True", "AllReady", generation)}}
	}
	for name, test := range map[string]struct {
		tell    func(*story)
		message string // "": it passes
	}{
		"on the way":                    {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, waiting)); s.run() }, ""},
		"nodes that do not run":         {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, with(fields{"nodes": []string{"p1"}}))); s.run() }, "at +0.090 s nodes named the pod p1, which ran at +4.990 s"},
		"nodes that ran a moment later": {func(s *story) { s.see(4800, "MODIFIED", whole(1, 2, with(fields{"nodes": []string{"p1"}}))); s.run() }, ""},
		"nodes that never ran":          {func(s *story) { s.run(); s.see(6000, "MODIFIED", whole(1, 2, fields{"nodes": []string{"p1", "p7"}})) }, "nodes named p7, no pod of it that ever ran"},
		"watched late, but written then": {func(s *story) {
			s.see(100, "MODIFIED", whole(1, 2, with(fields{"nodes": []string{"p1"}})).at(1000))
			s.run()
		}, ""},
		"replicas of none":         {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, with(fields{"replicas": 3}))); s.run() }, "it said replicas 3, and there were not so many pods"},
		"replicas that do not run": {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, with(fields{"replicas": 2}))); s.run() }, ""},
		"Ready at once":            {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, with(ready(1)))); s.run() }, "condition Ready was True (AllReady) for generation 1, and its 2 pods were not ready"},
		"Ready for no generation": {func(s *story) {
			s.see(100, "MODIFIED", whole(1, 2, with(fields{"observedGeneration": nil}), ready(0)))
			s.run()
		}, "condition Ready was True (AllReady), and the pods were not ready"},
		"a generation to come": {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, with(fields{"observedGeneration": 2}))); s.run() }, "it said observedGeneration 2, of generation 1"},
		"a condition to come":  {func(s *story) { s.run(); s.see(6000, "MODIFIED", whole(1, 2, ready(2))) }, "expected condition Ready to be of generation 1 at most; seen 2"},
		"no reason meanwhile": {func(s *story) {
			s.see(100, "MODIFIED", whole(1, 2, with(fields{"conditions": []any{condition("Ready", "False", "", 1)}})))
			s.run()
		}, "expected condition Ready to have a reason"},
		"no selector meanwhile": {func(s *story) { s.see(100, "MODIFIED", whole(1, 2, with(fields{"selector": "a in"}))); s.run() }, `selector was "a in", which is none`},
		"pods that die are lag": {func(s *story) {
			s.run()
			s.see(5100, "MODIFIED", whole(1, 2))
			s.see(9000, "MODIFIED", labelled(1, "Failed", "cache"))
			s.see(9010, "MODIFIED", deployment(1, 2, 2, 1))
			s.see(15000, "MODIFIED", labelled(1, "Running", "cache"))
			s.see(15010, "MODIFIED", deployment(1, 2, 2, 2))
		}, ""},
		"Ready again, and they are not": {func(s *story) {
			s.run()
			s.see(5100, "MODIFIED", whole(1, 2))
			s.see(5200, "MODIFIED", labelled(1, "Pending", "cache"))
			s.see(5210, "MODIFIED", deployment(1, 2, 2, 1))
			s.see(5300, "MODIFIED", whole(1, 2, fields{"conditions": []any{condition("Ready", "False", "Waiting", 1)}}))
			s.see(17000, "MODIFIED", whole(1, 2))
			s.see(18500, "MODIFIED", labelled(1, "Running", "cache"))
			s.see(18600, "MODIFIED", deployment(1, 2, 2, 2))
		}, "at +16.990 s condition Ready was True (AllReady) for generation 1"},
		"an interrupted watch": {func(s *story) {
			s.see(100, "MODIFIED", whole(1, 2, with(ready(1))))
			s.gap(50, 900, spec.Events)
			s.run()
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, "Ready", wholeStatus...)
			s.grown()
			test.tell(s)
			s.see(20000, "MODIFIED", whole(1, 2))
			s.end(23000, record.Settled)
			v := s.verdict("status")
			if test.message == "" {
				assert.Equal(t, spec.Pass, v.Outcome, v.Message)
				return
			}
			assert.Equal(t, spec.Fail, v.Outcome, v.Message)
			assert.Contains(t, v.Message, test.message)
			assert.NotEmpty(t, v.Evidence)
		})
	}
}

// A newer generation is asked for at 6 s; a status of it is a claim about it.
func TestStatusOfANewerGeneration(t *testing.T) {
	for name, test := range map[string]struct {
		says    fields // at 6.1 s, of generation 2; the Deployment is written at 12 s and done at 13 s
		message string
	}{
		"of the older":          {fields{"observedGeneration": 1, "conditions": []any{condition("Ready", "True", "AllReady", 1)}}, ""},
		"observed, and drained": {fields{"conditions": []any{condition("Ready", "False", "Draining", 2)}}, ""},
		"observed, not written": {fields{"conditions": []any{}}, "it said observedGeneration 2, and no Deployment asked for the size of that, 3, within 1s"},
		"Ready stays":           {fields{"conditions": []any{condition("Ready", "True", "AllReady", 0)}}, "it said observedGeneration 2"},
		"Ready for it":          {fields{"observedGeneration": 1, "conditions": []any{condition("Ready", "True", "AllReady", 2)}}, "condition Ready was True (AllReady) for generation 2, and its 3 pods were not ready"},
		"Ready names its one":   {fields{"observedGeneration": 1, "conditions": []any{condition("Ready", "True", "AllReady", 0)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, "Ready", wholeStatus...)
			s.grown()
			s.entries[1].Begin.Size = new(int)
			*s.entries[1].Begin.Size = 3
			s.run()
			s.see(5100, "MODIFIED", whole(1, 2))
			s.act(6000, 6005, "patch", whole(2, 3, fields{"observedGeneration": 1}).at(500))
			s.version = 500
			s.see(6006, "MODIFIED", whole(2, 3, fields{"nodes": []string{"p1", "p2"}, "replicas": 2, "observedGeneration": 1, "conditions": []any{condition("Ready", "True", "AllReady", 1)}}).at(500))
			s.see(6100, "MODIFIED", whole(2, 3, fields{"nodes": []string{"p1", "p2"}, "replicas": 2}, test.says))
			s.see(12000, "MODIFIED", deployment(2, 3, 2, 2))
			s.see(12500, "ADDED", labelled(3, "Pending", "cache"))
			s.see(13000, "MODIFIED", labelled(3, "Running", "cache"))
			s.see(13100, "MODIFIED", deployment(2, 3, 3, 3))
			s.see(13200, "MODIFIED", whole(2, 3))
			s.end(17000, record.Settled)
			v := s.verdict("status")
			if test.message == "" {
				assert.Equal(t, spec.Pass, v.Outcome, v.Message)
				return
			}
			assert.Equal(t, spec.Fail, v.Outcome, v.Message)
			assert.Contains(t, v.Message, test.message)
		})
	}
}

// A status that takes back what stands untouched, at a start of its operator.
func TestReadyThatIsTakenBack(t *testing.T) {
	notReady := fields{"conditions": []any{condition("Ready", "False", "Initializing", 1)}}
	for name, test := range map[string]struct {
		fault string
		at    float64 // of another pod of it, in ms; 0: there is none
		says  fields
		wrong bool
	}{
		"at a start":              {spec.FaultStop, 0, notReady, true},
		"after a kill":            {spec.FaultKill, 0, notReady, true},
		"not taken back":          {spec.FaultStop, 0, fields{"observedGeneration": 1}, false},
		"a pod was lost":          {spec.FaultStop, 22000, notReady, false},
		"it was long before":      {spec.FaultStop, 9000, notReady, true},
		"something was forbidden": {spec.FaultForbid, 0, notReady, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, "Ready", wholeStatus...)
			s.grown()
			s.run()
			s.see(5100, "MODIFIED", whole(1, 2))
			if test.at > 0 {
				s.see(test.at, "MODIFIED", labelled(2, "Failed", "cache"))
				s.see(test.at+100, "MODIFIED", labelled(2, "Running", "cache"))
			}
			s.breaks(24200, 24300, record.Begun, test.fault, "all")
			s.breaks(24900, 25000, record.Over, test.fault, "all")
			s.see(26000, "MODIFIED", whole(1, 2, test.says))
			s.see(26100, "MODIFIED", whole(1, 2))
			s.end(30000, record.Settled)
			v := s.verdict("status")
			if !test.wrong {
				assert.Equal(t, spec.Pass, v.Outcome, v.Message)
				return
			}
			assert.Equal(t, spec.Fail, v.Outcome, v.Message)
			assert.Contains(t, v.Message, "expected a status that takes back nothing that stands; at +25.990 s condition Ready was False (Initializing) for generation 1, "+
				"and nothing of its Deployment and its 2 ready pods had changed for 5s")
		})
	}
}

// Who is paused by an annotation may say so by the condition, of a generation for which it was True.
func TestAPausedStatusTakesNothingBack(t *testing.T) {
	for paused, want := range map[bool]spec.Outcome{true: spec.Pass, false: spec.Fail} {
		s := writing(t, "Ready", wholeStatus...)
		s.grown()
		s.run()
		s.see(5100, "MODIFIED", whole(1, 2))
		s.version = 900
		for i, on := range []bool{true, false} {
			ms := 24000 + 3000*float64(i)
			s.act(ms, ms+5, "patch", whole(1, 2))
			if paused {
				s.entries[len(s.entries)-1].Action.Paused = &on
			}
			if on {
				s.see(25000, "MODIFIED", whole(1, 2, fields{"conditions": []any{condition("Ready", "False", "Paused", 1)}}))
			}
		}
		s.see(27100, "MODIFIED", whole(1, 2))
		s.end(33000, record.Settled)
		s.says("status", want, "")
	}
}

// A custom resource of generation 2 is deleted, and long after that one of its name is made: its generations begin at 1
// again, and what the old one said is said no more.
func TestTheGenerationsOfANewOneBeginAnew(t *testing.T) {
	for name, seen := range map[string]float64{"seen after the reply": 48100, "seen before it": 48001} {
		t.Run(name, func(t *testing.T) { madeAnew(t, seen) })
	}
}

func madeAnew(t *testing.T, seen float64) {
	t.Helper()
	s := writing(t, "Ready", wholeStatus...)
	s.grown()
	s.run()
	s.see(5100, "MODIFIED", whole(1, 2))
	s.act(6000, 6005, "patch", whole(2, 2, fields{"observedGeneration": 1}))
	s.see(6100, "MODIFIED", whole(2, 2))
	s.act(7000, 7005, "delete", whole(2, 2))
	s.see(7100, "DELETED", whole(2, 2))
	s.see(7200, "DELETED", pod(2, "Running"))
	s.see(7300, "MODIFIED", deployment(1, 2, 1, 1))
	if seen < 48005 {
		s.see(seen, "ADDED", whole(1, 2).named("cache", "cr2").at(700))
	}
	s.act(48000, 48005, "create", whole(1, 2).named("cache", "cr2").at(700))
	if seen > 48005 {
		s.see(seen, "ADDED", whole(1, 2).named("cache", "cr2").at(700))
	}
	s.see(48200, "ADDED", labelled(2, "Running", "cache"))
	s.see(48300, "MODIFIED", owned(deployment(1, 2, 2, 2), "cr2"))
	s.end(52000, record.Settled)
	s.says("status", spec.Pass, "")
}

// A pod of two is lost at 10 s, and comes back once the status has said so, or has not for as long.
func TestReadyThatOutlivesItsPods(t *testing.T) {
	for name, test := range map[string]struct {
		fault string
		until float64 // the condition is True, in ms
		size  int     // that the Deployment asks for meanwhile
		wrong bool
	}{
		"for long":                  {spec.FaultRemoveImage, 45000, 2, true},
		"nothing broken":            {"", 45000, 2, true},
		"late":                      {spec.FaultRemoveImage, 35000, 2, false},
		"the Deployment asks for 1": {"", 45000, 1, true},
		"the operator was stopped":  {spec.FaultStop, 45000, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, "Ready", wholeStatus...)
			s.grown()
			s.run()
			s.see(5100, "MODIFIED", whole(1, 2))
			if test.fault != "" {
				s.breaks(8000, 8100, record.Begun, test.fault, "workload")
			}
			s.see(10000, "MODIFIED", labelled(2, "Pending", "cache"))
			s.see(10100, "MODIFIED", deployment(1, test.size, 1, 1))
			s.see(test.until, "MODIFIED", whole(1, 2, fields{"nodes": []string{"p1"}, "conditions": []any{condition("Ready", "False", "PodsFail", 1)}}))
			if test.fault != "" {
				s.breaks(46000, 46100, record.Over, test.fault, "workload")
			}
			s.see(47000, "MODIFIED", labelled(2, "Running", "cache"))
			s.see(47100, "MODIFIED", deployment(1, 2, 2, 2))
			s.see(47200, "MODIFIED", whole(1, 2))
			s.end(51000, record.Settled)
			v := s.verdict("status")
			if !test.wrong {
				assert.Equal(t, spec.Pass, v.Outcome, v.Message)
				return
			}
			assert.Equal(t, spec.Fail, v.Outcome, v.Message)
			assert.Contains(t, v.Message, "expected a status that says within 30s what stands no more; from +10.090 s on, for longer than that, condition Ready was True for generation 1, "+
				"and its 2 pods were not ready")
		})
	}
}

// What the scale subresource says is what autoscalers act on.
func TestTheScaleSubresource(t *testing.T) {
	for name, test := range map[string]struct {
		replicas int
		selector string
		fields   []string
		message  string // "": it passes
	}{
		"right":          {2, "app=cache", wholeStatus, ""},
		"wrong replicas": {1, "app=cache", wholeStatus, "expected the scale subresource to count 2 pods at +5.990 s; it said 1"},
		"wrong selector": {2, "app=other", wholeStatus, `expected the selector of the scale subresource at +5.990 s to be a label selector of its pods [p1 p2]; seen "app=other", which selects []`},
		"not declared":   {0, "", []string{"nodes", "observedGeneration"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := writing(t, "", test.fields...)
			s.grown()
			s.run()
			s.see(5100, "MODIFIED", whole(1, 2))
			scale := thing{resource: customs, namespace: "services", name: "cache", uid: "cr1", object: fields{
				"spec": fields{"replicas": 2}, "status": fields{"replicas": test.replicas, "selector": test.selector},
			}}
			s.act(5990, 6000, record.ReadScale, scale)
			s.end(9000, record.Settled)
			v := s.verdict("status")
			if test.message == "" {
				assert.Equal(t, spec.Pass, v.Outcome, v.Message)
				return
			}
			assert.Equal(t, spec.Fail, v.Outcome, v.Message)
			assert.Contains(t, v.Message, test.message)
		})
	}
}

// To scale by the subresource is a change as any other: the reply, a Scale, has
// no generation of its own.
func TestAScaleIsAChange(t *testing.T) {
	s := writing(t, "", "nodes", "observedGeneration")
	s.grown()
	s.entries[1].Begin.Size, s.entries[1].Begin.Expect = new(int), []string{"ledger", "converged"}
	*s.entries[1].Begin.Size = 3
	s.run()
	s.see(5100, "MODIFIED", custom(1, 2, 1, "p1", "p2"))
	scale := thing{resource: customs, namespace: "services", name: "cache", uid: "cr1", object: fields{"spec": fields{"replicas": 3}}}
	s.act(6000, 6005, record.Scale, scale)
	s.entries[len(s.entries)-1].Action.Generation = 2
	s.see(6006, "MODIFIED", custom(2, 3, 1, "p1", "p2"))
	s.see(6100, "MODIFIED", deployment(2, 3, 2, 2))
	s.see(6500, "MODIFIED", deployment(2, 3, 3, 3))
	s.end(9000, record.Settled)
	assert.Equal(t, spec.Pass, s.verdict("converged").Outcome)
	ledger := s.verdict("ledger")
	assert.Equal(t, spec.Pass, ledger.Outcome)
	assert.Contains(t, ledger.Message, "generation 2 (size 3) handled after 100ms")
}
