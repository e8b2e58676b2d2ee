// Package scenarios reads what every operator style is put through: one YAML
// file a scenario. Adding a scenario is adding a file.
package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec"
	files "operatorbench/fixtures/scenarios"
)

// order is the order in which the measured scenarios make one life of a custom
// resource, so that each starts from what the one before it leaves.
var order = []string{"create", "scale-up", "scale-down", "delete"}

// All returns every scenario: the measured ones in the order of a life, then
// the others by group and name. Oracles are the names that may be expected.
func All(oracles []string) ([]Scenario, error) {
	return load(files.Files, oracles)
}

// Standing lists the oracles that every sample of the correctness matrix is judged
// by, beside those that its scenario expects.
func Standing() []string {
	return []string{"owned", "untouched", "calm", "prompt", "no-secrets-logged"}
}

func load(dir fs.FS, oracles []string) ([]Scenario, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the scenarios: %w", err)
	}
	var list []Scenario
	var problems []error
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read scenario %s: %w", name, err)
		}
		scenario, err := Parse(name, text, oracles)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list = append(list, scenario)
	}
	slices.SortFunc(list, func(a, b Scenario) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name, b.Name))
	})
	return list, errors.Join(problems...)
}

// Folder is where the scenarios are, from the repository's root.
const Folder = "fixtures/scenarios"

// Expectations reads, of scenarios as they were at another revision, only what
// they are called and what they expect: the rest may have been written otherwise.
func Expectations(dir fs.FS) ([]Scenario, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the scenarios: %w", err)
	}
	var list []Scenario
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read scenario %s: %w", name, err)
		}
		var s struct {
			Name   string   `yaml:"name"`
			Expect []string `yaml:"expect"`
		}
		if err := yaml.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("read scenario %s: %w", name, err)
		}
		list = append(list, Scenario{Name: s.Name, Expect: s.Expect})
	}
	return list, nil
}

// rank orders scenarios that names do not order.
func rank(s Scenario) int {
	if i := slices.Index(order, s.Name); i >= 0 {
		return i
	}
	return len(order) + slices.Index(spec.Groups(), s.Group)
}
