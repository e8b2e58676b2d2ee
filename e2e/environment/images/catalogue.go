package images

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/schema"
)

// NodeImage is the name of the catalogue's entry for the kind node. It lives in
// the container engine, not in the archive of images.
const NodeImage = "node"

// Catalogue is what fixtures/catalogue.yaml says, as far as images are got: what
// they are built from is for the program that builds them.
type Catalogue struct {
	Debian struct {
		Suite string `yaml:"suite"`
	} `yaml:"debian"`
	Recipes map[string]any `yaml:"recipes"`
	Images  []Image        `yaml:"images"`
}

// Image is one entry.
type Image struct {
	Name        string `yaml:"name"`
	Reference   string `yaml:"reference"`   // how the cluster knows it
	PartOf      string `yaml:"partOf"`      // the image that holds this one
	NeverPulled bool   `yaml:"neverPulled"` // no registry has it under this reference
	Published   string `yaml:"published"`   // upstream's image of the same program, where its reference is another
	Base        string `yaml:"base"`        // the image that this one's layers go over
	// Packages and Binaries are only held against the rest of the catalogue.
	Packages any      `yaml:"packages"`
	Binaries []Binary `yaml:"binaries"`

	own   brought // of an image that a style brings along
	given string  // the reference that somebody wants it to be taken from; see Give
}

// Binary says where a program is from: a recipe, or a package of this repository.
type Binary struct {
	Recipe  string `yaml:"recipe"`
	Package string `yaml:"package"`
}

// Load reads the catalogue in the repository at root.
func Load(root string) (*Catalogue, error) {
	file := filepath.Join(root, catalogueFile)
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the catalogue of images: %w", err)
	}
	return Parse(catalogueFile, raw)
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

// Custom reports whether nobody else publishes the image: who runs the operator must build it.
func (i *Image) Custom() bool { return i.NeverPulled && i.Published == "" }

// Image finds the entry of that name.
func (c *Catalogue) Image(name string) (Image, error) {
	image, there := plain.Find(c.Images, func(image Image) bool { return image.Name == name })
	if !there {
		return image, fmt.Errorf("the catalogue has no image %q; it has %s", name, strings.Join(c.Names(), ", "))
	}
	return image, nil
}

// Names are those of all images that can be asked for: not those inside others.
func (c *Catalogue) Names() []string {
	return plain.Pick(c.Images, func(image Image) (string, bool) { return image.Name, image.PartOf == "" })
}

// pulled are the images that registries have and that are asked for by themselves.
func (c *Catalogue) pulled() []Image {
	return plain.Where(c.Images, func(i Image) bool { return !i.NeverPulled && i.PartOf == "" })
}

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
