package run

import (
	"fmt"
	"os"
	"path/filepath"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/matrix"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec/operators"
	"operatorbench/e2e/spec/scenarios"
)

// expectable are the scenarios of which verdicts are expected.
const expectable = scenarios.Latency + "," + matrixName

// Expected reads the verdicts that are expected of a recording's styles, as far
// as they have a folder in the repository at root.
func Expected(root string, header record.Header) (map[string]matrix.Expected, error) {
	all, err := pick(expectable)
	if err != nil {
		return nil, err
	}
	var styles []string
	for _, style := range header.Styles {
		styles = append(styles, style.Name)
	}
	return matrix.LoadAll(filepath.Join(root, "operators"), styles, namesOf(all))
}

// expectedOf reads the verdicts that are expected of a style.
func expectedOf(style operators.Operator) (matrix.Expected, error) {
	all, err := pick(expectable)
	if err != nil {
		return matrix.Expected{}, err
	}
	return matrix.Load(style.Style().Folder, namesOf(all))
}

// Expected reads the verdicts that are expected of the styles that were asked for,
// wherever their folders are.
func (s *Session) Expected() (map[string]matrix.Expected, error) {
	all := map[string]matrix.Expected{}
	for _, a := range s.asked() {
		expected, err := expectedOf(a.asked)
		if err != nil {
			return nil, err
		}
		all[a.name()] = expected
	}
	return all, nil
}

// UpdateVerdicts writes what was seen into each style's verdicts.yaml, and keeps
// what stands there on why. A new failure is left without a sentence, with which
// no run accepts the file: a person must say why.
func (s *Session) UpdateVerdicts(judgements ...*judge.Judgement) error {
	seen := result.MatrixOf(judgements...)
	for _, a := range s.asked() {
		name := filepath.Join(a.asked.Style().Folder, matrix.File)
		if err := os.WriteFile(name, matrix.Update(a.expected, seen.Seen(a.name())), 0o644); err != nil {
			return fmt.Errorf("update the expected verdicts: %w", err)
		}
	}
	return nil
}
