package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// comparison is a recording of a style that creates one replica. The keys are
// variants, the values how many milliseconds each round takes; negative: it
// makes two replicas, which is wrong.
func comparison(t *testing.T, run string, rounds map[string][]int) []byte {
	t.Helper()
	w := &writer{t: t, encoder: json.NewEncoder(&bytes.Buffer{})}
	header := &record.Header{Schema: record.Schema, Run: run}
	longest := 0
	for _, variant := range []string{"", "base", "again", "head"} {
		if rounds[variant] != nil {
			header.Styles = append(header.Styles, record.Style{Style: spec.Style{Name: "mine", Child: spec.Child{Name: "{{.Name}}"}}, Variant: variant})
			longest = max(longest, len(rounds[variant]))
		}
	}
	w.encoder = json.NewEncoder(&w.out)
	w.add(record.Entry{Kind: record.KindHeader, Header: header})
	for round := range longest {
		for _, style := range header.Styles {
			if took := rounds[style.Variant]; round < len(took) {
				w.create(style.Variant, round+1, took[round])
			}
		}
	}
	return w.out.Bytes()
}

type writer struct {
	t       *testing.T
	out     bytes.Buffer
	encoder *json.Encoder
	now     time.Duration
	version int
}

func (w *writer) add(e record.Entry) {
	e.Time = w.now
	require.NoError(w.t, w.encoder.Encode(e))
}

func (w *writer) create(variant string, round, took int) {
	size, replicas := 1, 1
	if took < 0 {
		took, replicas = -took, 2
	}
	namespace := fmt.Sprintf("services-%s-%d", variant, round)
	w.add(record.Entry{Kind: record.KindBegin, Begin: &record.Sample{
		Style: "mine", Variant: variant, Scenario: "create", Round: round, Namespace: namespace, Name: "cache", Size: &size,
		Timeout: time.Minute, Window: time.Second, Expect: []string{"converged"},
	}})
	custom := w.object("cache", "cr", `"spec":{"size":1}`)
	w.now += time.Millisecond
	w.add(record.Entry{Kind: record.KindAction, Action: &record.Action{
		From: w.now - time.Millisecond, Verb: "create", Resource: "memcacheds.v1alpha1.cache.example.com", Namespace: namespace, Name: "cache", Measured: true, Object: custom,
	}})
	w.now += time.Duration(took) * time.Millisecond
	w.add(record.Entry{Kind: record.KindWatch, Watch: &record.Watch{
		Event: "ADDED", Resource: "deployments.v1.apps", Namespace: namespace, Name: "cache", UID: "d",
		Object: w.object("cache", "d", fmt.Sprintf(`"spec":{"replicas":%[1]d},"status":{"observedGeneration":1,"replicas":%[1]d,"readyReplicas":%[1]d,"updatedReplicas":%[1]d}`, replicas)),
	}})
	w.now += time.Second
	w.add(record.Entry{Kind: record.KindEnd, End: &record.End{
		Outcome: record.Settled, Style: "mine", Variant: variant, Scenario: "create", Round: round, Namespace: namespace,
	}})
}

func (w *writer) object(name, uid, rest string) json.RawMessage {
	w.version++
	return json.RawMessage(fmt.Sprintf(`{"metadata":{"name":%q,"uid":%q,"generation":1,"resourceVersion":"%d"},%s}`, name, uid, w.version, rest))
}

// about are n rounds that take about as many milliseconds.
func about(ms, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = ms + i%3 - 1
	}
	return list
}

// folder is a results folder with a recording, and an environment if there is a
// CPU to name.
func folder(t *testing.T, recording []byte, cpu string) string {
	t.Helper()
	dir := filepath.Dir(file(t, record.FileName, recording))
	if cpu != "" {
		require.NoError(t, (&record.Environment{Host: record.Host{CPU: cpu}}).Write(dir))
	}
	return dir
}

// What each verdict prints, writes and ends with.
func TestGateVerdicts(t *testing.T) {
	for name, test := range map[string]struct {
		rounds map[string][]int
		status int
		want   string
	}{
		"fine":            {map[string][]int{"base": about(100, 8), "again": about(100, 8), "head": about(101, 8)}, 0, "\nFINE. Nothing fails, is missing, or may do more."},
		"better":          {map[string][]int{"base": about(100, 8), "again": about(100, 8), "head": about(50, 8)}, 0, "\nFINE, and better: mine create child written"},
		"slower":          {map[string][]int{"base": about(100, 8), "again": about(100, 8), "head": about(130, 8)}, 1, "\nSLOWER: mine create"},
		"broken":          {map[string][]int{"base": about(100, 8), "head": append(about(100, 7), -100)}, 1, "\nBROKEN: mine create."},
		"too few rounds":  {map[string][]int{"base": about(100, 3), "head": about(130, 3)}, gate.Inconclusive.Status(), "3 rounds: at least 9 are needed"},
		"unsteady":        {map[string][]int{"base": about(100, 8), "again": about(150, 8), "head": about(100, 8)}, 0, "1.49 – 1.50"},
		"missing":         {map[string][]int{"base": about(100, 8), "again": about(100, 8), "head": about(100, 4)}, gate.Inconclusive.Status(), "head was driven through it in only 4 of base's 8 rounds"},
		"no run with two": {map[string][]int{"base": about(100, 8)}, 3, "it holds the variants base"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, comparison(t, "run1", test.rounds), "AMD")
			status, stdout, stderr := opbench(t, "gate", dir)
			assert.Equal(t, test.status, status, stdout+stderr)
			assert.Contains(t, stdout+stderr, test.want)
			if test.status == 3 {
				assert.NoFileExists(t, filepath.Join(dir, gateJSON))
				return
			}
			var document struct {
				Status     int
				Conclusion string
			}
			require.NoError(t, json.Unmarshal(read(t, dir, gateJSON), &document))
			assert.Equal(t, test.status, document.Status)
			assert.Contains(t, stdout, document.Conclusion)
			assert.Contains(t, string(read(t, dir, gateMarkdown)), "## operatorbench gate: ")
			assert.Contains(t, string(read(t, dir, gateMarkdown)), gate.Marker+"\n")
		})
	}
}

func TestGateOfTwoRuns(t *testing.T) {
	base := folder(t, comparison(t, "run1", map[string][]int{"": about(100, 8)}), "AMD")
	head := folder(t, comparison(t, "run2", map[string][]int{"": about(130, 8)}), "AMD")
	status, stdout, stderr := opbench(t, "gate", "--base="+base, "--head", head)
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "in two runs, 8 rounds")
	assert.Equal(t, "opbench: gate: slower\n", stderr)
	assert.FileExists(t, filepath.Join(head, gateMarkdown), "it is head that is judged")
	assert.NoFileExists(t, filepath.Join(base, gateMarkdown))

	status, _, _ = opbench(t, "gate", "--base="+base, "--head="+head, "--tolerance=40%", "--effect=0.5")
	assert.Equal(t, 0, status, "a tolerance that large lets it pass")

	again := folder(t, comparison(t, "run3", map[string][]int{"": about(130, 8)}), "AMD")
	out := filepath.Join(t.TempDir(), "new", "folder")
	status, stdout, _ = opbench(t, "gate", "--base="+base, "--head="+head, "--again="+again, "--out="+out)
	assert.Equal(t, gate.Inconclusive.Status(), status, "base again is as slow as head")
	assert.Contains(t, stdout, "1.29 – 1.31", "base again stands beside it")
	assert.FileExists(t, filepath.Join(out, gateJSON))
}

// A compressed recording is taken, and runs in shards.
func TestGateOfShards(t *testing.T) {
	both := folder(t, comparison(t, "run1", map[string][]int{"base": about(100, 8), "again": about(100, 8), "head": about(130, 8)}), "AMD")
	status, stdout, stderr := opbench(t, "gate", together(t, both))
	assert.Equal(t, 1, status, stderr)
	assert.Contains(t, stdout, "SLOWER: mine create")

	other := folder(t, comparison(t, "run2", map[string][]int{"": about(100, 8)}), "AMD")
	status, stdout, stderr = opbench(t, "gate", together(t, other, both))
	assert.Equal(t, 1, status, stderr)
	assert.Contains(t, stdout, "SLOWER: mine create", "of the run that compares base and head")

	more := folder(t, comparison(t, "run3", map[string][]int{"": about(100, 8)}), "AMD")
	runs := together(t, other, more)
	status, _, stderr = opbench(t, "gate", "--base="+runs, "--head="+both, "--out="+t.TempDir())
	assert.Equal(t, gate.StatusInvalid, status)
	assert.Contains(t, stderr, "rounds of two runs do not compare")
}

// Bare recordings have no environment, and nothing is written beside them.
func TestGateOfRecordings(t *testing.T) {
	base := file(t, "base.jsonl", comparison(t, "run1", map[string][]int{"": about(100, 8)}))
	whole := comparison(t, "run2", map[string][]int{"": about(100, 9)})
	head := file(t, "head.jsonl", whole[:len(whole)-20])
	status, stdout, _ := opbench(t, "gate", "--base="+base, "--head="+head)
	assert.Equal(t, 0, status, "as far as they go, they are the same")
	assert.Contains(t, stdout, "has no environment.json: whether base and head are of one machine is not known")
	assert.Contains(t, stdout, "the recording's last line is cut off; all before it is judged")
	left, err := os.ReadDir(filepath.Dir(head))
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

func TestGateRefuses(t *testing.T) {
	recording := func(run string) []byte { return comparison(t, run, map[string][]int{"": about(100, 8)}) }
	base, head := folder(t, recording("run1"), "AMD"), folder(t, recording("run2"), "Intel")
	first := bytes.Replace(recording("run3"), fmt.Appendf(nil, `"schema":%d`, record.Schema), []byte(`"schema":1`), 1)
	old := folder(t, bytes.ReplaceAll(first, []byte(`"declares":`), []byte(`"-":`)), "AMD") // which it did not have
	other := folder(t, bytes.ReplaceAll(recording("run4"), []byte(`"mine"`), []byte(`"yours"`)), "AMD")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"a copy":            {[]string{"--base=" + base, "--head=" + folder(t, recording("run1"), "AMD")}, "base and head are the same: run run1"},
		"other machine":     {[]string{"--base=" + base, "--head=" + head}, "are of different machines or clusters"},
		"other schema":      {[]string{"--base=" + base, "--head=" + old}, fmt.Sprintf("this program reads schema %d: ", record.Schema)},
		"nothing in common": {[]string{"--base=" + base, "--head=" + other}, "no style and scenario in common: base has mine create; head has yours create"},
		"out is no folder":  {[]string{"--base=" + base, "--head=" + head, "--force", "--out=" + file(t, "f", nil)}, "expected a folder to write into"},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := opbench(t, append([]string{"gate"}, test.args...)...)
			assert.Equal(t, 3, status, "never one that could be taken for a verdict")
			assert.Contains(t, stderr, test.want)
			assert.Empty(t, stdout)
		})
	}
}

func TestGateForced(t *testing.T) {
	base := folder(t, comparison(t, "run1", map[string][]int{"": about(100, 8)}), "AMD")
	head := folder(t, comparison(t, "run2", map[string][]int{"": about(100, 8)}), "Intel")
	status, stdout, _ := opbench(t, "gate", "--force", "--base="+base, "--head="+head)
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, "FORCED: ")
	assert.Contains(t, string(read(t, head, gateMarkdown)), "**Forced**")
	assert.Contains(t, string(read(t, head, gateJSON)), `"forced": [`)
}

// What cannot be printed is no verdict.
func TestGateToNowhere(t *testing.T) {
	dir := folder(t, comparison(t, "run1", map[string][]int{"base": about(100, 8), "head": about(100, 8)}), "AMD")
	reader, out := io.Pipe()
	require.NoError(t, reader.Close())
	var problems bytes.Buffer
	assert.Equal(t, 3, run(t.Context(), []string{"gate", dir}, out, &problems))
	assert.Contains(t, problems.String(), "closed pipe")
}
