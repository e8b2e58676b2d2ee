package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
)

const judgeUsage = `Usage: opbench judge [--out=DIR] RESULTS_DIR | RECORDING.jsonl ...

Judges what was recorded anew and prints the table. No cluster is needed. Of a
results folder, samples.jsonl, junit.xml and summary.md are written anew; of
bare recordings nothing is written, unless --out says where. Several are judged
together, as one table. The exit status is 1 if some sample was not handled
correctly, or a recording cannot be judged.

Flags:
  --out=DIR   write samples.jsonl, junit.xml and summary.md there
`

// runJudge is `opbench judge`. It prints the report too: there is no other
// subcommand for it.
func runJudge(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("opbench judge", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	out := flags.String("out", "", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(stdout, judgeUsage)
		return err
	case err != nil:
		return usageError{fmt.Sprintf("%v\n%s", err, judgeUsage)}
	case flags.NArg() == 0:
		return usageError{"opbench judge needs a results folder or a recording\n" + judgeUsage}
	}
	found, folder, err := judgeAll(ctx, flags.Args(), stderr)
	if err != nil {
		return err
	}
	if *out != "" {
		folder = *out
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if folder != "" {
		if err := found.WriteFiles(folder); err != nil {
			return err
		}
	}
	colour := report.IsTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	if err := found.Terminal(stdout, colour); err != nil {
		return err
	}
	return verdict(found)
}

// judgeAll judges every argument. folder is the results folder that was given,
// where it is the only argument.
func judgeAll(ctx context.Context, args []string, stderr io.Writer) (all *report.Report, folder string, err error) {
	var environment *report.Environment
	var judged []*judge.Judgement
	for _, arg := range args {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		recording := arg
		info, err := os.Stat(arg)
		if err != nil {
			return nil, "", fmt.Errorf("judge: %w", err)
		}
		if info.IsDir() {
			recording = filepath.Join(arg, report.RecordingFile)
			if environment, err = environmentOf(arg, stderr); err != nil {
				return nil, "", err
			}
			folder = arg
		}
		j, err := judge.Judge(record.ReadFile(recording))
		if err != nil {
			return nil, "", fmt.Errorf("judge: %w", err)
		}
		for _, warning := range j.Warnings {
			_, _ = fmt.Fprintf(stderr, "opbench: warning: %s\n", warning) // it is in the report too
		}
		judged = append(judged, j)
	}
	if len(args) > 1 { // of several runs no one environment holds
		environment, folder = nil, ""
	}
	return report.New(environment, judged...), folder, nil
}

// environmentOf reads a results folder's environment. A killed run has none.
func environmentOf(dir string, stderr io.Writer) (*report.Environment, error) {
	environment, err := report.ReadEnvironment(dir)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = fmt.Fprintf(stderr, "opbench: warning: %s has no %s, as after a run that was killed\n", dir, report.EnvironmentFile)
		return nil, err
	}
	return environment, err
}

// verdict is an error unless every sample was handled correctly.
func verdict(r *report.Report) error {
	var wrong, all int
	for _, c := range r.Cells {
		_, passed, rounds := c.Verdict()
		all += rounds
		wrong += rounds - passed
	}
	switch {
	case all == 0:
		return errors.New("the recording holds no sample: there is nothing to judge")
	case wrong > 0:
		return fmt.Errorf("%d of %d samples were not handled correctly", wrong, all)
	}
	return nil
}
