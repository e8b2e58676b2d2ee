package run

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/spec/workloads"
)

// expectable are the scenarios that have expected verdicts.
const expectable = spec.GroupLatency + "," + matrixName

// verdictsOf are scenarios that have expected verdicts.
func verdictsOf(all []scenarios.Scenario) []verdicts.Scenario {
	return plain.Map(all, func(s scenarios.Scenario) verdicts.Scenario { return verdicts.Scenario{Name: s.Name, Group: s.Group} })
}

// oracles are those that an expected failure may name.
func oracles() []string { return append(judge.OracleNames(), judge.Released) }

// Expected reads the verdicts that are expected of a recording's styles, as far as they have a folder in the repository
// at root. Of a scenario that has gone since, which no verdicts.yaml can name, a pass is.
func Expected(root string, header record.Header) (map[string]verdicts.Expected, error) {
	w, err := workloads.Default()
	if is := header.Workload; is != nil && slices.Contains(workloads.Names(), is.Name) {
		w, err = workloads.Named(is.Name)
	} else if is != nil {
		w = &workloads.Workload{Workload: *is} // a style's own: it has no scenarios here
	}
	if err != nil {
		return nil, err
	}
	all, err := pick(w, expectable)
	if err != nil {
		return nil, err
	}
	known := plain.Map(header.Styles, func(style record.Style) string { return style.Name })
	there := verdictsOf(all)
	for _, s := range header.Scenarios {
		was := verdicts.Scenario{Name: s.Name, Group: s.Group}
		if s.Group != spec.GroupLoad && !slices.ContainsFunc(there, func(is verdicts.Scenario) bool { return is.Name == was.Name }) {
			there = append(there, was)
		}
	}
	return verdicts.LoadAll(filepath.Join(root, "operators"), known, there, oracles())
}

// Expect reads what is expected of the styles of recordings that are reported together: each has its part of the
// scenarios.
func Expect(root string, all []result.Recording) (err error) {
	driven := plain.Flat(all, func(one result.Recording) []record.Scenario { return one.Judgement.Header.Scenarios })
	for i := range all {
		header := all[i].Judgement.Header
		header.Scenarios = driven
		if all[i].Expected, err = Expected(root, header); err != nil {
			return err
		}
	}
	return nil
}

// expectedScenarios are those with expected verdicts.
func expectedScenarios(style *styles.Style) ([]scenarios.Scenario, error) {
	w, err := style.Handles()
	if err != nil {
		return nil, err
	}
	return pick(w, expectable)
}

// expectedOf reads the verdicts that are expected of a style.
func expectedOf(style *styles.Style) (verdicts.Expected, error) {
	all, err := expectedScenarios(style)
	if err != nil {
		return verdicts.Expected{}, err
	}
	return verdicts.Load(style.Folder, verdictsOf(all), oracles())
}

// Expected reads the verdicts that are expected of the styles that were asked for, wherever their folders are.
func (j *job) Expected() (map[string]verdicts.Expected, error) {
	all := map[string]verdicts.Expected{}
	for _, p := range j.asked() {
		expected, err := expectedOf(p.asked)
		if err != nil {
			return nil, err
		}
		all[p.name()] = expected
	}
	return all, nil
}

// UpdateVerdicts writes what was seen into each style's verdicts.yaml, and keeps what stands there on why. A new
// failure is left without a sentence, with which no run accepts the file: a person must say why.
func (j *job) UpdateVerdicts(judgements ...*judge.Judgement) error {
	seen := result.MatrixOf(judgements...)
	for _, p := range j.asked() {
		name := filepath.Join(p.asked.Folder, verdicts.File)
		text := verdicts.Update(p.expected, seen.Seen(p.name()))
		err := record.Replace(name, func(out io.Writer) error {
			_, err := out.Write(text)
			return err
		})
		if err != nil {
			return fmt.Errorf("update the expected verdicts: %w", err)
		}
	}
	return nil
}
