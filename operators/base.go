package operators

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/fixtures/kube"
)

// base is a style some of whose files another one, its overlay, is made from.
type base struct {
	style Style
	files []string // by absolute path, sorted
	line  int      // of the overlay's style.yaml, where they are used first
}

// bases lists the styles that this one is made from, besides itself, in the
// order in which its stages come to them: an overlay of an overlay has two.
func (s Style) bases() ([]*base, error) {
	var all []*base
	for _, stage := range s.Stages {
		for i, manifests := range stage.Manifests {
			files, err := kube.Files(filepath.Join(s.Folder, manifests))
			if err != nil {
				return nil, s.problem(stage, i, err)
			}
			for _, file := range files {
				if all, err = s.addBase(all, file, stage.line(i)); err != nil {
					return nil, s.problem(stage, i, err)
				}
			}
		}
	}
	return all, nil
}

// addBase adds the style to which a file belongs, unless it is the style itself,
// or no style.
func (s Style) addBase(all []*base, file string, line int) ([]*base, error) {
	folder := folderOf(file)
	if folder == s.Folder || folder == "" {
		return all, nil
	}
	i := slices.IndexFunc(all, func(b *base) bool { return b.style.Folder == folder })
	if i < 0 {
		operator, err := Load(folder)
		if err != nil {
			return nil, err
		}
		i, all = len(all), append(all, &base{style: operator.Style(), line: line})
	}
	if !slices.Contains(all[i].files, file) {
		all[i].files = append(all[i].files, file)
	}
	return all, nil
}

// folderOf is the folder of the style that a file is in; "": it is in none.
func folderOf(file string) string {
	for folder := filepath.Dir(file); ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, styleFile)); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// root is the style that this one is made from in the end; overlays are the
// folders of those that lead here.
func (s Style) root(overlays ...string) (Style, error) {
	bases, err := s.bases()
	if err != nil || len(bases) == 0 {
		return s, err
	}
	if overlays = append(overlays, s.Folder); slices.Contains(overlays, bases[0].style.Folder) {
		return s, fmt.Errorf("%s:%d: this is of the style %s, which is an overlay of this one in turn: one of them must be made of its own manifests alone",
			s.file(), bases[0].line, bases[0].style.Name)
	}
	return bases[0].style.root(overlays...)
}

// checkBases refuses a style that is made from two operators.
func (s Style) checkBases() error {
	bases, err := s.bases()
	if err != nil || len(bases) == 0 {
		return err
	}
	first, err := s.root()
	if err != nil {
		return err
	}
	for _, other := range bases[1:] {
		root, err := other.style.root(s.Folder)
		if err != nil {
			return err
		}
		if root.Folder != first.Folder {
			return fmt.Errorf("%s:%d: this is of the style %s, what line %d uses is of %s: two operators would act on the same custom resources, an overlay has one base",
				s.file(), other.line, root.Name, bases[0].line, first.Name)
		}
	}
	return nil
}

// file is where the style was read from.
func (s Style) file() string { return filepath.Join(s.Folder, styleFile) }

// line is where the i-th of the stage's manifests stands in style.yaml; 1 if it
// is not known.
func (s Stage) line(i int) int {
	if i < len(s.Lines) {
		return s.Lines[i]
	}
	return 1
}

// problem says which of a stage's manifests an error is about.
func (s Style) problem(stage Stage, i int, err error) error {
	return fmt.Errorf("%s:%d: operator %s, stage %s, manifests %s: %w",
		s.file(), stage.line(i), s.Name, stage.Name, strings.TrimSuffix(stage.Manifests[i], "/"), err)
}
