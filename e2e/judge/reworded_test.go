package judge_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// reworded yields a recording with another text in place of every message that the harness wrote. What the API server
// said of a request stays: refused judges that.
func reworded(entries iter.Seq2[record.Entry, error]) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		for e, err := range entries {
			if !yield(reword(e), err) {
				return
			}
		}
	}
}

func reword(e record.Entry) record.Entry {
	switch {
	case e.Begin != nil:
		e.Begin = another(e.Begin, func(s *record.Sample) []*string { return []*string{&s.Reason} })
	case e.End != nil:
		e.End = another(e.End, func(s *record.End) []*string { return []*string{&s.Reason} })
	case e.Gap != nil:
		e.Gap = another(e.Gap, func(s *record.Gap) []*string { return []*string{&s.Reason} })
	case e.Fault != nil:
		e.Fault = another(e.Fault, func(s *record.Fault) []*string { return []*string{&s.Error} })
	}
	return e
}

// another is a copy in which messages have another text; one that is empty stays so.
func another[T any](of *T, messages func(*T) []*string) *T {
	other := *of
	for _, message := range messages(&other) {
		if *message != "" {
			*message = "said otherwise"
		}
	}
	return &other
}

// decided prints all that was judged, without messages.
func decided(j *judge.Judgement) string {
	var out strings.Builder
	fmt.Fprintln(&out, len(j.Warnings), "warnings")
	for _, r := range j.Results {
		fmt.Fprintln(&out, record.Label(r.Style, r.Variant), r.Scenario, r.Round, r.Namespace, r.Began, r.Ended, r.End, r.Unready, r.Outcome())
		for _, v := range r.Verdicts {
			fmt.Fprintln(&out, " ", v.Oracle, v.Outcome, len(v.Evidence))
		}
		for _, s := range r.Samples {
			fmt.Fprintln(&out, " ", s.Phase, s.Outcome, s.Value, s.From, s.At)
		}
		if r.Recovery != nil {
			fmt.Fprintln(&out, " ", *r.Recovery)
		}
	}
	return out.String()
}

// Stories are reworded by story.judge.
func TestRewordedRecordingsAreJudgedAlike(t *testing.T) {
	for _, file := range []string{example, second} {
		for _, every := range []int{1 << 30, 5} {
			j, err := judge.Judge(damaged(record.ReadFile(file), every))
			require.NoError(t, err)
			again, err := judge.Judge(reworded(damaged(record.ReadFile(file), every)))
			require.NoError(t, err)
			assert.Equal(t, decided(j), decided(again))
		}
	}
}

// Steps that stopped are told apart by the point alone, not by what is said of it.
func TestWhereStepsStoppedIsNoMessage(t *testing.T) {
	for await, recovers := range map[string]spec.Outcome{"": spec.Fail, spec.PointHandled: spec.NotApplicable} {
		s := halted(t)
		s.breaks(300, 350, record.Over, "stop", "operator")
		s.end(2000, record.TimedOut)
		end := s.entries[len(s.entries)-1].End
		end.Await, end.Reason = await, "await handled: there is no Deployment"
		assert.Equal(t, recovers, s.verdict("recovers").Outcome, await)
	}
}
