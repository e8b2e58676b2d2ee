package images

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/partial"
)

// state is what is known of one image.
type state struct {
	image  Image
	locked string       // digest; empty: none is known
	local  string       // the digest in the engine, where an image is taken as it is
	remote string       // the digest that its registry has now; empty: it does not answer, or the image is not taken as it is
	built  planned      // what building makes, where that was asked
	have   *Description // what there is
	folder string       // of have, in the cache; empty for the node
	why    string       // where have is nil
}

// states looks at the images of these names: whether the cache (for the node: the engine) has them from a source that
// may be used. The program that builds images is only asked of those that are not there as they were pulled.
func (s *Store) states(ctx context.Context, names []string) ([]state, error) {
	images, err := s.selected(names)
	if err != nil {
		return nil, err
	}
	states, unknown := make([]state, len(images)), []string(nil)
	for i, image := range images {
		st := state{image: image, locked: s.lock.Digest(image.source())}
		if image.AsIs() {
			if st.local = s.inEngine(ctx, image.source()); st.local == "" {
				st.remote = s.inRegistry(ctx, image.source())
			}
		}
		if states[i], err = s.look(ctx, st, fromPull); err != nil {
			return nil, err
		}
		switch {
		case states[i].have != nil:
		case image.builtHere():
			if states[i].built, err = planOwn(ctx, image); err != nil {
				return nil, err
			}
		case slices.Contains(s.acceptable(st), fromBuild):
			unknown = append(unknown, image.Name)
		}
	}
	plan, nobody := s.program.plan(ctx, unknown...)
	switch {
	case errors.Is(nobody, errNoProgram):
		if !s.program.inClone() {
			plan = s.remembered()
		}
	case nobody != nil:
		return nil, nobody
	default:
		s.remember(plan)
	}
	for i, st := range states {
		if st.have != nil {
			continue
		}
		if !st.image.builtHere() {
			st.built = plan[st.image.Name]
		}
		if states[i], err = s.look(ctx, st, fromBuild, fromEngine); err != nil {
			return nil, err
		}
		if states[i].have != nil {
			continue
		}
		states[i].why = s.whyNot(st)
		if nobody != nil && slices.Contains(unknown, st.image.Name) {
			s.nobody.Do(func() { s.progress.say("%v", nobody) }) // what is there, or can be pulled, is no worse for it
		}
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
func (s *Store) whyNot(st state) string {
	switch {
	case st.image.Name != NodeImage:
		return "not in cache"
	case s.engine == nil:
		return "there is no container engine to keep it"
	}
	return "not in the container engine"
}

// Where an image came from; also the beginnings of folder names.
const (
	fromBuild  = "built"
	fromPull   = "pulled"
	fromEngine = "engine"
)

// acceptable are the origins that the chosen source allows, the best first. An image that is taken as it is, is what
// the engine has: who brings it may have built it anew under the same tag.
func (s *Store) acceptable(st state) []string {
	switch {
	case st.local != "" && s.source != Pull && st.image.Name != NodeImage:
		return []string{fromEngine}
	case st.image.AsIs():
		return []string{fromPull}
	case s.source == Build || st.image.NeverPulled:
		return []string{fromBuild}
	case s.source == Pull:
		return []string{fromPull}
	default:
		return []string{fromPull, fromBuild, fromEngine}
	}
}

// folder is where an image of that origin is kept: under its recipe's hash if it was built, under its digest if it is
// what the engine has of it, else under the digest or tag by which it was asked for; a style's own, whose
// name another may have, under its reference's hash.
func (s *Store) folder(st state, origin string) string {
	var key string
	switch {
	case origin == fromBuild:
		return filepath.Join(s.cache, st.built.Folder)
	case origin == fromEngine && st.local != "":
		key = st.local
	case st.image.AsIs():
		key = fmt.Sprintf("%x", sha256.Sum256([]byte(st.image.source())))[:16]
		if st.remote != "" {
			return filepath.Join(s.cache, "images", st.image.Name, origin+"-"+key+"-"+strings.TrimPrefix(st.remote, "sha256:")[:16])
		}
		return newestOf(filepath.Join(s.cache, "images", st.image.Name, origin+"-"+key))
	default:
		if key = strings.TrimPrefix(st.locked, "sha256:"); key == "" {
			_, key, _ = strings.Cut(filepath.Base(st.image.Reference), ":")
		}
	}
	return filepath.Join(s.cache, "images", st.image.Name, origin+"-"+key)
}

// newestOf is the newest of the folders that begin so; the name itself where there is none.
func newestOf(begins string) string {
	in := os.DirFS(filepath.Dir(begins))
	found, _ := fs.Glob(in, filepath.Base(begins)+"*")
	newest, at := begins, time.Time{}
	for _, folder := range found {
		if info, err := fs.Stat(in, folder); err == nil && info.ModTime().After(at) {
			newest, at = filepath.Join(filepath.Dir(begins), folder), info.ModTime()
		}
	}
	return newest
}

// resolveWithin bounds how long a registry is asked what a tag is now.
const resolveWithin = 10 * time.Second

// inRegistry is the digest of an image that a registry has now: whoever pushes may have moved the tag since it was pulled.
// It is empty where nobody answers; what the cache has of it is then taken.
func (s *Store) inRegistry(ctx context.Context, reference string) string {
	if s.source == Build {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, resolveWithin)
	defer cancel()
	digest, _ := s.puller.digest(ctx, reference, "")
	return digest
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
	return &Description{Name: st.image.Name, Reference: st.image.Reference, Source: origin}
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

// nodeReference is where the engine has the node of that origin: where the program that
// builds it leaves it, else under kind's own name.
func (st state) nodeReference(origin string) string {
	switch {
	case st.image.given != "":
		return st.image.given
	case origin == fromBuild:
		return st.built.Engine
	case st.locked != "":
		return st.image.Reference + "@" + st.locked
	}
	return st.image.Reference
}

// nodeIn asks the engine for the node of that origin.
func (s *Store) nodeIn(ctx context.Context, st state, origin string) (state, error) {
	if s.engine == nil || origin == fromEngine { // the node always comes from the engine
		return st, nil
	}
	ref := st.nodeReference(origin)
	out, err := s.engine.Run(ctx, "image", "inspect", "--format", "{{.Id}} {{.Size}} {{json .Config.Labels}}", ref)
	if ctx.Err() != nil {
		return st, context.Cause(ctx)
	}
	if err != nil {
		return st, nil //nolint:nilerr // it is not there
	}
	have := st.description(origin)
	id, rest, _ := strings.Cut(out, " ")
	size, text, _ := strings.Cut(rest, " ")
	have.Digest = id
	if have.Size, err = strconv.ParseInt(size, 10, 64); err != nil {
		return st, fmt.Errorf("read the size of %s from %s's answer %q: %w", ref, s.engine.Name(), out, err)
	}
	var said map[string]string
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return st, fmt.Errorf("read the labels of %s from %s's answer %q: %w", ref, s.engine.Name(), out, err)
	}
	have.read(said)
	st.have = have
	return st, nil
}

// pullNode lets the engine pull the node, which keeps the digest's name.
func (s *Store) pullNode(ctx context.Context, st state) error {
	if s.engine == nil {
		return errors.New("the kind node image is kept by a container engine, and there is none")
	}
	if _, err := s.puller.at(ctx, st.image.source(), ""); err != nil {
		return err
	}
	ref := st.nodeReference(fromPull)
	s.progress.say("%s pulls %s", s.engine.Name(), ref)
	_, err := s.engine.Run(ctx, "pull", "--quiet", ref)
	return err
}
