package images

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"operatorbench/e2e/environment/images/builders/dockerfile"
	"operatorbench/e2e/environment/images/builders/golang"
)

// From says what an image of a style's own is made from; nothing set: it is taken
// as it is, from the container engine or else from its registry.
type From struct {
	Dockerfile string // a folder with a Dockerfile, which the container engine builds
	Go         string // the folder of a main package, in whatever module that is
}

var imageName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// Own is an image that a style brings along beside those of the catalogue. where
// is the file and line that say so, for errors. What it is made from is only read:
// nothing of it is in the cache but the image.
func Own(where, name, reference string, from From) (Image, error) {
	image := Image{Name: name, Reference: reference, where: where, asIs: from == From{}, NeverPulled: from != From{}}
	if !imageName.MatchString(name) {
		return image, fmt.Errorf("image name %q; expected lower-case letters, digits and dashes", name)
	}
	if err := checkReference(reference); err != nil {
		return image, fmt.Errorf("image %s: %w", name, err)
	}
	var err error
	switch {
	case from.Dockerfile != "" && from.Go != "":
		err = errors.New("both dockerfile and go; expected one of them, or neither")
	case from.Dockerfile != "":
		image.dockerfile, err = dockerfile.In(from.Dockerfile)
	case from.Go != "":
		var program golang.Binary
		program, err = golang.In(from.Go)
		image.Binaries = []golang.Binary{program}
		image.Config = Config{Entrypoint: []string{program.To}, User: "65532:65532"}
	}
	if err != nil {
		return image, fmt.Errorf("image %s: %w", name, err)
	}
	return image, nil
}

// load reads the catalogue in the repository at root, with the images of styles.
func load(root string, own []Image) (*Catalogue, error) {
	catalogue, err := Load(root)
	if err != nil {
		return nil, err
	}
	return catalogue.With(own...)
}

// With is the catalogue and the images of styles beside its own. Two styles may
// bring the same image; two images of one name or one reference are refused.
func (c *Catalogue) With(own ...Image) (*Catalogue, error) {
	all := *c
	all.Images = slices.Clone(c.Images)
	var problems []error
next:
	for _, image := range own {
		for _, other := range all.Images {
			if image.Name != other.Name && image.Reference != other.Reference {
				continue
			}
			if !image.same(other) {
				problems = append(problems, fmt.Errorf("%s: image %s (%s) is another than %s (%s) of %s; give it a name and a reference of its own",
					image.where, image.Name, image.Reference, other.Name, other.Reference, cmp.Or(other.where, "the catalogue")))
			}
			continue next
		}
		all.Images = append(all.Images, image)
	}
	return &all, errors.Join(problems...)
}

// same tells whether two images of styles are made from the same.
func (i Image) same(other Image) bool {
	return i.where != "" && other.where != "" &&
		i.Name == other.Name && i.Reference == other.Reference && i.asIs == other.asIs && i.From() == other.From()
}

// From says for people where an image of a style's own comes from.
func (i Image) From() string {
	switch {
	case i.dockerfile != "":
		return "built from " + filepath.Join(i.dockerfile, "Dockerfile")
	case len(i.Binaries) > 0:
		return "compiled from " + i.Binaries[0].Source()
	}
	return "as the container engine has it, or its registry"
}
