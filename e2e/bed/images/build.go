package images

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"golang.org/x/sync/singleflight"

	"operatorbench/e2e/bed/engine"
)

// Labels of every image that is built.
const (
	labelName     = "operatorbench.image"
	labelRecipe   = "operatorbench.recipe"
	labelPackages = "operatorbench.debian-packages"
)

// labelBuild is on the container in which a node is made; its value is the id of
// the cache that this is for: a path may be another machine's or container's.
const labelBuild = "operatorbench.node-build"

// builder makes images from package registries.
type builder struct {
	root       string // of the repository
	cache      string
	cacheID    string // known once the cache is being filled
	workFolder string // for files that nobody needs afterwards, on the cache's disk
	catalogue  *Catalogue
	hasher     hasher
	engine     *engine.Engine // for the node and Dockerfiles; nil: none
	progress   *progress
	once       *singleflight.Group
	archive    string // of Debian's snapshots; "": none
}

// logFile is where the output of a step goes.
func (b *builder) logFile(step string) string {
	return filepath.Join(b.cache, "logs", strings.ReplaceAll(step, "/", "-")+".log")
}

// image builds one image; its layers are files in work or in the cache.
func (b *builder) image(ctx context.Context, image Image, work string, extra ...entry) (v1.Image, error) {
	if image.dockerfile != "" {
		return b.context(ctx, image, work)
	}
	var layers []v1.Layer
	labels := map[string]string{labelName: image.Name}
	if image.Packages != nil {
		debian, err := b.debian(ctx, *image.Packages)
		if err != nil {
			return nil, err
		}
		layers = append(layers, debian.fileLayer)
		labels[labelPackages] = strings.Join(debian.Versions, " ")
	}
	entries, err := b.entries(ctx, image, work)
	if err != nil {
		return nil, err
	}
	if entries = append(extra, entries...); len(entries) > 0 {
		layer, err := writeLayer(filepath.Join(work, image.Name+".layer.tar"), entries)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	if labels[labelRecipe], err = b.hasher.image(image); err != nil {
		return nil, err
	}
	return configure(image.Config, labels, layers)
}

// entries are the image's programs and files.
func (b *builder) entries(ctx context.Context, image Image, work string) ([]entry, error) {
	var entries []entry
	for _, bin := range image.Binaries {
		file, err := b.binary(ctx, bin, work)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: strings.TrimPrefix(bin.To, "/"), mode: 0o755, source: file})
	}
	for _, file := range image.Files {
		mode, err := file.mode()
		if err != nil {
			return nil, err
		}
		e := entry{name: strings.TrimPrefix(file.To, "/"), mode: mode, link: file.Link, data: []byte(file.Text)}
		if file.From != "" {
			e.source = filepath.Join(b.root, catalogueFolder, file.From)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// configure makes an image of layers.
func configure(config Config, labels map[string]string, layers []v1.Layer) (v1.Image, error) {
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		return nil, fmt.Errorf("assemble the layers: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	file.Created = v1.Time{Time: buildTime}
	file.Config = v1.Config{
		Entrypoint: config.Entrypoint, Cmd: config.Cmd, Env: config.Env, User: config.User,
		StopSignal: config.StopSignal, Labels: labels,
	}
	return mutate.ConfigFile(image, file)
}

// writeAtomically writes a file so that another process sees all of it or none.
func writeAtomically(file string, raw []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return err
	}
	_, err = temporary.Write(raw)
	if err = cmp.Or(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // the first error is the one that matters
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
