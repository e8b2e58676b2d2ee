package gate_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

var recordings = flag.String("recordings", "../../docs/results", "folder of the published runs that TestNoise -update takes the noise from")

const noiseFile = "testdata/noise.json.gz"

// measured is what the single changes of one run took, by style: the noise that the
// self-test draws from.
type measured struct {
	Recording string             `json:"recording"` // the folder
	Run       string             `json:"run"`
	Machine   string             `json:"machine"`
	Styles    map[string][]block `json:"styles"`
}

// block is one installation of a style in one round.
type block struct {
	Round   int     `json:"round"`
	Outside float64 `json:"outside"` // seconds that installing and removing took, the mean of its run
	Pass    float64 `json:"pass"`    // seconds that once through all scenarios took
	// Costs are install, peak memory and CPU time for each change.
	Costs [3]float64 `json:"costs"`
	// Passes are what each sample shows, by scenario: seconds by phase, and counters.
	Passes       map[string][]sample `json:"passes"`
	began, ended float64
}

type sample map[string]float64

// TestNoise reads the noise that the self-test draws from; with -update it is taken
// from the recordings anew, all single changes of all that are published:
//
//	go test ./e2e/gate -run '^TestNoise$' -update [-recordings=DIR]
func TestNoise(t *testing.T) {
	if *update {
		var all []measured
		for _, folder := range []string{"replication-quick/*", "replication-slow/*", "comparison/*", "variants/*"} {
			found, err := filepath.Glob(filepath.Join(*recordings, folder))
			require.NoError(t, err)
			slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
			for _, one := range found {
				if _, err := os.Stat(filepath.Join(one, result.SavedName)); err == nil {
					all = append(all, measuredIn(t, one)...)
				}
			}
		}
		var out bytes.Buffer
		packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		require.NoError(t, err)
		require.NoError(t, json.NewEncoder(packed).Encode(all))
		require.NoError(t, packed.Close())
		require.NoError(t, os.WriteFile(noiseFile, out.Bytes(), 0o600))
	}
	info, err := os.Stat(noiseFile)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(200_000))
	for _, m := range noise(t) {
		t.Log(m.Recording, m.Run, m.Machine, slices.Sorted(maps.Keys(m.Styles)))
	}
}

func noise(t *testing.T) []measured {
	t.Helper()
	file, err := os.Open(noiseFile)
	require.NoError(t, err)
	defer file.Close()
	in, err := gzip.NewReader(file)
	require.NoError(t, err)
	var all []measured
	require.NoError(t, json.NewDecoder(in).Decode(&all))
	return all
}

// measuredIn takes the single changes from a recording; none: it has none.
func measuredIn(t *testing.T, folder string) []measured {
	t.Helper()
	recording, err := result.Load(folder)
	require.NoError(t, err)
	name, err := filepath.Rel(filepath.Dir(*recordings), folder)
	require.NoError(t, err)
	m := measured{name, recording.Judgement.Header.Run, recording.Environment.Host.CPU, map[string][]block{}}
	for i := range recording.Judgement.Results {
		one := &recording.Judgement.Results[i]
		s := sample{}
		for _, latency := range one.Samples {
			if latency.Outcome == judge.OK && latency.Value > 0 {
				s[latency.Phase] = rounded(latency.Value)
			}
		}
		if one.Warmup || one.Matrix || one.Style == spec.Floor || one.Variant != "" || !slices.Contains(scenarios(), one.Scenario) || len(s) == 0 {
			continue
		}
		b := m.block(one.Style, one.Round)
		if b.began == 0 {
			b.began = one.Began.Seconds()
		}
		b.ended = max(b.ended, one.Ended.Seconds())
		b.Passes[one.Scenario] = append(b.Passes[one.Scenario], s)
	}
	for _, c := range recording.Costs {
		if c.Variant == "" {
			m.cost(c)
		}
	}
	for style, blocks := range m.Styles {
		blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.Passes["scale-down"] == nil })
		if m.Styles[style] = blocks; len(blocks) == 0 {
			delete(m.Styles, style)
		}
		for i := range blocks {
			blocks[i].Pass = rounded((blocks[i].ended - blocks[i].began) / float64(len(blocks[i].Passes["create"])))
		}
		for _, stage := range recording.Environment.Stages {
			if slices.Contains([]string{"install " + style, "uninstall " + style}, stage.Name) {
				for i := range blocks {
					blocks[i].Outside = rounded(blocks[i].Outside + stage.Seconds/float64(stage.Times))
				}
			}
		}
	}
	if len(m.Styles) == 0 {
		return nil
	}
	return []measured{m}
}

func (m *measured) block(style string, round int) *block {
	i := slices.IndexFunc(m.Styles[style], func(b block) bool { return b.Round == round })
	if i < 0 {
		i = len(m.Styles[style])
		m.Styles[style] = append(m.Styles[style], block{Round: round, Passes: map[string][]sample{}})
	}
	return &m.Styles[style][i]
}

func (m *measured) cost(c cost.Cost) {
	installed := c.FirstHandled
	if !installed.Known() {
		installed = c.Install
	}
	for i, figure := range []cost.Figure{installed, c.PeakMemory, c.CPU} {
		for _, v := range figure.Values {
			for k := range m.Styles[c.Style] {
				if b := &m.Styles[c.Style][k]; b.Round == v.Round {
					b.Costs[i] = rounded(v.Value)
				}
			}
		}
	}
	for _, counter := range c.Counters {
		if !slices.Contains([]string{cost.Pods, cost.Calls, cost.Writes}, counter.Name) && !strings.HasPrefix(counter.Name, cost.MadePrefix) {
			continue
		}
		for k := range m.Styles[c.Style] {
			b := &m.Styles[c.Style][k]
			n := 0
			for _, v := range counter.Values {
				if v.Round == b.Round && n < len(b.Passes[counter.Scenario]) {
					b.Passes[counter.Scenario][n]["#"+counter.Name] = float64(v.Value)
					n++
				}
			}
		}
	}
}

// rounded keeps three digits: the second is already far below any noise.
func rounded(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return y
}

// scenarios are those of a pass.
func scenarios() []string { return []string{"create", "delete", "scale-down", "scale-up"} }

// quick are the scenarios that a gate also goes through at size 0, with the phases that
// count of those; through the others it goes twice.
func quick() map[string][]string {
	return map[string][]string{
		"create": {spec.PhaseAcknowledged, spec.PhaseChildWritten},
		"delete": {spec.PhaseAcknowledged, spec.PhaseChildGone},
	}
}

// style is the noise of a style in one run.
type style struct {
	name        string
	blocks      []block // with what the rounds had in common taken out
	rounds      []block // one sample of each scenario: by how many times a round took longer
	fixed, pass float64 // seconds that a block of a gate takes, and each pass of it besides
	quick       float64 // seconds that what is quick takes in a pass
	again       float64 // seconds that resizing a second time adds to a pass
}

// stylesOf are the styles of runs that have at least six rounds of them: each as the first
// of these shows it (replications come first), without variants; or as every one does.
func stylesOf(t *testing.T, every bool, only string) []*style {
	t.Helper()
	var list []*style
	for _, m := range noise(t) {
		for _, name := range keys(m.Styles) {
			if len(m.Styles[name]) < 6 || only != "" && !slices.Contains(strings.Split(only, ","), name) {
				continue
			}
			s := m.style(name)
			switch {
			case every:
				s.name += " (" + m.Recording + ")"
				list = append(list, s)
			case !strings.Contains(m.Recording, "variants") && !slices.ContainsFunc(list, func(other *style) bool { return other.name == name }):
				list = append(list, s)
			}
		}
	}
	return list
}

// at are the logarithms of a phase's samples in a block; of no scenario: of a cost.
func (b *block) at(scenario, phase string) []float64 {
	if scenario == "" {
		return []float64{math.Log(b.Costs[phase[0]-'0'])}
	}
	var list []float64
	for _, s := range b.Passes[scenario] {
		if v, known := s[phase]; known {
			list = append(list, math.Log(v))
		}
	}
	return list
}

// enoughStyles are as many as show what a round has in common.
const enoughStyles = 4

// common is what rounds have in common of a phase, by round: the mean over styles of
// how far their means are from those of all their rounds. Nothing: there are too few.
func (m *measured) common(scenario, phase string) map[int]float64 {
	far := map[int][]float64{}
	for _, name := range keys(m.Styles) {
		var rounds []int
		var means []float64
		for _, b := range m.Styles[name] {
			if x := b.at(scenario, phase); len(x) > 0 {
				rounds, means = append(rounds, b.Round), append(means, stat.Mean(x, nil))
			}
		}
		for i, round := range rounds {
			far[round] = append(far[round], means[i]-stat.Mean(means, nil))
		}
	}
	common := map[int]float64{}
	for round, x := range far {
		if len(x) >= enoughStyles {
			common[round] = stat.Mean(x, nil)
		}
	}
	return common
}

// style takes what rounds have in common out of a style's noise, and what chance makes
// of it: blocks differ as much as their means do beyond what so few samples of each
// explain, and samples as they do within a block, neither less for being compared with
// a mean that they are part of.
func (m *measured) style(name string) *style {
	s := &style{name: name}
	for _, b := range m.Styles[name] {
		common := block{Passes: map[string][]sample{}}
		for _, scenario := range scenarios() {
			common.Passes[scenario] = []sample{{}}
		}
		copied := block{Round: b.Round, Passes: map[string][]sample{}}
		for scenario, samples := range b.Passes {
			for _, one := range samples {
				copied.Passes[scenario] = append(copied.Passes[scenario], maps.Clone(one))
			}
		}
		s.blocks, s.rounds = append(s.blocks, copied), append(s.rounds, common)
		s.fixed += b.Outside / float64(len(m.Styles[name]))
		s.pass += b.Pass / float64(len(m.Styles[name]))
	}
	for cost := range 3 {
		m.settle(s, "", fmt.Sprint(cost))
	}
	for _, scenario := range scenarios() {
		phases := map[string]bool{}
		for _, b := range m.Styles[name] {
			for _, one := range b.Passes[scenario] {
				for phase := range one {
					phases[phase] = phase[0] != '#'
				}
			}
		}
		for _, phase := range keys(phases) {
			if phases[phase] {
				m.settle(s, scenario, phase)
			}
		}
	}
	// The warm-up is a quick create. Quick scenarios end when nothing has happened for
	// half a second, and so do those that are gone through again.
	const quiet = 0.5
	s.fixed += m.median(name, "create", spec.PhaseChildWritten) + quiet
	s.quick = m.median(name, "create", spec.PhaseChildWritten) + m.median(name, "delete", spec.PhaseChildGone) + 2*quiet
	s.pass += s.quick
	s.again += m.median(name, "scale-up", spec.PhaseQuiet) + m.median(name, "scale-down", spec.PhaseQuiet) + 2*quiet
	return s
}

// median is that of a phase over all samples of a style; 0: it has none.
func (m *measured) median(name, scenario, phase string) float64 {
	var x []float64
	for _, b := range m.Styles[name] {
		x = append(x, b.at(scenario, phase)...)
	}
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	return math.Exp(stat.Quantile(0.5, stat.Empirical, x, nil))
}

// settle does it for one phase.
func (m *measured) settle(s *style, scenario, phase string) {
	from, common := m.Styles[s.name], m.common(scenario, phase)
	var means, within []float64
	n := 0.0
	for _, b := range from {
		x := b.at(scenario, phase)
		if len(x) == 0 {
			continue
		}
		n += float64(len(x))
		means = append(means, stat.Mean(x, nil)-common[b.Round])
		if len(x) > 1 {
			within = append(within, stat.Variance(x, nil))
		}
	}
	blocks, samples := 1.0, 1.0 // by how many times they differ as they did
	if k := float64(len(means)); k > 1 {
		blocks, n = math.Sqrt(k/(k-1)), n/k
		if styles := float64(len(m.Styles)); len(common) > 0 {
			blocks *= math.Sqrt(styles / (styles - 1))
		}
		if v := stat.Variance(means, nil); len(within) > 0 && v > 0 {
			blocks *= math.Sqrt(max(0, 1-stat.Mean(within, nil)/n/v))
			samples = math.Sqrt(n / (n - 1))
		}
	}
	middle := stat.Mean(means, nil)
	for i, b := range from {
		x := b.at(scenario, phase)
		if len(x) == 0 {
			continue
		}
		own := stat.Mean(x, nil)
		centre := middle + blocks*(own-common[b.Round]-middle)
		if scenario == "" {
			s.blocks[i].Costs[phase[0]-'0'] = math.Exp(centre)
			continue
		}
		for k := range s.rounds { // of one that does not know it nothing is known
			s.rounds[k].Passes[scenario][0][phase] = math.Exp(common[from[k].Round])
		}
		for _, one := range s.blocks[i].Passes[scenario] {
			if v, known := one[phase]; known {
				one[phase] = math.Exp(centre + samples*(math.Log(v)-own))
			}
		}
	}
}
