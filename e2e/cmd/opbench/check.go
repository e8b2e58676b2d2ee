package main

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"

	job "operatorbench/e2e/run"
)

const checkUsage = `Usage: opbench check FOLDER | STYLE | all ...

Says of operator styles all that can be said without a cluster: whether their
files can be read and rendered, what a run would refuse, what their images are,
which scenarios apply, and whether verdicts.yaml still fits them. The exit status
is 1 if something is wrong.
`

// runCheck is `opbench check`.
func runCheck(_ context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("opbench check", flag.ContinueOnError)
	if err := parseWith(flags, args, checkUsage); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return usageError{"opbench check needs a folder or the name of a style\n" + checkUsage}
	}
	root, _, err := findHome()
	if err != nil {
		return err
	}
	styles := flags.Args()
	for i, name := range styles {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if styles[i], err = filepath.Abs(name); err != nil {
				return err
			}
		}
	}
	return job.Check(root, stdout, styles...)
}
