package cluster

import (
	"context"
	"fmt"
	"strings"

	"operatorbench/e2e/environment/engine"
)

// Labels by which what a run made is found again in the container engine.
const (
	kindClusterLabel = "io.x-k8s.kind.cluster" // set by kind on its nodes
	runLabel         = "operatorbench.run"     // on a run's network: its id
	dirLabel         = "operatorbench.dir"     // on a run's network: its folder
	machineLabel     = "operatorbench.machine" // on a run's network: see place
	bootLabel        = "operatorbench.boot"    // on a run's network: see place
	keepLabel        = "operatorbench.keep"    // on a run's network: "true" if its cluster is to be kept
)

// findEngine finds the named engine, or the first that works if the name is empty.
func findEngine(ctx context.Context, name string) (enginehost, error) {
	found, err := engine.Find(ctx, name)
	return enginehost{found}, err
}

// An enginehost is a container engine with what this package asks of it.
type enginehost struct{ *engine.Engine }

func (e enginehost) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := e.Run(ctx, args...)
	return strings.Fields(out), err
}

// checkImage says what to do if the engine does not have a node image.
func (e enginehost) checkImage(ctx context.Context, image string) error {
	if _, err := e.Run(ctx, "image", "inspect", "--format", "{{.Id}}", image); err != nil {
		return fmt.Errorf("node image %s is not in %s: `make images` pulls or builds it: %w", image, e.Name(), err)
	}
	return nil
}

// nodes returns the container ids of a cluster's nodes.
func (e enginehost) nodes(ctx context.Context, cluster string) ([]string, error) {
	return e.lines(ctx, "ps", "-a", "-q", "--filter", "label="+kindClusterLabel+"="+cluster)
}

// clusters returns the names of all kind clusters.
func (e enginehost) clusters(ctx context.Context) ([]string, error) {
	ids, err := e.lines(ctx, "ps", "-a", "-q", "--filter", "label="+kindClusterLabel)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	format := fmt.Sprintf("{{index .Config.Labels %q}}", kindClusterLabel)
	names, _ := e.lines(ctx, append([]string{"inspect", "--format", format}, ids...)...) // some may be gone meanwhile
	return names, ctx.Err()
}

// networks returns the names of a run's networks.
func (e enginehost) networks(ctx context.Context, run string) ([]string, error) {
	return e.lines(ctx, "network", "ls", "--filter", "label="+runLabel+"="+run, "--format", "{{.Name}}")
}

func (e enginehost) removeNodes(ctx context.Context, cluster string) error {
	ids, err := e.nodes(ctx, cluster)
	if err != nil || len(ids) == 0 {
		return err
	}
	remove := append([]string{"rm", "-f", "-v"}, ids...)
	if _, err = e.Run(ctx, remove...); err != nil && thaw(freezers, ids) {
		_, err = e.Run(ctx, remove...)
	}
	return err
}

// removeRun removes the nodes and the network of a run, whatever there is of them.
func (e enginehost) removeRun(ctx context.Context, run string) error {
	if err := e.removeNodes(ctx, Name(run)); err != nil {
		return err
	}
	networks, err := e.networks(ctx, run)
	if err != nil || len(networks) == 0 {
		return err
	}
	_, err = e.Run(ctx, append([]string{"network", "rm"}, networks...)...)
	return err
}
