package styles

import (
	"errors"
	"fmt"
	"path/filepath"

	"operatorbench/e2e/environment/images"
)

// findOwn finds what the style's own images are made from, from its folder on.
func (s *Style) findOwn() error {
	var problems []error
	for i, own := range s.Images {
		if own.Reference == "" {
			continue
		}
		where := []any{"images", i}
		image, err := images.Own(fmt.Sprintf("%s:%d", filepath.Join(s.Folder, styleFile), s.line(where)), own.Name, own.Reference,
			images.From{Dockerfile: s.from(own.Dockerfile), Go: s.from(own.Go)})
		if err != nil {
			problems = append(problems, s.errorAt(where, "%w", err))
		}
		s.Own = append(s.Own, image)
	}
	return errors.Join(problems...)
}

// from is a path that is written as one from the style's folder.
func (s *Style) from(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Folder, path)
}

// OwnImages are those that styles bring along beside the catalogue's.
func OwnImages(all ...Operator) []images.Image {
	var own []images.Image
	for _, operator := range all {
		own = append(own, operator.Style().Own...)
	}
	return own
}
