package images

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"operatorbench/e2e/environment/images/builders"
	"operatorbench/e2e/environment/images/builders/cargo"
	"operatorbench/e2e/environment/images/builders/debian"
	"operatorbench/e2e/environment/images/builders/golang"
	"operatorbench/e2e/environment/images/builders/maven"
	"operatorbench/e2e/environment/images/builders/pypi"
	"operatorbench/e2e/spec/schema"
)

// NodeImage is the name of the catalogue's entry for the kind node. It lives in
// the container engine, not in the archive of images.
const NodeImage = "node"

// Catalogue is what catalogue.yaml says.
type Catalogue struct {
	Version int                      `yaml:"version"`
	Debian  debian.Release           `yaml:"debian"`
	Recipes map[string]golang.Recipe `yaml:"recipes"`
	Images  []Image                  `yaml:"images"`
}

// Image is one entry: how the cluster knows it and what it is built from. A new
// field is left out of the JSON where it is empty, which would else be another key.
type Image struct {
	Name        string           `yaml:"name"`
	Reference   string           `yaml:"reference"`
	Purpose     string           `yaml:"purpose"`
	Size        builders.Size    `yaml:"size,omitempty"`                   // roughly, for the check of free space
	PartOf      string           `yaml:"partOf,omitempty"`                 // the image that holds this one
	NeverPulled bool             `yaml:"neverPulled,omitempty"`            // no registry has it under this reference
	Published   string           `yaml:"published,omitempty" json:"-"`     // upstream's image of the same program, where its reference is another
	Base        string           `yaml:"base,omitempty" json:",omitempty"` // the image that this one's layers go over
	Packages    *debian.Packages `yaml:"packages,omitempty"`
	Wheels      *pypi.Wheels     `yaml:"wheels,omitempty" json:",omitempty"`
	Jars        *maven.Jars      `yaml:"jars,omitempty" json:",omitempty"`
	Crate       *cargo.Crate     `yaml:"crate,omitempty" json:",omitempty"`
	Binaries    []golang.Binary  `yaml:"binaries,omitempty"`
	Files       []File           `yaml:"files,omitempty"`
	Config      Config           `yaml:"config,omitempty"`

	// Of an image that a style brings along; see Own.
	where      string // the file and line that say so
	asIs       bool   // nothing here builds it
	dockerfile string // the folder of the Dockerfile that it is built from
}

// File is a file with Text, a copy of From (a path beside the catalogue), a
// symbolic link to Link, or, where To ends with a slash, a folder.
type File struct {
	To   string `yaml:"to"`
	Text string `yaml:"text,omitempty"`
	From string `yaml:"from,omitempty"`
	Link string `yaml:"link,omitempty"`
	Mode string `yaml:"mode,omitempty"` // octal; 0644 for files, 0755 for folders
}

// Config is what a container is started with.
type Config struct {
	Entrypoint []string `yaml:"entrypoint,omitempty"`
	Cmd        []string `yaml:"cmd,omitempty"`
	Env        []string `yaml:"env,omitempty"`
	User       string   `yaml:"user,omitempty"`
	StopSignal string   `yaml:"stopSignal,omitempty"`
}

// Load reads the catalogue in the repository at root.
func Load(root string) (*Catalogue, error) {
	file := filepath.Join(root, catalogueFile)
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the catalogue of images: %w", err)
	}
	return Parse("fixtures/images/catalogue.yaml", raw)
}

// Parse reads a catalogue; its errors name file and line.
func Parse(file string, raw []byte) (*Catalogue, error) {
	rules, err := catalogueSchema()
	if err != nil {
		return nil, err
	}
	f, err := schema.Read(file, raw, "catalogue with version, debian, recipes and images")
	if err != nil {
		return nil, err
	}
	f.Aliases = true
	if f.Check(rules); !f.OK() {
		return nil, f.Err()
	}
	catalogue := &Catalogue{}
	if err := f.Root.Decode(catalogue); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	catalogue.check(f)
	return catalogue, f.Err()
}

// Custom tells whether nobody else publishes the image: who runs the operator must build it.
func (i *Image) Custom() bool { return i.NeverPulled && i.Published == "" }

// Image finds the entry of that name.
func (c *Catalogue) Image(name string) (Image, error) {
	for _, image := range c.Images {
		if image.Name == name {
			return image, nil
		}
	}
	return Image{}, fmt.Errorf("the catalogue has no image %q; it has %s", name, strings.Join(c.Names(), ", "))
}

// Names are those of all images that can be asked for: not those inside others.
func (c *Catalogue) Names() []string {
	var names []string
	for _, image := range c.Images {
		if image.PartOf == "" {
			names = append(names, image.Name)
		}
	}
	return names
}

// pulled are the images that registries have and that are asked for by themselves.
func (c *Catalogue) pulled() []Image {
	return slices.DeleteFunc(slices.Clone(c.Images), func(i Image) bool { return i.NeverPulled || i.PartOf != "" })
}

// Parts are the images inside the image of that name.
func (c *Catalogue) Parts(name string) []Image {
	var parts []Image
	for _, image := range c.Images {
		if image.PartOf == name || (name == NodeImage && image.Name == pauseImage) {
			parts = append(parts, image)
		}
	}
	return parts
}

// pauseImage is needed by the node itself, for pod sandboxes, and by styles.
const pauseImage = "pause"

// catalogueSchema is docs/schema/catalogue.schema.json with its formats.
var catalogueSchema = sync.OnceValues(func() (*schema.Schema, error) {
	return schema.Load("catalogue", schema.Formats{
		"reference": func(text string) error {
			if checkReference(text) != nil {
				return errors.New("its registry and its tag must be named")
			}
			return nil
		},
		"local-path": local,
		"glob":       func(text string) error { _, err := path.Match(strings.TrimSuffix(text, "/"), ""); return err },
		"snapshot":   func(text string) error { _, err := time.Parse("20060102T150405Z", text); return err },
	})
})

// local refuses a path that leads out of the folder that it is relative to.
func local(text string) error {
	if !filepath.IsLocal(text) {
		return errors.New("it leads elsewhere")
	}
	return nil
}

// checkReference refuses what may mean one image here and another there.
func checkReference(reference string) error {
	ref, err := name.NewTag(reference, name.StrictValidation)
	switch {
	case err != nil:
		return fmt.Errorf("reference %q; expected host/repository:tag", reference)
	case ref.RegistryStr() == name.DefaultRegistry && !strings.HasPrefix(reference, "docker.io/"):
		return fmt.Errorf("reference %q; expected it with its registry, as in docker.io/library/nats:2", reference)
	}
	return nil
}

// check notes what the schema cannot say: what one entry has to do with another.
func (c *Catalogue) check(f *schema.File) {
	recipes := slices.Sorted(maps.Keys(c.Recipes))
	var names, bases []string
	for i, image := range c.Images {
		names = append(names, image.Name)
		if image.Packages != nil && c.Debian.Suite == "" {
			f.FailAt([]any{"debian"}, "no Debian suite, and packages are asked for")
		}
		if image.Base != "" {
			f.Known([]any{"images", i, "base"}, "base", image.Base, bases)
		}
		if image.Name != NodeImage && image.PartOf == "" {
			bases = append(bases, image.Name)
		}
		for j, binary := range image.Binaries {
			if binary.Package == "" {
				f.Known([]any{"images", i, "binaries", j, "recipe"}, "recipe", binary.Recipe, recipes)
			}
		}
	}
	f.Once([]any{"images"}, "images", names)
}

// mode returns the permission bits of a tar header.
func (f File) mode() (int64, error) {
	switch {
	case f.Mode != "":
		return strconv.ParseInt(f.Mode, 8, 16)
	case strings.HasSuffix(f.To, "/"):
		return 0o755, nil
	default:
		return 0o644, nil
	}
}
