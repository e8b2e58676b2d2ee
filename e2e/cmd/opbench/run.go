package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	job "operatorbench/e2e/run"
	"operatorbench/fixtures/images"
)

// runRun is the suite without go test: the same flags, the same results.
func runRun(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var options job.Options
	flags := flag.NewFlagSet("opbench run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	options.Register(flags)
	flags.StringVar(&options.Kubeconfig, "kubeconfig", "", "kubeconfig of the existing cluster")
	flags.StringVar(&options.Context, "context", "", "context of the kubeconfig (default its current one)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return usageError{err.Error()}
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("run takes flags alone, not %q", flags.Arg(0))}
	}
	options.ImagesAsked = true // there is no deadline that fetching them could miss
	root, err := images.FindRoot(".")
	if err != nil {
		return err
	}
	session, err := job.Load(ctx, options, root, time.Time{}, stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	if err := session.Open(ctx); err != nil {
		return err
	}
	return errors.Join(session.Drive(ctx), session.Wrong())
}
