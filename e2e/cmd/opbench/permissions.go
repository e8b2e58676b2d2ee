package main

import (
	"context"
	"flag"
	"io"

	job "operatorbench/e2e/run"
)

// runPermissions is `opbench permissions`.
func runPermissions(_ context.Context, args []string, stdout, _ io.Writer) error {
	var options job.Options
	every := flag.NewFlagSet("", flag.ContinueOnError)
	options.Register(every)
	flags := flag.NewFlagSet("opbench permissions", flag.ContinueOnError)
	for _, name := range []string{"operator", "scenario"} {
		one := every.Lookup(name)
		flags.Var(one.Value, name, one.Usage)
		flags.Lookup(name).DefValue = one.DefValue
	}
	if err := parseRun(flags, args); err != nil {
		return err
	}
	root, here, err := findHome()
	if err != nil {
		return err
	}
	options.Here = here
	return job.Permissions(options, root, stdout)
}
