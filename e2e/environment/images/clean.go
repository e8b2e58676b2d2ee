package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/environment/engine"
)

// errFilled says that another process fills the cache.
var errFilled = errors.New("another process fills the cache of images")

// Clean removes what a killed build into a cache left in an engine, or with dryRun
// only says what it would remove, and reports whether there was anything. As long as a
// process fills the cache, nothing is removed; nothing of another cache ever is.
func Clean(ctx context.Context, cache string, e *engine.Engine, dryRun bool, out io.Writer) (found bool, err error) {
	text, err := os.ReadFile(filepath.Join(cache, cacheMark))
	id := strings.TrimSpace(string(text))
	if errors.Is(err, os.ErrNotExist) || err == nil && id == "" {
		return false, nil // nothing was ever built into it
	}
	if err != nil {
		return false, fmt.Errorf("read who owns the cache of images: %w", err)
	}
	left, err := findLeftover(ctx, e, id)
	if err != nil || left.none() {
		return false, err
	}
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	filledBy := ""
	unlock, err := lockFile(waiting, filepath.Join(cache, "lock"), func(holder string) {
		filledBy = holder
		giveUp(errFilled)
	})
	if errors.Is(err, errFilled) {
		_, err = fmt.Fprintf(out, "kept, %s still fills the cache %s: %s\n", cmp.Or(filledBy, "another process"), cache, left)
		return true, err
	}
	if err != nil {
		return true, err
	}
	defer unlock()
	// Since the first look a build may have ended, and removed what it made.
	if left, err = findLeftover(ctx, e, id); err != nil || left.none() {
		return false, err
	}
	if dryRun {
		_, err = fmt.Fprintf(out, "would remove %s\n", left)
		return true, err
	}
	if err := left.remove(ctx, e); err != nil {
		return true, err
	}
	_, err = fmt.Fprintf(out, "removed %s\n", left)
	return true, err
}

// buildLabel is on the container in which a node is made; its value is the id of
// the cache that this is for: a path may be another machine's or container's.
const buildLabel = "operatorbench.node-build"

// buildName is in the name of that container. The label alone does not tell: what is committed of the container has it,
// and so has every node of a cluster that is made of it.
const buildName = "operatorbench-node-build-"

// baseOf is how the engine has a node in which the control plane's images are not
// yet. Each cache has one name for it, since one build at a time fills a cache.
func baseOf(cacheID string) string { return "operatorbench.local/node-build:cache-" + cacheID }

// leftover is what a killed build of the node left in an engine.
type leftover struct {
	parts    []string   // in words
	removals [][]string // what the engine is told to remove them, the container before the image that it was made from
}

// findLeftover looks for the containers and the image of builds into the cache with
// this id. They are left over if no build into it is alive, which its lock says.
func findLeftover(ctx context.Context, e *engine.Engine, cacheID string) (left leftover, err error) {
	text, err := e.Run(ctx, "ps", "--all", "--quiet", "--filter", "name="+buildName, "--filter", "label="+buildLabel+"="+cacheID)
	if err != nil {
		return left, err
	}
	if containers := strings.Fields(text); len(containers) > 0 {
		left.parts = append(left.parts, "container "+strings.Join(containers, ", "))
		left.removals = append(left.removals, slices.Concat([]string{"rm", "--force", "--volumes"}, containers))
	}
	base := baseOf(cacheID)
	images, err := e.Run(ctx, "images", "--quiet", base)
	if images != "" {
		left.parts = append(left.parts, "image "+base)
		left.removals = append(left.removals, []string{"rmi", base})
	}
	return left, err
}

// none reports whether nothing is left.
func (l leftover) none() bool { return len(l.parts) == 0 }

// String tells what there is in one line.
func (l leftover) String() string { return "build of the node: " + strings.Join(l.parts, ", ") }

// remove removes all of it.
func (l leftover) remove(ctx context.Context, e *engine.Engine) error {
	for _, removal := range l.removals {
		if _, err := e.Run(ctx, removal...); err != nil {
			return fmt.Errorf("remove what is left of a %s: %w", l, err)
		}
	}
	return nil
}
