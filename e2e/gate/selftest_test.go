package gate_test

import (
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

var (
	comparisons = flag.Int("comparisons", 10, "simulated comparisons of each source in TestSelftest; make gate-selftest takes 400")
	seed        = flag.Uint64("seed", 1, "of TestSelftest")
)

// What the gate promises, of every source that its design is for.
const (
	mostFalseAlarms = 0.01 // of comparisons of unchanged code, the share that is a regression
	mostOpen        = 0.10 // of these, the share that cannot be told within the budget
	leastFound      = 0.90 // of 20% in one latency of eight, the share that is found
	leastTails      = 0.95 // of a tail of 10% of the samples at five times, the share that is found
	leastRare       = 0.85 // of one sample in twenty at 100 times, the share that is found
	mostMissed      = 0.05 // of slowdowns by the effect, and of these tails, the share that passes
)

// reconcile is what one sample shows: seconds by phase.
type reconcile map[string]float64

// block is what one variant measures in one turn, by scenario.
type block map[string][]reconcile

// source yields the noise of three turns in each of its rounds.
type source struct {
	name     string
	rounds   int
	promised bool
	tails    bool // and a few slow samples must be found: there are enough of them
	draw     func(random *rand.Rand, rounds int) [][3]block
}

// The design for 20 minutes on a style like native, of which installing, warming
// up and removing takes 5 s, a pass 5.5 s and a quick pass 1.2 s: 12 rounds of
// three turns of 32 s.
const (
	fullPasses  = 4
	quickPasses = 4
)

// lives are the phases of each scenario, with medians in seconds as the native
// style has them.
func lives() map[string]reconcile {
	return map[string]reconcile{
		"create":     {spec.PhaseAcknowledged: 0.005, spec.PhaseChildWritten: 0.014, spec.PhaseReady: 0.78, spec.PhaseStatusWritten: 0.79, spec.PhaseQuiet: 0.8},
		"scale-up":   {spec.PhaseAcknowledged: 0.005, spec.PhaseChildWritten: 0.016, spec.PhaseReady: 0.4, spec.PhaseStatusWritten: 0.41, spec.PhaseQuiet: 0.42},
		"scale-down": {spec.PhaseAcknowledged: 0.005, spec.PhaseChildWritten: 0.015, spec.PhaseReady: 0.05, spec.PhaseStatusWritten: 0.06, spec.PhaseQuiet: 0.9},
		"delete":     {spec.PhaseAcknowledged: 0.005, spec.PhaseGone: 0.006, spec.PhaseChildGone: 0.015, spec.PhasePodsGone: 1.2},
	}
}

// quick are the scenarios that are also gone through at size 0, with the phases
// that count of those.
func quick() map[string][]string {
	return map[string][]string{
		"create": {spec.PhaseAcknowledged, spec.PhaseChildWritten},
		"delete": {spec.PhaseAcknowledged, spec.PhaseChildGone},
	}
}

func keys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// synthetic is noise on the log scale: log-normal within a block, of what the
// operator does at once and of what pods take their time for, with stragglers and a second mode; from block to block; and from round to round, at
// random and as a steady drift.
type synthetic struct {
	writes, pods, stragglers, second, block, round, drift float64
	full, quick                                           int
}

func (z synthetic) within(phase string) float64 {
	if slices.Contains([]string{spec.PhaseReady, spec.PhaseStatusWritten, spec.PhaseQuiet, spec.PhasePodsGone}, phase) {
		return z.pods
	}
	return z.writes
}

func (z synthetic) draw(random *rand.Rand, rounds int) [][3]block {
	all := lives()
	list := make([][3]block, rounds)
	for i := range list {
		both := random.NormFloat64()*z.round + z.drift*float64(i)/float64(rounds)
		for side := range list[i] {
			b := block{}
			for _, scenario := range keys(all) {
				shift := both + random.NormFloat64()*z.block
				one := func(phases []string) reconcile {
					r := reconcile{}
					for _, phase := range phases {
						x := shift + random.NormFloat64()*z.within(phase)
						if random.Float64() < z.stragglers {
							x += math.Abs(random.NormFloat64())
						}
						if random.Float64() < z.second {
							x += 0.5
						}
						r[phase] = all[scenario][phase] * math.Exp(x)
					}
					return r
				}
				for range z.full {
					b[scenario] = append(b[scenario], one(keys(all[scenario])))
				}
				for range z.quick {
					if phases := quick()[scenario]; phases != nil {
						b[scenario+gate.Quick] = append(b[scenario+gate.Quick], one(phases))
					}
				}
			}
			list[i][side] = b
		}
	}
	return list
}

func synthetics() []source {
	const rounds, full, more = gate.DefaultRounds, fullPasses, quickPasses
	return []source{
		{"writes 20%, pods 13%", rounds, true, true, synthetic{0.2, 0.13, 0.02, 0, 0.02, 0.03, 0, full, more}.draw},
		{"stragglers: the same, 1 of 20 up to 3 times", rounds, true, true, synthetic{0.2, 0.13, 0.05, 0, 0.02, 0.05, 0, full, more}.draw},
		{"drift: the same, and 30% over the run", rounds, true, true, synthetic{0.2, 0.13, 0.02, 0, 0.02, 0.05, 0.3, full, more}.draw},
		{"bimodal: 10%, 1 of 5 1.6 times as long", rounds, true, true, synthetic{0.1, 0.1, 0, 0.2, 0.02, 0.05, 0, full, more}.draw},
		{"slow style: 2%, a minute each", gate.DefaultSlowRounds, true, false, synthetic{0.02, 0.02, 0, 0, 0.01, 0.01, 0, 1, 0}.draw},
		{"too noisy: 42%, 1 of 10 a straggler, blocks 15%", rounds, false, false, synthetic{0.42, 0.42, 0.1, 0, 0.15, 0.2, 0, full, more}.draw},
	}
}

// recorded are the sources that runs of this project are: native against itself,
// as it was measured on a machine of 2 cores.
func recorded(t *testing.T) []source {
	t.Helper()
	file, err := os.Open("testdata/samples/native-aa.jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	in, err := gzip.NewReader(file)
	require.NoError(t, err)
	samples, err := report.ReadSamples(in)
	require.NoError(t, err)
	blocks := blocksOf(samples, "native")
	require.Len(t, blocks, 12)
	return []source{{"recorded: native against itself", gate.DefaultRounds, true, true, blocks.draw}}
}

// resampled are the blocks of a recording, three in each round.
type resampled [][]block

// blocksOf groups the samples of a style.
func blocksOf(samples []judge.Sample, style string) resampled {
	type turn struct {
		round   int
		variant string
	}
	type trial struct {
		turn
		scenario string
		from     int64
	}
	trials := map[trial]reconcile{}
	for _, s := range samples {
		if s.Operator != style || s.Warmup || s.Outcome != judge.OK {
			continue
		}
		key := trial{turn{s.Block, s.Variant}, s.Scenario, int64(s.From)}
		if trials[key] == nil {
			trials[key] = reconcile{}
		}
		trials[key][s.Phase] = s.Value
	}
	order := slices.SortedFunc(maps.Keys(trials), func(a, b trial) int {
		return cmp.Or(a.round-b.round, strings.Compare(a.variant, b.variant), cmp.Compare(a.from, b.from))
	})
	var list resampled
	var last turn
	for _, key := range order {
		for len(list) < key.round {
			list = append(list, nil)
		}
		if key.turn != last {
			last = key.turn
			list[key.round-1] = append(list[key.round-1], block{})
		}
		blocks := list[key.round-1]
		b := blocks[len(blocks)-1]
		b[key.scenario] = append(b[key.scenario], trials[key])
	}
	return list
}

// smooth is how much a resampled value is moved, at random, so that what was
// drawn twice is no tie (a smoothed bootstrap).
const smooth = 0.005

// draw takes whole rounds, each once, deals their three blocks out anew, and
// takes all passes of each block, in any order: what blocks and rounds have of
// their own stays. The recording has no quick passes: for those, the full passes
// of any block are drawn from, so that they scatter from round to round as the
// recording does as a whole.
func (s resampled) draw(random *rand.Rand, rounds int) [][3]block {
	order := random.Perm(len(s))[:rounds]
	list := make([][3]block, rounds)
	for i, at := range order {
		turns := random.Perm(len(s[at]))
		for side := range list[i] {
			own := s[at][turns[side]]
			b := block{}
			for _, scenario := range keys(own) {
				for _, pass := range random.Perm(len(own[scenario]))[:min(fullPasses, len(own[scenario]))] {
					b[scenario] = append(b[scenario], moved(random, own[scenario][pass], keys(own[scenario][pass])))
				}
				for range quickPasses {
					if phases := quick()[scenario]; phases != nil {
						from := s[random.IntN(len(s))]
						block := from[random.IntN(len(from))][scenario]
						b[scenario+gate.Quick] = append(b[scenario+gate.Quick], moved(random, block[random.IntN(len(block))], phases))
					}
				}
			}
			list[i][side] = b
		}
	}
	return list
}

func moved(random *rand.Rand, from reconcile, phases []string) reconcile {
	r := reconcile{}
	for _, phase := range phases {
		if value, known := from[phase]; known {
			r[phase] = value * math.Exp(random.NormFloat64()*smooth)
		}
	}
	return r
}

// change is what is done to head.
type change struct {
	name   string
	slow   float64                              // of all phases but the API server's reply
	one    float64                              // of one of the eight latencies, each in turn
	phase  string                               // of this phase alone: twice as late
	often  float64                              // the share of samples that are slower
	by     float64                              // by so many times
	turn   bool                                 // in one scenario alone, each in turn
	costs  func(*cost.Cost)                     // what it costs
	broken bool                                 // one sample of one scenario is wrong
	judge  func(*gate.Result, int) gate.Verdict // what must be found; nil: anything
}

// eight are the latencies that a user waits for.
func eight() [][2]string {
	return [][2]string{
		{"create", spec.PhaseChildWritten},
		{"create", spec.PhaseReady},
		{"scale-up", spec.PhaseChildWritten},
		{"scale-up", spec.PhaseReady},
		{"scale-down", spec.PhaseChildWritten},
		{"scale-down", spec.PhaseReady},
		{"delete", spec.PhaseChildGone},
		{"delete", spec.PhasePodsGone},
	}
}

// verdictOfOne is that of the latency whose turn it is.
func verdictOfOne(r *gate.Result, turn int) gate.Verdict {
	one := eight()[turn%8]
	for _, m := range r.Metrics {
		if m.Kind == gate.Latency && m.Scenario == one[0] && m.Phase == one[1] {
			return m.Verdict
		}
	}
	return ""
}

func changes() []change {
	return []change{
		{name: "none"},
		{name: "20%", slow: 0.2},
		{name: "20% of one", one: 0.2, judge: verdictOfOne},
		{name: "tail 10% x5", often: 0.1, by: 5},
		{name: "same of one", often: 0.1, by: 5, turn: true},
		{name: "5% x100", often: 0.05, by: 100},
		{name: "40% x20", often: 0.4, by: 20},
		{name: "status x2", phase: spec.PhaseStatusWritten},
		{name: "install x3", costs: func(c *cost.Cost) { scale(&c.Install, 3) }},
		{name: "pods", costs: morePods},
		{name: "broken", broken: true},
	}
}

func scale(f *cost.Figure, by float64) {
	for i := range f.Values {
		f.Values[i].Value *= by
	}
}

// morePods makes 40 pods of one in all rounds but one.
func morePods(c *cost.Cost) {
	for i := range c.Counters {
		for k := range c.Counters[i].Values {
			if v := &c.Counters[i].Values[k]; c.Counters[i].Name == cost.Pods && v.Round != 2 {
				v.Value = 40
			}
		}
	}
}

// compare judges three variants as opbench run --base does: by a few looks, and no
// further than it takes to know.
func compare(random *rand.Rand, rounds [][3]block, c change, turn int) (*gate.Result, error) {
	j := &judge.Judgement{Header: record.Header{Run: "selftest", Schema: record.Schema}}
	recording := result.Recording{Judgement: j, Environment: &record.Environment{Planned: map[string]int{"style": len(rounds)}}}
	for side, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		j.Header.Styles = append(j.Header.Styles, record.Style{Style: spec.Style{Name: "style"}, Variant: variant})
		costs := costsOf(random, variant, len(rounds))
		if variant == gate.VariantHead && c.costs != nil {
			c.costs(&costs)
		}
		recording.Costs = append(recording.Costs, costs)
		for i, round := range rounds {
			for _, scenario := range keys(round[side]) {
				for n, r := range round[side][scenario] {
					if variant == gate.VariantHead {
						c.to(random, r, strings.TrimSuffix(scenario, gate.Quick), turn)
					}
					outcome := spec.Pass
					if c.broken && variant == gate.VariantHead && scenario == "create" && i == turn%len(rounds) && n == 0 {
						outcome = spec.Fail
					}
					j.Results = append(j.Results, judged(variant, scenario, i+1, r, outcome))
				}
			}
		}
	}
	base, head, again, err := gate.Sides("selftest", recording)
	if err != nil {
		return nil, err
	}
	return gate.Decide(gate.DefaultOptions(), base, head, again)
}

// to changes one sample of head.
func (c *change) to(random *rand.Rand, r reconcile, scenario string, turn int) {
	one := eight()[turn%8]
	slow := random.Float64() < c.often && (!c.turn || scenario == one[0])
	for phase := range r {
		switch {
		case phase == spec.PhaseAcknowledged:
		case slow:
			r[phase] *= c.by
		case c.slow > 0:
			r[phase] *= 1 + c.slow
		case c.one > 0 && scenario == one[0] && phase == one[1]:
			r[phase] *= 1 + c.one
		case phase == c.phase:
			r[phase] *= 2
		}
	}
}

// costsOf is what a style uses: installing takes 1 to 3 s, CPU time varies by a
// tenth, memory by 2%, and now and then there is one call or pod more.
func costsOf(random *rand.Rand, variant string, rounds int) cost.Cost {
	c := cost.Cost{Style: "style", Variant: variant}
	figure := func(f *cost.Figure, median, noise float64) {
		for round := range rounds {
			f.Values = append(f.Values, cost.Value{Round: round + 1, Value: median * math.Exp(noise*random.NormFloat64())})
		}
	}
	figure(&c.Install, 1.5, 0.25)
	figure(&c.PeakMemory, 14<<20, 0.02)
	figure(&c.CPU, 0.03, 0.1)
	for _, scenario := range keys(lives()) {
		for name, n := range map[string]int{cost.Pods: 1, cost.Writes: 3, cost.Calls: 6} {
			counter := cost.Counter{Name: name, Style: "style", Variant: variant, Scenario: scenario}
			for round := range rounds {
				for range fullPasses {
					more := 0
					if random.Float64() < 0.05 && name != cost.Pods {
						more = 1
					}
					counter.Values = append(counter.Values, cost.Count{Round: round + 1, Value: n + more})
				}
			}
			c.Counters = append(c.Counters, counter)
		}
	}
	slices.SortFunc(c.Counters, func(a, b cost.Counter) int { return strings.Compare(a.Scenario+a.Name, b.Scenario+b.Name) })
	return c
}

func judged(variant, scenario string, round int, values reconcile, outcome spec.Outcome) judge.Result {
	r := judge.Result{
		Style: "style", Variant: variant, Scenario: scenario, Round: round, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: outcome, Message: "as told"}},
	}
	for _, phase := range keys(values) {
		r.Samples = append(r.Samples, judge.Sample{
			Operator: "style", Variant: variant, Scenario: scenario, Phase: phase, Block: round, Value: values[phase], Unit: "s", Outcome: judge.OK,
		})
	}
	return r
}

// tally counts verdicts over comparisons.
type tally struct {
	n       int
	verdict map[gate.Verdict]int
	rounds  int            // in all
	worse   map[string]int // what was called worse
	open    map[string]int // what could not be told
	err     error
}

func (t tally) share(v gate.Verdict) float64 { return float64(t.verdict[v]) / float64(t.n) }

// measure makes n comparisons of a source with a change.
func measure(s source, c change, n int, seed uint64) tally {
	t := tally{n: n, verdict: map[gate.Verdict]int{}, worse: map[string]int{}, open: map[string]int{}}
	for i := range n {
		random := rand.New(rand.NewPCG(seed, uint64(i))) //nolint:gosec // a trial, not a secret
		r, err := compare(random, s.draw(random, s.rounds), c, i)
		if err != nil {
			t.err = err
			return t
		}
		v := r.Verdict
		if c.judge != nil {
			v = c.judge(r, i)
		}
		t.verdict[v]++
		t.rounds += r.Rounds
		for _, m := range r.Metrics {
			switch m.Verdict {
			case gate.Regression:
				t.worse[m.Name()]++
			case gate.Inconclusive:
				t.open[m.Name()]++
			case gate.Pass, gate.Improvement:
			}
		}
	}
	return t
}

// TestSelftest measures the gate by its own promises, on data of which the truth
// is known: a recording of base against itself, and synthetic noise as large as
// it, as they are and with head made worse. `make gate-selftest` prints the table.
func TestSelftest(t *testing.T) {
	sources := append(recorded(t), synthetics()...)
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
	fmt.Fprintf(out, "\nThe gate, measured: %d comparisons of each source of unchanged code, %d with each change to head; seed %d.\n", *comparisons, changed(*comparisons), *seed)
	fmt.Fprintf(out, "Of %d full and %d quick passes a turn, with base again and looks after %v of %d rounds. In brackets: too noisy for the design; only safety is promised.\n\n",
		fullPasses, quickPasses, gate.LooksOf(gate.DefaultRounds), gate.DefaultRounds)
	fmt.Fprintf(out, "%-50s | nothing changed        | head worse: share that is found, in %%\n", "")
	fmt.Fprintf(out, "%-50s | false  cannot  rounds  |", "source")
	for _, c := range changes()[1:] {
		fmt.Fprintf(out, " %11s", c.name)
	}
	fmt.Fprintf(out, " | called fine: 20%% of one, 5%% x100\n")
	alarms, all := 0, 0
	for i, s := range sources {
		row := jobs[i*len(changes()):][:len(changes())]
		of := map[string]tally{}
		for k, one := range row {
			require.NoError(t, one.err, "%s, %s", s.name, changes()[k].name)
			of[changes()[k].name] = one.tally
		}
		fmt.Fprintln(out, line(s, of))
		none := of["none"]
		alarms, all = alarms+none.verdict[gate.Regression], all+none.n
		assert.Less(t, surplus(none, gate.Regression, mostFalseAlarms), 0.999, "%s: false alarms, more than chance explains: %v", s.name, none.worse)
		for _, name := range []string{"20%", "20% of one", "tail 10% x5", "5% x100", "40% x20"} {
			if name[len(name)-1] != 'e' && name != "20%" && !s.tails {
				continue
			}
			assert.Less(t, surplus(of[name], gate.Pass, mostMissed), 0.999, "%s: %s that passes", s.name, name)
		}
		assert.InDelta(t, 1, of["broken"].share(gate.Regression), 0, "%s: broken scenarios that are found", s.name)
		if !s.promised {
			continue
		}
		assert.Less(t, surplus(none, gate.Inconclusive, mostOpen), 0.999, "%s: unchanged code of which it cannot tell: %v", s.name, none.open)
		for name, least := range map[string]float64{
			"20%": leastFound, "20% of one": leastFound, "tail 10% x5": leastTails, "5% x100": leastRare, "40% x20": leastTails,
			"status x2": leastTails, "install x3": leastFound, "pods": leastTails,
		} {
			found := of[name]
			if !s.tails && name == "40% x20" {
				least = leastRare // nine samples of each latency
			}
			if slices.Contains([]string{"tail 10% x5", "5% x100"}, name) && !s.tails {
				continue // of which few are slow at all
			}
			assert.Less(t, distuv.Binomial{N: float64(found.n), P: 1 - least}.CDF(float64(found.n-found.verdict[gate.Regression])-1), 0.999, "%s: %s that is found", s.name, name)
		}
	}
	fmt.Fprintf(out, "\nfalse alarms in all: %d of %d (promised: at most %.0f%%)\n", alarms, all, 100*mostFalseAlarms)
	assert.LessOrEqual(t, float64(alarms), mostFalseAlarms*float64(all)+3, "false alarms in all")
}

// changed is how many comparisons are made with each change, where n are made
// without one.
func changed(n int) int { return max(n/5, 8) }

// surplus is the probability of fewer of a verdict than there were, if they are
// as frequent as is just allowed.
func surplus(t tally, v gate.Verdict, most float64) float64 {
	return distuv.Binomial{N: float64(t.n), P: most}.CDF(float64(t.verdict[v]) - 1)
}

// line is a source's row; a source that nothing is promised for is in brackets.
func line(s source, of map[string]tally) string {
	name := s.name
	if !s.promised {
		name = "(" + name + ")"
	}
	none := of["none"]
	text := fmt.Sprintf("%-50s | %4.1f%%  %5.1f%%  %6.1f  |", name, 100*none.share(gate.Regression), 100*none.share(gate.Inconclusive), float64(none.rounds)/float64(none.n))
	for _, c := range changes()[1:] {
		text += fmt.Sprintf(" %11.1f", 100*of[c.name].share(gate.Regression))
	}
	return text + fmt.Sprintf(" | %22.1f, %7.1f", 100*of["20% of one"].share(gate.Pass), 100*of["5% x100"].share(gate.Pass))
}
