// Package html prints a report as pages: one that answers first, and one for each style, which has all that was seen of
// it. They open from disk, and in years to come: no font, image or script is fetched. The one script there is, which
// sorts and filters, is in the page, and its hash in the page's content security policy; without it everything can be
// read. Charts are inline SVG, styled by the pages' CSS, so that they follow the reader's light or dark scheme and
// print well.
//
// All that comes from a recording is foreign text. It reaches a page through html/template alone, which escapes it.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
)

// File is the first page's name in a results folder, and Folder that of the pages of styles beside it.
const (
	File   = "report.html"
	Folder = "styles"
)

// Options are what the pages cannot know from recordings.
type Options struct {
	// Front is the first page's name; empty: File.
	Front string
	// Repository is where a figure is disputed, an address that /issues/new can
	// follow; empty: it is not known, and nothing links there.
	Repository string
	// Site is where the pages are published, for previews, which take a whole
	// address; empty: it is not known, and they have no picture.
	Site string
	// Alone says that the first page is kept without those of styles, so that nothing links to them.
	Alone bool
}

//go:embed templates/*.tmpl style.css picture.css script.js
var assets embed.FS

// Pages are the first page and that of each style, in Folder.
func Pages(r *report.Report, o Options) []report.File {
	if o.Front == "" {
		o.Front = File
	}
	build := sync.OnceValue(func() *site { return newSite(r, o) })
	files := []report.File{{Name: o.Front, Print: func(_ *report.Report, out io.Writer) error {
		s := build()
		return fill(out, "write the HTML report", "front", s.front())
	}}}
	for _, one := range stylesOf(r) {
		files = append(files, report.File{Name: path.Join(Folder, one.File), Print: func(_ *report.Report, out io.Writer) error {
			s := build()
			return fill(out, "write the HTML report", "style", s.profile(s.style(one.Label)))
		}})
	}
	return files
}

// to is the address of a style's page, seen from the first one; empty: there is none.
func (s *site) to(of *style, anchor string) string {
	if s.Alone {
		return ""
	}
	return path.Join(Folder, of.File) + "#" + anchor
}

// site is what all pages are made of: the study of all recordings, and those of single runs.
type site struct {
	*study
	Options
	runs  []*study
	needs []result.Need // none where the question is another one
}

func newSite(r *report.Report, o Options) *site {
	s := &site{study: newStudy(r, nil), Options: o}
	if o.Alone {
		for _, one := range s.Styles {
			one.File = ""
		}
	}
	if r.Recommends() {
		s.needs = r.Needs()
	}
	for _, one := range r.Tables() {
		run := newStudy(one, s.Styles)
		run.x, run.anchors, run.heading = s.x, s.anchors, run.Heading(r)
		s.runs = append(s.runs, run)
	}
	return s
}

// head is what every page has.
type head struct {
	CSS                template.CSS
	JS                 template.JS // empty: the page has no script
	Policy             string
	Title, Description string
	Address, Picture   string // of the page, and of what previews show; empty: not known
	Front              string
	X                  *axis
	Dispute            dispute
}

// head is that of a page, whose file is empty for the first one; its policy lets a browser take the page's own style
// sheet and script, and load nothing else.
func (s *site) head(file, title, description string, dispute dispute, scripted bool) head {
	base := strings.Repeat("../", strings.Count(file, "/"))
	css, js := asset("style.css"), asset("script.js")
	h := head{
		CSS:    template.CSS(css), //nolint:gosec // the page's own style sheet, embedded
		Policy: "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(css),
		Title:  title, Description: description, Front: base + s.Front, X: s.x, Dispute: dispute,
	}
	if scripted {
		h.JS = template.JS(js) //nolint:gosec // the page's own script, embedded
		h.Policy += "; script-src " + hash(js)
	}
	if s.Site != "" {
		h.Address, h.Picture = strings.TrimSuffix(s.Site, "/")+"/"+file, strings.TrimSuffix(s.Site, "/")+"/preview.png"
	}
	return h
}

// fill writes what a template makes of data; an error says what that is.
func fill(out io.Writer, what, name string, data any) error {
	var text bytes.Buffer
	all, err := template.ParseFS(assets, "templates/*.tmpl")
	if err == nil {
		err = all.ExecuteTemplate(&text, name, data)
	}
	if err == nil {
		_, err = out.Write(bytes.Map(printable, text.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// asset is an embedded file; one that is missing shows as a page without style, which tests see.
func asset(name string) []byte {
	text, _ := assets.ReadFile(name)
	return text
}

// hash is a text's, as a content security policy has it.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// printable replaces what HTML does not allow in a text, and the marks that
// would let a foreign text turn the direction of its neighbours.
func printable(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	if plain.Rune(r) != r {
		return utf8.RuneError
	}
	return r
}
