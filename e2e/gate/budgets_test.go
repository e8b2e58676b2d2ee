package gate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/spec/profiles"
)

// What the gate is to reach for quick styles, at the longest of these budgets for each.
const (
	mostOpen   = 0.15 // the share of comparisons of unchanged code that it cannot decide
	leastFound = 0.85 // of slowdowns of one latency by a fifth
)

// budgets are minutes; the first is the standard profile's.
func budgets() []time.Duration {
	return []time.Duration{20 * time.Minute, 40 * time.Minute, 80 * time.Minute}
}

// TestBudgets says why some quick styles need longer than the standard profile has: which latency the gate most
// often cannot decide, how far samples of it scatter within a block, how far blocks do, and what longer budgets give.
func TestBudgets(t *testing.T) {
	p, err := profiles.Find(profiles.Standard)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("| noise of | most often open | within a block | between blocks |")
	for _, budget := range budgets() {
		fmt.Fprintf(&b, " %.0f min: cannot tell | found |", budget.Minutes())
	}
	b.WriteString("\n| --- | --- | --: | --: |" + strings.Repeat(" --: | --: |", len(budgets())) + "\n")
	for _, s := range stylesOf(t, false, "argo-direct,java-operator-sdk,native,shell-operator") {
		for i, budget := range budgets() {
			p.Budget = budget
			none, one := measure(t, s, p, changes()[0], *comparisons), measure(t, s, p, changes()[1], changed(*comparisons))
			if i == 0 {
				open := slices.MaxFunc(s.latencies(), func(a, b [2]string) int {
					return none.metrics[gate.Inconclusive][a[0]+" "+a[1]] - none.metrics[gate.Inconclusive][b[0]+" "+b[1]]
				})
				within, between := s.scatter(open)
				fmt.Fprintf(&b, "| %s | %s | %.0f%% | %.0f%% |", s.name, strings.Join(open[:], " "), 100*within, 100*between)
			}
			fmt.Fprintf(&b, " %.0f | %.0f |", none.percent(gate.Inconclusive), one.percent(gate.Regression))
			if i == len(budgets())-1 {
				assert.Less(t, surplus(none, gate.Inconclusive, mostOpen), 0.999, "%s: unchanged code that it cannot judge", s.name)
				one.verdict[gate.Pass] += one.verdict[gate.Inconclusive] + one.verdict[gate.Improvement]
				assert.Less(t, surplus(one, gate.Pass, 1-leastFound), 0.999, "%s: a latency that is slower and not found", s.name)
			}
		}
		b.WriteString("\n")
	}
	promised(t, "budgets", fmt.Sprintf("%d comparisons of unchanged code of each style, %d with one latency 20%% slower, seed %d; in percent.\n\n",
		*comparisons, changed(*comparisons), *seed), b.String())
}

// scatter is how far samples of a latency differ within a block, and blocks beyond that: standard deviations of
// logarithms.
func (s *style) scatter(latency [2]string) (within, between float64) {
	var means, variances []float64
	n := 0.0
	for _, b := range s.blocks {
		if x := b.at(latency[0], latency[1]); len(x) > 1 {
			means, variances, n = append(means, stat.Mean(x, nil)), append(variances, stat.Variance(x, nil)), n+float64(len(x))
		}
	}
	inside := stat.Mean(variances, nil)
	return math.Sqrt(inside), math.Sqrt(max(0, stat.Variance(means, nil)-inside/(n/float64(len(means)))))
}
