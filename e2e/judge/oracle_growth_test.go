package judge_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// ordered puts what a test told in any order into the recording's.
func ordered(entries []record.Entry) []record.Entry {
	slices.SortStableFunc(entries, func(a, b record.Entry) int { return cmp.Compare(a.Time, b.Time) })
	return entries
}

const mib = 1 << 20

// seriesOf is a series of changes, five a second, with a look at the operator's memory each second.
func seriesOf(t *testing.T, changes int, memory func(second int) float64) *story {
	t.Helper()
	return seriesThatKeeps(t, changes, memory, func(int) float64 { return 12 })
}

// seriesThatKeeps has a look at the operator's goroutines, too.
func seriesThatKeeps(t *testing.T, changes int, memory, goroutines func(second int) float64) *story {
	t.Helper()
	s := strict(t)
	s.begin(0, "native", "series-that-goes", 1, matrix("growth"))
	s.act(10, 15, "create", custom(1, 1, 0))
	for n := 1; n < changes; n++ {
		s.act(float64(200*n), float64(200*n+5), "patch", custom(n+1, 1, 0))
	}
	for second := range changes/5 + 10 {
		s.add(record.Entry{Time: at(float64(1000*second + 50)), Kind: record.KindUsage, Usage: &record.Usage{Node: "n", Pods: []record.PodUsage{
			{Namespace: "native-system", Name: "operator-1", CPU: 1, Memory: int64(memory(second)), Kept: map[string]float64{"go_goroutines": goroutines(second)}},
			{Namespace: "elsewhere", Name: "other", CPU: 1, Memory: int64(second) * 64 * mib},
		}}})
	}
	s.entries = ordered(s.entries)
	s.end(float64(200*changes+15_000), record.Settled)
	return s
}

// Growth is what goes on with the changes: not a heap that finds its size, not what a garbage collector takes back.
func TestGrowth(t *testing.T) {
	for name, test := range map[string]struct {
		memory func(second int) float64
		want   spec.Outcome
		text   string
	}{
		"flat":                     {func(int) float64 { return 30 * mib }, spec.Pass, "0 B a change"},
		"a leak":                   {func(s int) float64 { return 20*mib + float64(s)*5*0.25*mib }, spec.Fail, "256 KiB a change"},
		"a small leak":             {func(s int) float64 { return 20*mib + float64(s)*5*0.05*mib }, spec.Pass, "51.2 KiB a change"},
		"a table of what was seen": {func(s int) float64 { return 40*mib + float64(s)*5*0.08*mib }, spec.Fail, "by more than 64.0 KiB of memory"},
		"a heap that finds its size": {func(s int) float64 {
			return 20*mib + 60*mib*(1-math.Exp(-float64(s)/8))
		}, spec.Pass, "operator-1"},
		"garbage": {func(s int) float64 { return 20*mib + float64(s%7)*6*mib }, spec.Pass, "operator-1"},
		"garbage and a leak": {func(s int) float64 {
			return 20*mib + float64(s%3)*6*mib + float64(s)*5*0.5*mib
		}, spec.Fail, "and does not end"},
		"a step": {func(s int) float64 {
			if s > 30 {
				return 90 * mib
			}
			return 20 * mib
		}, spec.Pass, "operator-1"},
	} {
		t.Run(name, func(t *testing.T) {
			v := seriesOf(t, 300, test.memory).verdict("growth")
			assert.Equal(t, test.want, v.Outcome, v.Message)
			assert.Contains(t, v.Message, test.text)
			assert.NotContains(t, v.Message, "elsewhere")
		})
	}
	flat := func(int) float64 { return 30 * mib }
	leaks := seriesThatKeeps(t, 300, flat, func(s int) float64 { return 12 + float64(s)*5 }).verdict("growth")
	assert.Equal(t, spec.Fail, leaks.Outcome)
	assert.Contains(t, leaks.Message, "it does, and does not end: pod native-system/operator-1, go_goroutines: 1 a change (1 to 1, 99%), from ")
	busy := seriesThatKeeps(t, 300, flat, func(s int) float64 { return 12 + float64(s%4) }).verdict("growth")
	assert.Equal(t, spec.Pass, busy.Outcome, busy.Message)

	v := seriesOf(t, 20, func(int) float64 { return mib }).verdict("growth")
	assert.Equal(t, spec.NotApplicable, v.Outcome, v.Message)
	assert.Contains(t, v.Message, "no pod of the operator was looked at often enough while 20 changes were made")
}

// A pod that does one piece of work, and ends, grows while it starts, however long that takes on a busy machine.
func TestAPodThatHasEndedKeepsNothing(t *testing.T) {
	for name, test := range map[string]struct {
		lives int
		want  spec.Outcome
	}{"it has ended": {36, spec.Pass}, "it is there": {42, spec.Fail}} {
		t.Run(name, func(t *testing.T) {
			s := seriesOf(t, 160, func(int) float64 { return 30 * mib })
			for _, e := range s.entries {
				if e.Usage != nil && e.Time < at(float64(1000*test.lives)) {
					e.Usage.Pods = append(e.Usage.Pods, record.PodUsage{Namespace: "native-system", Name: "work-1", CPU: 1, Memory: int64(e.Time.Seconds() * 5 * mib / 2)})
				}
			}
			s.says("growth", test.want, "")
		})
	}
}

// Of sixty operators that leak nothing, whose heaps wander by megabytes, none is blamed; of those that keep 1 MiB of
// each change all are found.
func TestGrowthIsToldFromNoise(t *testing.T) {
	alarms, found := 0, 0
	const operators = 60
	for seed := range uint64(operators) {
		random := rand.New(rand.NewPCG(seed, 47)) //nolint:gosec // not for secrets
		wander := make([]float64, 100)
		for i := 1; i < len(wander); i++ {
			wander[i] = 0.9*wander[i-1] + random.NormFloat64()*2*mib
		}
		honest := func(s int) float64 { return 60*mib + wander[s] }
		if seriesOf(t, 300, honest).verdict("growth").Outcome == spec.Fail {
			alarms++
		}
		if seriesOf(t, 300, func(s int) float64 { return honest(s) + float64(s)*5*mib }).verdict("growth").Outcome == spec.Fail {
			found++
		}
	}
	assert.Zero(t, alarms)
	assert.Equal(t, operators, found)
}

// watches has a pod begin a watch at each of so many changes, and end it after so many more; 0: never.
func watches(s *story, changes, ends int, change func(*record.Audit)) {
	for n := range changes {
		a := record.Audit{User: "system:serviceaccount:native-system:operator", Pod: "operator-1", Verb: "watch", Resource: "secrets.v1", Namespace: "services", Code: 200, Open: true}
		change(&a)
		s.add(record.Entry{Time: at(float64(200*n + 20)), Kind: record.KindAudit, Audit: &a})
		if ends > 0 {
			s.add(record.Entry{Time: at(float64(200*(n+ends) + 20)), Kind: record.KindClosed, Closed: &a})
		}
	}
	s.entries = ordered(s.entries)
}

// Watches that an operator never ends are growth, whatever else it takes; ones that it begins anew, or ends with what
// they were for, are not, nor are another's, nor those of recordings that do not tell of ends.
func TestGrowthOfOpenWatches(t *testing.T) {
	same := func(*record.Audit) {}
	for name, test := range map[string]struct {
		ends   int
		change func(*record.Audit)
		want   spec.Outcome
		text   string
	}{
		"never ended":       {0, same, spec.Fail, "it does, and does not end: pod native-system/operator-1, open watches of secrets.v1: 1 a change (1 to 1, 99%), from "},
		"begun anew":        {1, same, spec.Pass, "open watches of secrets.v1: 0 a change"},
		"ended with theirs": {20, same, spec.Pass, "open watches of secrets.v1: "},
		"of another pod":    {0, func(a *record.Audit) { a.Pod = "operator-2" }, spec.Pass, "operator-1"},
		"of another's":      {0, func(a *record.Audit) { a.User = "system:serviceaccount:elsewhere:other" }, spec.Pass, "operator-1"},
		"no watch":          {0, func(a *record.Audit) { a.Verb, a.Subresource = "get", "log" }, spec.Pass, "operator-1"},
		"of unknown end":    {0, func(a *record.Audit) { a.Open = false }, spec.Pass, "operator-1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := seriesOf(t, 300, func(int) float64 { return 30 * mib })
			end := s.entries[len(s.entries)-1]
			s.entries = s.entries[:len(s.entries)-1]
			watches(s, 300, test.ends, test.change)
			s.add(end)
			s.says("growth", test.want, test.text)
		})
	}
}

// In series-of-namespaces each change is in a namespace of its own. A watch of each may last as long as its namespace, which
// goes 10 s after it came, and some seconds longer; one that does not end is growth.
func TestGrowthOverNamespaces(t *testing.T) {
	const count, keep = 80, 10
	for name, test := range map[string]struct {
		ends float64 // seconds after the namespace came; 0: never
		want spec.Outcome
	}{
		"never ended":              {0, spec.Fail},
		"ended with the namespace": {10.5, spec.Pass},
		"ended late":               {18, spec.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			s := strict(t)
			s.begin(0, "native", "series-of-namespaces", 1, matrix("growth"), func(sample *record.Sample) {
				for n := range count {
					sample.Others = append(sample.Others, record.Other{Namespace: fmt.Sprint("services-", n), Name: "cache"})
				}
			})
			in := func(n int) thing {
				one := custom(1, 0, 0).named("cache", fmt.Sprint("cr", n))
				one.namespace = fmt.Sprint("services-", n)
				return one
			}
			for n := range count {
				now := float64(500*n + 10)
				s.act(now, now+5, "create", in(n))
				if n >= keep {
					s.act(now+6, now+8, "delete", in(n-keep))
				}
				a := &record.Audit{User: "system:serviceaccount:native-system:operator", Pod: "operator-1", Verb: "watch", Resource: "secrets.v1", Namespace: in(n).namespace, Code: 200, Open: true}
				s.add(record.Entry{Time: at(now + 9), Kind: record.KindAudit, Audit: a})
				if test.ends > 0 {
					s.add(record.Entry{Time: at(now + 1000*test.ends), Kind: record.KindClosed, Closed: a})
				}
			}
			for second := range count / 2 {
				s.add(record.Entry{Time: at(float64(1000*second + 50)), Kind: record.KindUsage, Usage: &record.Usage{Node: "n", Pods: []record.PodUsage{
					{Namespace: "native-system", Name: "operator-1", CPU: 1, Memory: 30 * mib},
				}}})
			}
			s.entries = ordered(s.entries)
			s.end(60_000, record.Settled)
			v := s.says("growth", test.want, "150 changes")
			assert.Contains(t, v.Message, "open watches of secrets.v1")
		})
	}
}
