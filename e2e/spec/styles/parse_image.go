package styles

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/files"
)

// findOwn finds what the style's own images are made from, from its folder on.
func (s *Style) findOwn() error {
	var problems []error
	for i, own := range s.Images {
		if own.Reference == "" {
			continue
		}
		where := []any{"images", i}
		image, err := s.ownImage(own, where)
		if err != nil {
			problems = append(problems, s.errorAt(where, "%w", err))
		}
		s.Own = append(s.Own, image)
	}
	return errors.Join(problems...)
}

// ownImage is an image that the style brings along, as style.yaml says at a place.
func (s *Style) ownImage(own spec.Image, where []any) (images.Image, error) {
	dockerfile, err := s.from("dockerfile", own.Dockerfile)
	if err != nil {
		return images.Image{}, err
	}
	program, err := s.from("go", own.Go)
	if err != nil {
		return images.Image{}, err
	}
	return images.Own(fmt.Sprintf("%s:%d", filepath.Join(s.Folder, files.StyleFile), s.line(where)), own.Name, own.Reference,
		images.From{Dockerfile: dockerfile, Go: program})
}

// from is a path that is written as one from the style's folder. It is in the style's repository: all of it goes to the
// engine, which may be another machine's.
func (s *Style) from(what, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	at := path
	if !filepath.IsAbs(path) {
		at = filepath.Join(cmp.Or(s.sources.Of, s.Folder), path)
	}
	at = s.sources.moved(at)
	resolved, err := filepath.EvalSymlinks(at)
	if err != nil {
		return at, nil //nolint:nilerr // who reads it says what is wrong with it
	}
	within := s.repository()
	allowed := append(slices.Collect(maps.Values(s.sources.Moved)), s.sources.Allowed...)
	if !slices.ContainsFunc(append(allowed, within), func(folder string) bool {
		folder, err := filepath.EvalSymlinks(folder)
		if err == nil {
			_, err = files.Tree(folder).Name(resolved)
		}
		return err == nil
	}) {
		return "", fmt.Errorf("%s: found %q, expected a folder in %s, the repository that the style is in, or in one that --source names", what, path, within)
	}
	return at, nil
}

// moved is where the files of a path are taken from.
func (s Sources) moved(path string) string {
	from, to := "", ""
	for folder, instead := range s.Moved {
		if name, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(name) && len(folder) > len(from) {
			from, to = folder, filepath.Join(instead, name)
		}
	}
	return cmp.Or(to, path)
}

// repository is the folder of the Git repository, or of the copy of this one, that the style is in; else what its
// folder is in.
func (s *Style) repository() string {
	above := filepath.Dir(s.Folder)
	for at := above; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	if copied, err := images.FindRoot(above); err == nil {
		return copied
	}
	return above
}

// OwnImages are those that styles bring along beside the catalogue's.
func OwnImages(all ...*Style) []images.Image {
	return plain.Flat(all, func(operator *Style) []images.Image { return operator.Own })
}
