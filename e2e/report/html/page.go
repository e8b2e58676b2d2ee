package html

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
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
	Looks    []look

	Cards    []*card
	Matrix   *verdictTable
	Troubles []trouble
	MoreT    int // troubles that are not shown
	Exempts  []exempt

	Correctness *correctness // nil: there is none
	Security    *security    // nil: nothing is known of it
	Measured    bool         // there is something else than the correctness matrix

	Sections []*section // a scenario each
	Costs    *ledger
	Counts   *ledger
	Owned    *ledger
	Facts    *facts
	Trails   []*trail
}

// section is what a scenario has in each chapter.
type section struct {
	Scene         *scene
	Distributions []*distribution
	Common, Inner *quantileTable
	Timelines     []*timeline
}

// newPage computes the page of a report. The more thrift, up to mostThrift, the
// less detail it has: see study.
func newPage(r *report.Report, css []byte, thrift int) *page {
	s := newStudy(r)
	s.thrift = thrift
	p := &page{
		CSS:    template.CSS(css), //nolint:gosec // the page's own style sheet, embedded
		Policy: policy(css), Title: s.title(), Run: strings.Join(r.Runs, ", "), Lead: s.lead(), Warnings: r.Warnings,
		Short: s.short(), Thrift: thrift, Level: fmt.Sprintf("%.0f%%", 100*stat.Level), Least: stat.MinRounds, Looks: s.looks(),
		Costs: s.costs(), Counts: s.counts(), Owned: s.owned(),
		Cards: s.cards(), Matrix: s.verdictTable(), Exempts: s.exempts(), Facts: s.facts(), Trails: s.trails(),
	}
	p.Troubles, p.MoreT = s.troubles()
	p.Correctness, p.Security = s.correctness(), s.security()
	p.Measured = len(s.Scenes) > 0 || p.Correctness == nil
	low, high, measured := s.domain()
	for _, in := range s.Scenes {
		one := &section{Scene: in}
		one.Common, one.Inner = s.tables(in)
		if measured {
			one.Distributions = s.distributions(in, low, high)
		}
		for _, c := range in.Cells {
			if thrift >= 3 && in != s.main() {
				break
			}
			if t := s.timelineOf(c); t != nil {
				one.Timelines = append(one.Timelines, t)
			}
		}
		p.Sections = append(p.Sections, one)
	}
	return p
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

// distributions are a scenario's charts: what the operator did, and what the
// cluster then did.
func (s *study) distributions(in *scene, low, high float64) []*distribution {
	var all []*distribution
	titles := map[string]bool{}
	for _, c := range in.Cells {
		written, ready := c.outcome()
		for i, title := range []string{written, ready} {
			if titles[title] {
				continue
			}
			titles[title] = true
			phase := func(c *cell) string {
				first, last := c.outcome()
				return []string{first, last}[i]
			}
			if d := s.distributionOf(in, phase, title, low, high); d != nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// lead is the page's first sentence.
func (s *study) lead() string {
	var scenarios []string
	for _, in := range s.Scenes {
		scenarios = append(scenarios, in.Name)
	}
	parts := fmt.Sprintf("%s, %s", s.RoundsText(), count(len(s.Samples))+" latencies")
	lead := fmt.Sprintf("The same changes (%s) of the same custom resources on one real cluster, handled by each style: %s.", list(scenarios), parts)
	switch checked := len(s.Report.Matrix.Rows()); {
	case len(scenarios) == 0 && !s.HasMatrix():
		return "The recording holds no sample."
	case len(scenarios) == 0:
		lead = fmt.Sprintf("The same %s on a real cluster, faults included: does each style do what it must?", counted(checked, "scenario"))
	case s.HasMatrix():
		var recorded []string
		for _, one := range s.Report.Matrix.Styles {
			if s.Recorded(one.Label) {
				recorded = append(recorded, one.Label)
			}
		}
		who := "Each"
		if len(recorded) < len(s.Report.Matrix.Styles) {
			who = list(recorded)
		}
		lead += fmt.Sprintf(" %s went through %s to see whether it does what it must.", who, counted(checked, "scenario"))
	}
	if e := s.Environment; e != nil {
		lead += fmt.Sprintf(" Recorded on %s on %s, Kubernetes %s.", e.Began.UTC().Format("2 January 2006"), e.Host.String(), e.Kubernetes)
	}
	return lead
}
