package judge_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// A recording comes from whoever made it, a pull request from anywhere among
// them. What is in its header is not executed without bound: these took
// gigabytes.
func TestHostileHeaders(t *testing.T) {
	work := spec.Work{
		Resource: workflows, Namespace: "argo-events",
		Of: spec.FieldCondition{Path: "metadata.name", Matches: "{{.Name}}"}, Ended: spec.FieldCondition{Path: "status.phase"},
	}
	for name, test := range map[string]struct {
		change func(*record.Style)
		want   string
	}{
		"a wide name": {func(s *record.Style) { s.Child.Name = `{{range 200000000}}wide{{end}}` }, `childName "{{range`},
		"an endless name": {func(s *record.Style) {
			s.Child.Name = `{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`
		}, "more in it than texts"},
		"a long name": {func(s *record.Style) { s.Child.Name = strings.Repeat("{{.Name}}", 1<<20) }, "bytes long"},
		"a wide matcher": {func(s *record.Style) {
			w := work
			w.Of.Matches = `{{range 200000000}}wide{{end}}`
			s.Work = []spec.Work{w}
		}, "work workflows.v1alpha1.argoproj.io: of"},
		"an expression that repeats": {func(s *record.Style) {
			s.Phases[0].Where = []spec.FieldCondition{{Path: "a", Matches: `(abcdefghijklmnopqrstuvwxyz){1000}`}}
		}, "repeats too much"},
		"a path that doubles": {func(s *record.Style) { s.Phases[0].Path = "metadata.name" + strings.Repeat(".@tostr", 28) }, "@tostr"},
		"a message that doubles": {func(s *record.Style) {
			w := work
			w.Messages = []string{"metadata.name" + strings.Repeat(".[@this,@this]", 28)}
			s.Work = []spec.Work{w}
		}, "more than one list"},
		"too many phases": {func(s *record.Style) {
			for i := range 20_000 {
				s.Phases = append(s.Phases, spec.Phase{Name: strconv.Itoa(i), Resource: "pods.v1", Event: "ADDED"})
			}
		}, "phases and kinds of work"},
	} {
		t.Run(name, func(t *testing.T) {
			style := argo
			style.Phases = append([]spec.Phase(nil), argo.Phases...)
			test.change(&style)
			s := newStory(t, style)
			s.begin(0, "argo", "create", 1, func(b *record.Sample) { b.Matrix = true })
			s.act(10, 15, "create", custom(1, 1, 0))
			s.see(20, "ADDED", workflow("w1", "Running"))
			s.end(1100, record.Settled)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := judge.Judge(s.seq())
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, test.want)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "bytes that were allocated")
		})
	}
}

// A compressed recording of a megabyte can hold gigabytes. Batches of lines that
// wait to be judged were bounded by their count alone.
func TestHostileLines(t *testing.T) {
	padding := strings.Repeat(" ", 6<<20)
	object := `{"metadata":{"uid":"a"},` + padding + `"spec":{}}`
	const lines = 60
	for name, line := range map[string]string{
		"watch": `{"t":5,"kind":"watch","watch":{"event":"MODIFIED","resource":"pods.v1","namespace":"elsewhere","name":"a","uid":"a","object":` + object + "}}",
		// Of other kinds a reader makes copies.
		"action": `{"t":5,"kind":"action","action":{"from":1,"verb":"patch","resource":"pods.v1","namespace":"elsewhere","name":"a","object":` + object + "}}",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "recording.jsonl.zst")
			writeLines(t, file, text(t, newStory(t).entries), line, lines)
			debug.FreeOSMemory()
			limit := peakOf(t, func() {
				_, err := judge.File(file)
				require.NoError(t, err)
			})
			assert.Less(t, limit, shadow*350.0, "MB at most, of a text of %d MB", lines*len(line)>>20)
		})
	}
}

// What is held of samples that never end, and of objects that never go, is bounded.
func TestHostileCounts(t *testing.T) {
	begin := func(i int) record.Entry {
		return record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "argo", Round: 1, Namespace: strconv.Itoa(i), Name: "a"}}
	}
	large, err := json.Marshal(map[string]string{"a": strings.Repeat("x", 1<<20)})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		entry func(i int) record.Entry
		want  string
	}{
		"samples that never end":    {begin, "samples are open"},
		"namespaces without number": {ended(begin, func(int) int { return 1 }), "namespaces are in use"},
		"samples without number":    {ended(begin, func(i int) int { return 1 + i }), "more than 250000 samples"},
		"objects that never go": {func(i int) record.Entry {
			return record.Entry{Kind: record.KindWatch, Watch: &record.Watch{Event: "ADDED", Resource: "pods.v1", Namespace: "n", UID: strconv.Itoa(i), Object: []byte("{}")}}
		}, "objects are there"},
		"workflows that never go": {func(i int) record.Entry {
			return record.Entry{Kind: record.KindWatch, Watch: &record.Watch{Event: "ADDED", Resource: workflows, Namespace: "n", UID: strconv.Itoa(i), Object: []byte(`{"status":{"phase":"Running"}}`)}}
		}, "objects are there"},
		"large actions of one sample": {func(i int) record.Entry {
			if i == 0 {
				return begin(0)
			}
			return record.Entry{Kind: record.KindAction, Action: &record.Action{Resource: "pods.v1", Namespace: "0", Object: bytes.Clone(large)}}
		}, "MB of events"},
		"events of one sample": {func(i int) record.Entry {
			if i == 0 {
				return begin(0)
			}
			return record.Entry{Kind: record.KindWatch, Watch: &record.Watch{Event: "MODIFIED", Resource: "pods.v1", Namespace: "0", UID: "a", Object: []byte("{}")}}
		}, "MB of events"},
	} {
		t.Run(name, func(t *testing.T) {
			debug.FreeOSMemory()
			var err error
			most := peakOf(t, func() {
				_, err = judge.Judge(func(yield func(record.Entry, error) bool) {
					more := yield(newStory(t).entries[0], nil)
					for i := 0; more && i < 3_000_000; i++ {
						more = yield(test.entry(i), nil)
					}
				})
			})
			require.ErrorContains(t, err, test.want)
			assert.Less(t, most, shadow*1500.0, "MB at most")
		})
	}
}

// ended makes samples that end at once, of rounds that follow from their number.
func ended(begin func(int) record.Entry, round func(int) int) func(int) record.Entry {
	return func(i int) record.Entry {
		e := begin(i / 2)
		e.Begin.Round = round(i / 2)
		if i%2 == 0 {
			return e
		}
		return record.Entry{Kind: record.KindEnd, End: &record.End{Style: "argo", Round: e.Begin.Round, Namespace: e.Begin.Namespace, Outcome: record.Interrupted}}
	}
}

func writeLines(t *testing.T, name string, header []byte, line string, times int) {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	require.NoError(t, err)
	_, err = w.Write(header)
	require.NoError(t, err)
	for range times {
		_, err = w.Write([]byte(line + "\n"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o600))
}

// peakOf is how much more memory than before, in megabytes, this process has at
// most while it does something.
func peakOf(t *testing.T, do func()) float64 {
	t.Helper()
	require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	before := highWater(t)
	do()
	return highWater(t) - before
}

func highWater(t testing.TB) float64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, match)
	kib, err := strconv.ParseFloat(string(match[1]), 64)
	require.NoError(t, err)
	return kib * 1024 / 1e6
}
