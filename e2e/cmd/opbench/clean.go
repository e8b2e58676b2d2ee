package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
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

// sweepWithin bounds how long it may take to remove what a run left in an existing cluster.
const sweepWithin = 5 * time.Minute

// cleanExisting removes from an existing cluster what a run left there. Without --run it lists the runs and removes
// nothing: whether one still goes on cannot be told from the cluster.
func cleanExisting(ctx context.Context, existing cluster.Existing, opts cluster.CleanOptions, stdout io.Writer) error {
	if existing.Kubeconfig == "" {
		return usageError{"--context needs --kubeconfig=FILE: the cluster is always named, never guessed from the environment"}
	}
	target, err := existing.Target()
	if err != nil {
		return err
	}
	config, err := existing.Create(ctx)
	if err != nil {
		return err
	}
	client, err := kube.New(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sweepWithin)
	defer cancel()
	made, err := client.Made(ctx, opts.Run)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(stdout, format+"\n", args...) } // as in a log
	runs := plain.Grouped(made, func(obj *unstructured.Unstructured) string { return obj.GetLabels()[kube.LabelRun] }).Of
	switch {
	case len(runs) == 0 && opts.Run != "":
		return fmt.Errorf("nothing of run %s is in cluster %s", opts.Run, target)
	case len(runs) == 0:
		say("nothing of this project is in cluster %s", target)
		return nil
	}
	if opts.Run == "" || opts.DryRun {
		say("in cluster %s, by the label %s:", target, kube.LabelRun)
		for _, run := range slices.Sorted(maps.Keys(runs)) {
			say("run %s: %s", run, strings.Join(described(runs[run]), ", "))
			say("  if it does not go on any more, remove that: go run ./e2e/cmd/opbench clean %s --run=%s", existing.Flags(), run)
		}
		return nil
	}
	say("removing what run %s left in cluster %s: %s", opts.Run, target, strings.Join(described(made), ", "))
	if err := client.Sweep(ctx, opts.Run, say); err != nil {
		return errors.Join(fmt.Errorf("remove what run %s left in cluster %s: %w", opts.Run, target, err), context.Cause(ctx))
	}
	say("removed")
	return nil
}

// described names objects, in a steady order.
func described(made []*unstructured.Unstructured) []string {
	names := plain.Map(made, kube.Describe)
	slices.Sort(names)
	return names
}
