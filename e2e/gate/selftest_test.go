package gate_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
)

var (
	comparisons = flag.Int("comparisons", 20, "resampled comparisons of each source in TestSelftest; make gate-selftest takes 400")
	seed        = flag.Uint64("seed", 1, "of TestSelftest")
)

// What the gate promises, on every source that its default design is for.
const (
	mostFalseAlarms = 0.01 // of comparisons of base with itself, the share that is a regression
	leastFound      = 0.95 // of slowdowns of promisedSlow, the share that is a regression
	promisedSlow    = 0.20
	mostMissed      = 0.05 // of slowdowns by the effect, the share that passes
)

// source yields pairs of blocks: what one style measured, twice, in one round.
type source struct {
	name           string
	rounds, passes int
	promised       bool // the design is for it: a slower operator must be found
	strict         bool // and so must a single latency that is slower
	draw           func(random *rand.Rand, rounds, passes int) []pair
}

// pair are two blocks by metric.
type pair [2]map[metric][]float64

type metric struct{ scenario, phase string }

// eight are the gated metrics of one style, with medians in seconds as the
// native style has them.
func eight() map[metric]float64 {
	return map[metric]float64{
		{"create", judge.PhaseChildWritten}: 0.008, {"create", judge.PhaseReady}: 0.58,
		{"scale-up", judge.PhaseChildWritten}: 0.009, {"scale-up", judge.PhaseReady}: 0.28,
		{"scale-down", judge.PhaseChildWritten}: 0.011, {"scale-down", judge.PhaseReady}: 0.047,
		{"delete", judge.PhaseChildGone}: 0.012, {"delete", judge.PhasePodsGone}: 1.2,
	}
}

// sorted lists metrics in one order, so that a seed says it all.
func sorted[V any](of map[metric]V) []metric {
	var list []metric
	for m := range of {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b metric) int { return strings.Compare(a.scenario+a.phase, b.scenario+b.phase) })
	return list
}

// synthetic is noise on the log scale: log-normal within a block, with
// stragglers and a second mode; from block to block; and from round to round, at
// random and as a steady drift.
type synthetic struct{ within, stragglers, second, block, round, drift float64 }

func (z synthetic) draw(random *rand.Rand, rounds, passes int) []pair {
	medians := eight()
	var pairs []pair
	for i := range rounds {
		both := random.NormFloat64()*z.round + z.drift*float64(i)/float64(rounds)
		p := pair{{}, {}}
		for side := range p {
			for _, m := range sorted(medians) {
				shift := both + random.NormFloat64()*z.block
				for range passes {
					x := shift + random.NormFloat64()*z.within
					if random.Float64() < z.stragglers {
						x += math.Abs(random.NormFloat64())
					}
					if random.Float64() < z.second {
						x += 0.5
					}
					p[side][m] = append(p[side][m], medians[m]*math.Exp(x))
				}
			}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func synthetics() []source {
	const rounds, passes = gate.DefaultRounds, gate.DefaultPasses
	return []source{
		{"steady: noise 5%", rounds, passes, true, true, synthetic{0.05, 0.02, 0, 0.02, 0.03, 0}.draw},
		{"heavy tail: noise 12%, 1 of 10 a straggler", rounds, passes, true, true, synthetic{0.12, 0.1, 0, 0.02, 0.05, 0}.draw},
		{"drift: noise 10%, and 30% over the run", rounds, passes, true, true, synthetic{0.1, 0.05, 0, 0.02, 0.05, 0.3}.draw},
		{"bimodal: noise 8%, 1 of 5 1.6 times as long", rounds, passes, true, true, synthetic{0.08, 0, 0.2, 0.02, 0.05, 0}.draw},
		{"slow style: noise 2%, a minute each", gate.DefaultSlowRounds, 1, true, true, synthetic{0.02, 0, 0, 0.01, 0.01, 0}.draw},
		{"too noisy: 50%, blocks differ by 15%", rounds, passes, false, false, synthetic{0.5, 0.1, 0, 0.15, 0.2, 0}.draw},
	}
}

// recorded reads the sources that runs are: pairs of base and base again, or of
// a style's neighbouring rounds where it has no variants. A run of the gate's
// design is too large to keep its recording here: its samples.jsonl is enough.
func recorded(t *testing.T) []source {
	t.Helper()
	recording, err := report.Load("../../docs/example/recording.jsonl.gz")
	require.NoError(t, err)
	list := sourcesOf("example", slices.Collect(recording.Judgement.Samples()))
	paths, err := filepath.Glob("testdata/samples/*.jsonl.gz")
	require.NoError(t, err)
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		in, err := gzip.NewReader(file)
		require.NoError(t, err)
		samples, err := report.ReadSamples(in)
		require.NoError(t, err, path)
		list = append(list, sourcesOf(strings.TrimSuffix(filepath.Base(path), ".jsonl.gz"), samples)...)
	}
	return list
}

// sourcesOf makes a source of each style.
func sourcesOf(name string, samples []judge.Sample) []source {
	var styles []string
	for _, s := range samples {
		if !slices.Contains(styles, s.Operator) {
			styles = append(styles, s.Operator)
		}
	}
	var list []source
	for _, style := range styles {
		if pairs, passes := pairsOf(samples, style); len(pairs) > 0 {
			list = append(list, resampled(name+": "+style, pairs, passes))
		}
	}
	return list
}

// pairsOf pairs a style's blocks; passes is the fewest samples that a metric of
// a block has.
func pairsOf(samples []judge.Sample, style string) (pairs []pair, passes int) {
	blocks := map[int]map[string]map[metric][]float64{}
	last := 0
	for _, s := range samples {
		if s.Operator != style || s.Warmup || s.Outcome != judge.OK || !slices.Contains(gatedPhases(), s.Phase) {
			continue
		}
		if blocks[s.Block] == nil {
			blocks[s.Block] = map[string]map[metric][]float64{}
		}
		if blocks[s.Block][s.Variant] == nil {
			blocks[s.Block][s.Variant] = map[metric][]float64{}
		}
		m := metric{s.Scenario, s.Phase}
		blocks[s.Block][s.Variant][m] = append(blocks[s.Block][s.Variant][m], s.Value)
		last = max(last, s.Block)
	}
	for round := 1; round <= last; round++ {
		one, other := blocks[round][gate.VariantBase], blocks[round][gate.VariantAgain]
		if one == nil {
			one, other = blocks[round][""], blocks[round+1][""]
		}
		if one != nil && other != nil {
			pairs = append(pairs, pair{one, other})
		}
	}
	passes = math.MaxInt
	for _, p := range pairs {
		for _, block := range p {
			for _, values := range block {
				passes = min(passes, len(values))
			}
		}
	}
	return pairs, passes
}

func gatedPhases() []string {
	return []string{judge.PhaseChildWritten, judge.PhaseReady, judge.PhaseChildGone, judge.PhasePodsGone}
}

// smooth is how much a resampled value is moved, at random, so that what was
// drawn twice is no tie (a smoothed bootstrap).
const smooth = 0.005

// resampled draws rounds of a recording, each at most once if there are enough,
// and either side of a pair as base. Too short recordings, or such of one pass,
// say nothing of the noise between blocks: what they have is taken together.
func resampled(name string, pairs []pair, passes int) source {
	s := source{name: fmt.Sprintf("%s (%d pairs of blocks of %d)", name, len(pairs), passes), rounds: gate.DefaultRounds, passes: gate.DefaultPasses}
	whole := len(pairs) >= gate.DefaultRounds && passes > 1
	s.promised = whole
	pool := map[metric][]float64{}
	for _, p := range pairs {
		for _, block := range p {
			for m, values := range block {
				pool[m] = append(pool[m], values...)
			}
		}
	}
	if slices.Min(pool[sorted(pool)[0]]) > 10 { // a slow style
		s.rounds, s.passes = gate.DefaultSlowRounds, 1
	}
	s.draw = func(random *rand.Rand, rounds, passes int) []pair {
		order := random.Perm(len(pairs))
		var drawn []pair
		for i := range rounds {
			from := pairs[order[i%len(order)]]
			if random.IntN(2) == 0 {
				from[0], from[1] = from[1], from[0]
			}
			p := pair{{}, {}}
			for side := range p {
				for _, m := range sorted(pool) {
					values := pool[m]
					if whole {
						values = from[side][m]
					}
					p[side][m] = some(random, values, passes)
				}
			}
			drawn = append(drawn, p)
		}
		return drawn
	}
	return s
}

// some draws n values, each at most once if there are enough.
func some(random *rand.Rand, values []float64, n int) []float64 {
	if len(values) == 0 {
		return nil
	}
	order := random.Perm(len(values))
	list := make([]float64, n)
	for i := range list {
		at := order[i%len(order)]
		if i >= len(order) {
			at = random.IntN(len(values))
		}
		list[i] = values[at] * math.Exp(random.NormFloat64()*smooth)
	}
	return list
}

// change is what is done to head.
type change struct {
	name   string
	slow   float64 // of all gated latencies
	one    float64 // of one of them, each in turn
	broken bool    // one sample of one scenario is wrong
}

// compare judges a pair of sides as opbench gate does.
func compare(pairs []pair, c change, turn int) (*gate.Result, error) {
	j := &judge.Judgement{Header: record.Header{Run: "selftest", Schema: record.Schema}}
	metrics := sorted(pairs[0][0])
	chosen := metrics[turn%len(metrics)]
	for _, variant := range []string{gate.VariantBase, gate.VariantHead} {
		j.Header.Styles = append(j.Header.Styles, record.Style{Name: "style", Variant: variant})
	}
	for round, p := range pairs {
		for side, variant := range []string{gate.VariantBase, gate.VariantHead} {
			for _, m := range metrics {
				factor := 1.0
				if side == 1 {
					factor += c.slow
					if m == chosen {
						factor += c.one
					}
				}
				outcome := judge.Pass
				if c.broken && side == 1 && m == chosen && round == turn%len(pairs) {
					outcome = judge.Fail
				}
				j.Results = append(j.Results, result(variant, m, round+1, p[side][m], factor, outcome))
			}
		}
	}
	base, head, again, err := gate.Sides("selftest", report.Recording{Judgement: j, Environment: &report.Environment{}})
	if err != nil {
		return nil, err
	}
	return gate.Compare(gate.DefaultOptions(), base, head, again)
}

func result(variant string, m metric, round int, values []float64, factor float64, outcome judge.Outcome) judge.Result {
	r := judge.Result{
		Style: "style", Variant: variant, Scenario: m.scenario, Round: round, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: outcome, Message: "as told"}},
	}
	for _, value := range values {
		r.Samples = append(r.Samples, judge.Sample{
			Operator: "style", Variant: variant, Scenario: m.scenario, Phase: m.phase, Block: round, Value: value * factor, Unit: "s", Outcome: judge.OK,
		})
	}
	return r
}

// tally counts verdicts over comparisons.
type tally struct {
	n       int
	verdict map[gate.Verdict]int
	err     error
}

func (t tally) share(v gate.Verdict) float64 { return float64(t.verdict[v]) / float64(t.n) }

// measure makes n comparisons of a source with a change.
func measure(s source, c change, n int, seed uint64) tally {
	t := tally{n: n, verdict: map[gate.Verdict]int{}}
	for i := range n {
		random := rand.New(rand.NewPCG(seed, uint64(i))) //nolint:gosec // a trial, not a secret
		r, err := compare(s.draw(random, s.rounds, s.passes), c, i)
		if err != nil {
			t.err = err
			return t
		}
		v := r.Verdict
		if c.one > 0 { // that very metric must be found
			v = verdictOf(r, i)
		}
		t.verdict[v]++
	}
	return t
}

func verdictOf(r *gate.Result, turn int) gate.Verdict {
	of := map[metric]gate.Verdict{}
	for _, m := range r.Metrics {
		of[metric{m.Scenario, m.Phase}] = m.Verdict
	}
	return of[sorted(of)[turn%len(of)]]
}

func changes() []change {
	return []change{
		{name: "none"},
		{name: "10%", slow: 0.1},
		{name: "15%", slow: 0.15},
		{name: "20%", slow: promisedSlow},
		{name: "30%", slow: 0.3},
		{name: "50%", slow: 0.5},
		{name: "20% of one", one: promisedSlow},
		{name: "broken", broken: true},
	}
}

// TestSelftest measures the gate by its own promises, on data of which the truth
// is known: recordings of base against itself, and synthetic ones, as they are
// and with head made slower. `make gate-selftest` prints the table.
func TestSelftest(t *testing.T) {
	sources := append(synthetics(), recorded(t)...)
	type job struct {
		source, change int
		tally
	}
	var jobs []job
	for i := range sources {
		for k := range changes() {
			jobs = append(jobs, job{source: i, change: k})
		}
	}
	queue := make(chan *job)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for one := range queue {
				n := *comparisons
				if one.change > 0 {
					n = changed(n)
				}
				one.tally = measure(sources[one.source], changes()[one.change], n, *seed)
			}
		})
	}
	for i := range jobs {
		queue <- &jobs[i]
	}
	close(queue)
	workers.Wait()

	out := t.Output()
	fmt.Fprintf(out, "\nThe gate, measured: %d comparisons of each source of base with itself, %d with each change to head; seed %d.\n", *comparisons, changed(*comparisons), *seed)
	fmt.Fprintf(out, "Tolerance 5%%, effect 20%%, alpha %v. In brackets: not enough to go by, or too noisy for the design; nothing is promised there but safety.\n\n", gate.DefaultOptions().Alpha)
	fmt.Fprintf(out, "%-58s %-6s | nothing changed | head slower: share that is found           |  20%% slower | a scenario\n", "", "rounds")
	fmt.Fprintf(out, "%-58s %-6s | false    cannot |                                   20%% of   |  called     | broken:\n", "", "  x")
	fmt.Fprintf(out, "%-58s %-6s | alarm    tell   |    10%%    15%%    20%%    30%%    50%% one only |  fine       | found\n", "source", "passes")
	alarms, all := 0, 0
	for i, s := range sources {
		row := jobs[i*len(changes()):][:len(changes())]
		for _, one := range row {
			require.NoError(t, one.err, "%s, %s", s.name, changes()[one.change].name)
		}
		fmt.Fprintln(out, line(s, func(k int) tally { return row[k].tally }))
		none, slow, broken := row[0].tally, row[3].tally, row[7].tally
		alarms, all = alarms+none.verdict[gate.Regression], all+none.n
		assert.Less(t, surplus(none), 0.99, "%s: false alarms, more than chance explains", s.name)
		assert.LessOrEqual(t, slow.share(gate.Pass), mostMissed, "%s: slowdowns that pass", s.name)
		assert.InDelta(t, 1, broken.share(gate.Regression), 0, "%s: broken scenarios that are found", s.name)
		if s.strict {
			assert.GreaterOrEqual(t, row[6].share(gate.Regression), leastFound, "%s: single latencies that are found", s.name)
		}
		if s.promised {
			assert.GreaterOrEqual(t, slow.share(gate.Regression), leastFound, "%s: slowdowns that are found", s.name)
		}
	}
	fmt.Fprintf(out, "\nfalse alarms in all: %d of %d (promised: at most %.0f%%); 20%% slower found: promised at least %.0f%% of the time\n",
		alarms, all, 100*mostFalseAlarms, 100*leastFound)
	assert.LessOrEqual(t, float64(alarms), mostFalseAlarms*float64(all), "false alarms in all")
}

// changed is how many comparisons are made with each change, where n are made
// without one.
func changed(n int) int { return max(n/5, 5) }

// surplus is the probability of fewer false alarms than there were, if they are
// as frequent as is just allowed.
func surplus(t tally) float64 {
	return distuv.Binomial{N: float64(t.n), P: mostFalseAlarms}.CDF(float64(t.verdict[gate.Regression]) - 1)
}

// line is a source's row; a source that nothing is promised for is in brackets.
func line(s source, of func(int) tally) string {
	percent := func(k int, v gate.Verdict) string { return fmt.Sprintf("%5.1f%%", 100*of(k).share(v)) }
	name := s.name
	if !s.promised {
		name = "(" + name + ")"
	}
	text := fmt.Sprintf("%-58s %2d x %-2d| %s %s |", name, s.rounds, s.passes, percent(0, gate.Regression), percent(0, gate.Inconclusive))
	for k := 1; k <= 6; k++ {
		text += " " + percent(k, gate.Regression)
	}
	return text + "   | " + percent(3, gate.Pass) + "      | " + percent(7, gate.Regression)
}
