package styles_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
)

// measured are the styles of the house that are no control.
func measured(t *testing.T) []*styles.Style {
	t.Helper()
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	return slices.DeleteFunc(all, func(style *styles.Style) bool { return style.Control != "" })
}

// What departs from the rule says why; what does not says nothing.
func TestADepartureHasItsReason(t *testing.T) {
	text, err := os.ReadFile("../../../operators/native/style.yaml")
	require.NoError(t, err)
	for _, test := range []struct{ workers, want string }{
		{`"8"`, ""},
		{`"1"`, `settings.workers: found "1", expected 8 as in all styles, or {is, reason} with why it is otherwise`},
		{`{is: "1", reason: why}`, ""},
		{`{is: "8", reason: why}`, `settings.workers: "8" is as in all styles: leave the reason out`},
	} {
		changed := strings.Replace(string(text), `workers: "8"`, "workers: "+test.workers, 1)
		_, err := styles.Parse("style.yaml", "native", []byte(changed), os.DirFS("../../../operators"))
		if test.want == "" {
			require.NoError(t, err, test.workers)
		} else {
			require.ErrorContains(t, err, test.want)
		}
	}
}

// Every style that is measured says what it is built on, and each of the settings.
func TestEveryMeasuredStyleStatesItsSettings(t *testing.T) {
	for _, style := range measured(t) {
		if assert.NotNil(t, style.Framework, "operators/%s/style.yaml: add framework: {name, version, date}", style.Name) {
			assert.NotEmpty(t, style.Framework.Version)
		}
		for _, rule := range spec.Rules() {
			assert.Contains(t, style.Settings, rule.Setting, "operators/%s/style.yaml: add settings (docs/settings.md)", style.Name)
		}
	}
}

// The version of a framework that is a Go module is the one in go.mod.
func TestFrameworksAreOfTheVersionsThatAreBuilt(t *testing.T) {
	for name, file := range map[string]string{
		"native": "go.mod", "controller-runtime": "operators/controller-runtime/go.mod", "operator-sdk": "operators/operator-sdk/go.mod",
		"argo": "fixtures/images/recipes/argo-events/go.mod",
	} {
		text, err := os.ReadFile(filepath.Join("../../..", filepath.FromSlash(file)))
		require.NoError(t, err)
		operator, err := styles.Load(filepath.Join("../../../operators", name))
		require.NoError(t, err)
		f := operator.Framework
		require.NotNil(t, f, name)
		assert.Contains(t, string(text), "/"+f.Name+" "+f.Version, "%s: %s says another", name, file)
	}
}

// Two pages have tables, between marks, that the styles fill.
func TestTheDocumentedStyles(t *testing.T) {
	for file, tables := range map[string]map[string]string{
		"../../../docs/settings.md": {
			"rule": ruleTable(), "values": valuesTable(measured(t)), "departures": departuresTable(measured(t)), "frameworks": frameworksTable(measured(t)),
		},
		"../../../operators/README.md": {"styles": stylesTable(t)},
	} {
		page, err := os.ReadFile(filepath.FromSlash(file))
		require.NoError(t, err)
		got := string(page)
		for name, table := range tables {
			got = between(t, got, name, table)
		}
		if *update {
			require.NoError(t, os.WriteFile(filepath.FromSlash(file), []byte(got), 0o644))
			continue
		}
		assert.Equal(t, got, string(page), "make update writes %s anew: read the diff", file)
	}
}

func stylesTable(t *testing.T) string {
	t.Helper()
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	text := head("style", "what it is")
	for _, style := range all {
		text += row(fmt.Sprintf("[`%s`](%s/README.md)", style.Name, style.Name), style.Description)
	}
	return text
}

func between(t *testing.T, page, name, table string) string {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s: written by make update -->\n", name), fmt.Sprintf("<!-- %s ends -->", name)
	before, rest, found := strings.Cut(page, begin)
	require.True(t, found, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, end)
	return before + begin + table + end + after
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func head(cells ...string) string {
	return row(cells...) + "|" + strings.Repeat(" --- |", len(cells)) + "\n"
}

func ruleTable() string {
	text := head("setting", "rule", "why")
	for _, r := range spec.Rules() {
		text += row("`"+r.Setting+"`", strings.Join(r.Values, " or "), r.Why)
	}
	return text
}

// departs stands where a style has another value, which the table of departures says.
const departs = "*departs*"

func valuesTable(list []*styles.Style) string {
	cells := []string{"style"}
	for _, r := range spec.Rules() {
		cells = append(cells, "`"+r.Setting+"`")
	}
	text := head(cells...)
	for _, style := range list {
		cells := []string{"`" + style.Name + "`"}
		for _, r := range spec.Rules() {
			s := style.Settings[r.Setting]
			if s.Reason != "" {
				s.Is = departs
			}
			cells = append(cells, cmp.Or(s.Is, "–"))
		}
		text += row(cells...)
	}
	return text
}

func departuresTable(list []*styles.Style) string {
	text := head("style", "setting", "is", "why")
	for _, style := range list {
		for _, r := range spec.Rules() {
			if s := style.Settings[r.Setting]; s.Reason != "" {
				text += row("`"+style.Name+"`", "`"+r.Setting+"`", s.Is, s.Reason)
			}
		}
	}
	return text
}

func frameworksTable(list []*styles.Style) string {
	text := head("style", "built on", "version", "of", "newest", "why not the newest")
	for _, style := range list {
		if f := style.Framework; f != nil {
			text += row("`"+style.Name+"`", f.Name, f.Version, f.Date, cmp.Or(f.Newest, "–"), cmp.Or(f.Why, "–"))
		}
	}
	return text
}
