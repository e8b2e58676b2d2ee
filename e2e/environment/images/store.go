package images

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/singleflight"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images/builders"
)

// Source is where images may come from.
type Source string

// The sources.
const (
	// Auto takes what is cached or what the local engine has, else pulls, else
	// builds.
	Auto Source = "auto"
	// Pull takes images from their registries only, but for those that no
	// registry has.
	Pull Source = "pull"
	// Build makes images from package registries only, but for those of which a
	// style says nothing but the reference: these it takes from wherever they are.
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

// ArchiveVariable names the environment variable that holds Options.Archive.
const ArchiveVariable = "OPERATORBENCH_DEBIAN_SNAPSHOT"

// Options say how a Store works. Only Root and Cache must be given.
type Options struct {
	// Root is the repository's folder; see FindRoot.
	Root string
	// Cache is the folder for images, compiled programs and logs; see CacheFolder.
	Cache string
	// Source is where images may come from; empty means Auto.
	Source Source
	// Own are the images that styles bring along beside the catalogue's; see Own.
	Own []Image
	// Engine holds the node image, and perhaps others. Without it (nil) the node
	// cannot be had.
	Engine *engine.Engine
	// Archive is where Debian's snapshots are, a URL; "": packages are today's. See
	// ArchiveVariable.
	Archive string
	// Progress gets a line for each thing that is done; nil: nobody.
	Progress io.Writer
	// ProbeTimeout is how long a registry may take to answer at all (3 s), and
	// StallTimeout how long it may be silent in the middle of an answer (30 s).
	ProbeTimeout, StallTimeout time.Duration
	// FreeSpace replaces the question to the kernel.
	FreeSpace FreeSpace
}

// Store is a cache of images and the ways to fill it.
type Store struct {
	assembler

	source Source
	lock   Lock
	puller *puller
	free   FreeSpace
}

// CacheFolder is where images are kept by default: the value of
// OPERATORBENCH_CACHE where it is set, else operatorbench in the user's cache
// folder (XDG_CACHE_HOME or ~/.cache). getenv is os.Getenv.
func CacheFolder(getenv func(string) string) (string, error) {
	if dir := getenv("OPERATORBENCH_CACHE"); dir != "" {
		return filepath.Abs(dir)
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
	if o.FreeSpace == nil {
		o.FreeSpace = diskFree
	}
	return &Store{
		assembler: assembler{catalogue: catalogue, archive: strings.TrimSuffix(o.Archive, "/"), Tools: builders.Tools{
			Root: o.Root, Cache: o.Cache, Work: filepath.Join(o.Cache, "work"), Engine: o.Engine,
			Progress: builders.NewProgress(o.Progress), Once: &singleflight.Group{},
		}},
		source: cmp.Or(o.Source, Auto), lock: lock, free: o.FreeSpace,
		puller: &puller{
			probeTimeout: cmp.Or(o.ProbeTimeout, 3*time.Second), stallTimeout: cmp.Or(o.StallTimeout, 30*time.Second),
			probed: map[string]error{},
		},
	}, nil
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
	// Digest is that of the image's configuration: what the container runtime
	// calls the image's ID.
	Digest string `json:"digest"`
	// Locked is the digest by which the image was pulled; empty where it was not.
	Locked string `json:"locked,omitempty"`
	// Recipe is the hash of what a built image was made from.
	Recipe string `json:"recipe,omitempty"`
	// Packages are a built image's Debian packages, and then those of Python, "name=version".
	Packages []string `json:"packages,omitempty"`
	// Depends is what an image that is built here alone is built from; nil: not known.
	Depends *builders.Dependencies `json:"dependencies,omitempty"`
	// Size is that of all layers, in bytes.
	Size int64 `json:"size"`
}

// Listed is one line of a list of images: what is there, or why nothing is.
type Listed struct {
	Name      string
	Reference string
	Have      *Description
	Why       string // where Have is nil: not there, or made from another recipe
}

// state is what is known of one image.
type state struct {
	image  Image
	recipe string // hash
	locked string // digest; empty: none is known
	have   *Description
	folder string // of have, in the cache; empty for the node
	why    string // where have is nil
	local  string // the digest of what the engine has, of an image that is taken as it is
}

// description is what is known of an image of that origin before it is there.
func (st state) description(origin string) *Description {
	d := &Description{Name: st.image.Name, Reference: st.image.Reference, Source: origin}
	if origin == fromBuild {
		d.Recipe = st.recipe
	} else {
		d.Locked = st.locked
	}
	return d
}

// selected returns the images of these names, each once, in the order of the
// names; no names mean all.
func (s *Store) selected(names []string) ([]Image, error) {
	known := s.catalogue.Names()
	if len(names) == 0 {
		names = known
	}
	var images []Image
	for i, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no image %q in the catalogue: it has %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(names[:i], name) {
			image, _ := s.catalogue.Image(name)
			images = append(images, image)
		}
	}
	return images, nil
}

// states looks at the images of these names.
func (s *Store) states(ctx context.Context, names []string) ([]state, error) {
	images, err := s.selected(names)
	if err != nil {
		return nil, err
	}
	states := make([]state, len(images))
	for i, image := range images {
		if states[i], err = s.state(ctx, image); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// state looks at one image: whether the cache (for the node: the engine) has it
// from a source that may be used.
func (s *Store) state(ctx context.Context, image Image) (state, error) {
	recipe, err := s.key(image)
	if err != nil {
		return state{}, err
	}
	st := state{image: image, recipe: recipe, locked: s.lock.Digest(image.Reference)}
	if image.Name == NodeImage {
		return s.nodeState(ctx, st)
	}
	if image.asIs {
		st.local = s.inEngine(ctx, image.Reference)
	}
	for _, source := range s.acceptable(st) {
		folder := s.folder(st, source)
		have, err := readDescription(folder)
		if err == nil {
			st.have, st.folder = have, folder
			return st, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return state{}, fmt.Errorf("image %s in the cache: %w: delete %s", image.Name, err, folder)
		}
	}
	st.why = "not in cache"
	if image.asIs {
		return st, nil
	}
	if older, err := filepath.Glob(filepath.Join(s.Cache, "images", image.Name, fromBuild+"-*")); err == nil && len(older) > 0 {
		st.why = "recipe changed"
	}
	return st, nil
}

// Where an image came from; also the beginnings of folder names.
const (
	fromBuild  = "built"
	fromPull   = "pulled"
	fromEngine = "engine"
)

// acceptable are the origins that the chosen source allows, the best first. An
// image that is taken as it is, is what the engine has: who brings it may have
// built it anew under the same tag.
func (s *Store) acceptable(st state) []string {
	switch {
	case st.local != "" && s.source != Pull:
		return []string{fromEngine}
	case st.image.asIs:
		return []string{fromPull}
	case s.source == Build || st.image.NeverPulled:
		return []string{fromBuild}
	case s.source == Pull:
		return []string{fromPull}
	default:
		return []string{fromPull, fromBuild, fromEngine}
	}
}

// folder is where an image of that origin is kept: under its recipe's hash if it
// was built, under its digest if it is what the engine has of it, else under the
// digest or tag by which it was asked for; of a style's own, of which another may
// have the name, under its hash.
func (s *Store) folder(st state, origin string) string {
	key := st.recipe
	switch {
	case origin == fromBuild, origin == fromPull && st.image.asIs:
	case origin == fromEngine && st.local != "":
		key = st.local
	default:
		if key = strings.TrimPrefix(st.locked, "sha256:"); key == "" {
			_, key, _ = strings.Cut(filepath.Base(st.image.Reference), ":")
		}
	}
	return filepath.Join(s.Cache, "images", st.image.Name, origin+"-"+key)
}

const descriptionFile = "operatorbench.json"

// readDescription reads what was written last when an image was put into folder.
func readDescription(folder string) (*Description, error) {
	raw, err := os.ReadFile(filepath.Join(folder, descriptionFile))
	if err != nil {
		return nil, err
	}
	have := &Description{}
	if err := json.Unmarshal(raw, have); err != nil {
		return nil, err
	}
	return have, nil
}

// List says of each of the named images (no names: all) whether it is there. It
// reads files and asks the engine for the node, so it takes milliseconds.
func (s *Store) List(ctx context.Context, names ...string) ([]Listed, error) {
	states, err := s.states(ctx, names)
	list := make([]Listed, len(states))
	for i, st := range states {
		list[i] = Listed{Name: st.image.Name, Reference: st.image.Reference, Have: st.have, Why: st.why}
	}
	return list, err
}

// Missing lists those of the named images (no names: all) that are not there.
func (s *Store) Missing(ctx context.Context, names ...string) ([]Listed, error) {
	list, err := s.List(ctx, names...)
	return slices.DeleteFunc(list, func(l Listed) bool { return l.Have != nil }), err
}

// BuildTime estimates how long building the named images takes on two cores with
// empty build caches. Pulling them is a matter of the network.
func (s *Store) BuildTime(names ...string) (time.Duration, error) {
	images, err := s.selected(names)
	if err != nil {
		return 0, err
	}
	costs, err := s.costs(images)
	if err != nil {
		return 0, err
	}
	// Root file systems and assembling.
	total := time.Duration(len(images)) * 8 * time.Second
	for _, cost := range costs {
		total += cost.Time
	}
	return total, nil
}

// Describe says what the named images (no names: all) are. It is an error if one
// is missing.
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
	images := map[string]v1.Image{}
	for _, st := range states {
		if images[st.image.Reference], err = readImage(st.folder); err != nil {
			return fmt.Errorf("read the image %s from the cache: %w", st.image.Name, err)
		}
	}
	if err := builders.WriteArchive(ctx, w, images); err != nil {
		return fmt.Errorf("write the archive of %s: %w", strings.Join(names, ", "), err)
	}
	return nil
}

// Node returns the reference by which kind finds the node image in the engine.
// It is an error if the image is missing.
func (s *Store) Node(ctx context.Context) (string, error) {
	node, err := s.present(ctx, []string{NodeImage})
	if err != nil {
		return "", err
	}
	return node[0].nodeReference(node[0].have.Source), nil
}
