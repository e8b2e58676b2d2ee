package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
)

// facts are where a run took place, and what with.
type facts struct {
	Pairs  []pair // of name and value
	Styles []styleFacts
	Images []record.ImageFacts
	Built  string // where images come from
	Runs   []result.RunFacts
	Stages []stage
	Notes  []string
}

type pair struct{ Name, Value string }

type styleFacts struct{ Label, Versions, Manifests string }

// stage is a part of the run with its share of the longest.
type stage struct {
	Name, Took string
	Share      float64 // percent of the longest
}

// Versions tells whether any style says what it is made of.
func (f *facts) Versions() bool {
	return slices.ContainsFunc(f.Styles, func(s styleFacts) bool { return s.Versions != "" })
}

// facts are those of the environment; nil: it is not known.
func (s *study) facts() *facts {
	e := s.Environment
	if e == nil {
		return nil
	}
	revision := e.Revision
	if e.Dirty {
		revision += ", with changes that are not committed"
	}
	seed := ""
	if e.Seed != 0 {
		seed = fmt.Sprint(e.Seed)
	}
	f := &facts{Images: e.Images, Built: e.Sources(), Notes: e.Notes, Runs: s.RunFacts()}
	for _, p := range []pair{
		{"Run", e.Run},
		{"Began", e.Began.UTC().Format("2006-01-02 15:04:05 MST")},
		{"Machine", e.Host.String()},
		{"Cluster", strings.TrimSpace(e.Cluster + " " + e.Kind)},
		{"Kubernetes", e.Kubernetes},
		{"Container engine", e.Engine},
		{"Go", e.Go},
		{"Program", e.Program},
		{"Revision", revision},
		{"Seed", seed},
	} {
		if p.Value != "" {
			f.Pairs = append(f.Pairs, p)
		}
	}
	for _, s := range e.Styles {
		f.Styles = append(f.Styles, styleFacts{Label: record.Label(s.Name, s.Variant), Versions: joined(s.Versions), Manifests: s.Manifests})
	}
	var longest float64
	for _, s := range e.Stages {
		longest = max(longest, s.Seconds)
	}
	for _, s := range e.Stages {
		one := stage{Name: s.Name, Took: plain.Duration(s.Seconds)}
		if longest > 0 {
			one.Share = 100 * max(s.Seconds, 0) / longest
		}
		f.Stages = append(f.Stages, one)
	}
	return f
}

func sorted(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func joined(m map[string]string) string {
	var parts []string
	for _, name := range sorted(m) {
		parts = append(parts, name+" "+m[name])
	}
	return strings.Join(parts, ", ")
}
