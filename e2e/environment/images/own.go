package images

import (
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"operatorbench/e2e/plain"
)

// From says what an image of a style's own is made from; nothing set: it is taken
// as it is, from the container engine or else from its registry.
type From struct {
	Dockerfile string // a folder with a Dockerfile, which the container engine builds
	Go         string // the folder of a main package, in whatever module that is
}

// brought is how a style brings an image along.
type brought struct {
	From // with absolute paths

	where string // the file and line that say so
}

// AsIs reports whether nothing here builds the image.
func (i Image) AsIs() bool { return i.own.where != "" && i.own.From == From{} }

// builtHere reports whether the image is one of a style's own that is built.
func (i Image) builtHere() bool { return i.own.where != "" && !i.AsIs() }

var imageName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// Own is an image that a style brings along beside those of the catalogue. where is the file and line that say so, for
// errors. What it is made from is only read: nothing of it is in the cache but the image.
func Own(where, called, reference string, from From) (Image, error) {
	image := Image{Name: called, Reference: reference, NeverPulled: from != From{}, own: brought{where: where}}
	if !imageName.MatchString(called) {
		return image, fmt.Errorf("image name %q; expected lower-case letters, digits and dashes", called)
	}
	if err := checkReference(reference); err != nil {
		return image, fmt.Errorf("image %s: %w", called, err)
	}
	var err error
	switch {
	case from.Dockerfile != "" && from.Go != "":
		err = errors.New("both dockerfile and go; expected one of them, or neither")
	case from.Dockerfile != "":
		image.own.Dockerfile, err = withDockerfile(from.Dockerfile)
	case from.Go != "":
		image.own.Go, err = withMain(from.Go)
	}
	if err != nil {
		return image, fmt.Errorf("image %s: %w", called, err)
	}
	return image, nil
}

// withDockerfile is the absolute path of a folder that has a Dockerfile.
func withDockerfile(folder string) (string, error) {
	file := filepath.Join(folder, "Dockerfile")
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("dockerfile: there is no file %s; expected a folder with a Dockerfile", file)
	}
	return filepath.Abs(folder)
}

// withMain is the absolute path of a folder that has a main package, in a module.
func withMain(folder string) (string, error) {
	all, err := fs.Glob(os.DirFS(folder), "*.go")
	if err != nil || !slices.ContainsFunc(all, func(file string) bool { return isMain(filepath.Join(folder, file)) }) {
		return "", fmt.Errorf("go: there is no package main in %s", folder)
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for dir := at; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return at, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("go: there is no go.mod in %s or above it: run `go mod init` there", folder)
		}
	}
}

// isMain reports whether a file is of package main.
func isMain(file string) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	return err == nil && parsed.Name.Name == "main" && !strings.HasSuffix(file, "_test.go")
}

// load reads the catalogue in the repository at root, with the images of styles.
func load(root string, own []Image) (*Catalogue, error) {
	catalogue, err := Load(root)
	if err != nil {
		return nil, err
	}
	return catalogue.With(own...)
}

// With is the catalogue and the images of styles beside its own. Two styles may bring the same image, also under two
// names; two images of one name or one reference are refused.
func (c *Catalogue) With(own ...Image) (*Catalogue, error) {
	all := *c
	all.Images = slices.Clone(c.Images)
	var problems []error
	for _, image := range own {
		other, clash := plain.Find(all.Images, func(other Image) bool {
			return image.Name == other.Name || image.Reference == other.Reference && !image.same(other)
		})
		switch {
		case !clash:
			all.Images = append(all.Images, image)
		case !image.same(other):
			problems = append(problems, fmt.Errorf("%s: image %s (%s) is another than %s (%s) of %s; give it a name and a reference of its own",
				image.own.where, image.Name, image.Reference, other.Name, other.Reference, cmp.Or(other.own.where, "the catalogue")))
		}
	}
	return &all, errors.Join(problems...)
}

// Give is the catalogue with images that are taken as they are, each from the reference that is given for its name,
// whatever they are made from otherwise. The cluster knows them as before.
func (c *Catalogue) Give(given map[string]string) (*Catalogue, error) {
	all := *c
	all.Images = slices.Clone(c.Images)
	for name, reference := range given {
		if _, err := parseGiven(reference); err != nil {
			return nil, fmt.Errorf("--image=%s=%s: %w", name, reference, err)
		}
		i := slices.IndexFunc(all.Images, func(image Image) bool { return image.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("--image=%s=%s: there is no image %q", name, reference, name)
		}
		image := &all.Images[i]
		image.given, image.own, image.NeverPulled, image.Base = reference, brought{where: "--image"}, false, ""
	}
	return &all, nil
}

// parseGiven reads a reference; only its registry may be left out: an image without tag is another one every day.
func parseGiven(reference string) (name.Reference, error) {
	parsed, err := name.ParseReference(reference)
	if err == nil && !strings.ContainsAny(path.Base(reference), ":@") {
		err = errors.New("it has no tag")
	}
	if err != nil {
		return nil, fmt.Errorf("reference %q; expected host/repository:tag: %w", reference, err)
	}
	return parsed, nil
}

// source is the reference from which the image is taken.
func (i Image) source() string { return cmp.Or(i.given, i.Reference) }

// same reports whether two images of styles have one reference and are made from the same.
func (i Image) same(other Image) bool {
	return i.own.where != "" && other.own.where != "" && i.Reference == other.Reference && i.own.From == other.own.From
}

// Source is the folder that an image of a style's own is built from; "": nothing here builds it.
func (i Image) Source() string { return i.own.Dockerfile + i.own.Go }

// From says for people where an image of a style's own comes from.
func (i Image) From() string {
	switch {
	case i.own.Dockerfile != "":
		return "built from " + filepath.Join(i.own.Dockerfile, "Dockerfile")
	case i.own.Go != "":
		return "compiled from " + i.own.Go
	}
	return "as the container engine has it, or its registry"
}
