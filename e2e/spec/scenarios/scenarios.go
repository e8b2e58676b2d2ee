// Package scenarios reads what every operator style is put through: one YAML
// file a scenario. Adding a scenario is adding a file.
package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
	files "operatorbench/fixtures/scenarios"
	ofWorkloads "operatorbench/fixtures/workloads"
)

// order is the order in which the measured scenarios make one life of a custom
// resource, so that each starts from what the one before it leaves.
var order = []string{"create", "scale-up", "scale-down", "delete"}

// All returns the scenarios of the default workload; see Of.
func All(oracles []string) ([]Scenario, error) {
	w, err := workloads.Named("")
	if err != nil {
		return nil, err
	}
	return Of(w, oracles)
}

// Of returns the scenarios of any workload and those of this one alone, all bound to it; see For. The measured ones
// come in the order of a life, then the others by group and name. Oracles are the names that may be expected.
func Of(w *workloads.Workload, oracles []string) ([]Scenario, error) {
	general, err := load(Folder, files.Files, oracles)
	for _, s := range general {
		for _, step := range s.Steps {
			if step.Submit != nil {
				err = errors.Join(err, fmt.Errorf("%s/%s.yaml: submit: its object is of one workload: the file belongs into the folder %s of that workload", Folder, s.Name, workloads.ScenariosFolder))
			}
		}
	}
	folder, failed := w.Scenarios()
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	where := path.Join("the workload "+w.Name, workloads.ScenariosFolder)
	own, failed := load(where, folder, oracles)
	err = errors.Join(err, failed)
	for i := range own {
		own[i].Workload = w.Name
		if slices.ContainsFunc(general, func(s Scenario) bool { return s.Name == own[i].Name }) {
			err = errors.Join(err, fmt.Errorf("%s/%s.yaml: there is a scenario of that name in %s: give it another", where, own[i].Name, Folder))
		}
	}
	list := slices.Concat(general, own)
	for i := range list {
		list[i], _ = list[i].For(&w.Workload)
	}
	slices.SortFunc(list, func(a, b Scenario) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name, b.Name))
	})
	return list, err
}

// Known reports whether there is a scenario of that name, of any workload or of one of the repository's own. One of a
// workload elsewhere is not known, nor is one that there is no more.
func Known(name string) bool {
	_, err := fs.Stat(files.Files, name+".yaml")
	own, _ := fs.Glob(ofWorkloads.Files, path.Join("*", workloads.ScenariosFolder, name+".yaml"))
	return err == nil || len(own) > 0
}

// Standing lists the oracles that every sample of the correctness matrix is judged
// by, beside those that its scenario expects.
func Standing() []string {
	return []string{"owned", "untouched", "calm", "in-vain", "prompt", "conditions", "no-secrets-logged"}
}

func load(where string, dir fs.FS, oracles []string) ([]Scenario, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the scenarios in %s: %w", where, err)
	}
	var list []Scenario
	var problems []error
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, fmt.Errorf("read scenario %s/%s: %w", where, name, err)
		}
		scenario, err := Parse(path.Join(where, name), text, oracles)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list = append(list, scenario)
	}
	return list, errors.Join(problems...)
}

// Folder is where the scenarios are, from the repository's root.
const Folder = "fixtures/scenarios"

// Expectations reads, of a workload's scenarios as they were at another revision of the repository, only what
// they are called and what they expect: the rest may have been written otherwise.
func Expectations(root fs.FS, workload string) ([]Scenario, error) {
	var names []string
	for _, folder := range []string{Folder, path.Join(workloads.Folder, workload, workloads.ScenariosFolder)} {
		more, err := fs.Glob(root, folder+"/*.yaml")
		if err != nil {
			return nil, fmt.Errorf("list the scenarios: %w", err)
		}
		names = append(names, more...)
	}
	var list []Scenario
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
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
