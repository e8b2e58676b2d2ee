package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// staged is a custom resource of a load that was written in time, of the stage or rate that its sample has.
func staged(took time.Duration, s judge.Sample) judge.Result {
	s.Phase, s.At, s.Value, s.Outcome = spec.PhaseChildWritten, s.From+took, took.Seconds(), judge.OK
	return judge.Result{
		Style: s.Operator, Scenario: s.Scenario, Group: spec.GroupLoad, Round: s.Block, Stage: s.Stage, Held: s.Held, Rate: s.Rate, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: spec.Pass}}, Samples: []judge.Sample{s},
	}
}

// A growth has a row for each number of custom resources, the floor's figures beside, and says in a sentence what it
// takes.
func TestTableOfGrowths(t *testing.T) {
	j := judge.Judgement{Header: record.Header{
		Run: "abc123", Styles: []record.Style{{Style: spec.Style{Name: spec.Floor}}, {Style: spec.Style{Name: "controller-runtime-defaults"}}},
		Scenarios: []record.Scenario{{Name: "growth", Group: spec.GroupLoad}},
	}}
	add := func(style, stage string, held int, from, took time.Duration) {
		j.Results = append(j.Results, staged(took, judge.Sample{Operator: style, Scenario: "growth", Run: "abc123", Block: 1, Stage: stage, Held: held, From: from}))
	}
	for i := range 10 {
		at := time.Duration(i) * 200 * time.Millisecond
		add(spec.Floor, record.StageMore, 0, at, 10*time.Millisecond)
		add(spec.Floor, record.StageMore, 1000, at, 12*time.Millisecond)
		add("controller-runtime-defaults", record.StageMore, 0, at, 20*time.Millisecond)
		add("controller-runtime-defaults", record.StageMore, 1000, at, 25*time.Millisecond)
		add("controller-runtime-defaults", record.StageDown, 1010, time.Minute, time.Second+at)
	}
	add("controller-runtime-defaults", record.StageNewcomer, 1020, 61*time.Second, 450*time.Millisecond)
	figure := func(unit string, value float64) cost.Figure {
		return cost.Figure{Unit: unit, Values: []cost.Value{{Round: 1, Value: value}}}
	}
	rest := func(customs int, restarted bool, beside string, mib float64) cost.Rest {
		return cost.Rest{
			Load: "growth", Customs: customs, Restarted: restarted, Beside: beside, Each: 1000, Memory: figure("bytes", mib*(1<<20)), CPU: figure("cores", 0.002), Requests: figure("1", 4),
			Calls: []cost.Call{{Verb: "list", Resource: "pods.v1", PerMinute: 4}},
		}
	}
	again := rest(1021, true, "", 50)
	again.Stop, again.Grace = figure("s", 0.88), 10
	r := Of(result.Recording{Judgement: &j, Costs: []cost.Cost{{
		Style: "controller-runtime-defaults", Rests: []cost.Rest{rest(0, false, "", 20), rest(1000, false, "", 52), again, rest(1021, true, "secrets", 54), rest(1021, true, "pods", 53.5), rest(1021, true, "configmaps", 53.6)},
		Kept: []cost.Kept{{Load: "growth", Stage: record.StageFill, Customs: 10, Entries: 5000, Seconds: 25, CPU: 2.5, Memory: 200 << 20}},
	}}})
	tables := r.growthTables()
	require.Len(t, tables, 2)
	assert.Equal(t, []string{"controller-runtime-defaults|1|1010|10|1.00 s|2.80 s|450 ms|25 %|"}, rowsOf(tables[1]))
	assert.Equal(t, []string{
		"floor|0|10|10.0 ms|10.0 ms|–|–|0|–|–|–|",
		"floor|1000|10|12.0 ms|12.0 ms|–|–|0|–|–|–|",
		"controller-runtime-defaults|0|10|20.0 ms|20.0 ms|10.0 ms|10.0 ms|0|20.0 MiB|0.20 %|4|",
		"controller-runtime-defaults|1000|10|25.0 ms|25.0 ms|12.0 ms|12.0 ms|0|52.0 MiB|0.20 %|4|",
	}, rowsOf(tables[0]))
	for _, table := range tables {
		for _, line := range table.Lines(nil) {
			assert.False(t, strings.HasSuffix(line, "…"), line)
		}
	}
	assert.Contains(t, strings.Join(tables[0].Notes, "\n"), "req/min: their requests to the API server meanwhile, in a minute, those for leases left out")
	assert.Contains(t, tables[0].Notes, "controller-runtime-defaults: one custom resource more takes 20.0 ms where there are 0, and 25.0 ms where there are 1000 (the floor 10.0 ms and 12.0 ms); "+
		"at rest with 1000 it makes 4 requests a minute; a thousand take 32.0 MiB; it stops within 880 ms of the 10 s that its pods have; started again with 1010 and 10 new ones, these are written after 2.80 s, "+
		"and one that is created meanwhile waits 450 ms, 25% of the time left until then; a thousand secrets that are not its own take 4.00 MiB; "+
		"a thousand pods or configmaps that are not its own take less than 1.00 MiB.")
	assert.Contains(t, tables[0].Notes, "controller-runtime-defaults, requests a minute at rest with 1000: list pods.v1 4.")
	assert.Contains(t, tables[0].Notes, "controller-runtime-defaults, the harness for each entry of the recording: 0.50 ms from 10 on (10% of a core); at most 200 MiB.")
	assert.Equal(t, "32.0 MiB", r.Value("controller-runtime-defaults", "growth.memory").Text)
	assert.Equal(t, "52.0 MiB", r.Value("controller-runtime-defaults", result.Keeps("growth")).Text)
	assert.Equal(t, "25 %", r.Value("controller-runtime-defaults", "growth.newcomer").Text)
	assert.Equal(t, "2.80 s", r.Value("controller-runtime-defaults", "growth.whole").Text)
	assert.Equal(t, "25.0 ms", r.Value("controller-runtime-defaults", "growth.more").Text)
	assert.Empty(t, r.RatesTable().Rows)
}

// Of several runs each has a table of its own, and the floor of its own cluster beside it: what two machines took is never
// put together.
func TestEachRunsLoadsStandBesideItsOwnFloor(t *testing.T) {
	run := func(name string, floor, took time.Duration) result.Recording {
		j := judge.Judgement{Header: record.Header{
			Run: name, Styles: []record.Style{{Style: spec.Style{Name: spec.Floor}}, {Style: spec.Style{Name: "native"}}},
			Scenarios: []record.Scenario{{Name: "growth", Group: spec.GroupLoad}, {Name: "burst-create", Group: spec.GroupLoad}, {Name: "ramp", Group: spec.GroupLoad, Ramp: &spec.Ramp{From: 1, Most: 1, Hold: 2 * time.Second, P99: time.Second}}},
		}}
		add := func(style, scenario, stage string, rate, i int, took time.Duration) {
			j.Results = append(j.Results, staged(took, judge.Sample{Operator: style, Scenario: scenario, Run: name, Block: 1, Stage: stage, Rate: rate, From: time.Duration(i) * time.Second}))
		}
		for i := range 2 {
			for style, took := range map[string]time.Duration{spec.Floor: floor, "native": took} {
				add(style, "growth", record.StageMore, 0, i, took)
				add(style, "burst-create", "", 0, i, took)
				add(style, "ramp", "", 1, i, took)
			}
		}
		return result.Recording{Judgement: &j}
	}
	r := Of(run("aaaaaaaa", 10*time.Millisecond, 20*time.Millisecond), run("bbbbbbbb", 50*time.Millisecond, 90*time.Millisecond))
	rows := map[string][]string{}
	for _, table := range r.tables() {
		for _, head := range []string{"growth", "Loads: written", "ramp, step"} {
			if strings.HasPrefix(table.Title, head) {
				_, name, _ := strings.Cut(table.Title, "Run ")
				name, _, _ = strings.Cut(name, ":")
				rows[head+" "+name] = append(rows[head+" "+name], rowsOf(table)...)
			}
		}
	}
	assert.Equal(t, map[string][]string{
		"growth aaaaaaaa":         {"floor|0|2|10.0 ms|10.0 ms|–|–|0|–|–|–|", "native|0|2|20.0 ms|20.0 ms|10.0 ms|10.0 ms|0|–|–|–|"},
		"growth bbbbbbbb":         {"floor|0|2|50.0 ms|50.0 ms|–|–|0|–|–|–|", "native|0|2|90.0 ms|90.0 ms|50.0 ms|50.0 ms|0|–|–|–|"},
		"Loads: written aaaaaaaa": {"burst-create|floor|2|1.00|1.98|10.0 ms|10.0 ms|–|yes|", "burst-create|native|2|1.00|1.96|20.0 ms|20.0 ms|–|yes|"},
		"Loads: written bbbbbbbb": {"burst-create|floor|2|1.00|1.90|50.0 ms|50.0 ms|–|yes|", "burst-create|native|2|1.00|1.83|90.0 ms|90.0 ms|–|yes|"},
		"ramp, step aaaaaaaa":     {"floor|1|1|2|1.98|10.0 ms|10.0 ms|0|0 s|0 s|–|", "native|1|1|2|1.96|20.0 ms|20.0 ms|0|0 s|0 s|–|"},
		"ramp, step bbbbbbbb":     {"floor|1|1|2|1.90|50.0 ms|50.0 ms|0|0 s|0 s|–|", "native|1|1|2|1.83|90.0 ms|90.0 ms|0|0 s|0 s|–|"},
	}, rows)
	assert.Equal(t, "aaaaaaaa", r.Value("native", result.Holds("ramp")).Run, "the first that has it")
	assert.Equal(t, "20.0 ms", r.Value("native", "growth.more").Text)
}

// What a queue gives a newcomer shows side by side: of controller-runtime without its priority queue it waits for all that
// was there. Over rounds each figure is a median with all that was seen, and from six on with its interval.
func TestNewcomersOfTwoQueuesStandSideBySide(t *testing.T) {
	rows := func(rounds int) []string {
		j := judge.Judgement{Header: record.Header{
			Run: "abc123", Styles: []record.Style{{Style: spec.Style{Name: "controller-runtime"}}, {Style: spec.Style{Name: "controller-runtime-fifo"}}},
			Scenarios: []record.Scenario{{Name: "growth", Group: spec.GroupLoad}},
		}}
		add := func(style, stage string, round int, from, took time.Duration) {
			j.Results = append(j.Results, staged(took, judge.Sample{Operator: style, Scenario: "growth", Run: "abc123", Block: round, Stage: stage, Held: 1030, From: from}))
		}
		for round := 1; round <= rounds; round++ {
			for style, waits := range map[string]time.Duration{"controller-runtime": 100 * time.Millisecond, "controller-runtime-fifo": 1800 * time.Millisecond} {
				add(style, record.StageDown, round, time.Minute, 3*time.Second)
				add(style, record.StageDown, round, time.Minute, 5*time.Second)
				add(style, record.StageNewcomer, round, time.Minute+3*time.Second, waits+time.Duration(round)*20*time.Millisecond)
			}
		}
		return rowsOf(Of(result.Recording{Judgement: &j}).growthTables()[1])
	}
	assert.Equal(t, []string{
		"controller-runtime|3|1030|2|3.00 s|5.00 s|140 ms (120 ms to 160 ms seen)|7 % (6 % to 8 % seen)|",
		"controller-runtime-fifo|3|1030|2|3.00 s|5.00 s|1.84 s (1.82 s to 1.86 s seen)|92 % (91 % to 93 % seen)|",
	}, rows(3))
	assert.Equal(t, []string{
		"controller-runtime|6|1030|2|3.00 s|5.00 s|160 ms [120 ms, 220 ms]|8 % [6 %, 11 %]|",
		"controller-runtime-fifo|6|1030|2|3.00 s|5.00 s|1.86 s [1.82 s, 1.92 s]|93 % [91 %, 96 %]|",
	}, rows(6))
}
