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
	"runtime"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"

	"operatorbench/e2e/environment/images/builders"
)

// Ensure gets those of the named images (no names: all) that are missing. Of two
// processes that share a cache one waits for the other, and then finds the work
// done.
func (s *Store) Ensure(ctx context.Context, names ...string) error {
	missing, err := s.Missing(ctx, names...)
	if err != nil || len(missing) == 0 {
		return err
	}
	return s.alone(ctx, func() error {
		states, err := s.states(ctx, names)
		if err != nil {
			return err
		}
		states = slices.DeleteFunc(states, func(st state) bool { return st.have != nil })
		if len(states) == 0 {
			return nil
		}
		return s.obtainAll(ctx, states)
	})
}

// alone fills the cache while no other process does, with an empty working folder.
func (s *Store) alone(ctx context.Context, fill func() error) (err error) {
	if s.CacheID, err = claimCache(s.Cache); err != nil {
		return err
	}
	lock := filepath.Join(s.Cache, "lock")
	unlock, err := lockFile(ctx, lock, func(holder string) {
		s.Progress.Say("waiting for %s, which fills the same cache (it holds %s)", holder, lock)
	})
	if err != nil {
		return err
	}
	defer unlock()
	// What a killed run left; the lock says that nobody uses it.
	if err := os.RemoveAll(s.Work); err != nil {
		return fmt.Errorf("clear the cache's working folder: %w", err)
	}
	if err := os.MkdirAll(s.Work, 0o755); err != nil {
		return fmt.Errorf("make the cache's working folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(s.Work) }() // else the next run does
	return fill()
}

// obtainAll gets images one after the other, and then builds those that must be built.
func (s *Store) obtainAll(ctx context.Context, states []state) error {
	var errs []error
	var failed []string
	toBuild := states[:0:0]
	for k, st := range states {
		got, err := s.step(k+1, len(states), st).obtainReady(ctx, st)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			failed = append(failed, st.image.Name)
			errs = append(errs, fmt.Errorf("%s: %w", st.image.Name, err))
		case !got:
			toBuild = append(toBuild, st)
		}
	}
	if len(errs) > 0 {
		hint := ""
		if s.source == Pull {
			hint = " (--images=auto builds what cannot be pulled)"
		}
		return fmt.Errorf("these images could not be had: %s%s: %w", strings.Join(failed, ", "), hint, errors.Join(errs...))
	}
	return s.buildAll(ctx, toBuild, len(states))
}

// obtainReady tries what is quicker than building. It returns false where the
// image must be built, and an error where it may not be.
func (s *Store) obtainReady(ctx context.Context, st state) (bool, error) {
	if st.image.NeverPulled || s.source == Build && !st.image.asIs {
		return false, nil
	}
	if s.source != Pull && st.image.Name != NodeImage {
		got, err := s.fromEngine(ctx, st)
		if got || err != nil {
			return got, err
		}
	}
	started := time.Now()
	err := s.pull(ctx, st)
	var wrong *MismatchError
	switch {
	case err == nil:
		s.Progress.Say("pulled %s in %s", st.image.Reference, builders.Since(started))
		return true, nil
	case st.image.asIs && ctx.Err() == nil:
		return false, fmt.Errorf("%s: %w: build it under this reference, or say in %s what it is made from (dockerfile or go)", s.whereNot(), err, st.image.where)
	case s.source == Pull || errors.As(err, &wrong) || ctx.Err() != nil:
		return false, err
	}
	s.Progress.Say("will be built: %v", err)
	return false, nil
}

// whereNot says that the engine does not have an image that is taken as it is.
func (s *Store) whereNot() string {
	switch {
	case s.source == Pull:
		return "it is only pulled from its registry (--images=pull)"
	case s.Engine == nil:
		return "there is no container engine that could have it"
	}
	return s.Engine.Name() + " does not have it"
}

// inEngine is the digest of what the local engine has under a reference; empty:
// nothing.
func (s *Store) inEngine(ctx context.Context, reference string) string {
	if s.Engine == nil {
		return ""
	}
	id, err := s.Engine.Run(ctx, "image", "inspect", "--format", "{{.Id}}", reference)
	if err != nil {
		return "" // the engine does not have it, which is no failure
	}
	return strings.TrimPrefix(id, "sha256:")
}

// pull gets an image from its registry into the cache, the node into the engine.
func (s *Store) pull(ctx context.Context, st state) error {
	if st.image.Name == NodeImage {
		return s.pullNode(ctx, st)
	}
	if err := checkSpace([]need{{s.Cache, st.image.Size, st.image.Name}}, s.free); err != nil {
		return err
	}
	image, err := s.puller.pull(ctx, st.image.Reference, st.locked)
	if err != nil {
		return err
	}
	if err := s.save(st, fromPull, image); err != nil {
		return fmt.Errorf("pull %s: %w", st.image.Reference, mismatch(st.image.Reference, err))
	}
	return nil
}

// fromEngine takes an image that the local engine has under this reference and,
// where one is locked, this digest.
func (s *Store) fromEngine(ctx context.Context, st state) (bool, error) {
	if s.Engine == nil {
		return false, nil
	}
	wanted := st.image.Reference
	if st.locked != "" {
		repository, _, _ := strings.Cut(wanted, ":")
		wanted = repository + "@" + st.locked
	}
	if s.inEngine(ctx, wanted) == "" {
		return false, nil
	}
	open := func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { w.CloseWithError(s.Engine.Pipe(ctx, nil, w, "save", wanted)) }()
		return r, nil
	}
	image, err := tarball.Image(open, nil)
	if err != nil {
		return false, fmt.Errorf("take %s from %s: %w", wanted, s.Engine.Name(), err)
	}
	if err := s.save(st, fromEngine, image); err != nil {
		return false, fmt.Errorf("take %s from %s: %w", wanted, s.Engine.Name(), err)
	}
	s.Progress.Say("taken from %s", s.Engine.Name())
	return true, nil
}

// step is the store whose progress lines are those of the k-th of n images.
func (s *Store) step(k, n int, st state) *Store {
	step := *s
	step.Progress = s.Progress.At(k, n, st.image.Name)
	return &step
}

// buildAll builds images, and fetches for the later ones beside the compiling.
func (s *Store) buildAll(ctx context.Context, states []state, of int) error {
	if len(states) == 0 {
		return nil
	}
	s.inOrderOfNeed(states)
	images := make([]Image, len(states))
	for i, st := range states {
		images[i] = st.image
	}
	if err := s.needs(ctx, images); err != nil {
		return err
	}
	if err := s.spaceToBuild(ctx, images); err != nil {
		return err
	}
	defer s.Progress.Total()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.fetchAhead(ctx, images) })
	group.Go(func() error {
		builds, ctx := errgroup.WithContext(ctx)
		builds.SetLimit(sideBySide(runtime.NumCPU(), freeMemory()))
		for k, st := range states {
			builds.Go(func() error {
				if err := s.step(of-len(states)+k+1, of, st).build(ctx, st); err != nil {
					return fmt.Errorf("build the image %s: %w", st.image.Name, err)
				}
				return nil
			})
		}
		return builds.Wait()
	})
	return group.Wait()
}

// needs says what this machine lacks to build images, of all of them before the
// first is built.
func (s *Store) needs(ctx context.Context, images []Image) error {
	var errs []error
	for _, image := range s.withInside(images) {
		for _, part := range s.parts(image) {
			if err := part.Needs(ctx); err != nil {
				errs = append(errs, fmt.Errorf("build the image %s: %w", image.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// fetchAhead gets over the network what building images needs, in their order, of
// one ecosystem beside the other.
func (s *Store) fetchAhead(ctx context.Context, images []Image) error {
	fetches := map[string][]func(context.Context) error{}
	for _, image := range s.withInside(images) {
		for _, part := range s.parts(image) {
			fetches[part.Ecosystem()] = append(fetches[part.Ecosystem()], func(ctx context.Context) error {
				if err := part.Fetch(ctx); err != nil {
					return fmt.Errorf("build the image %s: %w", image.Name, err)
				}
				return nil
			})
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, inOrder := range fetches {
		group.Go(func() error {
			for _, fetch := range inOrder {
				if err := fetch(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// What a build keeps busy where there is more of it: compiling and linking the
// largest recipe takes about three gigabytes, and as many cores as there are.
const (
	coresOfBuild  = 4
	memoryOfBuild = 4 << 30
)

// sideBySide is how many images are built at once on a machine with so many cores
// and so much free memory; 0 bytes: it is not known.
func sideBySide(cores int, memory int64) int {
	return max(min(cores/coresOfBuild, int(memory/memoryOfBuild)), 1)
}

// freeMemory is how much memory programs can have without swapping, in bytes; 0
// where the kernel does not say.
func freeMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}

// inOrderOfNeed puts the node first, without which there is nothing to see, and
// then what takes the least compiling: a style of which all is there need not
// wait for the others'.
func (s *Store) inOrderOfNeed(states []state) {
	cost := func(st state) time.Duration {
		if st.image.Name == NodeImage {
			return -1
		}
		total := time.Duration(0)
		costs, _ := s.costs([]Image{st.image}) // building, in its turn, says what is wrong
		for _, c := range costs {
			total += c.Time
		}
		return total
	}
	slices.SortStableFunc(states, func(a, b state) int { return cmp.Compare(cost(a), cost(b)) })
}

// build builds one image into the cache, the node into the engine.
func (s *Store) build(ctx context.Context, st state) error {
	started := time.Now()
	work, remove, err := s.Temporary(st.image.Name)
	if err != nil {
		return err
	}
	defer remove()
	if st.image.Name == NodeImage {
		err = s.node(ctx, st.image, st.nodeReference(fromBuild), work)
	} else {
		var base, image v1.Image
		if base, err = s.base(ctx, st.image, work); err == nil {
			image, err = s.image(ctx, st.image, base, work)
		}
		if err == nil {
			err = s.save(st, fromBuild, image)
		}
	}
	if err == nil {
		s.Progress.Say("built in %s", builders.Since(started))
	}
	return err
}

// base is the image that another's layers go over: as the cache has it or a registry,
// else built, for which all but the assembling is kept.
func (s *Store) base(ctx context.Context, image Image, work string) (v1.Image, error) {
	if image.Base == "" {
		return empty.Image, nil
	}
	below, err := s.catalogue.Image(image.Base)
	if err != nil {
		return nil, err
	}
	st, err := s.state(ctx, below)
	if err != nil {
		return nil, err
	}
	if st.have == nil {
		got, err := s.obtainReady(ctx, st)
		if err != nil {
			return nil, fmt.Errorf("get its base %s: %w", below.Reference, err)
		}
		if got {
			if st, err = s.state(ctx, below); err != nil {
				return nil, err
			}
		}
	}
	if st.have != nil {
		return readImage(st.folder)
	}
	lower, err := s.base(ctx, below, work)
	if err != nil {
		return nil, err
	}
	return s.assembler.image(ctx, below, lower, work)
}

// withInside are images and those inside them.
func (s *Store) withInside(images []Image) []Image {
	var all []Image
	for _, image := range images {
		all = append(append(all, image), s.catalogue.Parts(image.Name)...)
	}
	return all
}

// costs lists what building images takes that the cache does not have, each step
// once.
func (s *Store) costs(images []Image) ([]builders.Cost, error) {
	var all []builders.Cost
	for _, image := range s.withInside(images) {
		for _, part := range s.parts(image) {
			costs, err := part.Costs()
			if err != nil {
				return nil, fmt.Errorf("image %s: %w", image.Name, err)
			}
			for _, cost := range costs {
				if !slices.ContainsFunc(all, func(c builders.Cost) bool { return c.Step == cost.Step }) {
					all = append(all, cost)
				}
			}
		}
	}
	return all, nil
}

// spaceToBuild checks the disks before anything is built.
func (s *Store) spaceToBuild(ctx context.Context, images []Image) error {
	costs, err := s.costs(images)
	if err != nil {
		return err
	}
	var needs []need
	for _, cost := range costs {
		if cost.Size == 0 {
			continue
		}
		folder, err := cost.Folder(ctx)
		if err != nil {
			return err
		}
		needs = append(needs, need{folder, cost.Size, cost.Step})
	}
	for _, image := range images {
		// Once for its layers, once for the image made of them.
		needs = append(needs, need{s.Cache, 2 * image.Size, image.Name})
		if image.Name != NodeImage {
			continue
		}
		if root := s.engineFolder(ctx); root != "" {
			// The image, the container that it is made in, and its base.
			needs = append(needs, need{root, 2 * image.Size, "the node in the container engine"})
		}
	}
	return checkSpace(needs, s.free)
}

// save writes an image of that origin into the cache: beside its place first, so
// that nobody sees half of it.
func (s *Store) save(st state, origin string, image v1.Image) error {
	temporary, remove, err := s.Temporary("save")
	if err != nil {
		return err
	}
	defer remove() // gone where all went well
	path, err := layout.Write(temporary, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendImage(image); err != nil {
		return err
	}
	have := st.description(origin)
	if err := describe(image, have); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(have, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temporary, descriptionFile), raw, 0o644); err != nil {
		return err
	}
	folder := s.folder(st, origin)
	if err := os.RemoveAll(folder); err != nil { // what has no description is not whole
		return err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	return builders.Move(temporary, folder)
}

// describe fills in what the image itself says.
func describe(image v1.Image, have *Description) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	have.Digest = manifest.Config.Digest.String()
	for _, layer := range manifest.Layers {
		have.Size += layer.Size
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	labels := config.Config.Labels
	have.Packages = strings.Fields(strings.Join([]string{
		labels[builders.LabelPackages], labels[builders.LabelWheels], labels[builders.LabelJars], labels[builders.LabelCrates],
	}, " "))
	have.Depends = builders.DependenciesOf(labels)
	return nil
}

// readImage reads an image of the cache.
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
