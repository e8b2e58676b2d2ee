package scenarios_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

var update = flag.Bool("update", false, "write the list of scenarios to testdata and to docs/reference/scenarios.md")

// golden compares with a file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "make update writes it")
	assert.Equal(t, string(want), got, "make update writes %s anew: read the diff", file)
}

// What a person sees of the list: names, groups, sentences, and what is driven
// at the same time.
func TestTheList(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	var text strings.Builder
	for _, s := range all {
		fmt.Fprintf(&text, "%s: %s\n  %s\n  %s\n", s.Group, s.Name, strings.TrimSpace(s.Description), s.Text())
		if key := s.Exclusive(); key != "" {
			fmt.Fprintf(&text, "  wave: %s\n", key)
		}
		if s.Alone() {
			fmt.Fprintln(&text, "  alone")
		}
		if s.Control() {
			fmt.Fprintln(&text, "  control: an ordinary custom resource comes first")
		}
		if parts := s.Components(); len(parts) > 0 || s.NeedsWork() {
			fmt.Fprintf(&text, "  needs: components %v, work objects %t\n", parts, s.NeedsWork())
		}
	}
	golden(t, filepath.Join("testdata", "list.golden"), text.String())
}

// docs/reference/scenarios.md holds a table of each group, between marks.
func TestTheDocumentedTables(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	file := filepath.FromSlash("../../../docs/reference/scenarios.md")
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	got := string(page)
	for _, group := range spec.Groups() {
		begin, end := fmt.Sprintf("<!-- %s: written by make update -->\n", group), fmt.Sprintf("<!-- %s ends -->", group)
		before, rest, found := strings.Cut(got, begin)
		require.True(t, found, "%s lacks %q", file, begin)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, "%s lacks %q", file, end)
		got = before + begin + table(all, group) + end + after
	}
	golden(t, file, got)
}

// table says what is done in each scenario of a group, and below, folded, what for,
// in which steps, and by which oracles it is judged.
func table(all []scenarios.Scenario, group string) string {
	rows, more := "| scenario | what is done |\n| --- | --- |\n", ""
	for _, s := range all {
		if s.Group == group {
			mark := ""
			if s.Workload != "" {
				mark = " (" + s.Workload + ")"
			}
			rows += fmt.Sprintf("| `%s`%s | %s |\n", s.Name, mark, strings.ReplaceAll(oneLine(s.Description), "|", `\|`))
			more += fmt.Sprintf("- **`%s`** %s  \n  Steps: `%s`  \n  Oracles: %s\n", s.Name, oneLine(s.StandsFor), oneLine(s.Text()), strings.Join(s.Expect, ", "))
		}
	}
	return rows + "\n<details><summary>Why each is there, its steps and its oracles</summary>\n\n" + more + "\n</details>\n"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// README.md says how many there are.
func TestTheDocumentedNumbers(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	count := 0
	for _, s := range all {
		if s.Group == spec.GroupLatency || spec.InMatrix(s.Group) {
			count++
		}
	}
	page, err := os.ReadFile(filepath.FromSlash("../../../README.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), fmt.Sprintf("[%d scenarios](docs/reference/scenarios.md)", count))
}

// client-go tries again after up to 60 s when lists have failed for long (its
// Reflector's backoff ends between 30 and 60 s). To give such an operator up before is
// to call a framework's documented delay a failure.
func TestAnOperatorMayWaitUntilItTriesToListAgain(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	seen := 0
	for _, s := range all {
		for _, step := range s.Steps {
			if step.Fault == nil {
				continue
			}
			if kind := step.Fault.Kind; kind == spec.FaultCut || kind == spec.FaultSilence || kind == spec.FaultRestart && step.Fault.What == "api-server" {
				seen++
				assert.Greater(t, s.Patience, 60*time.Second, "%s: the operator runs on while the API server cannot be reached", s.Name)
			}
		}
	}
	assert.Positive(t, seen)
}

// The schema has each kind of fault, with what it can be done to, and whether it lasts, so that it can be mended.
func TestTheSchemaHasTheKindsOfFault(t *testing.T) {
	var required, properties, mend []string
	for _, k := range scenarios.FaultKinds() {
		of := `"enum": ["` + strings.Join(k.Of, `", "`) + `"]`
		switch {
		case k.Resource:
			of = `"$ref": "#/$defs/resource"`
		case k.Component && k.Every:
			of = `"$ref": "#/$defs/component"`
		case k.Component:
			of = `"$ref": "#/$defs/part"`
		}
		required = append(required, fmt.Sprintf(`        { "required": [%q] }`, k.Name))
		properties = append(properties, fmt.Sprintf(`        %q: { "description": %q, %s }`, k.Name, k.Text, of))
		if k.Lasts {
			mend = append(mend, fmt.Sprintf("%q", k.Name))
		}
	}
	file := filepath.FromSlash("../../../docs/schema/scenario.schema.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), `    "fault": {`+"\n")
	require.True(t, found)
	_, after, found := strings.Cut(rest, `    "point": {`)
	require.True(t, found)
	golden(t, file, before+fmt.Sprintf(`    "fault": {
      "description": "One thing to break.",
      "type": "object",
      "additionalProperties": false,
      "oneOf": [
%s
      ],
      "properties": {
%s
      }
    },
    "mend": { "enum": [%s] },
    "point": {`, strings.Join(required, ",\n"), strings.Join(properties, ",\n"), strings.Join(mend, ", "))+after)
}
