package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"operatorbench/e2e/environment/engine"
)

// errFilled says that another process fills the cache.
var errFilled = errors.New("another process fills the cache of images")

// Clean removes what a killed build into a cache left in an engine, or with dryRun
// only says what it would remove, and tells whether there was anything. As long as a
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
	if err := left.remove(ctx); err != nil {
		return true, err
	}
	_, err = fmt.Fprintf(out, "removed %s\n", left)
	return true, err
}
