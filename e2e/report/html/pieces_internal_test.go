package html

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/stat"
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
			a := logAxis(test.low, test.high, plotLeft, plotRight)
			assert.Equal(t, test.want, strings.Join(labels(a.Ticks), ", "))
			assert.InDelta(t, plotLeft, a.Ticks[0].At, 1e-6)
			assert.InDelta(t, plotRight, a.Ticks[len(a.Ticks)-1].At, 1e-6)
		})
	}
}

// Whatever is to be shown, there are a few ticks, and nothing lies outside.
func TestLogAxisIsBounded(t *testing.T) {
	for _, ends := range [][2]float64{{1e-9, 1e9}, {0, 0.002}, {-1, 1e300}, {math.Inf(-1), math.Inf(1)}, {5, 1}} {
		a := logAxis(ends[0], ends[1], plotLeft, plotRight)
		assert.LessOrEqual(t, len(a.Ticks), 8, "%v", ends)
		assert.GreaterOrEqual(t, len(a.Ticks), 2, "%v", ends)
		for _, v := range []float64{math.Inf(-1), -1, 0, ends[0], ends[1], 1e300, math.Inf(1)} {
			assert.GreaterOrEqual(t, a.at(v), float64(plotLeft), "%v in %v", v, ends)
			assert.LessOrEqual(t, a.at(v), float64(plotRight), "%v in %v", v, ends)
		}
	}
}

func TestLinearAxis(t *testing.T) {
	for high, want := range map[float64]string{
		70.2: "0, 10 s, 20 s, 30 s, 40 s, 50 s, 60 s, ", 0.75: "0, 100 ms, 200 ms, 300 ms, 400 ms, 500 ms, 600 ms, 700 ms", 0.54: "0, 100 ms, 200 ms, 300 ms, 400 ms, 500 ms", 1.56: "0, 0.5 s, 1 s, 1.5 s",
		0.0003: "0, 50 µs, 100 µs, 150 µs, 200 µs, 250 µs, ",
	} {
		a := linearAxis(high)
		assert.Equal(t, want, strings.Join(labels(a.Ticks), ", "), "%v", high)
		assert.InDelta(t, 100, a.at(high), 1e-9)
	}
	for _, high := range []float64{0, -1, math.Inf(1)} {
		a := linearAxis(high)
		assert.LessOrEqual(t, len(a.Ticks), 8, "%v", high)
		assert.False(t, math.IsNaN(a.at(1)), "%v", high)
	}
}

func TestSteps(t *testing.T) {
	measured := func(v float64) stat.Observation { return stat.Observation{Value: v} }
	timedOut := stat.Observation{Value: 180, Censored: true}
	rises, waited := steps(stat.Order([]stat.Observation{measured(3), timedOut, measured(1), measured(3)}))
	assert.Equal(t, []step{{1, 0.25}, {3, 0.75}}, rises, "equal values are one step; what timed out lets it never rise")
	assert.InDelta(t, 180, waited, 0)

	rises, waited = steps(stat.Order([]stat.Observation{measured(2)}))
	assert.Equal(t, []step{{2, 1}}, rises)
	assert.Zero(t, waited)

	rises, waited = steps(stat.Order([]stat.Observation{timedOut}))
	assert.Empty(t, rises)
	assert.InDelta(t, 180, waited, 0)

	rises, _ = steps(stat.Order(nil))
	assert.Empty(t, rises)
}

// Labels of a row never touch, and all are between the edges.
func TestPlaceProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var tags []*tag
		for range 1 + random.IntN(12) {
			tags = append(tags, &tag{Text: strings.Repeat("x", 1+random.IntN(longest)), At: 40 + 360*random.Float64()})
		}
		rows := place(tags, 2, 418)
		for i, a := range tags {
			assert.Less(t, a.Row, rows)
			assert.GreaterOrEqual(t, a.X-a.width()/2, 2-1e-9)
			assert.LessOrEqual(t, a.X+a.width()/2, 418+1e-9)
			for _, b := range tags[i+1:] {
				if a.Row == b.Row {
					assert.GreaterOrEqual(t, math.Abs(a.X-b.X), (a.width()+b.width())/2, "%q and %q", a.Text, b.Text)
				}
			}
		}
	}
}

func sample(phase string, value float64, outcome string) judge.Sample {
	return judge.Sample{Phase: phase, Value: value, Outcome: outcome}
}

func TestOutsideIsAChain(t *testing.T) {
	bars := outside([]judge.Sample{
		sample(judge.PhaseReady, 62, judge.OK), sample(judge.PhaseAcknowledged, 0.5, judge.OK), sample(judge.PhaseChildWritten, 61, judge.OK),
		sample(judge.PhaseQuiet, 180, judge.Timeout), sample("workflow created", 1, judge.OK), sample(judge.PhaseStatusWritten, 70, judge.Interrupted),
	})
	assert.Equal(t, []bar{
		{Name: "acknowledged", End: 0.5, Moment: true},
		{Name: "child written", Begin: 0.5, Running: 0.5, End: 61, Moment: true},
		{Name: "ready", Begin: 61, Running: 61, End: 62, Moment: true},
		{Name: "quiet", Begin: 62, Running: 62, End: 180, Moment: true, Open: true},
	}, bars)
	assert.Equal(t, "child written at 61.0 s", bars[1].Label())
	assert.Equal(t, "+60.5 s", bars[1].Later())
	assert.Equal(t, "quiet not within 180 s", bars[3].Label())
}

func TestInsidePairsWhatBelongsToAStep(t *testing.T) {
	for name, test := range map[string]struct {
		samples []judge.Sample
		want    []bar
		label   string
	}{
		"started and finished": {
			[]judge.Sample{sample("log finished", 20, judge.OK), sample("log started", 10, judge.OK)},
			[]bar{{Name: "log", Begin: 10, Running: 10, End: 20}},
			"log 10.0 s",
		},
		"pending, running, finished": {
			[]judge.Sample{sample("log pending", 10, judge.OK), sample("log running", 14, judge.OK), sample("log finished", 20, judge.OK)},
			[]bar{{Name: "log", Begin: 10, Running: 14, End: 20}},
			"log 10.0 s",
		},
		"not finished": {
			[]judge.Sample{sample("log started", 10, judge.OK), sample("log finished", 180, judge.Timeout)},
			[]bar{{Name: "log", Begin: 10, Running: 10, End: 180, Open: true}},
			"log not finished after 170 s",
		},
		"never begun": {
			[]judge.Sample{sample("log started", 180, judge.Timeout)},
			[]bar{{Name: "log started", End: 180, Open: true, Moment: true}},
			"log started not within 180 s",
		},
		"a moment, although its last word is a step's": {
			[]judge.Sample{sample("workflow finished", 7, judge.OK)},
			[]bar{{Name: "workflow finished", End: 7, Moment: true}},
			"workflow finished at 7.00 s",
		},
		"only its beginning is told": {
			[]judge.Sample{sample("log running", 3, judge.Wrong)},
			[]bar{{Name: "log", Begin: 3, Running: 3, End: 3}},
			"log 0 s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bars := inside(test.samples)
			assert.Equal(t, test.want, bars)
			assert.Equal(t, test.label, bars[0].Label())
		})
	}
}

func TestSums(t *testing.T) {
	outer := outside([]judge.Sample{sample(judge.PhaseChildWritten, 61, judge.OK), sample(judge.PhaseReady, 62, judge.OK)})
	inner := inside([]judge.Sample{
		sample("a started", 1, judge.OK), sample("a finished", 31, judge.OK), sample("b started", 21, judge.OK), sample("b finished", 51, judge.OK),
		sample("c started", 60, judge.OK), sample("c finished", 70, judge.OK),
	})
	assert.Equal(t, []string{
		"Of 62.0 s until ready, 61.0 s (98%) pass before the Deployment is written.",
		"3 inner steps fill 52.0 s (84%) of the time until ready.", // 1 to 51, of which 10 s count once, and 60 to 62
	}, sums(outer, inner, judge.PhaseReady))
	assert.Equal(t, []string{"It was not ready within 180 s."}, sums(outside([]judge.Sample{sample(judge.PhaseReady, 180, judge.Timeout)}), nil, judge.PhaseReady))
	assert.Empty(t, sums(nil, inner, judge.PhaseReady))
}

func TestNumbers(t *testing.T) {
	for ratio, want := range map[float64]string{0.811: "0.81×", 1: "1.00×", 9.996: "10.0×", 98.28: "98.3×", 99.96: "100×", 115.4: "115×", 11318: "11,300×", 999999: "1,000,000×", math.Inf(1): "–"} {
		assert.Equal(t, want, times(ratio), "%v", ratio)
	}
	assert.Equal(t, "–", times(math.NaN()))
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		assert.Equal(t, want, count(n))
	}
	assert.Equal(t, "over 99%", percent(0.999))
	assert.Equal(t, "100%", percent(1))
	assert.Equal(t, "under 1%", percent(0.001))
	assert.Equal(t, "a, b and c", list([]string{"a", "b", "c"}))
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

// Two styles never share both colour and dashes before there are forty-five.
func TestLooksDiffer(t *testing.T) {
	seen := map[string]bool{lookOf(0, true).Class(): true}
	for i := range colours * dashes {
		class := lookOf(i, false).Class()
		assert.False(t, seen[class], class)
		seen[class] = true
		require.NotEmpty(t, lookOf(i, false).Mark(1, 1))
	}
}

// A line of very many samples is no longer than the plot is wide, and still
// ends where the samples do.
func TestLongLinesAreBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	observations := make([]stat.Observation, 200_000)
	for i := range observations {
		observations[i] = stat.Observation{Value: math.Exp(random.NormFloat64())}
	}
	d := &distribution{Left: plotLeft, Right: plotRight, Top: 20, Bottom: 20 + plotHeight, X: logAxis(0.001, 100, plotLeft, plotRight)}
	l := &line{Style: &style{}, Series: &series{Summary: stat.Summary{Ordered: stat.Order(observations)}}}
	l.draw(d)
	assert.Less(t, len(l.Path), 20_000)
	assert.True(t, strings.HasSuffix(l.Path, fmt.Sprintf("V%.1f", d.Top)), "it reaches 100%%: …%s", l.Path[len(l.Path)-20:])
	assert.Empty(t, l.Marks)
}
