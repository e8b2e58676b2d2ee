package judge_test

import (
	"testing"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// turned is a condition as an operator writes it.
func turned(status, at string, change ...func(fields)) fields {
	c := fields{"type": "Ready", "status": status, "reason": "AsExpected", "message": "", "lastTransitionTime": "2026-11-27T06:00:" + at + "Z", "observedGeneration": 1}
	for _, f := range change {
		f(c)
	}
	return c
}

// A condition says by its time since when it is so.
func TestConditionsHaveTheFormOfTheConventions(t *testing.T) {
	with := func(key string, value any) func(fields) { return func(c fields) { c[key] = value } }
	for name, test := range map[string]struct {
		statuses [][]any // one after the other, 3 s apart
		want     spec.Outcome
		message  string
	}{
		"as they are":              {[][]any{{turned("False", "01")}, {turned("True", "04")}, {turned("True", "04", with("message", "all is well"))}}, spec.Pass, "every condition"},
		"two types":                {[][]any{{turned("True", "01"), turned("True", "02", with("type", "Available"))}}, spec.Pass, "every condition"},
		"no condition":             {[][]any{{}}, spec.NotApplicable, "no condition was written"},
		"moves though it is as it": {[][]any{{turned("True", "01")}, {turned("True", "04")}}, spec.Fail, "moved from 2026-11-27T06:00:01Z to 2026-11-27T06:00:04Z, and its status stayed True"},
		"turns and stands":         {[][]any{{turned("False", "01")}, {turned("True", "01")}}, spec.Fail, "turned from False to True, and its lastTransitionTime is still"},
		"twice":                    {[][]any{{turned("True", "01"), turned("False", "01")}}, spec.Fail, "there are two of its type"},
		"a sentence":               {[][]any{{turned("True", "01", with("reason", "all is well"))}}, spec.Fail, `its reason is "all is well"`},
		"no reason":                {[][]any{{turned("True", "01", with("reason", ""))}}, spec.Fail, "to have a reason; seen none"},
		"another status":           {[][]any{{turned("Yes", "01")}}, spec.Fail, `True, False or Unknown; seen "Yes"`},
		"no time":                  {[][]any{{turned("True", "01", func(c fields) { delete(c, "lastTransitionTime") })}}, spec.Fail, "no lastTransitionTime"},
		"a generation to come":     {[][]any{{turned("True", "01", with("observedGeneration", 7))}}, spec.Fail, "to be of generation 1 at most; seen 7"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.entries[0].Header.Styles[0].Declares.Status.Fields = append(s.entries[0].Header.Styles[0].Declares.Status.Fields, spec.StatusConditions)
			s.begin(0, "native", "create", 1, matrix("conditions"))
			s.act(10, 15, "create", custom(1, 1, 0))
			at := 20.0
			for _, conditions := range test.statuses {
				cr := custom(1, 1, 1)
				cr.object["status"].(fields)["conditions"] = conditions
				s.see(at, "MODIFIED", cr)
				at += 3000
			}
			s.end(at+2000, record.Settled)
			s.says("conditions", test.want, test.message)
		})
	}
}

// What happened while nobody watched is not known: a condition may have turned, and turned back.
func TestConditionsAreNotComparedAcrossAGap(t *testing.T) {
	for gap, want := range map[bool]spec.Outcome{true: spec.Pass, false: spec.Fail} {
		s := newStory(t)
		s.entries[0].Header.Styles[0].Declares.Status.Fields = append(s.entries[0].Header.Styles[0].Declares.Status.Fields, spec.StatusConditions)
		s.begin(0, "native", "node-restarted-while-working", 1, matrix("conditions"))
		s.act(10, 15, "create", custom(1, 1, 0))
		see := func(ms float64, at string) {
			cr := custom(1, 1, 1)
			cr.object["status"].(fields)["conditions"] = []any{turned("True", at)}
			s.see(ms, "MODIFIED", cr)
		}
		see(20, "01")
		s.breaks(5000, 6000, record.Begun, spec.FaultRestart, spec.RestartNode)
		if gap {
			s.gap(6500, 40_000, customs)
		}
		see(40_001, "38")
		s.breaks(40_500, 41_000, record.Over, spec.FaultRestart, spec.RestartNode)
		s.end(45_000, record.Settled)
		s.says("conditions", want, "")
	}
}
