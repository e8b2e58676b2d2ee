package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images"
)

const cleanUsage = `Usage: opbench clean [flags]   remove the clusters, networks and folders that killed runs of this project left,
                                and the container and image that a killed build of the node image left
       opbench clean --kubeconfig=FILE [flags]   list what killed runs left in an existing cluster, or remove it

What a living run uses is left alone. So are, unless named by --run, clusters kept on purpose, and what may belong to
a living run that cannot be seen from here: of another machine or container that shares the engine, or with a temporary
folder of its own. Of folders, only a run's own is removed: one with its name and its owner.json. Of builds, only those
into the cache of images ($OPERATORBENCH_CACHE, else ~/.cache/operatorbench) are looked for, and none that still runs.

Flags:
  --dry-run        only say what would be removed
  --run=ID         only this run, even if its cluster was kept or it cannot be known whether it is alive
  --kubeconfig=FILE, --context=NAME
                   look in that cluster instead: without --run it lists the runs that left something there and removes
                   nothing; with --run it removes what that run made, and nothing else

Of the engines docker, podman and nerdctl, all that answer are asked, or that of $` + engine.ProviderVariable + `.
`

// runClean is `opbench clean`.
func runClean(ctx context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("opbench clean", flag.ContinueOnError)
	opts := cluster.CleanOptions{Engine: os.Getenv(engine.ProviderVariable)}
	flags.BoolVar(&opts.DryRun, "dry-run", false, "")
	flags.StringVar(&opts.Run, "run", "", "")
	var existing cluster.Existing
	flags.StringVar(&existing.Kubeconfig, "kubeconfig", "", "")
	flags.StringVar(&existing.Context, "context", "", "")
	if err := parseWith(flags, args, cleanUsage); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("opbench clean takes no arguments, got %q\n%s", flags.Args(), cleanUsage)}
	}
	if existing.Kubeconfig != "" || existing.Context != "" {
		return cleanExisting(ctx, existing, opts, stdout)
	}
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		fmt.Fprintf(stdout, "not looked for what killed builds of images left: %v\n", err)
		return cluster.Clean(ctx, opts, stdout)
	}
	opts.Builds = func(ctx context.Context, e *engine.Engine, out io.Writer) (bool, error) {
		return images.Clean(ctx, cache, e, opts.DryRun, out)
	}
	return cluster.Clean(ctx, opts, stdout)
}
