package operators

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/bed/images"
)

// ownImage is an image that style.yaml brings along, as it stands there.
type ownImage struct {
	name, reference, dockerfile, program string
	at                                   int // index in images
}

// image reads the name of an image in the catalogue, or an image of the style's own.
func (p *parser) image(node *yaml.Node) {
	own := ownImage{at: len(p.style.Images)}
	if node.Kind == yaml.MappingNode {
		p.mapping(node, "image", map[string]field{
			"name":       required(p.text("image name", &own.name)),
			"reference":  required(p.text("image reference", &own.reference)),
			"dockerfile": optional(p.text("image dockerfile", &own.dockerfile)),
			"go":         optional(p.text("image go", &own.program)),
		})
		p.style.own = append(p.style.own, own)
	} else {
		p.text("images", &own.name)(node)
	}
	if slices.Contains(p.style.Images, own.name) && own.name != "" {
		p.fail(node, "image: the name %q stands twice, expected it once", own.name)
	}
	p.style.Images = append(p.style.Images, own.name)
}

// findOwn finds what the style's own images are made from, from its folder on.
func (s *Style) findOwn() error {
	var problems []error
	for _, own := range s.own {
		where := []any{"images", own.at}
		image, err := images.Own(fmt.Sprintf("%s:%d", filepath.Join(s.Folder, styleFile), s.line(where)), own.name, own.reference,
			images.From{Dockerfile: s.from(own.dockerfile), Go: s.from(own.program)})
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
