package images

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/partial"

	"operatorbench/e2e/environment/engine"
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
	// Engine holds the node image, and perhaps others. Without it (nil) the node
	// cannot be had.
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
	program, err := newProgram(o)
	return &Store{
		root: o.Root, cache: o.Cache, catalogue: catalogue, lock: lock, source: cmp.Or(o.Source, Auto), engine: o.Engine,
		program: program, progress: progress{out: o.Progress, started: time.Now()},
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
	// Digest is that of the image's configuration: what the container runtime
	// calls the image's ID.
	Digest string `json:"digest"`
	// Locked is the digest by which the image was pulled; empty where it was not.
	Locked string `json:"locked,omitempty"`
	// Recipe is the hash of what a built image was made from.
	Recipe string `json:"recipe,omitempty"`
	// Packages are those that a built image is made of, "name=version", of one ecosystem after the other.
	Packages []string `json:"packages,omitempty"`
	// Depends is what an image that is built here alone is built from; nil: not known.
	Depends *Dependencies `json:"dependencies,omitempty"`
	// Size is that of all layers, in bytes.
	Size int64 `json:"size"`
}

// Dependencies are how many packages of an ecosystem something is built from, beside
// its own code.
type Dependencies struct {
	Direct int `json:"direct"` // those that its own code asks for
	All    int `json:"all"`    // these, and those that they ask for in turn
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
	locked string       // digest; empty: none is known
	local  string       // the digest of what the engine has, of an image that is taken as it is
	built  planned      // what building makes, where that was asked
	have   *Description // what there is
	folder string       // of have, in the cache; empty for the node
	why    string       // where have is nil
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

// states looks at the images of these names: whether the cache (for the node: the
// engine) has them from a source that may be used. The program that builds images is only
// asked of those that are not there as they were pulled.
func (s *Store) states(ctx context.Context, names []string) ([]state, error) {
	images, err := s.selected(names)
	if err != nil {
		return nil, err
	}
	states, unknown := make([]state, len(images)), []string(nil)
	for i, image := range images {
		st := state{image: image, locked: s.lock.Digest(image.Reference)}
		if image.asIs() {
			st.local = s.inEngine(ctx, image.Reference)
		}
		if states[i], err = s.look(ctx, st, fromPull); err != nil {
			return nil, err
		}
		if states[i].have == nil && slices.Contains(s.acceptable(st), fromBuild) {
			unknown = append(unknown, image.Name)
		}
	}
	plan, err := s.program.plan(ctx, unknown...)
	var nobody *NoProgramError
	switch {
	case errors.As(err, &nobody):
		s.progress.say("%v", nobody) // what is there, or can be pulled, is no worse for it
	case err != nil:
		return nil, err
	}
	for i, st := range states {
		if st.have != nil {
			continue
		}
		st.built = plan[st.image.Name]
		if states[i], err = s.look(ctx, st, fromBuild, fromEngine); err != nil {
			return nil, err
		}
		if states[i].have != nil {
			continue
		}
		states[i].why = s.whyNot(ctx, st)
	}
	return states, nil
}

// look looks for an image from those of the origins that may be used.
func (s *Store) look(ctx context.Context, st state, origins ...string) (state, error) {
	for _, origin := range s.acceptable(st) {
		if !slices.Contains(origins, origin) || origin == fromBuild && st.built.Key == "" {
			continue
		}
		if st.image.Name == NodeImage {
			found, err := s.nodeIn(ctx, st, origin)
			if err != nil || found.have != nil {
				return found, err
			}
			continue
		}
		folder := s.folder(st, origin)
		have, err := st.describe(origin, folder)
		switch {
		case err == nil:
			st.have, st.folder = have, folder
			return st, nil
		case !errors.Is(err, os.ErrNotExist):
			return st, fmt.Errorf("image %s in the cache: %w: delete %s", st.image.Name, err, folder)
		}
	}
	return st, nil
}

// whyNot says why an image is not there.
func (s *Store) whyNot(ctx context.Context, st state) string {
	older, where := "", "not in cache"
	switch {
	case st.image.asIs():
	case st.image.Name != NodeImage:
		if found, err := filepath.Glob(filepath.Join(s.cache, "images", st.image.Name, fromBuild+"-*")); err == nil && len(found) > 0 {
			older = found[0]
		}
	case s.engine == nil:
		return "there is no container engine to keep it"
	default:
		where = "not in the container engine"
		if repository, _, found := strings.Cut(st.built.Engine, ":"); found {
			older, _ = s.engine.Run(ctx, "images", "--quiet", repository) // what cannot be asked is not there
		}
	}
	if older != "" && st.built.Key != "" {
		return "recipe changed"
	}
	return where
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
	case st.image.asIs():
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
// have the name, under its reference's hash.
func (s *Store) folder(st state, origin string) string {
	key := ""
	switch {
	case origin == fromBuild:
		return filepath.Join(s.cache, st.built.Folder)
	case origin == fromEngine && st.local != "":
		key = st.local
	case st.image.asIs():
		key = fmt.Sprintf("%x", sha256.Sum256([]byte(st.image.Reference)))[:16]
	default:
		if key = strings.TrimPrefix(st.locked, "sha256:"); key == "" {
			_, key, _ = strings.Cut(filepath.Base(st.image.Reference), ":")
		}
	}
	return filepath.Join(s.cache, "images", st.image.Name, origin+"-"+key)
}

// readImage reads the one image of an OCI layout.
func readImage(folder string) (v1.Image, error) {
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, err
	}
	all, err := partial.FindImages(index, func(v1.Descriptor) bool { return true })
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%s has %d images, not one", folder, len(all))
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// description is what is known of an image of that origin before it is looked at.
func (st state) description(origin string) *Description {
	d := &Description{Name: st.image.Name, Reference: st.image.Reference, Source: origin}
	if origin == fromBuild {
		d.Recipe = st.built.Key
	} else {
		d.Locked = st.locked
	}
	return d
}

// describe reads what the image in a folder says of itself.
func (st state) describe(origin, folder string) (*Description, error) {
	image, err := readImage(folder)
	if err != nil {
		return nil, err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	d := st.description(origin)
	d.Digest = manifest.Config.Digest.String()
	for _, layer := range manifest.Layers {
		d.Size += layer.Size
	}
	d.read(config.Config.Labels)
	return d, nil
}

// Labels of an image that was built: its name, its key, and how many packages its own
// code is built from. Each other one lists the packages of an ecosystem.
const (
	labels       = "operatorbench."
	labelName    = labels + "image"
	labelRecipe  = labels + "recipe"
	labelDepends = labels + "dependencies"
)

// read fills in what labels say.
func (d *Description) read(of map[string]string) {
	for _, label := range slices.Sorted(maps.Keys(of)) {
		switch {
		case label == labelDepends:
			found := &Dependencies{}
			if n, err := fmt.Sscanf(of[label], "direct=%d all=%d", &found.Direct, &found.All); err == nil && n == 2 {
				d.Depends = found
			}
		case strings.HasPrefix(label, labels) && label != labelName && label != labelRecipe:
			d.Packages = append(d.Packages, strings.Fields(of[label])...)
		}
	}
}

// List says of each of the named images (no names: all) whether it is there.
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

// assembling is how long an image takes beside the steps towards it: root file systems,
// layers.
const assembling = 8 * time.Second

// BuildTime estimates how long building the named images takes on two cores with
// empty build caches. Pulling them is a matter of the network.
func (s *Store) BuildTime(ctx context.Context, names ...string) (time.Duration, error) {
	images, err := s.selected(names)
	if err != nil {
		return 0, err
	}
	images = slices.DeleteFunc(images, Image.asIs)
	plan, err := s.program.plan(ctx, namesOf(images)...)
	if err != nil {
		return 0, err
	}
	total, counted := time.Duration(len(images))*assembling, map[string]bool{}
	for _, image := range plan {
		for _, step := range image.Steps {
			if !counted[step.Name] {
				total += time.Duration(step.Seconds * float64(time.Second))
			}
			counted[step.Name] = true
		}
	}
	return total, nil
}

func namesOf(images []Image) []string {
	names := make([]string, len(images))
	for i, image := range images {
		names[i] = image.Name
	}
	return names
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
	if err := writeArchive(ctx, w, images); err != nil {
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
