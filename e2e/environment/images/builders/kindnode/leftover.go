package kindnode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/environment/engine"
)

// label is on the container in which a node is made; its value is the id of
// the cache that this is for: a path may be another machine's or container's.
const label = "operatorbench.node-build"

// baseOf is how the engine has a node in which the control plane's images are not
// yet. Each cache has one name for it, since one build at a time fills a cache.
func baseOf(cacheID string) string { return "operatorbench.local/node-build:cache-" + cacheID }

// Leftover is what a killed build of the node left in an engine.
type Leftover struct {
	Containers []string // their ids
	Base       string   // the reference of the image that they were made from; empty: it is not there

	engine *engine.Engine
}

// FindLeftover looks for the containers and the image of builds into the cache with
// this id. They are left over if no build into it is alive, which its lock says.
func FindLeftover(ctx context.Context, e *engine.Engine, cacheID string) (Leftover, error) {
	containers, err := e.Run(ctx, "ps", "--all", "--quiet", "--filter", "label="+label+"="+cacheID)
	if err != nil {
		return Leftover{}, err
	}
	images, err := e.Run(ctx, "images", "--quiet", baseOf(cacheID))
	if err != nil {
		return Leftover{}, err
	}
	left := Leftover{Containers: strings.Fields(containers), engine: e}
	if images != "" {
		left.Base = baseOf(cacheID)
	}
	return left, nil
}

// None says whether nothing is left.
func (l Leftover) None() bool { return len(l.Containers) == 0 && l.Base == "" }

// String tells what there is in one line.
func (l Leftover) String() string {
	var parts []string
	if len(l.Containers) > 0 {
		parts = append(parts, "container "+strings.Join(l.Containers, ", "))
	}
	if l.Base != "" {
		parts = append(parts, "image "+l.Base)
	}
	return "build of the node: " + strings.Join(parts, ", ")
}

// Remove removes the containers, and then the image that they were made from.
func (l Leftover) Remove(ctx context.Context) error {
	if len(l.Containers) > 0 {
		if _, err := l.engine.Run(ctx, slices.Concat([]string{"rm", "--force", "--volumes"}, l.Containers)...); err != nil {
			return fmt.Errorf("remove what is left of a %s: %w", l, err)
		}
	}
	if l.Base == "" {
		return nil
	}
	if _, err := l.engine.Run(ctx, "rmi", l.Base); err != nil {
		return fmt.Errorf("remove what is left of a %s: %w", l, err)
	}
	return nil
}

// removeLeftover removes what a killed build into this cache left; its lock says
// that no other build into it is alive.
func (p Part) removeLeftover(ctx context.Context) error {
	left, err := FindLeftover(ctx, p.Engine, p.CacheID)
	if err != nil || left.None() {
		return err
	}
	p.Progress.Say("remove what is left of a killed %s", left)
	return left.Remove(ctx)
}
