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

// printREADME prints the block of results that refers to a results folder, or
// puts it into a README.
func printREADME(found *report.Report, results, out string, stdout io.Writer) error {
	if info, err := os.Stat(results); err == nil && !info.IsDir() {
		results = filepath.Dir(results)
	}
	folder, err := relative(filepath.Dir(out), results)
	if err != nil {
		return fmt.Errorf("refer to %s from %s: %w", results, out, err)
	}
	place := report.Place{Folder: folder, Light: html.PictureFile, Dark: html.DarkPictureFile, Page: html.File, Markdown: report.SummaryFile}
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
