package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Ensure gets those of the named images (no names: all) that are missing. Of two processes that share a cache one waits
// for the other, and then finds the work done.
func (s *Store) Ensure(ctx context.Context, names ...string) error {
	missing, err := s.Missing(ctx, names...)
	if err != nil || len(missing) == 0 {
		return err
	}
	return s.alone(ctx, func(cacheID string) error {
		states, err := s.states(ctx, names)
		if err != nil {
			return err
		}
		states = slices.DeleteFunc(states, func(st state) bool { return st.have != nil })
		if len(states) == 0 {
			return nil
		}
		return s.obtainAll(ctx, cacheID, states)
	})
}

// Programs returns a folder of the cache with the programs of images, each under the name that it has in its image, for
// those that run them without a container. They are compiled where they are not in the cache: an image that was pulled
// is not taken apart. Programs of this repository are none of them.
func (s *Store) Programs(ctx context.Context, names ...string) (folder string, err error) {
	if len(names) == 0 {
		return "", errors.New("which images? name those whose programs are to be compiled")
	}
	for _, name := range names { // also of images inside others
		if _, err := s.catalogue.Image(name); err != nil {
			return "", err
		}
	}
	err = s.alone(ctx, func(string) error {
		said, err := s.program.run(ctx, "programs", nil, names...)
		folder = said.Folder
		return err
	})
	return folder, err
}

// alone fills the cache while no other process does, with an empty working folder.
func (s *Store) alone(ctx context.Context, fill func(cacheID string) error) error {
	id, err := claimCache(s.cache)
	if err != nil {
		return err
	}
	lock := filepath.Join(s.cache, "lock")
	unlock, err := lockFile(ctx, lock, func(holder string) {
		s.progress.say("waiting for %s, which fills the same cache (it holds %s)", holder, lock)
	})
	if err != nil {
		return err
	}
	defer unlock()
	// What a killed run left; the lock says that nobody uses it.
	s.dropKilled(ctx)
	if err := os.RemoveAll(s.work()); err != nil {
		return fmt.Errorf("clear the cache's working folder: %w", err)
	}
	if err := os.MkdirAll(s.work(), 0o755); err != nil {
		return fmt.Errorf("make the cache's working folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(s.work()) }() // else the next run does
	return fill(id)
}

// work is the folder of the cache for files that nobody needs afterwards.
func (s *Store) work() string { return filepath.Join(s.cache, "work") }

// obtainAll gets images one after the other, and then has those built that must be.
func (s *Store) obtainAll(ctx context.Context, cacheID string, states []state) error {
	var errs []error
	var failed []string
	var toBuild []Image
	var own []state
	for k, st := range states {
		got, err := s.step(k+1, len(states), st).obtainReady(ctx, st)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			failed = append(failed, st.image.Name)
			errs = append(errs, fmt.Errorf("%s: %w", st.image.Name, err))
		case !got && st.image.builtHere():
			own = append(own, st)
		case !got:
			toBuild = append(toBuild, st.image)
		}
	}
	if len(errs) > 0 {
		hint := ""
		if s.source == Pull {
			hint = " (--images=auto builds what cannot be pulled)"
		}
		return fmt.Errorf("these images could not be had: %s%s: %w", strings.Join(failed, ", "), hint, errors.Join(errs...))
	}
	for k, st := range own { // these take the least time, and are the most likely to be wrong
		if err := s.step(k+1, len(own), st).buildOwn(ctx, st); err != nil {
			return err
		}
	}
	return s.build(ctx, cacheID, toBuild)
}

// obtainReady tries what is quicker than building. It returns false where the
// image must be built, and an error where it may not be.
func (s *Store) obtainReady(ctx context.Context, st state) (bool, error) {
	if st.image.NeverPulled || s.source == Build && !st.image.AsIs() {
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
	switch {
	case err == nil:
		s.progress.say("pulled %s in %s", st.image.source(), time.Since(started).Round(time.Second))
		return true, nil
	case st.image.given != "" && ctx.Err() == nil:
		return false, fmt.Errorf("%s: %w", s.whereNot(), err)
	case st.image.AsIs() && ctx.Err() == nil:
		return false, fmt.Errorf("%s: %w: build it under this reference, or say in %s what it is made from (dockerfile or go)", s.whereNot(), err, st.image.own.where)
	case s.source == Pull || errors.Is(err, errMismatch) || ctx.Err() != nil:
		return false, err
	}
	s.progress.say("will be built: %v", err)
	return false, nil
}

// whereNot says that the engine does not have an image that is taken as it is.
func (s *Store) whereNot() string {
	switch {
	case s.source == Pull:
		return "it is only pulled from its registry (--images=pull)"
	case s.engine == nil:
		return "there is no container engine that could have it"
	}
	return s.engine.Name() + " does not have it"
}

// inEngine returns the digest of the image that the local engine has under a reference; empty: it has none.
func (s *Store) inEngine(ctx context.Context, reference string) string {
	if s.engine == nil {
		return ""
	}
	id, err := s.engine.Run(ctx, "image", "inspect", "--format", "{{.Id}}", reference)
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
	image, err := s.puller.pull(ctx, st.image.source(), st.locked)
	if err != nil {
		return err
	}
	if err := s.save(st, fromPull, image); err != nil {
		return fmt.Errorf("pull %s: %w", st.image.source(), mismatch(st.image.source(), err))
	}
	return nil
}

// fromEngine takes an image that the local engine has under this reference and, where one is locked, this digest.
func (s *Store) fromEngine(ctx context.Context, st state) (bool, error) {
	if s.engine == nil {
		return false, nil
	}
	wanted := st.image.source()
	if st.locked != "" {
		repository, _, _ := strings.Cut(wanted, ":")
		wanted = repository + "@" + st.locked
	}
	if s.inEngine(ctx, wanted) == "" {
		return false, nil
	}
	image, err := s.saved(ctx, wanted)
	if err == nil {
		err = s.save(st, fromEngine, image)
	}
	if err != nil {
		return false, fmt.Errorf("take %s from %s: %w", wanted, s.engine.Name(), err)
	}
	s.progress.say("taken from %s", s.engine.Name())
	return true, nil
}

// saved is an image that the engine has, read from a file in the working folder.
func (s *Store) saved(ctx context.Context, reference string) (v1.Image, error) {
	file := filepath.Join(s.work(), "saved.tar")
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.engine.Pipe(ctx, out, "save", reference), out.Close()); err != nil {
		return nil, err
	}
	return tarball.ImageFromPath(file, nil)
}

// step is the store whose progress lines are those of the k-th of n images.
func (s *Store) step(k, n int, st state) *Store {
	step := *s
	step.progress.step = fmt.Sprintf("[%d/%d] %s: ", k, n, st.image.Name)
	return &step
}

// build has images built by the program of the clone, over bases that are there or can be had without building.
func (s *Store) build(ctx context.Context, cacheID string, images []Image) error {
	if len(images) == 0 {
		return nil
	}
	var names, flags []string
	for _, image := range images {
		names = append(names, image.Name)
		if image.Base == "" {
			continue
		}
		folder, err := s.base(ctx, image.Base)
		if err != nil {
			return fmt.Errorf("build the image %s: %w", image.Name, err)
		}
		if folder != "" {
			flags = append(flags, "--base="+image.Base+"="+folder)
		}
	}
	if s.engine != nil && slices.Contains(names, NodeImage) {
		left, err := findLeftover(ctx, s.engine, cacheID)
		if err != nil {
			return err
		}
		if !left.none() {
			s.progress.say("remove what is left of a killed %s", left)
			if err := left.remove(ctx, s.engine); err != nil {
				return err
			}
		}
	}
	flags = append(flags, "--label="+buildLabel+"="+cacheID, "--scratch="+baseOf(cacheID))
	_, err := s.program.run(ctx, "build", flags, names...)
	return err
}

// base is the folder of an image that another's layers go over; empty: it is to be built.
func (s *Store) base(ctx context.Context, name string) (string, error) {
	states, err := s.states(ctx, []string{name})
	if err != nil || states[0].have != nil {
		return states[0].folder, err
	}
	got, err := s.obtainReady(ctx, states[0])
	if err != nil {
		return "", fmt.Errorf("get its base %s: %w", states[0].image.Reference, err)
	}
	if !got {
		return "", nil
	}
	states, err = s.states(ctx, []string{name})
	return states[0].folder, err
}

// save writes an image of that origin into the cache: beside its place first, so that nobody sees half of it.
func (s *Store) save(st state, origin string, image v1.Image) error {
	temporary, err := os.MkdirTemp(s.work(), "save-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // gone where all went well
	path, err := layout.Write(temporary, empty.Index)
	if err == nil {
		err = path.AppendImage(image)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("the disk is too full for the images: %w: make room, or set OPERATORBENCH_CACHE to a folder on a larger disk", err)
	}
	if err != nil {
		return err
	}
	folder := s.folder(st, origin)
	return errors.Join(os.RemoveAll(folder), os.MkdirAll(filepath.Dir(folder), 0o755), os.Chmod(temporary, 0o755), os.Rename(temporary, folder))
}
