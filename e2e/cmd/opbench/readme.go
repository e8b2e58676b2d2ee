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

// readme is the format of a README's block of results.
const readme = "readme"

// printREADME prints the block of results that refers to the last of some results folders, or
// puts it into a README.
func printREADME(found *report.Report, results []string, out string, stdout io.Writer) error {
	made := "go run ./e2e/cmd/opbench report --format=readme --out=README.md"
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
	place := report.Place{Folder: folder, Made: made, Light: html.PictureFile, Dark: html.DarkPictureFile, Page: html.File, Markdown: report.SummaryFile}
	if out == "" {
		return found.README(stdout, place)
	}
	var block bytes.Buffer
	if err := found.README(&block, place); err != nil {
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
