package html

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
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
			a := logAxis(test.low, test.high)
			assert.Equal(t, test.want, strings.Join(labels(a.Ticks), ", "))
			assert.Equal(t, "0", a.Ticks[0].At)
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
	var one judge.Result
	for range 200_000 {
		one.Samples = append(one.Samples, sample(spec.PhaseReady, math.Exp(random.NormFloat64()), judge.OK))
	}
	c := &result.Cell{Results: []result.Judged{{Result: one}}}
	assert.Less(t, len(dotsOf(c, stat.Summary{Key: stat.Key{Phase: spec.PhaseReady}}, look{}, logAxis(0.001, 100), near).Samples), 20_000)
}

// The commands that measure again are to be pasted: what a recording holds is one word.
func TestFlagsOfARecordingAreQuoted(t *testing.T) {
	for value, want := range map[string]string{
		"native,argo": "native,argo", "10%": "10%", "./my-operator": "./my-operator",
		"1; curl x|sh": "'1; curl x|sh'", "it's": `'it'\''s'`, "$(id)": "'$(id)'", "a\nb": "'a\nb'",
	} {
		assert.Equal(t, want, plain.Shell(value))
	}
}
