package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/result"
	job "operatorbench/e2e/run"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/terminal"
)

const reportUsage = `Usage: opbench report [--format=FORMAT] [--out=FILE] [--repository=URL] [--site=URL] RESULTS_DIR | RECORDING.jsonl ...

Prints a report of what was recorded, without a cluster. Of several recordings, each
run with latencies has its own tables; verdicts count over all of them.

Flags:
  --format=FORMAT   %s (default terminal)
  --out=FILE        write to a file, which is replaced only when it is complete, and
                    whose folder is made where there is none.
                    --format=readme and figures replace only the lines from
                    <!-- results:begin --> to <!-- results:end -->;
                    --format=html also writes the styles' pages to styles/
  --repository=URL  of a page: where its readers can open an issue
  --site=URL        of a page: where it is published, for previews

readme is the block of results of a README, the answer with a picture and a small
table; figures is that of a page with all of them. They refer to pictures and reports
in the last results folder, where these write them:
  opbench report --format=picture --out=DIR/%s DIR
  opbench report --format=dark-picture --out=DIR/%s DIR
`

// format is a way to print a report.
type format struct {
	name  string
	print func(*report.Report, io.Writer) error
}

func formats() []format {
	pictures := html.Pictures()
	return []format{
		{"terminal", printTerminal},
		{"markdown", (*report.Report).Markdown},
		{"csv", (*report.Report).CSV},
		{"json", (*report.Report).JSON},
		{"samples", (*report.Report).SamplesJSON},
		{"bench", (*report.Report).Bench},
		{"junit", (*report.Report).JUnit},
		{"html", nil}, // one page for all, and one for each style: see printPages
		{"picture", pictures[0].Print},
		{"dark-picture", pictures[1].Print},
		{readme, nil}, // it refers to files: see printBlock
		{figures, nil},
	}
}

// runReport is `opbench report`.
func runReport(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	names := plain.Map(formats(), func(f format) string { return f.name })
	usage := fmt.Sprintf(reportUsage, strings.Join(names, ", "), html.PictureFile, html.DarkPictureFile)
	flags := flag.NewFlagSet("opbench report", flag.ContinueOnError)
	name, out := flags.String("format", "terminal", ""), flags.String("out", "", "")
	var links html.Options
	flags.StringVar(&links.Repository, "repository", "", "")
	flags.StringVar(&links.Site, "site", "", "")
	if err := parseWith(flags, args, usage); err != nil {
		return err
	}
	switch {
	case !slices.Contains(names, *name):
		return usageError{fmt.Sprintf("unknown format %q: there are %s%s", *name, strings.Join(names, ", "), schema.Suggestion(*name, names))}
	case flags.NArg() == 0:
		return usageError{"opbench report needs a results folder or a recording\n" + usage}
	}
	for flag, value := range map[string]string{"repository": links.Repository, "site": links.Site} {
		if value != "" && !strings.HasPrefix(value, "https://") {
			return usageError{fmt.Sprintf("--%s=%s: expected an address that begins with https://", flag, value)}
		}
	}
	if err := outFile(*out, filepath.Join(*out, "report."+*name)); err != nil {
		return err
	}
	found, err := load(ctx, flags.Args(), nil, stderr)
	if err != nil {
		return err
	}
	if *name == readme || *name == figures {
		return printBlock(found, *name, flags.Args(), *out, stdout)
	}
	if *out != "" {
		if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
			return fmt.Errorf("make the folder of --out: %w", err)
		}
	}
	if *name == "html" {
		return printPages(found, *out, links, stdout)
	}
	printed := formats()[slices.Index(names, *name)].print
	if *out == "" {
		return printed(found, stdout)
	}
	return record.Replace(*out, func(to io.Writer) error { return printed(found, to) })
}

// printPages writes the first page to a file and those of styles beside it; without a file, it prints the first alone.
func printPages(found *report.Report, out string, links html.Options, stdout io.Writer) error {
	if out == "" {
		links.Alone = true
		return html.Pages(found, links)[0].Print(found, stdout)
	}
	links.Front = filepath.Base(out)
	return found.Write(filepath.Dir(out), html.Pages(found, links)...)
}

// printTerminal prints a report for a person, in colour where that can be seen.
func printTerminal(r *report.Report, out io.Writer) error {
	return r.Terminal(out, terminal.Is(out) && os.Getenv("NO_COLOR") == "")
}

// load judges every argument, and says what is doubtful about them. In a folder that several runs share, a run that
// cannot be read is named and left out. What is expected of styles that are not in the repository is known to their run
// alone: beside.
func load(ctx context.Context, args []string, beside map[string]verdicts.Expected, stderr io.Writer) (*report.Report, error) {
	var all []result.Recording
	var leftOut []error
	root, outside := images.FindRoot(".")
	asked := plain.Flat(args, result.Shards)
	for _, arg := range asked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, err := result.Load(arg)
		switch {
		case err != nil && slices.Contains(args, arg):
			return nil, err
		case err != nil:
			leftOut = append(leftOut, err)
			continue
		}
		all = append(all, one)
		info, err := os.Stat(arg)
		if err == nil && info.IsDir() && one.Environment == nil {
			warn(stderr, fmt.Sprintf("%s has no %s, as after a run that was killed", arg, record.EnvironmentFile))
		}
	}
	if len(all) == 0 && len(leftOut) > 0 {
		return nil, errors.Join(leftOut...)
	}
	if outside == nil {
		if err := job.Expect(root, all); err != nil {
			return nil, err
		}
	}
	for i := range all {
		if all[i].Expected == nil {
			all[i].Expected = map[string]verdicts.Expected{}
		}
		maps.Copy(all[i].Expected, beside)
	}
	found := report.Of(all...)
	for _, err := range leftOut {
		found.LeaveOut(fmt.Sprintf("%v: it is left out, the other %d of %d runs are reported", err, len(all), len(asked)))
	}
	for _, warning := range found.Warnings {
		warn(stderr, warning)
	}
	return found, nil
}

// warn tells of a doubt; there is nowhere else to say it.
func warn(stderr io.Writer, text string) {
	_, _ = fmt.Fprintf(stderr, "opbench: warning: %s\n", plain.Text(text))
}

// fileNames lists what a report writes into a results folder.
func fileNames() string {
	names := plain.Map(report.Files(), func(file report.File) string { return file.Name })
	return plain.List(append(names, html.File))
}

// The formats of a README's block of results, and of that of the page with all figures.
const (
	readme  = "readme"
	figures = "figures"
)

// printBlock prints a block of results that refers to the last of some results folders, or
// puts it into a file that has a place for it.
func printBlock(found *report.Report, format string, results []string, out string, stdout io.Writer) error {
	const all = "RESULTS.md"
	write, file, beside := found.README, "README.md", all
	if format == figures {
		write, file, beside = found.Figures, all, ""
	}
	made := "go run ./e2e/cmd/opbench report --format=" + format + " --out=" + file
	var folder string
	for _, one := range results {
		folder = one
		if info, err := os.Stat(one); err == nil && !info.IsDir() {
			folder = filepath.Dir(one)
		}
		var err error
		if folder, err = relative(filepath.Dir(out), folder); err != nil {
			return fmt.Errorf("refer to %s from %s: %w", one, out, err)
		}
		made += " " + folder
	}
	place := report.Place{Folder: folder, Made: made, Light: html.PictureFile, Dark: html.DarkPictureFile, Page: html.File, Markdown: report.SummaryFile, Figures: beside}
	if out == "" {
		return write(stdout, place)
	}
	var block bytes.Buffer
	if err := write(&block, place); err != nil {
		return err
	}
	old, err := os.ReadFile(out)
	if err != nil {
		return fmt.Errorf("put the results into %s: %w", out, err)
	}
	whole, err := report.Splice(old, block.Bytes())
	if err != nil {
		return fmt.Errorf("put the results into %s: %w", out, err)
	}
	return record.Replace(out, func(to io.Writer) error {
		_, err := to.Write(whole)
		return err
	})
}

// relative is a path as seen from a folder, with slashes.
func relative(from, path string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	path, err = filepath.Rel(from, path)
	return filepath.ToSlash(path), err
}
