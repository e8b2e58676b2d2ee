package styles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"operatorbench/e2e/environment/images"
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

// from is a path that is written as one from the style's folder. It is in the style's repository: all of it goes to the engine,
// which may be another machine's.
func (s *Style) from(what, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	at := path
	if !filepath.IsAbs(path) {
		at = filepath.Join(s.Folder, path)
	}
	resolved, err := filepath.EvalSymlinks(at)
	if err != nil {
		return at, nil //nolint:nilerr // who reads it says what is wrong with it
	}
	within := s.repository()
	if _, err := files.Tree(within).Name(resolved); err != nil {
		return "", fmt.Errorf("%s: found %q, expected a folder in %s, the repository that the style is in", what, path, within)
	}
	return at, nil
}

// repository is the folder of the Git repository, or of the copy of this one, that the style is in; else what its folder is in.
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
func OwnImages(all ...Operator) []images.Image {
	var own []images.Image
	for _, operator := range all {
		own = append(own, operator.Style().Own...)
	}
	return own
}
