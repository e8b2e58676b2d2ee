package selftest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Trial is one operator in one scenario.
type Trial struct {
	Case Case // of the correct operator: only Scenario is set
}

// Trials are those of the correct operator, each scenario once, and then those of
// the cases.
func Trials(cases []Case) []Trial {
	var trials []Trial
	seen := map[string]bool{}
	for _, c := range cases {
		switch {
		case Trial{c}.Correct():
			continue
		case !seen[c.Scenario]:
			trials = append(trials, Trial{Case{Mutant: Correct, Scenario: c.Scenario, Times: most(cases, c.Scenario)}})
		}
		seen[c.Scenario] = true
	}
	for _, c := range cases {
		trials = append(trials, Trial{c})
	}
	return trials
}

// most is how often a scenario is driven, at most.
func most(cases []Case, scenario string) int {
	times := 0
	for _, c := range cases {
		if c.Scenario == scenario {
			times = max(times, c.Times)
		}
	}
	return times
}

// Correct reports whether nothing may be found.
func (t Trial) Correct() bool {
	return slices.Contains([]string{Correct, Finalizing, Electing}, t.Case.Mutant)
}

// Style names the trial's style, one for each trial, so that several can
// be on one cluster.
func (t Trial) Style() string {
	if t.Correct() {
		return t.Case.Mutant + "-" + t.Case.Scenario
	}
	return "mutant-" + t.Case.Mutant
}

// Write makes the trial's style in a folder: that of template, under a name of its
// own, with the mutant, and confined to namespaces with a prefix. It returns the
// style's folder.
func (t Trial) Write(template, folder, prefix string) (string, error) {
	style := filepath.Join(folder, t.Style())
	replace := []string{
		"name: style\n", "name: " + t.Style() + "\n",
		"--mutant=none", "--mutant=" + t.Case.Mutant,
		"--namespaces=", "--namespaces=" + prefix,
		"/memcached-operator-mutant:", "/memcached-operator-mutant:", // the image's name stays
		"memcached-mutant", t.Style(),
	}
	if t.Case.Mutant != Correct {
		replace = append(replace, "manifests: [manifests]", "manifests: [manifests, wider]")
	}
	if t.Case.ByName {
		replace = append(replace, "ownerReference: true", `name: "{{.Name}}"`)
	}
	err := fs.WalkDir(os.DirFS(template), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(style, name), 0o755)
		}
		text, err := os.ReadFile(filepath.Join(template, name))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(style, name), []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600)
	})
	if err != nil {
		return "", fmt.Errorf("make a style of mutant %s: %w", t.Case.Mutant, err)
	}
	return style, nil
}
