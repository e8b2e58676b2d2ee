package result_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// needOf is a row of the table of needs.
func needOf(t *testing.T, s *result.Set, name string) result.Need {
	t.Helper()
	for _, need := range s.Needs() {
		if need.Name == name {
			return need
		}
	}
	require.Fail(t, "no such need", name)
	return result.Need{}
}

// checked is a run for verdicts alone, in which styles went through a scenario.
func checked(scenario, oracle string, outcomes map[string]spec.Outcome) result.Recording {
	one := result.Recording{Judgement: &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: "matrix-" + scenario}}}
	for _, style := range []string{"native", "argo"} {
		if outcome := outcomes[style]; outcome != "" {
			one.Judgement.Results = append(one.Judgement.Results, judge.Result{
				Style: style, Scenario: scenario, Group: spec.GroupLevel, Matrix: true, Round: 1, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: oracle, Outcome: outcome}},
			})
		}
	}
	return one
}

// A need is met or not by its own criterion: a style that fails a scenario is not slower for it. All
// that meet it are listed, the fewest failing scenarios first.
func TestANeedIsMetByItsOwnCriterion(t *testing.T) {
	s := result.Of(
		took("one", map[string][]float64{"native": {0.1, 0.2, 0.3}, "argo": {0.01, 0.02, 0.03}}),
		checked("drift", "converged", map[string]spec.Outcome{"native": spec.Pass, "argo": spec.Fail}),
	)
	quick := needOf(t, s, "A change is written in under a second")
	assert.Equal(t, []result.Match{{Label: "native", Figure: "0 of 2"}, {Label: "argo", Figure: "1 of 2"}}, quick.Met)
	assert.Empty(t, quick.NotMet)
	assert.Equal(t, []string{"native"}, needOf(t, s, "No change may be lost").First())
	assert.Equal(t, []result.Match{{Label: "argo", Figure: "1 of 2"}}, needOf(t, s, "Nothing may fail").NotMet)

	slow := result.Of(took("one", map[string][]float64{"native": {0.1, 0.2, 1.3}, "argo": {0.01, 0.02, 0.03}}))
	quick = needOf(t, slow, "A change is written in under a second")
	assert.Equal(t, []string{"argo"}, quick.First())
	assert.Equal(t, []result.Match{{Label: "native", Figure: result.NotRecorded}}, quick.NotMet)
	for _, need := range slow.Needs() {
		assert.NotEqual(t, "Nothing may fail", need.Name, "nobody knows who meets it")
	}
}

// Who was driven through fewer scenarios than others is not known to fail none.
func TestWhatWasNotDrivenIsNotKnown(t *testing.T) {
	s := result.Of(took("one", map[string][]float64{"native": {0.1}, "argo": {0.1}}),
		checked("drift-deleted", "converged", map[string]spec.Outcome{"native": spec.Pass, "argo": spec.Pass}),
		checked("killed-while-working", "converged", map[string]spec.Outcome{"native": spec.Pass}))
	need := needOf(t, s, "Nothing may fail")
	assert.Equal(t, []string{"native"}, need.First())
	assert.Equal(t, []string{"argo"}, need.Unknown)
}

// Of a load, what counts is what was written in time; a status that came too late is not a late write.
func TestManyAtOnceCountsWhatWasWritten(t *testing.T) {
	one := took("one", map[string][]float64{"native": {0.1, 0.2, 0.3}, "argo": {9, 9, 9}})
	for i := range one.Judgement.Results {
		r := &one.Judgement.Results[i]
		r.Scenario, r.Group, r.Samples[0].Scenario = "burst-create", spec.GroupLoad, "burst-create"
		if r.Style == "native" {
			r.End = record.TimedOut // its status is late
		} else if r.Round == 3 {
			r.End, r.Samples[0].Outcome = record.TimedOut, judge.Timeout
		}
	}
	s := result.Of(one)
	inTime, of := s.Cell("argo", "burst-create").Written()
	assert.Equal(t, []int{2, 3}, []int{inTime, of})
	need := needOf(t, s, "Many custom resources at once")
	assert.Equal(t, []result.Match{{Label: "native", Figure: "200 ms"}}, need.Met)
	assert.Len(t, need.NotMet, 1)
}

// Some variants among many styles are styles like the others; where they are half of all, the question is what settings do.
func TestVariantsAmongManyStylesAreStyles(t *testing.T) {
	for others, recommends := range map[int]bool{2: false, 3: true} {
		one := checked("drift", "converged", nil)
		styles := []record.Style{{Style: spec.Style{Name: "a", Base: "0"}}, {Style: spec.Style{Name: "b", Base: "1"}}}
		for i := range others {
			styles = append(styles, record.Style{Style: spec.Style{Name: strconv.Itoa(i)}})
		}
		one.Judgement.Header.Styles = styles
		for _, style := range styles {
			one.Judgement.Results = append(one.Judgement.Results, judge.Result{
				Style: style.Name, Scenario: "drift", Group: spec.GroupLevel, Matrix: true, Round: 1, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
			})
		}
		assert.Equal(t, recommends, result.Of(one).Recommends(), "%d others", others)
	}
}
