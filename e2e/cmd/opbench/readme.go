package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
)

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
