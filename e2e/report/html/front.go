package html

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

// frontPage is the page that answers first.
type frontPage struct {
	head
	Answers  []string
	Lead     string
	Short    badge // whether all was handled correctly
	Warnings []string
	Needs    []result.Need
	Runs     []runFigures
	Groups   []string // of columns
	Styles   []*style
	Heat     *heatMap // nil: nothing was judged
	Surprise []surprise
	Facts    []*facts // of the runs with latencies
	All      []result.RunFacts
	Rank     string
	Heats    []string // what the colours mean
}

// runFigures are the figures of one run.
type runFigures struct {
	ID, Heading string
	Dots        *dotPlot // nil: nothing was measured
	Table       bigTable
}

// surprise is a verdict that is not as expected.
type surprise struct {
	result.Difference
	Link string // to the cell; empty: it has none
}

// mostSurprises is how many the first page lists; the pages of styles have all.
const mostSurprises = 30

func (s *site) front() *frontPage {
	p := &frontPage{
		Answers: s.Answers(), Lead: s.lead(), Short: s.short(), Warnings: s.Warnings, Needs: s.needs,
		Groups: columnGroups(), Styles: s.Styles, Heat: s.heatMap(), All: s.RunFacts(), Rank: result.RankNote(), Heats: heatWords(),
	}
	for i, run := range s.runs {
		if facts := run.facts(); facts != nil {
			p.Facts = append(p.Facts, facts)
		}
		columns := run.measuredColumns()
		if len(s.runs) == 1 {
			columns = append(columns, s.ownColumns()...)
		}
		p.Runs = append(p.Runs, runFigures{fmt.Sprintf("run-%d", i+1), run.heading, run.dotPlot(), run.bigTable(columns)})
	}
	if len(s.runs) > 1 {
		p.Runs = append(p.Runs, runFigures{ID: "own", Heading: "What hangs on no run: correctness, and what there is to maintain", Table: s.bigTable(s.ownColumns())})
	}
	for _, d := range s.Differences() {
		one := surprise{Difference: d}
		if anchor := s.anchors[d.Scenario]; anchor != "" {
			one.Link = path.Join(Folder, s.style(d.Label).File) + "#" + anchor
		}
		p.Surprise = append(p.Surprise, one)
	}
	p.Surprise = p.Surprise[:min(len(p.Surprise), mostSurprises)]
	p.head = s.head("", s.title(), strings.Join(p.Answers, " "), s.dispute(""), true)
	return p
}

// dotPlot is the chart of the headline's latencies: a row for each style. A load has none: its figure is the last
// custom resource of each round, which is in the table.
type dotPlot struct {
	Scenario, Goal string
	Rows           []dotRow
}

// dotRow is one style: its samples, and the figures that they come to.
type dotRow struct {
	Style                       *style
	Rank, Median, Spread, Apart string // Apart: what is not counted
	Dots                        *dots
}

func (s *study) dotPlot() *dotPlot {
	in := s.main()
	if in == nil || s.IsLoad(in.Name) {
		return nil
	}
	p := &dotPlot{Scenario: in.Name}
	for _, one := range s.Styles {
		at := slices.IndexFunc(in.Cells, func(c *cell) bool { return c.Style == one })
		if at < 0 {
			continue
		}
		c := in.Cells[at]
		row := dotRow{Style: one, Rank: s.RankOf(one.Label, in.Name).String(), Median: plain.Unknown, Spread: "n 0"}
		if written, _ := c.outcome(); written != nil {
			row.Dots, row.Spread, row.Apart = dotsOf(c, written, s.x, near), result.Spread(written.Summary, stat.Observation.String), apart(written.Summary)
			p.Goal = inWords(s.Child(), written.Phase)
			if written.N > 0 {
				row.Median = written.P50.String()
			}
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// dispute is what an issue about a figure needs.
type dispute struct {
	Link    string   // that opens it; empty: the repository's address is not known
	Command string   // that measures again, with seed and revision
	Runs    []string // what it is computed from
}

// dispute is that of a style; of an empty label that of the whole report.
func (s *site) dispute(label string) dispute {
	d := dispute{Command: s.again(label)}
	if s.Repository == "" {
		return d
	}
	which := "run " + strings.Join(s.Runs, ", ")
	if label != "" {
		which = "style " + label + ", " + which
	}
	query := url.Values{"template": {"figure.yml"}, "figure": {plain.Line(which)}, "command": {plain.Text(d.Command)}}
	d.Link = strings.TrimSuffix(s.Repository, "/") + "/issues/new?" + query.Encode()
	return d
}

// again are the commands that measure a style again, a line for each run that it was in.
func (s *site) again(label string) string {
	name, _ := s.Named(label)
	var lines []string
	for _, part := range s.Parts {
		e := part.Environment
		in := label == "" || slices.ContainsFunc(part.Header.Styles, func(one record.Style) bool { return record.Label(one.Name, one.Variant) == label })
		if e == nil || !in {
			continue
		}
		line := "go run ./e2e/cmd/opbench run"
		if e.Flags["scenario"] == "matrix" {
			line = "go run ./e2e/cmd/opbench matrix"
		}
		for _, flag := range []string{"operator", "scenario", "rounds", "passes", "precision", "budget", "quiescence"} {
			value := e.Flags[flag]
			if flag == "operator" && label != "" {
				value = name
			}
			if flag == "budget" && e.Flags["precision"] == "" || flag == "scenario" && value == "matrix" {
				continue
			}
			if value != "" && value != "0" {
				line += " --" + flag + "=" + quoted(value)
			}
		}
		revision := "revision " + e.Revision
		for _, note := range e.Notes {
			if short := e.Revision[:min(len(e.Revision), 7)]; short != "" && strings.Contains(note, "revision "+short) {
				revision = plain.Line(note) // where that revision is, if it is not in the repository
			}
		}
		if e.Dirty {
			revision += ", with changes that were not committed"
		}
		lines = plain.Once(lines, plain.Line(fmt.Sprintf("%s --seed=%d # run %s, %s", line, part.Header.Seed, part.Header.Run, revision)))
	}
	return strings.Join(lines, "\n")
}

// quoted is a flag's value as a shell takes it for one word, whatever a recording holds.
func quoted(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool {
		return !strings.ContainsRune("_.,/@%+:=-", r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}

// short is Report.InShort as a badge.
func (s *site) short() badge {
	outcome, text := s.InShort()
	b := badgeOf(outcome)
	if outcome == "" {
		b = badge{Class: "none", Sign: "→"}
	}
	b.Word, b.Text = text, ""
	return b
}

// title names what was compared; the floor is no contestant.
func (s *study) title() string {
	var names []string
	for _, label := range s.Report.Styles {
		if !s.style(label).Floor {
			names = append(names, label)
		}
	}
	const few = 4 // more would be no title
	switch {
	case len(names) == 0:
		return "The floor"
	case len(names) == 1:
		return "Operator style: " + names[0]
	case len(names) > few:
		return fmt.Sprintf("%d operator styles", len(names))
	}
	return "Operator styles: " + plain.List(names)
}

// lead says what was done, where and when.
func (s *study) lead() string {
	var names, recorded []string
	for _, in := range s.Scenes {
		names = append(names, in.Name)
	}
	for _, one := range s.Matrix.Styles {
		if s.Recorded(one.Label) {
			recorded = append(recorded, one.Label)
		}
	}
	checked := plain.Plural(len(s.Matrix.Rows()), "scenario")
	var lead string
	switch {
	case len(names) == 0 && !s.HasMatrix():
		return "The recording holds no sample."
	case len(names) == 0:
		lead = fmt.Sprintf("The same %s on a real cluster, faults included: does each style do what it must?", checked)
	default:
		lead = fmt.Sprintf("Each style handled the same changes (%s) on a real cluster.", plain.List(names))
	}
	if len(names) > 0 && s.HasMatrix() {
		who := "Each"
		switch {
		case len(recorded) > 4:
			who = fmt.Sprintf("%d of the styles", len(recorded))
		case len(recorded) < len(s.Matrix.Styles):
			who = plain.List(recorded)
		}
		lead += fmt.Sprintf(" %s also went through %s of correctness, faults included.", who, checked)
	}
	if days := s.days(); days != "" {
		lead += " Recorded " + days + "."
	}
	return lead + " " + report.SeveralNote
}

// days are those on which the recordings began, such as "from 23 to 25 November 2026".
func (s *study) days() string {
	var began []time.Time
	for _, part := range s.Parts {
		if part.Environment != nil {
			began = append(began, part.Environment.Began.UTC())
		}
	}
	if len(began) == 0 {
		return ""
	}
	const day = "2 January 2006"
	slices.SortFunc(began, time.Time.Compare)
	first, last := began[0], began[len(began)-1]
	switch from, to := first.Format(day), last.Format(day); {
	case from == to:
		return "on " + to
	case first.Year() == last.Year() && first.Month() == last.Month():
		return fmt.Sprintf("from %d to %s", first.Day(), to)
	default:
		return fmt.Sprintf("from %s to %s", from, to)
	}
}
