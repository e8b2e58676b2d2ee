package styles

import (
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/schema"
)

// manifestsAt is the place in style.yaml of the j-th of the i-th stage's manifests.
func manifestsAt(i, j int) []any { return []any{"install", i, "manifests", j} }

// problem says which of a stage's manifests an error is about.
func (s Style) problem(i, j int, err error) error {
	return s.errorAt(manifestsAt(i, j), "operator %s, stage %s, manifests %s: %w", s.Name, s.Stages[i].Name, s.Stages[i].Manifests[j], err)
}

// upgradeProblem says which of the manifests of the next version an error is about.
func (s Style) upgradeProblem(j int, err error) error {
	return s.errorAt([]any{"upgrade", "manifests", j}, "operator %s, upgrade, manifests %s: %w", s.Name, s.Upgrade.Manifests[j], err)
}

// errorAt is an error about what stands at a place in style.yaml.
func (s Style) errorAt(where []any, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", filepath.Join(s.Folder, files.StyleFile), s.line(where), fmt.Errorf(format, args...))
}

// line is where in style.yaml, counted from 1, there is what keys and indices
// lead to, or that of them which is there; where it is taken over from a base,
// that of base.
func (s Style) line(where []any) int {
	line, at := 1, s.node
	for i := 0; at != nil; i++ {
		line = at.Line
		if i == len(where) {
			break
		}
		at = below(at, where[i])
	}
	return line
}

// below is what stands under a key, or at an index; nil: there is nothing.
func below(node *yaml.Node, step any) *yaml.Node {
	_, value := schema.Below(node, step)
	return value
}
