package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"operatorbench/e2e/environment/images"
	job "operatorbench/e2e/run"
	"operatorbench/e2e/spec/styles"
)

const stylesUsage = `Usage: opbench styles [--since=REVISION] [--json]

Lists the operator styles of the repository, one per line. With --since only those
that may behave differently than at a git revision, because their folder or the
sources of their manifests or images changed. If the harness changed, lists all.

Flags:
  --since=REVISION   a git revision, such as origin/main
  --json             print one line, a JSON array
`

// runStyles is `opbench styles`.
func runStyles(ctx context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("opbench styles", flag.ContinueOnError)
	since := flags.String("since", "", "a git revision, such as origin/main")
	array := flags.Bool("json", false, "print one line, a JSON array")
	if err := parseWith(flags, args, stylesUsage); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("opbench styles takes no argument, such as %q\n%s", flags.Arg(0), stylesUsage)}
	}
	root, here, err := findHome()
	if err != nil {
		return err
	}
	if *since != "" && here != "" {
		return fmt.Errorf("opbench styles --since: %w here: what it lists are styles of the project, by the history of their files", images.ErrNoClone)
	}
	names, err := styles.Names(filepath.Join(root, "operators"))
	if *since != "" {
		names, err = job.Changed(ctx, root, *since)
	}
	if err != nil {
		return err
	}
	if *array {
		return json.NewEncoder(stdout).Encode(append([]string{}, names...))
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(stdout, name); err != nil {
			return err // whoever drives those that are listed would leave out the others
		}
	}
	return nil
}
