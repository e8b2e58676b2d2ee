// Package verdicts reads and writes what is expected of a style: verdicts.yaml in its folder says which scenarios
// are not to pass, and why. A scenario that is not named is expected to pass, or not to apply: what the style is and
// declares in its style.yaml says which of the two.
package verdicts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/files"
)

// File is the name of the file in a style's folder that says which verdicts are expected of it.
const File = "verdicts.yaml"

// How a style recovers from a fault.
const (
	Itself = "itself" // nobody had to touch anything
	Nudge  = "nudge"  // only once the custom resource was touched
	Never  = "never"
)

// Recoveries lists how a style can recover from a fault.
func Recoveries() []string { return []string{Itself, Nudge, Never} }

// Expected are the verdicts that are expected of a style, by scenario. The zero
// value is that of a style without a file: nothing is expected of it.
type Expected struct {
	Path    string // of the file; empty: there is none
	Entries []Entry

	scenarios []Scenario // that there are, in their order
	comment   string     // above the first entry
}

// Scenario is one of those that there are.
type Scenario struct{ Name, Group string }

// Entry is the verdict that is expected of one scenario.
type Entry struct {
	Scenario string
	Verdict  spec.Outcome // spec.Pass, spec.Fail, spec.NotApplicable, or spec.Flaky: it passes or fails from sample to sample
	Oracles  []string     // exactly these fail, or some of these if it is flaky; none: any may
	Recovery string       // Itself, Nudge or Never; empty: any
	Why      string       // a sentence; what is not a pass for certain has one
	Cause    string       // names what several failures of the style come from; empty: this one has a cause of its own
	Upstream string       // URL of an issue about it; empty: none is known
	Line     int          // in the file; 0: it is not named there

	key, value *yaml.Node // as read, with their comments
}

// Of returns what is expected of a scenario: a pass, where the file does not name
// it; false: nothing, since there is no such scenario or no file.
func (e Expected) Of(scenario string) (Entry, bool) {
	for _, one := range e.Entries {
		if one.Scenario == scenario {
			return one, true
		}
	}
	return Entry{Scenario: scenario, Verdict: spec.Pass}, e.Known() && slices.ContainsFunc(e.scenarios, func(s Scenario) bool { return s.Name == scenario })
}

// Failing are the scenarios that are expected to fail, be it in some samples alone.
func (e Expected) Failing() []Entry {
	return slices.DeleteFunc(slices.Clone(e.Entries), func(one Entry) bool { return one.Verdict != spec.Fail && one.Verdict != spec.Flaky })
}

// Known reports whether the style has a file.
func (e Expected) Known() bool { return e.Path != "" }

// Load reads the file in a style's folder; see Parse and files.Tree. Without one nothing is known.
func Load(folder string, scenarios []Scenario, oracles []string) (Expected, error) {
	path := filepath.Join(folder, File)
	text, err := files.Tree(filepath.Dir(folder)).Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Expected{scenarios: scenarios}, nil
	}
	if err != nil {
		return Expected{}, fmt.Errorf("read the expected verdicts: %w", err)
	}
	return Parse(path, text, scenarios, oracles)
}

// LoadAll reads the files of styles whose folders are under root, by the styles' names. A style without a folder there
// is not in what it returns: nothing is known of it.
func LoadAll(root string, styles []string, scenarios []Scenario, oracles []string) (map[string]Expected, error) {
	all := map[string]Expected{}
	var problems []error
	for _, style := range styles {
		if strings.HasPrefix(style, ".") || filepath.Base(style) != style {
			continue // a recording's style is foreign text: it must not lead elsewhere
		}
		folder := filepath.Join(root, style)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		expected, err := Load(folder, scenarios, oracles)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all[style] = expected
	}
	return all, errors.Join(problems...)
}

// Seen is what a run saw of a style in one scenario.
type Seen struct {
	Scenario string
	Driven   bool // through the scenario; else there is no more
	Verdict  spec.Outcome
	Failed   []string // the oracles that failed
	Recovery string   // how it recovered; empty: nothing was broken, or it is not known
	Text     string   // all of this in words
	Reason   string   // why it did not pass
}

// Match reports whether what was seen is as expected, and what is expected, in words.
// A scenario that is not named may also not apply to the style.
func (e Expected) Match(seen Seen) (want string, same bool) {
	if !e.Known() {
		return "a verdict", seen.Verdict != spec.Invalid
	}
	entry, there := e.Of(seen.Scenario)
	if !there {
		return "nothing: " + e.Path + " has no entry for it", false
	}
	if seen.Verdict == spec.NotApplicable && !entry.named() {
		entry.Verdict = spec.NotApplicable
	}
	return entry.String(), entry.matches(seen)
}

// named reports whether the file has the entry.
func (e Entry) named() bool { return e.Line > 0 }

func (e Entry) matches(seen Seen) bool {
	switch {
	case e.Verdict == spec.Flaky && seen.Verdict == spec.Pass:
		return true
	case seen.Verdict == spec.Late: // it failed, and no oracle says so
		return e.Verdict == spec.Fail && len(e.Oracles) == 0
	case seen.Verdict != e.Verdict && (e.Verdict != spec.Flaky || seen.Verdict != spec.Fail):
		return false
	case len(e.Oracles) > 0 && !e.failsBy(seen.Failed):
		return false
	}
	return e.Recovery == "" || seen.Recovery == e.Recovery
}

// failsBy reports whether oracles that failed are those that are expected to. By which of
// them a sample fails may be left to chance, too.
func (e Entry) failsBy(failed []string) bool {
	beside := func(names []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(names, name) }
	}
	if len(failed) == 0 || slices.ContainsFunc(failed, beside(e.Oracles)) {
		return false
	}
	return e.Verdict == spec.Flaky || !slices.ContainsFunc(e.Oracles, beside(failed))
}

// String is what is expected, in the words that tell what was seen.
func (e Entry) String() string {
	text := string(e.Verdict)
	if len(e.Oracles) > 0 {
		text += " (" + strings.Join(e.Oracles, ", ") + ")"
	}
	if e.Recovery != "" {
		text += ", recovery: " + e.Recovery
	}
	return text
}
