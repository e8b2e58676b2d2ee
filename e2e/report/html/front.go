package html

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

// frontPage is the page that answers first.
type frontPage struct {
	head
	Repository string
	About      string // what was done, in a sentence or two
	Answers    []report.Answer
	Needs      []result.Need
	Runs       []runDots
	Figures    figures
	Heats      []heat
	Surprises  []result.Difference
	Warnings   []string
	Facts      []*study // of the runs with latencies, which say where they took place
	Rank       string
}

// runDots are the latencies of one run.
type runDots struct {
	ID, Heading, Name, Made string // names are empty where there is no other run
	Dots                    *dotPlot
}

func (s *site) front() *frontPage {
	p := &frontPage{
		Repository: s.Repository, About: s.about(), Answers: s.Answers(), Warnings: s.Warnings, Needs: s.needs, Figures: s.figures(),
		Heats: s.heats(), Surprises: s.Differences(), Rank: result.RankNote(),
	}
	for i, run := range s.runs {
		if run.Environment != nil {
			p.Facts = append(p.Facts, run)
		}
		if dots := run.dotPlot(); dots != nil {
			one := runDots{ID: fmt.Sprintf("run-%d", i+1), Heading: run.heading, Dots: dots}
			if run.heading != "" {
				one.Name, one.Made = run.Name(), run.Made()
			}
			p.Runs = append(p.Runs, one)
		}
	}
	said := plain.Map(p.Answers, func(answer report.Answer) string { return strings.TrimSpace(answer.Lead + " " + answer.Text) })
	p.head = s.head("", s.title(), strings.Join(said, " "), s.dispute(""), true)
	return p
}

// pair is a name with a value.
type pair struct{ Name, Value string }

// dotPlot is the chart of the headline's latencies: a row for each style. A load has none: its figure is the last
// custom resource of each round, which is in the table.
type dotPlot struct {
	Scenario, Goal, Done string // Goal and Done say what was written, and what was ready
	Rows                 []dotRow
}

// dotRow is one style: when it had written, and when pods were ready.
type dotRow struct {
	Style          *style
	Rank           string
	Written, Ready dotCell
}

// dotCell is a chart with what it comes to.
type dotCell struct {
	Dots                 *dots // nil: nothing was measured
	Median, From, Beside string
}

func (s *study) dotPlot() *dotPlot {
	headline := s.Headline()
	if headline == "" || s.IsLoad(headline) {
		return nil
	}
	p := &dotPlot{Scenario: headline}
	draw := func(c *result.Cell, look look, one stat.Summary, goal *string) dotCell {
		if one.Phase == "" {
			return dotCell{Median: plain.Unknown, From: "n 0"}
		}
		*goal = inWords(s.Child(), one.Phase)
		d := dotCell{dotsOf(c, one, look, s.x, near), plain.Unknown, result.Bounds(one, stat.Observation.String) + fmt.Sprintf("n %d", one.N), result.Uncounted(one)}
		if one.N > 0 {
			d.Median = one.P50.String()
		}
		return d
	}
	for _, one := range s.Styles {
		c := s.Cell(one.Label, headline)
		if c == nil {
			continue
		}
		written, ready := c.Outcome()
		p.Rows = append(p.Rows, dotRow{one, s.RankOf(one.Label, headline).String(), draw(c, one.Look, written, &p.Goal), draw(c, one.Look, ready, &p.Done)})
	}
	return p
}

// dispute is what an issue about a figure needs.
type dispute struct {
	Link   string  // that opens it; empty: the repository's address is not known
	Runs   []again // how to measure it anew, the run of the headline first
	Report string  // what users of the framework report; empty: the repository's address is not known
}

// again is how to look at a run, and to measure it anew.
type again struct {
	Run, Revision, Command, Note string
	Published                    bool
}

// dispute is that of a style; of an empty label that of the whole report.
func (s *site) dispute(label string) dispute {
	d := dispute{Runs: s.again(label)}
	if s.Repository == "" {
		return d
	}
	which, command := "run "+strings.Join(s.Runs, ", "), ""
	if label != "" {
		which = "style " + label + ", " + which
	}
	if len(d.Runs) > 0 {
		command = d.Runs[0].Command
	}
	address := strings.TrimSuffix(s.Repository, "/")
	query := url.Values{"template": {"figure.yml"}, "figure": {plain.Line(which)}, "command": {plain.Text(command)}}
	d.Link, d.Report = address+"/issues/new?"+query.Encode(), address+"/blob/HEAD/docs/reports.md"
	return d
}

// again is how each run of a style was measured, those with latencies first.
func (s *site) again(label string) []again {
	name, _ := s.Named(label)
	var all []again
	for _, measured := range []bool{true, false} {
		for _, part := range s.Parts {
			e := part.Environment
			in := label == "" || slices.ContainsFunc(part.Header.Styles, func(one record.Style) bool { return record.Label(one.Name, one.Variant) == label })
			if e != nil && in && (len(part.Samples) > 0) == measured {
				all = append(all, s.command(part, label, name))
			}
		}
	}
	return all
}

// command is the one that measures a run again; of a label, this style of it.
func (s *site) command(part result.Part, label, name string) again {
	e := part.Environment
	line := "go run ./e2e/cmd/opbench run"
	if e.Flags["scenario"] == "matrix" {
		line = "go run ./e2e/cmd/opbench matrix"
	}
	for _, flag := range []string{"operator", "base", "profile", "scenario", "rounds", "passes", "precision", "budget", "quiescence", "cluster"} {
		value := e.Flags[flag]
		if flag == "operator" && label != "" { // by its folder, where it was asked for so
			asked := strings.Split(value, ",")
			if i := slices.IndexFunc(asked, func(one string) bool { return path.Base(one) == name }); i >= 0 {
				name = asked[i]
			}
			value = name
		}
		if flag == "cluster" && value == "kind" || flag == "budget" && e.Flags["precision"] == "" && e.Flags["base"] == "" || flag == "scenario" && value == "matrix" || value == "" || value == "0" {
			continue
		}
		line += " --" + flag + "=" + plain.Shell(value)
	}
	revision, note := e.Revision, "on "+e.Machine()
	for _, one := range e.Notes {
		if short := e.Revision[:min(len(e.Revision), 7)]; short != "" && strings.Contains(one, "revision "+short) {
			revision, note = "", note+"; "+plain.Line(one) // where that revision is, if it is not in the repository
		}
	}
	if e.Dirty {
		note += ", with changes that were not committed"
	}
	return again{part.Header.Run, plain.Shell(revision), plain.Line(fmt.Sprintf("%s --seed=%d", line, part.Header.Seed)), plain.Line(note), part.Published}
}

// title names what was compared; the floor is no contestant.
func (s *study) title() string {
	names := plain.Where(s.Report.Styles, func(label string) bool { return !s.style(label).Floor })
	const most = 4 // more would be no title
	switch {
	case s.Recommends():
		return "How should you write a Kubernetes operator?"
	case len(names) == 0:
		return "The floor"
	case len(names) == 1:
		return "Operator style: " + names[0]
	case len(names) > most:
		return fmt.Sprintf("%d operator styles", len(names))
	}
	return "Operator styles: " + plain.List(names)
}

// about says what was done, and when.
func (s *study) about() string {
	if len(s.Scenarios) == 0 && !s.HasMatrix() {
		return "The recording holds no sample."
	}
	text := fmt.Sprintf("The same operator, in %s: a number goes into a custom resource, and a %s with so many pods comes out.", plain.Plural(len(s.Contestants()), "style"), s.Child())
	if s.Child() == "child" {
		text = fmt.Sprintf("%s on a real cluster.", plain.Plural(len(s.Contestants()), "operator style"))
	}
	if len(s.Scenarios) > 0 {
		text += fmt.Sprintf(" Measured: %s.", plain.List(s.Scenarios))
	}
	if s.HasMatrix() {
		text += fmt.Sprintf(" Tested: %s%s, with broken parts among them.", plain.Plural(len(s.Matrix.Tests()), "scenario"), s.applying())
	}
	if days := s.Days(); days != "" {
		text += " Recorded " + days + "."
	}
	return text
}

// applying says how many of the tests apply to a style; empty: all do.
func (s *study) applying() string {
	counts := plain.Pick(s.Contestants(), func(label string) (int, bool) { f := s.Fails(label); return f.Of, f.Whole() })
	if len(counts) == 0 || slices.Min(counts) == len(s.Matrix.Tests()) {
		return ""
	}
	return fmt.Sprintf(" (%s apply to a style that was driven through all)", plain.Span(slices.Min(counts), slices.Max(counts)))
}
