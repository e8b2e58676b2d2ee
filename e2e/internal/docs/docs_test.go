// Package docs_test holds the documentation to what it documents: schemas and field lists against the Go types, and
// against what is really written. Its tests run in the folder docs: they name files as documents do.
package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/result"
	"operatorbench/e2e/run"
	"operatorbench/e2e/spec"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../../docs"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.FromSlash(name))
	require.NoError(t, err)
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, line []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	require.NoError(t, err)
	if err := schema.Validate(value); err != nil {
		require.NoError(t, err, "%.300s", line)
	}
}

// recordings are those that are committed, of both schemas.
func recordings(t *testing.T) map[string]result.Recording {
	t.Helper()
	all := map[string]result.Recording{}
	for _, dir := range []string{"example", "../e2e/report/testdata/hand-made"} {
		one, err := result.Load(dir)
		require.NoError(t, err)
		all[dir] = one
	}
	return all
}

func TestReportsMatchTheirSchema(t *testing.T) {
	schema := compiled(t, "schema/report.schema.json")
	for name, one := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, report.Of(one).JSON(&out))
			validate(t, schema, out.Bytes())
		})
	}
	var empty bytes.Buffer
	require.NoError(t, report.Of().JSON(&empty))
	validate(t, schema, empty.Bytes())
}

func TestSamplesMatchTheirSchema(t *testing.T) {
	schema := compiled(t, "schema/samples.schema.json")
	for _, one := range recordings(t) {
		var out bytes.Buffer
		require.NoError(t, report.Of(one).SamplesJSON(&out))
		require.NotEmpty(t, out.Bytes())
		for line := range bytes.Lines(out.Bytes()) {
			validate(t, schema, line)
		}
	}
}

func TestRecordingsMatchTheirSchema(t *testing.T) {
	schema := compiled(t, "schema/recording.schema.json")
	for _, name := range []string{"example/recording.jsonl.zst", "../e2e/report/testdata/hand-made/recording.jsonl"} {
		for line := range lines(t, name) {
			validate(t, schema, line)
		}
	}
	for _, entry := range []record.Entry{ // what only schemas from 2 on have
		{Kind: record.KindBlock, Block: &record.Block{Style: "argo", Variant: "head", Round: 1, Stage: record.Installing}},
		{Kind: record.KindUsage, Usage: &record.Usage{Node: "n", Pods: []record.PodUsage{{Namespace: "argo", Name: "p", CPU: 1, Memory: 2}}, All: 3, Others: 4}},
		{Kind: record.KindAudit, Audit: &record.Audit{User: "u", Verb: "create", Resource: "pods.v1", Code: 201}},
		{Kind: record.KindFault, Fault: &record.Fault{Stage: record.Begun, Kind: "kill", What: "sensor", Namespace: "n", Objects: []string{"pods/n/p"}}},
		{Kind: record.KindBegin, Begin: &record.Sample{
			Style: "argo", Matrix: true, Others: []record.Other{{Namespace: "n", Name: "other", Size: new(int)}}, Unmeetable: true, Cause: "too big", Patience: 1, Reason: "r",
		}},
		{Kind: record.KindBlock, Block: &record.Block{Style: "argo", Round: 1, Stage: record.Removed, Wave: 2}},
		{Kind: record.KindInventory, Inventory: &record.Inventory{Namespace: "n", Resources: []string{"r"}, Unlisted: []string{"u"}, Objects: []record.Item{
			{Resource: "r", Name: "o", Deleting: true, Managers: []string{"m"}, Owners: []record.Owner{{Kind: "k", Controller: true}}},
		}}},
		{Kind: record.KindLogs, Logs: &record.Logs{Style: "argo", Round: 1, Wave: 2, Read: []string{"n/p/c"}, Leaks: []record.Leak{{Container: "n/p/c", What: "w", Lines: 1}}}},
		{Kind: record.KindBlock, Block: &record.Block{Style: "argo", Round: 1, Stage: record.Rested}},
		{Kind: record.KindHeld, Held: &record.Held{Style: "argo", Variant: "head", Namespace: "n", Name: "m", Finalizers: []string{"f"}, Waited: 1}},
		{Kind: record.KindHeader, Header: &record.Header{
			Schema: record.Schema, Reference: json.RawMessage(`{"spec":{}}`), Scenarios: []record.Scenario{{Name: "create", Group: "basic"}},
			Styles: []record.Style{{Style: spec.Style{
				Name:     "argo",
				Declares: spec.Declares{Status: spec.Declaration{Reason: "r"}},
				Differs:  []spec.Difference{{Path: "spec", Reason: "r"}},
				Work:     []spec.Work{{Resource: "w", Namespace: "n", Of: spec.FieldCondition{Path: "p"}, Ended: spec.FieldCondition{Path: "p"}, Messages: []string{"m"}}},
			}, Installed: spec.Installed{Grants: []spec.Grant{{ServiceAccount: "n/s", Role: "ClusterRole r", Verbs: []string{"get"}, URLs: []string{"/"}}}}}},
		}},
	} {
		line, err := json.Marshal(entry)
		require.NoError(t, err)
		validate(t, schema, line)
	}
}

var update = flag.Bool("update", false, "write the example's files anew")

// comparison are the folders that README.md is made of: its command names them. The reports in the last of
// them, which README.md links, are of all of them.
func comparison() ([]string, error) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		return nil, err
	}
	_, command, _ := strings.Cut(string(text), "opbench report --format=readme --out=README.md ")
	command, _, _ = strings.Cut(command, "`")
	return strings.Fields(command), nil
}

// published are the folders with reports that are committed, an example of a run among
// them, and the folders, or runs, that each is made of.
func published() (map[string][]string, error) {
	made := map[string][]string{
		"example":                   {"example"},
		"results/matrix":            {"results/matrix"},
		"results/quick":             {"results/quick"},
		"results/replication-quick": {"results/replication-quick"},
		"results/replication-slow":  {"results/replication-slow"},
		"results/scale":             {"results/scale"},
		"results/five-thousand":     {"results/five-thousand"},
		"results/variants":          {"results/variants"},
		"results/four-scenarios":    {"results/four-scenarios"},
		"results/six-scenarios":     {"results/six-scenarios"},
	}
	all, err := comparison()
	for _, one := range all {
		made["results/comparison"] = append(made["results/comparison"], strings.TrimPrefix(one, "docs/"))
	}
	return made, err
}

// What README.md is made of is what is published to the pages, and what make publish writes.
func TestTheSameIsPublishedEverywhere(t *testing.T) {
	all, err := comparison()
	require.NoError(t, err)
	require.NotEmpty(t, all, "README.md does not say how its block of results is made")
	for name, want := range map[string]string{"../Makefile": "PUBLISHED ?= ", "../.github/workflows/pages.yml": "PUBLISHED: "} {
		assert.Contains(t, string(read(t, name)), want+strings.Join(all, " ")+"\n", name)
	}
}

// reports are those of the published folders. Judging their recordings takes a while, so
// that it is done once.
var reports = sync.OnceValues(func() (map[string]*report.Report, error) {
	all := map[string]*report.Report{}
	made, err := published()
	for folder, of := range made {
		one, err := together(of, folder != "example") // which shows what a run of anybody's gives
		if err != nil {
			return nil, err
		}
		all[folder] = one
	}
	return all, err
})

// together is the report of the runs in several folders.
func together(folders []string, expects bool) (*report.Report, error) {
	var recordings []result.Recording
	for _, folder := range folders {
		for _, shard := range result.Shards(folder) {
			one, err := result.Load(shard)
			if err != nil {
				return nil, err
			}
			recordings = append(recordings, one)
		}
	}
	if expects {
		if err := run.Expect("..", recordings); err != nil {
			return nil, err
		}
	}
	return report.Of(recordings...), nil
}

// reportOf is the report of a published folder.
func reportOf(t *testing.T, folder string) *report.Report {
	t.Helper()
	all, err := reports()
	require.NoError(t, err)
	require.Contains(t, all, folder)
	return all[folder]
}

// between replaces what a page has between two lines by what its recordings give, or
// checks that it is that.
func between(t *testing.T, page, name, want string) {
	t.Helper()
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->\n"
	text := string(read(t, page))
	before, rest, found := strings.Cut(text, begin)
	require.True(t, found, "%s has no line %s", page, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no line %s", page, end)
	want = before + begin + want + end + after
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, text, "go test ./e2e/internal/docs -update writes %s anew", page)
}

// What a published report shows is what its runs were judged to. Of pages the front page
// of the comparison is committed; all others are made where they are wanted.
func TestReportsAreWhatTheirRunsGive(t *testing.T) {
	made, err := published()
	require.NoError(t, err)
	for folder := range made {
		r := reportOf(t, folder)
		files := slices.Concat(report.Files(), html.Pictures())
		if folder == "results/comparison" {
			files = append(files, html.Pages(r, html.Options{Alone: true})[0])
		}
		for _, file := range files {
			name := filepath.Join(filepath.FromSlash(folder), filepath.FromSlash(file.Name))
			if _, err := os.Stat(name); err != nil && file.Name != report.SummaryFile {
				continue // not all are committed
			}
			var out bytes.Buffer
			require.NoError(t, file.Print(r, &out))
			if *update {
				require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
			}
			assert.Equal(t, string(read(t, name)), out.String(), "go test ./e2e/internal/docs -update writes %s anew", name)
			if file.Name == html.File {
				assert.LessOrEqual(t, out.Len(), 300_000, "%s opens at once on a phone", name)
			}
		}
	}
}

// A clone stays small: recordings are in the history, by the lock.
func TestPublishedRunsAreSmall(t *testing.T) {
	var bytes int64
	require.NoError(t, filepath.WalkDir("results", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		assert.NotContains(t, d.Name(), record.FileName, "opbench recordings lock takes recordings out of the tree")
		if d.Name() == result.SavedName {
			info, err := d.Info()
			bytes += info.Size()
			return err
		}
		return nil
	}))
	assert.LessOrEqual(t, bytes, int64(3<<20))
}

// A schema that lets everything through would pass all of the above.
func TestSchemasRefuse(t *testing.T) {
	for name, bad := range map[string][]string{
		"schema/recording.schema.json": {
			`{"t":1,"kind":"watch"}`, `{"t":1,"kind":"guess"}`, `{"kind":"end"}`,
			`{"t":1,"kind":"gap","gap":{"from":0,"resource":"r","reason":""},"block":{"style":"a","round":1,"stage":"driven"}}`,
			`{"t":1,"kind":"block","block":{"style":"a","round":1,"stage":"begun"}}`,
			`{"t":1,"kind":"gap","gap":{"from":"0","resource":"r","reason":""}}`,
		},
		"schema/samples.schema.json": {`{}`, `{"operator":"a","scenario":"s","phase":"p","run":"r","block":1,"namespace":"n","from":1,"at":2,"value":"fast","unit":"s","outcome":"ok"}`},
		"schema/report.schema.json":  {`{}`, `{"schema":3,"runs":[],"environments":[],"warnings":[],"styles":[],"scenarios":[],"cells":[],"costs":[],"claims":[]}`},
	} {
		schema := compiled(t, name)
		for _, line := range bad {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			require.NoError(t, err)
			assert.Error(t, schema.Validate(value), line)
		}
	}
}
