package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"operatorbench/fixtures/cluster"
	"operatorbench/fixtures/engine"
)

const cleanUsage = `Usage: opbench clean [flags]   remove the clusters, networks and folders that killed runs of this project left
       opbench clean --kubeconfig=FILE [flags]   list what killed runs left in an existing cluster, or remove it

What a living run uses is left alone, and so are clusters kept on purpose, unless named by --run.

Flags:
  --dry-run        only say what would be removed
  --run=ID         only this run, even if its cluster was kept on purpose
  --kubeconfig=FILE, --context=NAME
                   look in that cluster instead: without --run it lists the runs that left something there and removes
                   nothing; with --run it removes what that run made, and nothing else
  --engine=NAME    docker, podman or nerdctl (default: $` + engine.ProviderVariable + `, else the first that works)
`

// runClean is `opbench clean`.
func runClean(ctx context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("opbench clean", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var opts cluster.CleanOptions
	flags.BoolVar(&opts.DryRun, "dry-run", false, "")
	flags.StringVar(&opts.Run, "run", "", "")
	var existing cluster.Existing
	flags.StringVar(&existing.Kubeconfig, "kubeconfig", "", "")
	flags.StringVar(&existing.Context, "context", "", "")
	flags.StringVar(&opts.Engine, "engine", os.Getenv(engine.ProviderVariable), "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(stdout, cleanUsage)
		return err
	case err != nil:
		return usageError{fmt.Sprintf("%v\n%s", err, cleanUsage)}
	case flags.NArg() > 0:
		return usageError{fmt.Sprintf("opbench clean takes no arguments, got %q\n%s", flags.Args(), cleanUsage)}
	}
	if existing.Kubeconfig != "" || existing.Context != "" {
		return cleanExisting(ctx, existing, opts, stdout)
	}
	return cluster.Clean(ctx, opts, stdout)
}
