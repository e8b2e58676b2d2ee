package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
)

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
