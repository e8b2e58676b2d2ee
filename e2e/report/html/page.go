package html

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// page is all that the templates need.
type page struct {
	CSS    template.CSS
	Policy string // content security policy: nothing is fetched, no script is run

	Title    string
	Run      string
	Lead     string
	Short    badge // whether all was handled correctly
	Warnings []string
	Level    string // of the intervals
	Least    int    // rounds that an interval takes
	Thrift   int    // see newPage
	X        *axis  // of all latencies

	Cards       []*card
	Correctness *correctness // nil: nothing was judged
	Sections    []*section   // a scenario each, that was measured
	Costs       table.Table
	Spreads     []spreads
	Owned       table.Table
	Beside      table.Table
	Built       table.Table
	Conformance table.Table
	Security    table.Table
	Rights      []accountRights
	Facts       *facts
}

// section is what was measured in a scenario.
type section struct {
	Scene                  *scene
	Outcome, Common, Inner *latencies // nil: there are none
	Waterfalls             []*waterfall
}

// newPage computes the page of a report. The more thrift, up to mostThrift, the
// less detail it has: see study.
func newPage(r *report.Report, css []byte, thrift int) *page {
	s := newStudy(r)
	s.thrift = thrift
	p := &page{
		CSS:    template.CSS(css), //nolint:gosec // the page's own style sheet, embedded
		Policy: policy(css), Title: s.title(), Run: strings.Join(r.Runs, ", "), Lead: s.lead(), Short: s.short(), Warnings: r.Warnings,
		Thrift: thrift, Level: fmt.Sprintf("%.0f%%", 100*stat.Level), Least: stat.MinRounds, X: s.x,
		Correctness: s.correctness(), Costs: r.CostTable(), Spreads: s.spreads(), Owned: r.OwnedTable(), Beside: r.BesideTable(), Built: r.BuiltTable(), Conformance: r.ConformanceTable(), Security: r.SecurityTable(), Rights: s.rights(), Facts: s.facts(),
	}
	for _, one := range s.Styles {
		p.Cards = append(p.Cards, s.card(one))
	}
	for _, in := range s.Scenes {
		p.Sections = append(p.Sections, s.section(in))
	}
	return p
}

func (s *study) section(in *scene) *section {
	outcome, common, inner := s.phases(in)
	one := &section{
		Scene: in, Outcome: s.latencies(in, "what the operator did, and what the cluster then did", outcome, true),
		Common: s.latencies(in, "other phases that all styles have", common, true),
	}
	if s.thrift < 3 {
		one.Inner = s.latencies(in, "inner phases", inner, false)
	}
	for _, c := range in.Cells {
		if w := s.waterfall(c); w != nil && (s.thrift < 3 || in == s.main()) {
			one.Waterfalls = append(one.Waterfalls, w)
		}
	}
	return one
}

// short is Report.InShort as a badge.
func (s *study) short() badge {
	outcome, text := s.InShort()
	b := badgeOf(outcome)
	if outcome == "" {
		b = badge{Class: "none", Sign: "→"}
	}
	b.Word, b.Text = text, ""
	return b
}

// policy lets a browser load nothing, and apply the page's own style sheet only.
func policy(css []byte) string {
	sum := sha256.Sum256(css)
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
