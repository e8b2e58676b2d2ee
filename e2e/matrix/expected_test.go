package matrix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/matrix"
)

func names() []string { return []string{"create", "drift", "input-negative", "kill-bus", "upgrade"} }

const good = `# What is expected.
# Two lines of it.

create: pass
drift:
  verdict: fail
  oracles: [converged]
  recovery: never
  # a person's own remark
  why: only the custom resource is watched, not its Deployment
  upstream: https://example.org/issues/1
input-negative: not applicable
kill-bus: {verdict: pass, recovery: nudge}
`

func parse(t *testing.T, text string) matrix.Expected {
	t.Helper()
	e, err := matrix.Parse("operators/argo/verdicts.yaml", []byte(text), names())
	require.NoError(t, err)
	return e
}

func TestParse(t *testing.T) {
	e := parse(t, good)
	require.Len(t, e.Entries, 4)
	assert.True(t, e.Known())
	drift, there := e.Of("drift")
	require.True(t, there)
	assert.Equal(t, judge.Fail, drift.Verdict)
	assert.Equal(t, []string{"converged"}, drift.Oracles)
	assert.Equal(t, matrix.Never, drift.Recovery)
	assert.Equal(t, "only the custom resource is watched, not its Deployment", drift.Why)
	assert.Equal(t, "https://example.org/issues/1", drift.Upstream)
	assert.Equal(t, 5, drift.Line)
	assert.Equal(t, "fail (converged), recovery: never", drift.String())
	input, _ := e.Of("input-negative")
	assert.Equal(t, judge.NotApplicable, input.Verdict)
	_, there = e.Of("upgrade")
	assert.False(t, there)
}

// Every mistake is told of with file and line, and all of one file at once.
func TestParseRefuses(t *testing.T) {
	for name, one := range map[string]struct {
		text string
		want []string
	}{
		"empty":             {"", []string{"v.yaml:1: it is empty"}},
		"only comments":     {"# nothing\n", []string{"v.yaml:1: "}},
		"no mapping":        {"- create\n", []string{"v.yaml:1: found a list, expected a mapping"}},
		"no YAML":           {"create: [", []string{"v.yaml: "}},
		"unknown scenario":  {"create: pass\nsail: pass\n", []string{`v.yaml:2: there is no scenario "sail", expected one of create, drift`}},
		"twice":             {"create: pass\ndrift: pass\ncreate: pass\n", []string{"v.yaml:3: scenario create stands here again, it is at line 1 already"}},
		"unknown verdict":   {"create: flaky\n", []string{`v.yaml:1: create: the verdict is "flaky", expected one of pass, fail, not applicable`}},
		"no verdict":        {"create: {why: so}\n", []string{"v.yaml:1: create: verdict is missing"}},
		"nothing":           {"create:\n", []string{"v.yaml:1: create: the verdict is nothing"}},
		"bare fail":         {"create: fail\n", []string{"v.yaml:1: create: it is expected to fail, and why is missing"}},
		"fail without why":  {"create: pass\ndrift: {verdict: fail, oracles: [converged]}\n", []string{"v.yaml:2: drift: it is expected to fail, and why is missing"}},
		"fail, blank why":   {"drift: {verdict: fail, why: ' '}\n", []string{"v.yaml:1: drift: why is \" \", expected a text", "why is missing"}},
		"unknown oracle":    {"drift: {verdict: fail, why: so, oracles: [delphi]}\n", []string{`v.yaml:1: drift: there is no oracle "delphi", expected one of converged`}},
		"oracle twice":      {"drift: {verdict: fail, why: so, oracles: [gone, gone]}\n", []string{"oracle gone stands twice"}},
		"oracles of a pass": {"drift: {verdict: pass, oracles: [gone]}\n", []string{`oracles are those that fail, but the verdict is "pass"`}},
		"no list":           {"drift: {verdict: fail, why: so, oracles: gone}\n", []string{`oracles are "gone", expected a list`}},
		"unknown recovery":  {"drift: {verdict: fail, why: so, recovery: soon}\n", []string{`recovery is "soon", expected one of itself, nudge, never`}},
		"no URL":            {"drift: {verdict: fail, why: so, upstream: issue 4}\n", []string{`upstream is "issue 4", expected the https URL`}},
		"unknown field":     {"drift: {verdict: fail, why: so, because: so}\n", []string{`unknown field "because", expected verdict, oracles, recovery, why or upstream`}},
		"field twice":       {"drift: {verdict: fail, why: so, why: so}\n", []string{"why stands twice"}},
		"alias":             {"create: &a pass\ndrift: *a\n", []string{"v.yaml:2: drift: found an alias"}},
		"two documents":     {"create: pass\n---\ndrift: pass\n", []string{"v.yaml:2: a second document begins here"}},
		"several mistakes":  {"create: good\nsail: pass\n", []string{"v.yaml:1: ", "v.yaml:2: "}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := matrix.Parse("v.yaml", []byte(one.text), names())
			require.Error(t, err)
			for _, want := range one.want {
				assert.Contains(t, err.Error(), want)
			}
			for line := range strings.Lines(err.Error()) {
				assert.True(t, strings.HasPrefix(line, "v.yaml:"), "%q names the file", line)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	e, err := matrix.Load(folder, names())
	require.NoError(t, err)
	assert.False(t, e.Known(), "a style without a file is no mistake")

	path := filepath.Join(folder, matrix.File)
	require.NoError(t, os.WriteFile(path, []byte(good), 0o600))
	e, err = matrix.Load(folder, names())
	require.NoError(t, err)
	assert.Equal(t, path, e.Path)
	assert.Len(t, e.Entries, 4)

	require.NoError(t, os.WriteFile(path, []byte("sail: pass\n"), 0o600))
	_, err = matrix.Load(folder, names())
	require.ErrorContains(t, err, path+":1: ")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	_, err = matrix.Load(folder, names())
	require.ErrorContains(t, err, path, "what cannot be read is no absent file")
}

// Whatever is in a file, it is read or refused with its name; and what is read
// is written so that it is read as the same.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("create: {verdict: fail, why: |-\n  a\n  b\n}")
	f.Add("# a\n\n# b\ncreate: pass # c\n# d\n\n# e\ndrift: not applicable\n# f\n")
	f.Add("a: &a [*a]\ncreate: *a\n<<: {create: pass}")
	f.Add("? [create]\n: pass\n")
	f.Add("create: !!binary pass\n--- \n...")
	f.Add("\"create\": 'pass'\ndrift: {verdict: fail, oracles: [gone, status], why: \"a\\tb\\0\"}")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := matrix.Parse("v.yaml", []byte(text), names())
		if err != nil {
			assert.Contains(t, err.Error(), "v.yaml")
			return
		}
		if len(e.Entries) == 0 {
			return
		}
		written := matrix.Update(e, nil)
		again, err := matrix.Parse("v.yaml", written, names())
		require.NoError(t, err, "%s", written)
		require.Equal(t, plain(e), plain(again), "%s", written)
	})
}

// plain are the entries without their places in the file.
func plain(e matrix.Expected) []matrix.Entry {
	var all []matrix.Entry
	for _, one := range e.Entries {
		all = append(all, matrix.Entry{
			Scenario: one.Scenario, Verdict: one.Verdict, Oracles: one.Oracles, Recovery: one.Recovery, Why: one.Why, Upstream: one.Upstream,
		})
	}
	return all
}

func TestLoadAll(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"argo": good, "native": "", "broken": "sail: pass\n"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(root, name, matrix.File), []byte(text), 0o600))
		}
	}
	all, err := matrix.LoadAll(filepath.Join(root, "argo", ".."), []string{"argo", "native", "my-own", "../argo", "."}, names())
	require.NoError(t, err)
	assert.Len(t, all, 2, "of what has no folder nothing is known")
	assert.True(t, all["argo"].Known())
	assert.False(t, all["native"].Known())
	all, err = matrix.LoadAll(root, []string{"broken", "argo"}, names())
	require.ErrorContains(t, err, filepath.Join("broken", matrix.File)+":1: ")
	assert.Len(t, all, 1)
}
