package html

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

func labels(ticks []tick) []string {
	var all []string
	for _, t := range ticks {
		all = append(all, t.Label)
	}
	return all
}

func TestLogAxis(t *testing.T) {
	for name, test := range map[string]struct {
		low, high float64
		want      string
	}{
		"five decades":       {0.0047, 63.5, "1 ms, 10 ms, 100 ms, 1 s, 10 s, 100 s"},
		"whole decades":      {0.001, 1, "1 ms, 10 ms, 100 ms, 1 s"},
		"within one":         {0.047, 0.063, "10 ms, 100 ms"},
		"one value":          {0.5, 0.5, "100 ms, 1 s"},
		"one value, a power": {1, 1, "100 ms, 1 s, 10 s"},
	} {
		t.Run(name, func(t *testing.T) {
			a := logAxis(test.low, test.high)
			assert.Equal(t, test.want, strings.Join(labels(a.Ticks), ", "))
			assert.Equal(t, "0.0", a.Ticks[0].At)
		})
	}
}

// Whatever is to be shown, there are a few ticks, and nothing lies outside.
func TestLogAxisIsBounded(t *testing.T) {
	for _, ends := range [][2]float64{{1e-9, 1e9}, {0, 0.002}, {-1, 1e300}, {math.Inf(-1), math.Inf(1)}, {5, 1}} {
		a := logAxis(ends[0], ends[1])
		assert.LessOrEqual(t, len(a.Ticks), 12, "%v", ends)
		assert.GreaterOrEqual(t, len(a.Ticks), 2, "%v", ends)
		for _, v := range []float64{math.Inf(-1), -1, 0, ends[0], ends[1], 1e300, math.Inf(1)} {
			assert.GreaterOrEqual(t, a.at(v), 0.0, "%v in %v", v, ends)
			assert.LessOrEqual(t, a.at(v), 100.0, "%v in %v", v, ends)
		}
	}
}

func sample(phase string, value float64, outcome string) judge.Sample {
	return judge.Sample{Phase: phase, Value: value, Outcome: outcome}
}

func TestOutsideIsAChain(t *testing.T) {
	bars := bars([]judge.Sample{
		sample(spec.PhaseReady, 62, judge.OK), sample(spec.PhaseAcknowledged, 0.5, judge.OK), sample(spec.PhaseChildWritten, 61, judge.OK),
		sample(spec.PhaseQuiet, 180, judge.Timeout), sample("workflow created", 1, judge.OK), sample(spec.PhaseStatusWritten, 70, judge.Interrupted),
	}, false)
	assert.Equal(t, []bar{
		{Name: "acknowledged", End: 0.5, Moment: true},
		{Name: "child written", Begin: 0.5, Running: 0.5, End: 61, Moment: true},
		{Name: "ready", Begin: 61, Running: 61, End: 62, Moment: true},
		{Name: "quiet", Begin: 62, Running: 62, End: 180, Moment: true, Open: true},
	}, bars)
	assert.Equal(t, "61.0 s", bars[1].Ended())
	assert.Equal(t, "+60.5 s", bars[1].Took())
	assert.Equal(t, "not within 180 s", bars[3].Ended())
}

func TestInsidePairsWhatBelongsToAStep(t *testing.T) {
	for name, test := range map[string]struct {
		samples []judge.Sample
		want    []bar
		said    string
	}{
		"started and finished": {
			[]judge.Sample{sample("log finished", 20, judge.OK), sample("log started", 10, judge.OK)},
			[]bar{{Name: "log", Begin: 10, Running: 10, End: 20}},
			"20.0 s, 10.0 s",
		},
		"pending, running, finished": {
			[]judge.Sample{sample("log pending", 10, judge.OK), sample("log running", 14, judge.OK), sample("log finished", 20, judge.OK)},
			[]bar{{Name: "log", Begin: 10, Running: 14, End: 20}},
			"20.0 s, 10.0 s (4.00 s pending)",
		},
		"not finished": {
			[]judge.Sample{sample("log started", 10, judge.OK), sample("log finished", 180, judge.Timeout)},
			[]bar{{Name: "log", Begin: 10, Running: 10, End: 180, Open: true}},
			"not finished at 180 s, ",
		},
		"never begun": {
			[]judge.Sample{sample("log started", 180, judge.Timeout)},
			[]bar{{Name: "log started", End: 180, Open: true, Moment: true}},
			"not within 180 s, ",
		},
		"a moment, although its last word is a step's": {
			[]judge.Sample{sample("workflow finished", 7, judge.OK)},
			[]bar{{Name: "workflow finished", End: 7, Moment: true}},
			"7.00 s, ",
		},
		"only its beginning is told": {
			[]judge.Sample{sample("log running", 3, judge.Wrong)},
			[]bar{{Name: "log", Begin: 3, Running: 3, End: 3}},
			"3.00 s, 0 s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bars := bars(test.samples, true)
			assert.Equal(t, test.want, bars)
			assert.Equal(t, test.said, bars[0].Ended()+", "+bars[0].Took())
		})
	}
}

func TestSums(t *testing.T) {
	outer := bars([]judge.Sample{sample(spec.PhaseChildWritten, 61, judge.OK), sample(spec.PhaseReady, 62, judge.OK)}, false)
	inner := bars([]judge.Sample{
		sample("a started", 1, judge.OK), sample("a finished", 31, judge.OK), sample("b started", 21, judge.OK), sample("b finished", 51, judge.OK),
		sample("c started", 60, judge.OK), sample("c finished", 70, judge.OK),
	}, true)
	assert.Equal(t, []string{
		"Of 62.0 s until ready, 61.0 s (98%) pass before the Deployment is written.",
		"3 inner steps: 52.0 s (84%) of it.", // 1 to 51, of which 10 s count once, and 60 to 62
	}, sums("Deployment", outer, inner, spec.PhaseReady))
	assert.Equal(t, []string{"It was not ready within 180 s."}, sums("Deployment", bars([]judge.Sample{sample(spec.PhaseReady, 180, judge.Timeout)}, false), nil, spec.PhaseReady))
	assert.Empty(t, sums("Deployment", nil, inner, spec.PhaseReady))
}

func TestNumbers(t *testing.T) {
	assert.Equal(t, "over 99%", percent(0.999))
	assert.Equal(t, "100%", percent(1))
	assert.Equal(t, "under 1%", percent(0.001))
}

func TestIDsAreUnique(t *testing.T) {
	i, seen := newIDs(), map[string]bool{}
	for _, name := range []string{"a b", "a-b", "A b", "a b 2", "a-b-2", "", "", "é", "ö", strings.Repeat("long ", 100), strings.Repeat("long ", 101)} {
		id := i.of("x", name)
		assert.False(t, seen[id], "%q: %s", name, id)
		assert.Regexp(t, `^[a-z][a-z0-9-]*$`, id)
		seen[id] = true
	}
}

// Two styles never share both colour and shape before there are forty-five.
func TestLooksDiffer(t *testing.T) {
	seen := map[string]bool{lookOf(0, true).Class(): true}
	for i := range colours * shapes {
		class := lookOf(i, false).Class()
		assert.False(t, seen[class], class)
		seen[class] = true
		require.NotEmpty(t, lookOf(i, false).Mark())
	}
}

// A row of very many samples is no longer than the plot is wide.
func TestManyDotsAreBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	one := &series{}
	for range 200_000 {
		s := sample(spec.PhaseReady, math.Exp(random.NormFloat64()), judge.OK)
		one.samples = append(one.samples, &s)
	}
	c := &cell{Cell: &result.Cell{}, Style: &style{}}
	assert.Less(t, len(dotsOf(c, one, logAxis(0.001, 100), near).Samples), 20_000)
}

// The commands that measure again are to be pasted: what a recording holds is one word.
func TestFlagsOfARecordingAreQuoted(t *testing.T) {
	for value, want := range map[string]string{
		"native,argo": "native,argo", "10%": "10%", "./my-operator": "./my-operator",
		"1; curl x|sh": "'1; curl x|sh'", "it's": `'it'\''s'`, "$(id)": "'$(id)'", "a\nb": "'a\nb'",
	} {
		assert.Equal(t, want, quoted(value))
	}
}
