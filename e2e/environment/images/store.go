// Package images gets the container images that a run needs, the kind node among them: from a registry or from the
// local container engine. Where neither has them, it runs the program of the clone that builds images (fixtures/images,
// a module of its own), whose contract is that an image is an OCI layout in a folder.
//
// catalogue.yaml says which images there are; a style may bring further ones along (see Own). A Store keeps them in a
// cache, those that were built under the hash of everything that they are made from, so that an unchanged recipe costs
// nothing, and hands them out as one archive.
package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/plain"
)

// Source is where images may come from.
type Source string

// The sources.
const (
	// Auto takes what is cached or what the local engine has, else pulls, else builds.
	Auto Source = "auto"
	// Pull takes images from their registries only, but for those that no registry has.
	Pull Source = "pull"
	// Build makes images from package registries only, but for those that a
	// style gives by reference only: these it takes from wherever they are.
	Build Source = "build"
)

// ParseSource reads the value of a flag.
func ParseSource(text string) (Source, error) {
	switch source := Source(text); source {
	case Auto, Pull, Build:
		return source, nil
	}
	return "", fmt.Errorf("%q is no source of images: expected auto, pull or build", text)
}

// Options say how a Store works. Only Root and Cache must be given.
type Options struct {
	// Root is the repository whose images are meant; see FindRoot.
	Root string
	// Clone is the repository whose program builds them; empty means Root.
	Clone string
	// Cache is the folder for images, compiled programs and logs; see CacheFolder.
	Cache string
	// Source is where images may come from; empty means Auto.
	Source Source
	// Own are the images that styles bring along beside the catalogue's; see Own.
	Own []Image
	// Given are references that images are taken from, by name; see Catalogue.Give.
	Given map[string]string
	// Engine holds the node image, and perhaps others. Without it (nil) the node cannot be had.
	Engine *engine.Engine
	// Progress gets a line for each thing that is done; nil: nobody.
	Progress io.Writer
	// ProbeTimeout is how long a registry may take to answer at all (3 s), and
	// StallTimeout how long it may be silent in the middle of an answer (30 s).
	ProbeTimeout, StallTimeout time.Duration
}

// Store is a cache of images and the ways to fill it.
type Store struct {
	root, cache string
	catalogue   *Catalogue
	lock        Lock
	source      Source
	engine      *engine.Engine
	puller      *puller
	program     program
	progress    progress
	nobody      *sync.Once // says that nothing can be built
}

// CacheFolder is where images are kept by default: the value of OPERATORBENCH_CACHE where it is set, else operatorbench
// in the user's cache folder (XDG_CACHE_HOME or ~/.cache). getenv is os.Getenv.
func CacheFolder(getenv func(string) string) (string, error) {
	if dir := getenv("OPERATORBENCH_CACHE"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("OPERATORBENCH_CACHE is %q, which leads to another folder from each: expected an absolute path", dir)
		}
		return filepath.Clean(dir), nil
	}
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "operatorbench"), nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", errors.New("no folder for the cache of images: set OPERATORBENCH_CACHE or HOME")
	}
	return filepath.Join(home, ".cache", "operatorbench"), nil
}

// Open reads the catalogue and the lock file. It writes nothing.
func Open(o Options) (*Store, error) {
	catalogue, err := load(o.Root, o.Own)
	if err != nil {
		return nil, err
	}
	if catalogue, err = catalogue.Give(o.Given); err != nil {
		return nil, err
	}
	lock, err := LoadLock(o.Root)
	if err != nil {
		return nil, err
	}
	if o.Cache == "" {
		return nil, errors.New("no folder is given for the cache of images")
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	program, err := newProgram(o)
	return &Store{
		root: o.Root, cache: o.Cache, catalogue: catalogue, lock: lock, source: cmp.Or(o.Source, Auto), engine: o.Engine,
		nobody: &sync.Once{}, program: program, progress: progress{out: o.Progress, started: time.Now()},
		puller: &puller{
			probeTimeout: cmp.Or(o.ProbeTimeout, 3*time.Second), stallTimeout: cmp.Or(o.StallTimeout, 30*time.Second),
			probed: map[string]error{},
		},
	}, err
}

// Names are those of all images of the catalogue, in its order, and of styles.
func (s *Store) Names() []string { return s.catalogue.Names() }

// Description is what a run's record says of one image.
type Description struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`
	Published string `json:"published,omitempty"` // see Image
	// Source is built, pulled or engine (taken from the local engine).
	Source string `json:"source"`
	// Digest is that of the image's configuration: what the container runtime calls the image's ID.
	Digest string `json:"digest"`
	// Packages are those that a built image is made of, "name=version", of one ecosystem after the other.
	Packages []string `json:"packages,omitempty"`
	// Depends is what an image that is built here alone is built from; nil: not known.
	Depends *Dependencies `json:"dependencies,omitempty"`
	// Size is that of all layers, in bytes.
	Size int64 `json:"size"`
}

// Dependencies are how many packages of an ecosystem something is built from, beside its own code.
type Dependencies struct {
	Direct int `json:"direct"` // those that its own code asks for
	All    int `json:"all"`    // these, and those that they ask for in turn
}

// Listed is one line of a list of images: what is there, or why nothing is.
type Listed struct {
	Name      string
	Reference string
	Have      *Description
	Why       string // where Have is nil: not there as it would be made now
}

// selected returns the images of these names, each once, in the order of the names; no names mean all.
func (s *Store) selected(names []string) ([]Image, error) {
	known := s.catalogue.Names()
	if len(names) == 0 {
		names = known
	}
	var images []Image
	for _, name := range plain.Once(nil, names...) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no image %q in the catalogue: it has %s", name, strings.Join(known, ", "))
		}
		image, _ := s.catalogue.Image(name)
		images = append(images, image)
	}
	return images, nil
}

// List says of each of the named images (no names: all) whether it is there.
func (s *Store) List(ctx context.Context, names ...string) ([]Listed, error) {
	states, err := s.states(ctx, names)
	list := plain.Map(states, func(st state) Listed {
		return Listed{Name: st.image.Name, Reference: st.image.Reference, Have: st.have, Why: st.why}
	})
	return list, err
}

// Missing lists those of the named images (no names: all) that are not there.
func (s *Store) Missing(ctx context.Context, names ...string) ([]Listed, error) {
	list, err := s.List(ctx, names...)
	return slices.DeleteFunc(list, func(l Listed) bool { return l.Have != nil }), err
}

// Describe says what the named images (no names: all) are. It is an error if one is missing.
func (s *Store) Describe(ctx context.Context, names ...string) ([]Description, error) {
	states, err := s.present(ctx, names)
	descriptions := make([]Description, len(states))
	for i, st := range states {
		descriptions[i] = *st.have
		descriptions[i].Published = st.image.Published
	}
	return descriptions, err
}

// present looks at images that must be there.
func (s *Store) present(ctx context.Context, names []string) ([]state, error) {
	states, err := s.states(ctx, names)
	for _, st := range states {
		if st.have == nil {
			return nil, fmt.Errorf("the image %s (%s) is missing: %s; run `opbench images ensure`", st.image.Name, st.image.Reference, st.why)
		}
	}
	return states, err
}

// Archive writes one archive in Docker's format with the named images (no names:
// all but the node) under their references, for `ctr images import`.
func (s *Store) Archive(ctx context.Context, w io.Writer, names ...string) error {
	if len(names) == 0 {
		names = s.Names()
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == NodeImage })
	if len(names) == 0 {
		return nil
	}
	states, err := s.present(ctx, names)
	if err != nil {
		return err
	}
	images := map[name.Reference]v1.Image{}
	for _, st := range states {
		tag, err := name.NewTag(st.image.Reference)
		if err == nil {
			images[tag], err = readImage(st.folder)
		}
		if err != nil {
			return fmt.Errorf("read the image %s from the cache: %w", st.image.Name, err)
		}
	}
	if err := tarball.MultiRefWrite(images, contextWriter{ctx, w}); err != nil {
		return fmt.Errorf("write the archive of %s: %w", strings.Join(names, ", "), err)
	}
	return nil
}

// Node returns the reference by which kind finds the node image in the engine. It is an error if the image is missing.
func (s *Store) Node(ctx context.Context) (string, error) {
	node, err := s.present(ctx, []string{NodeImage})
	if err != nil {
		return "", err
	}
	return node[0].nodeReference(node[0].have.Source), nil
}

// progress writes what is being got, as the program that builds images does.
type progress struct {
	out     io.Writer
	started time.Time
	step    string // "[2/9] argo-events: "
}

// say writes one line: the time since the beginning, the step, the text.
func (p progress) say(format string, args ...any) {
	// A report that cannot be written is no reason to stop the work.
	_, _ = fmt.Fprintf(p.out, "%s%4.0fs %s%s\n", progressMark, time.Since(p.started).Seconds(), p.step, fmt.Sprintf(format, args...))
}

// contextWriter stops writing when its context ends.
type contextWriter struct {
	ctx context.Context //nolint:containedctx // io.Writer has no place for one
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}
