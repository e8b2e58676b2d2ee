package gate_test

import (
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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/profiles"
)

var (
	comparisons = flag.Int("comparisons", 8, "simulated comparisons of unchanged code of each style in TestSelftest; make gate-selftest takes more")
	every       = flag.Bool("every", false, "TestSelftest: the noise of every recording, not only of the first one of each style")
	onlyStyles  = flag.String("styles", "", "TestSelftest: these styles alone")
	profile     = flag.String("profile", profiles.Standard, "TestSelftest: the profile whose budget, and slowdown that must not pass, are taken")
	minutes     = flag.Float64("minutes", 0, "TestSelftest: another budget than the profile's")
	quickly     = flag.Int("quick", 1, "TestSelftest: how often each pass goes through what is quick")
	seed        = flag.Uint64("seed", 1, "of TestSelftest")
)

// What the gate promises of every style, whatever its noise is.
const (
	mostFalseAlarms = 0.01 // of comparisons of unchanged code, the share that is a regression
	mostMissed      = 0.05 // of slowdowns of one latency by the effect, the share that is fine
)

// leastRounds are those below which nothing can be said of a style in a profile's budget: it is left out of the table
// of the quick one, and named below it.
const leastRounds = 7

// plan is how many rounds of a style, and passes in each of its blocks, a budget has
// time for: see planRounds in package run.
func (s *style) plan(p profiles.Profile) (rounds, passes int) {
	minutes, pass := p.Budget.Minutes(), s.pass+float64(*quickly-1)*s.quick
	if p.Again {
		pass += s.again
	}
	of := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	passes = gate.Passes(of(minutes*60/3), of(s.fixed), of(pass), 0)
	return max(1, min(gate.MostRounds, int(minutes*60*0.95/3/(s.fixed+float64(passes)*pass)))), passes
}

// turn is what one variant shows in one round.
type turn struct {
	costs  [3]float64
	passes map[string][]sample
}

// smooth is how much a resampled value is moved, at random, so that what was drawn
// twice is no tie (a smoothed bootstrap).
const smooth = 0.005

// draw takes a block of the recording for each turn, and passes of it, both with
// replacement; what a round has in common is that of a recorded one.
func (s *style) draw(random *rand.Rand, rounds, passes int, again bool) [][3]turn {
	list := make([][3]turn, rounds)
	for i := range list {
		common := s.rounds[random.IntN(len(s.rounds))]
		for side := range list[i] {
			from := s.blocks[random.IntN(len(s.blocks))]
			t := turn{from.Costs, map[string][]sample{}}
			for k := range t.costs {
				t.costs[k] *= math.Exp(random.NormFloat64() * smooth)
			}
			for _, scenario := range scenarios() {
				add := func(name string, phases []string) {
					if recorded := from.Passes[scenario]; len(recorded) > 0 {
						t.passes[name] = append(t.passes[name], shifted(random, recorded[random.IntN(len(recorded))], common.Passes[scenario][0], phases))
					}
				}
				for range passes {
					add(scenario, nil)
					if phases := quick()[scenario]; phases != nil {
						for range *quickly {
							add(scenario+gate.Quick, phases)
						}
					} else if again {
						add(scenario+gate.Again, nil)
					}
				}
			}
			list[i][side] = t
		}
	}
	return list
}

// shifted is a sample in another round; of some phases alone, unless they are nil.
func shifted(random *rand.Rand, from, common sample, phases []string) sample {
	to := sample{}
	for _, phase := range keys(from) {
		switch {
		case phases != nil && !slices.Contains(phases, phase):
		case phase[0] == '#':
			to[phase] = from[phase]
		default:
			to[phase] = from[phase] * common[phase] * math.Exp(random.NormFloat64()*smooth)
		}
	}
	return to
}

// change is what is done to head.
type change struct {
	name   string
	slow   float64    // of all phases but the API server's reply
	one    float64    // of one of the latencies that a user waits for, each in turn
	often  float64    // the share of samples that are slower
	by     float64    // by so many times
	turn   bool       // in one scenario alone, each in turn
	costs  [3]float64 // times as much, where it is not 0
	third  bool       // of that: in every third round alone
	broken bool       // one sample is wrong
	judge  func(*gate.Result, [2]string) gate.Verdict
}

func changes() []change {
	memory, cpu := verdictOf("peak memory"), verdictOf("CPU for each change")
	return []change{
		{name: "none"},
		{name: "one +20%", one: 0.2, judge: verdictOfOne},
		{name: "one +50%", one: 0.5, judge: verdictOfOne},
		{name: "all +10%", slow: 0.1},
		{name: "tail", often: 0.1, by: 5},
		{name: "tail of one", often: 0.1, by: 5, turn: true},
		{name: "memory +15%", costs: [3]float64{0, 1.15}, judge: memory},
		{name: "memory +30%", costs: [3]float64{0, 1.3}, judge: memory},
		{name: "memory +45%", costs: [3]float64{0, 1.45}, judge: memory},
		{name: "memory x2, 1/3", costs: [3]float64{0, 2}, third: true, judge: memory},
		{name: "CPU +20%", costs: [3]float64{0, 0, 1.2}, judge: cpu},
		{name: "broken", broken: true},
	}
}

// latencies are those that a user waits for, by scenario and phase; without a deletion where the garbage collector
// removes the child, which the gate tells in the same way.
func (s *style) latencies() [][2]string {
	list := [][2]string{
		{"create", spec.PhaseChildWritten},
		{"create", spec.PhaseReady},
		{"scale-up", spec.PhaseChildWritten},
		{"scale-up", spec.PhaseReady},
		{"scale-down", spec.PhaseChildWritten},
		{"scale-down", spec.PhaseReady},
	}
	var writes []float64
	for _, b := range s.blocks {
		for _, one := range b.Passes["delete"] {
			writes = append(writes, one["#"+cost.Writes])
		}
	}
	slices.Sort(writes)
	if len(writes) == 0 || writes[len(writes)/2] > 0 {
		list = append(list, [2]string{"delete", spec.PhaseChildGone}, [2]string{"delete", spec.PhasePodsGone})
	}
	return list
}

// verdictOfOne is that of the latency whose turn it is.
func verdictOfOne(r *gate.Result, one [2]string) gate.Verdict {
	return verdict(r, gate.Key{Style: "style", Scenario: one[0], Phase: one[1], Kind: gate.Latency})
}

func verdictOf(figure string) func(*gate.Result, [2]string) gate.Verdict {
	return func(r *gate.Result, _ [2]string) gate.Verdict {
		return verdict(r, gate.Key{Style: "style", Phase: figure, Kind: gate.Cost})
	}
}

// verdict is a metric's; of one that the recording has not, that nothing is known.
func verdict(r *gate.Result, key gate.Key) gate.Verdict {
	if i := slices.IndexFunc(r.Metrics, func(m gate.Metric) bool { return m.Key == key }); i >= 0 {
		return r.Metrics[i].Verdict
	}
	return gate.Inconclusive
}

// compare judges three variants as opbench run --base does: by a few looks, and no further than it takes to know. The
// change is the n-th of its kind; it is of one latency or, where it is of one scenario, of that.
func compare(random *rand.Rand, rounds [][3]turn, effect float64, c change, one [2]string, n int) (*gate.Result, error) {
	j := &judge.Judgement{Header: record.Header{Run: "selftest", Schema: record.Schema}}
	recording := result.Recording{Judgement: j, Environment: &record.Environment{Planned: map[string]int{"style": len(rounds)}}}
	for side, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		j.Header.Styles = append(j.Header.Styles, record.Style{Style: spec.Style{Name: "style"}, Variant: variant})
		done := change{}
		if variant == gate.VariantHead {
			done = c
		}
		costs := cost.Cost{Style: "style", Variant: variant}
		for i, round := range rounds {
			done.cost(&costs, round[side].costs, i+1, n)
			for _, scenario := range keys(round[side].passes) {
				for k, s := range round[side].passes[scenario] {
					outcome := spec.Pass
					if done.broken && scenario == "create" && i == n%len(rounds) && k == 0 {
						outcome = spec.Fail
					}
					done.to(random, s, strings.TrimSuffix(strings.TrimSuffix(scenario, gate.Quick), gate.Again), one)
					count(&costs, scenario, i+1, s)
					j.Results = append(j.Results, judged(variant, scenario, i+1, s, outcome))
				}
			}
		}
		recording.Costs = append(recording.Costs, costs)
	}
	base, head, again, err := gate.Sides("selftest", recording)
	if err != nil {
		return nil, err
	}
	options := gate.DefaultOptions()
	options.Effect = effect
	return gate.Decide(options, base, head, again)
}

// cost adds what a block cost, as the change has it.
func (c *change) cost(to *cost.Cost, costs [3]float64, round, n int) {
	for k, f := range []*cost.Figure{&to.Install, &to.PeakMemory, &to.CPU} {
		if c.costs[k] != 0 && (!c.third || (round+n)%3 == 0) {
			costs[k] *= c.costs[k]
		}
		f.Values = append(f.Values, cost.Value{Round: round, Value: costs[k]})
	}
}

// to changes one sample.
func (c *change) to(random *rand.Rand, s sample, scenario string, one [2]string) {
	slow := c.often > 0 && random.Float64() < c.often && (!c.turn || scenario == one[0])
	for phase := range s {
		switch {
		case phase == spec.PhaseAcknowledged, phase[0] == '#':
		case slow:
			s[phase] *= c.by
		case c.one > 0 && scenario == one[0] && phase == one[1]:
			s[phase] *= 1 + c.one
		default:
			s[phase] *= 1 + c.slow
		}
	}
}

// count adds the counters of a sample.
func count(to *cost.Cost, scenario string, round int, s sample) {
	for _, name := range keys(s) {
		if name[0] != '#' {
			continue
		}
		i := slices.IndexFunc(to.Counters, func(c cost.Counter) bool { return c.Name == name[1:] && c.Scenario == scenario })
		if i < 0 {
			i = len(to.Counters)
			to.Counters = append(to.Counters, cost.Counter{Name: name[1:], Style: to.Style, Variant: to.Variant, Scenario: scenario})
		}
		to.Counters[i].Values = append(to.Counters[i].Values, cost.Count{Round: round, Value: int(s[name])})
	}
}

func judged(variant, scenario string, round int, values sample, outcome spec.Outcome) judge.Result {
	r := judge.Result{
		Style: "style", Variant: variant, Scenario: scenario, Round: round, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: outcome, Message: "as told"}},
	}
	for _, phase := range keys(values) {
		if phase[0] != '#' {
			r.Samples = append(r.Samples, judge.Sample{
				Operator: "style", Variant: variant, Scenario: scenario, Phase: phase, Block: round, Value: values[phase], Unit: "s", Outcome: judge.OK,
			})
		}
	}
	return r
}

// tally counts verdicts over comparisons.
type tally struct {
	n, rounds int
	verdict   map[gate.Verdict]int
	metrics   map[gate.Verdict]map[string]int
}

// percent is a verdict's share; better is fine.
func (t tally) percent(v gate.Verdict) float64 {
	n := t.verdict[v]
	if v == gate.Pass {
		n += t.verdict[gate.Improvement]
	}
	return 100 * float64(n) / float64(t.n)
}

// measure makes n comparisons of a style with a change.
func measure(t *testing.T, s *style, p profiles.Profile, c change, n int) tally {
	t.Helper()
	sum := tally{n: n, verdict: map[gate.Verdict]int{}, metrics: map[gate.Verdict]map[string]int{gate.Regression: {}, gate.Inconclusive: {}}}
	rounds, passes := s.plan(p)
	latencies := s.latencies()
	for i := range n {
		one := latencies[i%len(latencies)]
		random := rand.New(rand.NewPCG(*seed, uint64(i))) //nolint:gosec // a trial, not a secret
		r, err := compare(random, s.draw(random, rounds, passes, p.Again), p.Effect, c, one, i)
		if !assert.NoError(t, err, "%s, %s", s.name, c.name) {
			return sum
		}
		v := r.Verdict
		if c.judge != nil {
			v = c.judge(r, one)
		}
		sum.verdict[v]++
		sum.rounds += r.Rounds
		for _, m := range r.Metrics {
			if names := sum.metrics[m.Verdict]; names != nil {
				names[strings.TrimPrefix(m.Name(), "style ")]++
			}
		}
	}
	return sum
}

// TestSelftest measures the gate on data whose truth is known: the noise of
// recordings, as it is and with head made worse, within a profile's budget.
// `make gate-selftest` prints what it finds of each style, and checks that docs/gate.md
// says the same; with -update the table is written there.
func TestSelftest(t *testing.T) {
	p, err := profiles.Find(*profile)
	require.NoError(t, err)
	if *minutes > 0 {
		p.Budget = time.Duration(*minutes * float64(time.Minute))
	}
	some, slow := stylesOf(t, *every, *onlyStyles), []string{}
	if p.Name != profiles.Standard {
		some = slices.DeleteFunc(some, func(s *style) bool {
			rounds, _ := s.plan(p)
			if rounds < leastRounds {
				slow = append(slow, s.name)
			}
			return rounds < leastRounds
		})
	}
	by := slices.IndexFunc(changes(), func(c change) bool { return c.one == p.Effect })
	jobs := make([][]tally, len(some))
	queue := make(chan [2]int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for at := range queue {
				n := *comparisons
				if at[1] > 0 {
					n = changed(n)
				}
				jobs[at[0]][at[1]] = measure(t, some[at[0]], p, changes()[at[1]], n)
			}
		})
	}
	for i := range some {
		jobs[i] = make([]tally, len(changes()))
		for k := range changes() {
			queue <- [2]int{i, k}
		}
	}
	close(queue)
	workers.Wait()

	red, all := 0, 0
	for i, s := range some {
		none := jobs[i][0]
		red, all = red+none.verdict[gate.Regression], all+none.n
		worse, open := none.metrics[gate.Regression], none.metrics[gate.Inconclusive]
		t.Logf("%s: %.1f s beside passes of %.1f s; unchanged code: worse %v, cannot tell %v", s.name, s.fixed, s.pass, worse, open)
		assert.Less(t, surplus(none, gate.Regression, mostFalseAlarms), 0.999, "%s: false alarms, more than chance explains: %v", s.name, worse)
		assert.Less(t, surplus(jobs[i][by], gate.Pass, mostMissed), 0.999, "%s: a latency that is slower by %v passes", s.name, p.Effect)
		assert.Equal(t, jobs[i][len(changes())-1].n, jobs[i][len(changes())-1].verdict[gate.Regression], "%s: broken scenarios that are found", s.name)
	}
	assert.Less(t, distuv.Binomial{N: float64(all), P: mostFalseAlarms}.CDF(float64(red)-1), 0.999, "false alarms in all: %d of %d", red, all)
	text := table(some, jobs, p) + fmt.Sprintf("\nFalse alarms in all: %d of %d.", red, all)
	if len(slow) > 0 {
		text += fmt.Sprintf(" Fewer than %d rounds fit: %s.", leastRounds, strings.Join(slow, ", "))
	}
	text += "\n"
	fmt.Fprint(t.Output(), text)
	promised(t, p.Name, fmt.Sprintf("%d comparisons of unchanged code of each style, %d of each change, %.0f minutes, seed %d; in percent.\n\n",
		*comparisons, changed(*comparisons), p.Budget.Minutes(), *seed), text)
}

// changed is how many comparisons are made with each change, where n are made without
// one.
func changed(n int) int { return max(n*2/5, 8) }

// surplus is the probability of fewer of a verdict than there were, if they are
// as frequent as is just allowed.
func surplus(t tally, v gate.Verdict, most float64) float64 {
	return distuv.Binomial{N: float64(t.n), P: most}.CDF(float64(t.verdict[v]) - 1)
}

// table has a row for each style, in percent: of unchanged code what is red and what
// cannot be told, of each change what is found, and what is fine of one latency that is
// slower by a fifth and of memory.
func table(some []*style, jobs [][]tally, p profiles.Profile) string {
	var b strings.Builder
	b.WriteString("| noise of | rounds × passes | unchanged: red | cannot tell | one +20%: found | fine")
	for _, c := range changes()[2 : len(changes())-1] {
		b.WriteString(" | " + c.name)
	}
	b.WriteString(" |\n| --- | --: |" + strings.Repeat(" --: |", len(changes())+1) + "\n")
	for i, s := range some {
		rounds, passes := s.plan(p)
		fmt.Fprintf(&b, "| %s | %d × %d | %.1f | %.0f | %.0f | %.0f", s.name, rounds, passes,
			jobs[i][0].percent(gate.Regression), jobs[i][0].percent(gate.Inconclusive), jobs[i][1].percent(gate.Regression), jobs[i][1].percent(gate.Pass))
		for _, one := range jobs[i][2 : len(changes())-1] {
			fmt.Fprintf(&b, " | %.0f", one.percent(gate.Regression))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// promised checks that docs/gate.md has the table of as many comparisons, or writes it.
func promised(t *testing.T, name, head, text string) {
	t.Helper()
	const file, end = "../../docs/gate.md", "<!-- end -->"
	begin := "<!-- make gate-selftest: " + name + " -->\n"
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(content), begin)
	require.True(t, found, begin)
	is, after, found := strings.Cut(rest, end)
	require.True(t, found)
	switch {
	case *every || *onlyStyles != "" || *quickly != 1:
	case *update && *comparisons > 100:
		require.NoError(t, os.WriteFile(file, []byte(before+begin+head+text+end+after), 0o600))
	case strings.HasPrefix(is, head):
		assert.Equal(t, head+text, is, "docs/gate.md has other figures: make gate-selftest ARGS=-update")
	}
}

func keys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
