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

What a living run uses is left alone. So are, unless named by --run, clusters kept on purpose, and what may belong to
a living run that cannot be seen from here: of another machine or container that shares the engine, or with a temporary
folder of its own. Of folders, only a run's own is removed: one with its name and its owner.json.

Flags:
  --dry-run        only say what would be removed
  --run=ID         only this run, even if its cluster was kept or it cannot be known whether it is alive
  --engine=NAME    docker, podman or nerdctl (default: $` + engine.ProviderVariable + `, else all that answer)
`

// runClean is `opbench clean`.
func runClean(ctx context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("opbench clean", flag.ContinueOnError)
	var opts cluster.CleanOptions
	flags.BoolVar(&opts.DryRun, "dry-run", false, "")
	flags.StringVar(&opts.Run, "run", "", "")
	flags.StringVar(&opts.Engine, "engine", os.Getenv(engine.ProviderVariable), "")
	switch err := parse(flags, args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(stdout, cleanUsage)
		return err
	case err != nil:
		return usageError{fmt.Sprintf("%v\n%s", err, cleanUsage)}
	case flags.NArg() > 0:
		return usageError{fmt.Sprintf("opbench clean takes no arguments, got %q\n%s", flags.Args(), cleanUsage)}
	}
	return cluster.Clean(ctx, opts, stdout)
}
