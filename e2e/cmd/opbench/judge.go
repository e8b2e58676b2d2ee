package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/result"
)

const judgeUsage = `Usage: opbench judge [--out=DIR] RESULTS_DIR | RECORDING.jsonl ...

Judges what was recorded anew and prints the table. No cluster is needed. Of a
results folder, all files but the recording and environment.json are written
anew; of bare recordings nothing is written, unless --out says where. Several
are judged together, as one table. The exit status is 1 if some sample was not
handled correctly, or a recording cannot be judged.

Flags:
  --out=DIR   write %s there
`

// runJudge is `opbench judge`.
func runJudge(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	usage := fmt.Sprintf(judgeUsage, fileNames())
	flags := flag.NewFlagSet("opbench judge", flag.ContinueOnError)
	out := flags.String("out", "", "")
	if err := parseWith(flags, args, usage); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return usageError{"opbench judge needs a results folder or a recording\n" + usage}
	}
	if err := outFolder(*out); err != nil {
		return err
	}
	for _, arg := range plain.Flat(flags.Args(), result.Shards) {
		if result.Published(arg) {
			return fmt.Errorf("%s has what its recording was judged to, and not the recording: opbench recordings get %s brings it (opbench report shows the published figures)", arg, filepath.Base(arg))
		}
	}
	found, err := load(ctx, flags.Args(), nil, stderr)
	if err != nil {
		return err
	}
	if err := rewrite(found, *out, flags.Args()); err != nil {
		return err
	}
	if err := printTerminal(found, stdout); err != nil {
		return err
	}
	if err := verdict(found); err != nil {
		return err
	}
	return unforeseen(found)
}

// unforeseen is an error where scenarios of the matrix did not pass and no verdict is
// expected of them: a run only reports them, and whoever judges asks for the answer.
func unforeseen(r *report.Report) error {
	cells := r.Unforeseen()
	if len(cells) == 0 {
		return nil
	}
	return fmt.Errorf("%s of the correctness matrix did not pass, and no verdicts.yaml says what is expected; the first: %s %s: %s",
		plain.Plural(len(cells), "scenario"), cells[0].Style.Label, cells[0].Scenario, cells[0].String())
}

// rewrite writes the files of a report to --out, or into the results folder
// that was judged; nowhere, where there is neither.
func rewrite(found *report.Report, out string, args []string) error {
	switch {
	case out != "":
		if err := os.MkdirAll(out, 0o755); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		return found.WriteFiles(out, html.Pages(found, html.Options{})...)
	case len(args) > 1:
		return nil
	}
	if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
		return err
	}
	return found.WriteFiles(args[0], html.Pages(found, html.Options{})...)
}

// verdict is an error unless every scenario was handled as is expected, or
// correctly where nothing is known to be expected.
func verdict(r *report.Report) error {
	count := r.Count()
	differences := r.Differences()
	switch {
	case len(r.LeftOut) > 0:
		return errors.New(r.LeftOut[0])
	case count.All() == 0 && !r.HasMatrix():
		return errors.New("the recording holds no sample: there is nothing to judge")
	case len(differences) > 0:
		return fmt.Errorf("not as expected: %d; the first: %s", len(differences), differences[0])
	case r.Failed():
		return fmt.Errorf("%d of %d samples were not handled correctly", count.All()-count.Passed, count.All())
	}
	return nil
}
