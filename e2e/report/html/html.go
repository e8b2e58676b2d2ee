// Package html prints a report as one self-contained page: no script, no font
// and no image is fetched, so that it opens from disk, and in years to come.
// Charts are inline SVG, made here and styled by the page's CSS, so that they
// follow the reader's light or dark scheme and print well.
//
// All that comes from a recording is foreign text. It reaches the page through
// html/template alone, which escapes it.
package html

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
)

// File is the page's name in a results folder.
const File = "report.html"

//go:embed templates/*.tmpl style.css picture.css
var assets embed.FS

// Write prints the report as a page.
func Write(out io.Writer, r *report.Report) error {
	css, err := assets.ReadFile("style.css")
	if err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	pages, err := template.ParseFS(assets, "templates/*.tmpl")
	if err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	var page []byte
	for thrift := 0; thrift <= mostThrift && (page == nil || len(page) > mostBytes); thrift++ {
		var text bytes.Buffer
		if err := pages.ExecuteTemplate(&text, "page", newPage(r, css, thrift)); err != nil {
			return fmt.Errorf("write the HTML report: %w", err)
		}
		page = bytes.Map(printable, text.Bytes())
	}
	if _, err := out.Write(page); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return nil
}

// mostBytes is how large a page becomes with all that is known; a larger one has
// less detail, so that it opens at once and can be a tracked file.
const mostBytes = 1 << 20

// mostThrift is the last step: 1 lists fewer samples, 2 tells of what passed in
// the matrix only that it did, 3 draws only the main scenario's waterfalls, and
// has no inner phases.
const mostThrift = 3

// printable replaces what HTML does not allow in a text, and the marks that
// would let a foreign text turn the direction of what stands beside it.
func printable(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	if plain.Rune(r) != r {
		return utf8.RuneError
	}
	return r
}
