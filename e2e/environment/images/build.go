package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"operatorbench/e2e/environment/images/builders"
	"operatorbench/e2e/environment/images/builders/cargo"
	"operatorbench/e2e/environment/images/builders/debian"
	"operatorbench/e2e/environment/images/builders/dockerfile"
	"operatorbench/e2e/environment/images/builders/golang"
	"operatorbench/e2e/environment/images/builders/kindnode"
	"operatorbench/e2e/environment/images/builders/maven"
	"operatorbench/e2e/environment/images/builders/pypi"
)

// assembler makes images of what the ecosystems give.
type assembler struct {
	builders.Tools

	catalogue *Catalogue
	archive   string // of Debian's snapshots; "": none
}

// parts are what an image takes from each ecosystem. Of two files of one name in
// an image the later part's counts.
func (a *assembler) parts(i Image) []builders.Part {
	var parts []builders.Part
	programs := golang.Part{Tools: a.Tools, Recipes: a.catalogue.Recipes, Binaries: i.Binaries}
	if i.dockerfile != "" {
		parts = append(parts, dockerfile.Part{Tools: a.Tools, Folder: i.dockerfile, Image: i.Name, Key: func() (string, error) { return a.key(i) }})
	}
	if i.Packages != nil {
		parts = append(parts, debian.Part{Tools: a.Tools, Release: a.catalogue.Debian, Packages: *i.Packages, Archive: a.archive})
	}
	if i.Wheels != nil {
		parts = append(parts, pypi.Part{Tools: a.Tools, Wheels: *i.Wheels})
	}
	if i.Jars != nil {
		parts = append(parts, maven.Part{Tools: a.Tools, Jars: *i.Jars})
	}
	if i.Crate != nil {
		parts = append(parts, cargo.Part{Tools: a.Tools, Crate: *i.Crate})
	}
	if i.Name == NodeImage {
		parts = append(parts, a.kindNode(i))
	}
	if len(i.Binaries) > 0 {
		parts = append(parts, programs)
	}
	return parts
}

// kindNode is what makes a system a kind node.
func (a *assembler) kindNode(node Image) kindnode.Part {
	pause, _ := a.catalogue.Image(pauseImage) // without it the node cannot be built: see inside
	return kindnode.Part{
		Tools: a.Tools, Programs: golang.Part{Tools: a.Tools, Recipes: a.catalogue.Recipes},
		Pause: pause.Reference, Entrypoint: node.Config.Entrypoint,
	}
}

// key names everything that an image is made from, 16 hexadecimal digits.
func (a *assembler) key(image Image) (string, error) {
	key := builders.NewKey()
	described := image
	described.Purpose, described.Size = "", 0 // what only informs does not change the image
	key.Image = described
	if image.NeverPulled {
		key.Labels = []string{builders.LabelDepends}
	}
	var errs []error
	for _, part := range a.parts(image) {
		errs = append(errs, part.AddTo(key))
	}
	for _, file := range image.Files {
		if file.From != "" {
			errs = append(errs, key.AddFiles(a.Root, filepath.Join(builders.CatalogueFolder, file.From)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return "", fmt.Errorf("image %s: %w", image.Name, err)
	}
	inside := a.catalogue.Parts(image.Name)
	if image.Base != "" {
		base, err := a.catalogue.Image(image.Base)
		if err != nil {
			return "", err
		}
		inside = append(inside, base)
	}
	for _, inside := range inside {
		sum, err := a.key(inside)
		if err != nil {
			return "", err
		}
		key.Parts[inside.Name] = sum
	}
	return key.Sum()
}

// image builds one image over another, or over the empty one; its layers are files in
// work or in the cache.
func (a *assembler) image(ctx context.Context, image Image, base v1.Image, work string) (v1.Image, error) {
	key, err := a.key(image)
	if err != nil {
		return nil, err
	}
	all := builders.Made{Labels: map[string]string{builders.LabelName: image.Name, builders.LabelRecipe: key}}
	for _, part := range a.parts(image) {
		made, err := part.Build(ctx, work)
		if err != nil || made.Whole != nil {
			return made.Whole, err
		}
		all.Layers = append(all.Layers, made.Layers...)
		all.Entries = append(all.Entries, made.Entries...)
		maps.Copy(all.Labels, made.Labels)
		all.Depends = all.Depends.Plus(made.Depends)
	}
	if image.NeverPulled { // of what others build as well nobody here answers for the dependencies
		all.Labels[builders.LabelDepends] = all.Depends.Label()
	}
	files, err := a.files(image)
	if err != nil {
		return nil, err
	}
	if all.Entries = append(all.Entries, files...); len(all.Entries) > 0 {
		layer, err := builders.WriteLayer(filepath.Join(work, image.Name+".layer.tar"), all.Entries)
		if err != nil {
			return nil, err
		}
		all.Layers = append(all.Layers, layer)
	}
	return configure(base, image.Config, all.Labels, all.Layers)
}

// files are those that the catalogue itself has for an image.
func (a *assembler) files(image Image) ([]builders.Entry, error) {
	entries := make([]builders.Entry, len(image.Files))
	for i, file := range image.Files {
		mode, err := file.mode()
		if err != nil {
			return nil, err
		}
		entries[i] = builders.Entry{Name: strings.TrimPrefix(file.To, "/"), Mode: mode, Link: file.Link, Data: []byte(file.Text)}
		if file.From != "" {
			entries[i].Source = filepath.Join(a.Root, builders.CatalogueFolder, file.From)
		}
	}
	return entries, nil
}

// configure makes an image of layers over a base, whose configuration holds where
// there is no other.
func configure(base v1.Image, config Config, labels map[string]string, layers []v1.Layer) (v1.Image, error) {
	image, err := mutate.AppendLayers(base, layers...)
	if err != nil {
		return nil, fmt.Errorf("assemble the layers: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	file.Created = v1.Time{Time: builders.BuildTime}
	below := file.Config
	if below.Labels != nil { // the base's packages are this image's, too
		all := maps.Clone(below.Labels)
		maps.Copy(all, labels)
		labels = all
	}
	if config.Entrypoint != nil {
		below.Cmd = nil // it was of another program
	}
	file.Config = v1.Config{
		Entrypoint: firstOf(config.Entrypoint, below.Entrypoint), Cmd: firstOf(config.Cmd, below.Cmd),
		Env: overridden(below.Env, config.Env), User: cmp.Or(config.User, below.User),
		StopSignal: cmp.Or(config.StopSignal, below.StopSignal), Labels: labels,
	}
	return mutate.ConfigFile(image, file)
}

// overridden are a base's environment variables and an image's own, which hold where
// both have one: of two in a container it is the first.
func overridden(below, own []string) []string {
	name := func(variable string) string { before, _, _ := strings.Cut(variable, "="); return before }
	kept := slices.DeleteFunc(slices.Clone(below), func(b string) bool {
		return slices.ContainsFunc(own, func(o string) bool { return name(o) == name(b) })
	})
	return append(kept, own...)
}

func firstOf(words, otherwise []string) []string {
	if words != nil {
		return words
	}
	return otherwise
}

// node builds the kind node and leaves it in the engine as ref.
func (a *assembler) node(ctx context.Context, node Image, ref, work string) error {
	if a.Engine == nil {
		return errors.New("the kind node image is built and kept by a container engine, and there is none")
	}
	inside := map[string]v1.Image{}
	for _, part := range a.catalogue.Parts(node.Name) {
		built, err := a.image(ctx, part, empty.Image, work)
		if err != nil {
			return fmt.Errorf("%s, which is inside the node: %w", part.Name, err)
		}
		inside[part.Reference] = built
	}
	if _, err := a.catalogue.Image(pauseImage); err != nil {
		return err
	}
	base, err := a.image(ctx, node, empty.Image, work)
	if err != nil {
		return err
	}
	return a.kindNode(node).Commit(ctx, base, inside, ref)
}

// Recipes returns, for the named images of the catalogue under root and of a
// style's own, the hash of what each is made from: equal hashes build equal images.
func Recipes(root string, own []Image, names ...string) (map[string]string, error) {
	catalogue, err := load(root, own)
	if err != nil {
		return nil, err
	}
	a := assembler{Tools: builders.Tools{Root: root}, catalogue: catalogue}
	hashes := map[string]string{}
	for _, name := range names {
		image, err := catalogue.Image(name)
		if err != nil {
			return nil, err
		}
		if hashes[name], err = a.key(image); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}
