package styles

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
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
	for _, from := range append(slices.Concat(s.stageSources()...), s.nextSources()...) {
		if from.err != nil {
			return s.problem(from, from.err)
		}
		for _, file := range from.files {
			delete(own, file)
		}
	}
	if len(own) == 0 {
		return nil
	}
	unused := plain.Map(slices.Sorted(maps.Keys(own)), func(file string) string { return strings.TrimPrefix(file, s.Folder+string(filepath.Separator)) })
	return s.errorAt([]any{"install"}, "no stage uses %s, so that what is installed is the base's: name them in install or in a kustomization.yaml that a stage uses, or delete them",
		strings.Join(unused, ", "))
}
