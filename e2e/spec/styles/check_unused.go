package styles

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// checkUnused refuses an overlay that has manifests of its own which no stage
// uses: what is installed would be its base's, under its name.
func (s Style) checkUnused() error {
	bases, err := s.bases()
	if err != nil || s.Base == "" && len(bases) == 0 {
		return err
	}
	own := map[string]bool{}
	err = findFiles(filepath.Join(s.Folder, "manifests"), own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	used, err := s.used()
	if err != nil {
		return err
	}
	for _, file := range used {
		delete(own, file)
	}
	var unused []string
	for file := range own {
		name, err := filepath.Rel(s.Folder, file)
		if err != nil {
			return err
		}
		unused = append(unused, name)
	}
	if len(unused) == 0 {
		return nil
	}
	slices.Sort(unused)
	return s.errorAt([]any{"install"}, "no stage uses %s, so that what is installed is the base's: name them in install or in a kustomization.yaml that a stage uses, or delete them",
		strings.Join(unused, ", "))
}

// used lists the files that the stages are made of, and the next version.
func (s Style) used() ([]string, error) {
	var all []string
	for _, from := range append(slices.Concat(s.stageSources()...), s.nextSources()...) {
		if from.err != nil {
			return nil, s.problem(from, from.err)
		}
		all = append(all, from.files...)
	}
	return all, nil
}
