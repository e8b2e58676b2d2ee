package schema_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/schema"
)

const root = "../../.."

// modeline is the first line by which an editor finds a file's schema.
var modeline = regexp.MustCompile(`^# yaml-language-server: \$schema=(\S+)\n`)

func TestEveryFileNamesItsSchema(t *testing.T) {
	for pattern, name := range map[string]string{
		"operators/*/style.yaml":                "style",
		"operators/*/verdicts.yaml":             "verdicts",
		"fixtures/scenarios/*.yaml":             "scenario",
		"fixtures/workloads/*/scenarios/*.yaml": "scenario",
		"fixtures/workloads/*/workload.yaml":    "workload",
		"fixtures/catalogue.yaml":               "catalogue",
	} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			found := modeline.FindSubmatch(text)
			if assert.NotNil(t, found, "%s begins with no # yaml-language-server: $schema=…", file) {
				assert.Equal(t, filepath.Join(root, "docs/schema", name+".schema.json"), filepath.Join(filepath.Dir(file), string(found[1])))
			}
		}
	}
}

// Every mistake is told of once, in the order of the lines, with the place, what
// was found, what is expected, and the nearest right word.
func TestCheckTellsEveryMistake(t *testing.T) {
	rules, err := schema.Load("verdicts", nil)
	require.NoError(t, err)
	f, err := schema.Read("v.yaml", []byte("drift: {verdit: fail}\ncreate: 7\n? [a]\n: pass\nkill: {verdict: fail, why: .nan}\nburst: &a [*a]\n"), "list of verdicts")
	require.NoError(t, err)
	f.Check(rules)
	f.Known([]any{"drift"}, "scenario", "drift", []string{"drifts"})
	assert.EqualError(t, f.Err(), `v.yaml:1: drift: field "verdict" is missing
v.yaml:1: drift: unknown field "verdit", expected one of cause, oracles, recovery, upstream, verdict, why; did you mean "verdict"?
v.yaml:1: unknown scenario "drift", expected one of drifts; did you mean "drifts"?
v.yaml:2: create: found the number 7, expected pass, not applicable, or {verdict: fail, why: a sentence} with the fields cause, oracles, recovery, upstream, verdict, why
v.yaml:3: verdicts: found a list as a field's name, expected a text
v.yaml:5: kill.why: found the number .nan, expected a text, a number, true or false
v.yaml:6: burst: found a list, expected pass, not applicable, or {verdict: fail, why: a sentence} with the fields cause, oracles, recovery, upstream, verdict, why
v.yaml:6: burst: found an alias, expected it written out`)
}

// A part that stands for another is followed where that is allowed, but never in a circle.
func TestAliases(t *testing.T) {
	rules, err := schema.Load("verdicts", nil)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"a: &a {verdict: fail, why: so}\nb: *a\n":                    "",
		"a: &a {verdict: fail, why: so, upstream: *a}\n":             "v.yaml:1: a.upstream: found an alias, expected it written out",
		"a: &a {verdict: good, why: so}\nb: *a\n":                    `v.yaml:1: b.verdict: found "good", expected one of pass, fail, flaky, not applicable`,
		"a: &a {verdict: pass}\nb: {<<: *a}\n":                       `v.yaml:2: b: found "<<" as a field's name, expected a text`,
		"a: {verdict: fail, why: so, oracles: &o [x, x]}\nb: pass\n": `v.yaml:1: a.oracles: "x" stands twice, expected it once`,
	} {
		f, err := schema.Read("v.yaml", []byte(text), "list of verdicts")
		require.NoError(t, err)
		f.Aliases = true
		f.Check(rules)
		if want == "" {
			assert.NoError(t, f.Err())
			continue
		}
		assert.ErrorContains(t, f.Err(), want)
	}
}
