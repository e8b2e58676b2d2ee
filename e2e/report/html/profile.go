package html

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// profile is a style's own page: all that was seen of it.
type profile struct {
	head
	Style     *style
	What      []string // it is, in two sentences
	Source    string
	Installed []pair // stages, with what each waits for
	Facts     []pair
	Images    []record.ImageFacts
	Needs     []needAnswer
	Fails     string // how many scenarios
	Wrong     string // measured changes that it handled wrongly; empty: none
	Runs      []profileRun
	Loads     []costRow // and what a ramp or a growth came to
	Costs     []costRow
	Bad, Good []*verdictCell
	Held      []result.Conformance
	Rights    string
	Level     string
	Least     int
}

// needAnswer is whether a style meets a need.
type needAnswer struct{ Name, Criterion, Answer string }

// profileRun are a style's latencies in one run.
type profileRun struct {
	Heading          string
	Latencies, Inner *latencies
}

// costRow is a quantity with the rounds that it comes from.
type costRow struct{ Name, Value, Spread, Rounds string }

func (s *site) profile(of *style) *profile {
	p := &profile{
		Style: of, Needs: s.answers(of.Label), What: s.what(of), Facts: s.styleFacts(of), Wrong: s.Mishandled(of.Label),
		Loads: s.loadRows(of.Label), Costs: s.costRows(of.Label), Held: s.Conformance(of.Label), Rights: s.rights(of.Label), Level: fmt.Sprintf("%.0f%%", 100*stat.Level), Least: stat.MinRounds,
	}
	header := s.Header(of.Label)
	p.Source, p.Installed = header.Source, stages(header)
	if facts, environment := s.Report.Facts(of.Label); facts != nil {
		p.Images = environment.ImagesOf(facts)
	}
	p.Fails = s.fails(of.Label)
	for i, run := range s.runs {
		cells := run.By(of.Label)
		one := profileRun{
			Heading:   run.heading,
			Latencies: run.latencies(cells, fmt.Sprintf("latencies-%d", i+1), "Phases that all styles have", false),
			Inner:     run.latencies(cells, fmt.Sprintf("inner-%d", i+1), "Phases that only this style has", true),
		}
		if one.Latencies != nil {
			p.Runs = append(p.Runs, one)
		}
	}
	shown := map[string]int{}
	for _, row := range s.judged() {
		for _, c := range row.Cells {
			if c == nil || c.Style.Label != of.Label {
				continue
			}
			id := s.anchors[row.Name]
			if shown[id]++; shown[id] > 1 { // a load of another run
				id += fmt.Sprintf("-%d", shown[id])
			}
			v := s.verdictCell(c, row.Scenario, id)
			if v.Bad() {
				p.Bad = append(p.Bad, v)
			} else {
				p.Good = append(p.Good, v)
			}
		}
	}
	p.head = s.head(path.Join(Folder, of.File), of.Label, strings.Join(p.What, " "), s.dispute(of.Label), false)
	return p
}

// fails says in a sentence how many tests a style fails.
func (s *site) fails(label string) string {
	f := s.Fails(label)
	if !f.Known {
		return "It was not driven through the tests."
	}
	return fmt.Sprintf("%d of %s %s%s.", f.Failed, plain.Plural(f.Of, "test"), plain.Noun(f.Failed, "fails", "fail"), f.Rest())
}

// answers are the needs that a style meets or not; none where only one style was recorded.
func (s *site) answers(label string) []needAnswer {
	has := func(all []result.Match) bool {
		return slices.ContainsFunc(all, func(m result.Match) bool { return m.Label == label })
	}
	return plain.Pick(s.needs, func(need result.Need) (needAnswer, bool) {
		answer := "not known"
		switch {
		case has(need.Met):
			answer = "met"
		case need.Has: // that a style is not in Go, say, is no fault of it
			return needAnswer{}, false
		case has(need.NotMet):
			answer = "not met"
		}
		return needAnswer{need.Name, need.Criterion, answer}, answer != "not known" || slices.Contains(need.Unknown, label)
	})
}

// what says in two sentences what a style is.
func (s *site) what(of *style) []string {
	if of.Floor {
		return []string{
			"The floor: no operator is installed, the harness writes the " + s.Child() + " itself.",
			"Of a single change, what is below it is noise; of a load of updates it is not, since the harness writes every step, which an operator need not.",
		}
	}
	first := cmp.Or(s.Header(of.Label).Description, "What it is was not recorded: this recording’s header has no description.")
	var parts []string
	if f := s.Framework(of.Label); f.Name != "" {
		on := fmt.Sprintf("is built on %s %s", f.Name, f.Version)
		if f.Date != "" {
			on += " of " + f.Date
		}
		parts = append(parts, on)
	}
	if language := s.Language(of.Label); language != "" {
		parts = append(parts, fmt.Sprintf("has %s lines to maintain (language: %s)", s.Value(of.Label, "lines").Text, language))
	}
	if len(parts) == 0 {
		return []string{first, "Neither its framework nor its lines were recorded."}
	}
	return []string{first, "It " + strings.Join(parts, ", and ") + "."}
}

// stages are how a style is installed.
func stages(header record.Style) []pair {
	var all []pair
	for _, stage := range header.Stages {
		gates := plain.Map(stage.Ready, func(gate spec.Gate) string { return gate.String() })
		text := "applies " + plain.List(stage.Manifests)
		if len(gates) > 0 {
			text += ", then waits for " + plain.List(gates)
		}
		all = append(all, pair{stage.Name, text})
	}
	return all
}

// styleFacts are versions, hashes and what is owned.
func (s *site) styleFacts(of *style) []pair {
	var all []pair
	add := func(name, value string) {
		if value != "" {
			all = append(all, pair{name, value})
		}
	}
	if f := s.Framework(of.Label); f.Name != "" {
		add("Framework", fmt.Sprintf("%s %s", f.Name, f.Version))
		add("Released", f.Date)
		add("Its licence", cmp.Or(f.Licence, "not recorded"))
		newest := f.Newest
		if f.Why != "" {
			newest = strings.TrimPrefix(newest+". "+f.Why, ". ")
		}
		add("Newest upstream", newest)
	}
	add("Completes", s.Header(of.Label).Base)
	facts, environment := s.Report.Facts(of.Label)
	if facts == nil {
		return all
	}
	listed := func(of map[string]string, format string) string {
		var all []string
		for key, value := range of {
			all = append(all, fmt.Sprintf(format, key, value))
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	add("Versions", listed(facts.Versions, "%s %s"))
	if o := facts.Owned; o != nil {
		lines := s.Value(of.Label, "lines").Text + " lines"
		if o.Scaffold > 0 {
			lines += fmt.Sprintf(", and %d that a generator wrote", o.Scaffold)
		}
		var languages []string
		for _, one := range slices.SortedFunc(maps.Keys(o.Languages), func(a, b string) int { return cmp.Or(o.Languages[b]-o.Languages[a], strings.Compare(a, b)) }) {
			languages = append(languages, fmt.Sprintf("%s %d", one, o.Languages[one]))
		}
		add("To maintain", fmt.Sprintf("%s, %s (%s)", plain.Plural(o.Files, "file"), lines, strings.Join(languages, ", ")))
		add("Rights", result.RightsText(o))
	}
	add("Pod Security Standard that is enforced", listed(facts.PodSecurity, "%[2]s in %[1]s"))
	add("Dependencies, direct / all", result.DependenciesText(environment.ImagesOf(facts)))
	add("Hash of its rendered manifests", facts.Manifests)
	add("Measured with", environment.Program)
	add("Recorded", environment.Began.UTC().Format("2 January 2006"))
	return all
}

// loadRows are what the style came to with many custom resources, in each run that has such a load.
func (s *site) loadRows(label string) []costRow {
	var all []costRow
	for _, run := range s.runs {
		for _, c := range run.Columns() {
			if v := c.Of(label); c.Group == result.GroupMany && v.Text != "" {
				all = append(all, costRow{Name: c.Head, Value: v.Text, Spread: from(v, run.Runs[0])})
			}
		}
	}
	return all
}

// costRows are what the style used in each run, in every round; what is not known of any says why.
func (s *site) costRows(label string) []costRow {
	var all []costRow
	add := func(c result.Cost, name string, figure result.Figure) {
		row := costRow{Name: name, Value: plain.Unknown, Spread: figure.Missing}
		switch {
		case !figure.Known() && figure.Missing == "":
			return
		case figure.Known():
			rounds := plain.Map(figure.Values, func(v cost.Value) string { return result.Amount(figure.Unit, v.Value) })
			used := c.SumUp(figure)
			show := func(o stat.Observation) string { return result.Amount(figure.Unit, o.Value) }
			row.Value, row.Spread = show(used.P50), result.Spread(used, show)
			row.Rounds = strings.Join(rounds, ", ")
			if len(s.Runs) > 1 {
				row.Spread += ", run " + c.Run
			}
		}
		all = append(all, row)
	}
	for _, c := range s.Costs {
		if c.Label() != label {
			continue
		}
		for _, q := range result.Prices()[:10] {
			add(c, q.Head, q.Of(c))
		}
		add(c, "uninstall", c.Uninstall)
		for _, one := range c.ComponentCPU {
			add(c, "CPU of "+one.Component+", idle use included", one.Figure)
		}
	}
	for _, c := range s.Beside {
		for _, q := range result.Prices()[10:] {
			if c.Label() == label && q.Of(c).Known() {
				add(c, q.Head, q.Of(c))
			}
		}
	}
	return plain.Where(all, func(row costRow) bool {
		return row.Value != plain.Unknown || !slices.ContainsFunc(all, func(other costRow) bool { return other.Name == row.Name && other.Value != plain.Unknown })
	})
}

// rights are a style's, one a line; empty: not known.
func (s *site) rights(label string) string {
	var text strings.Builder
	for _, use := range s.Grants {
		if record.Label(use.Style, use.Variant) == label {
			_ = grants.Text(&text, []grants.Use{use}) // a builder takes all
		}
	}
	return text.String()
}

// Spoken is a conformance outcome in words.
func (p *profile) Spoken(c result.Conformance) string {
	switch {
	case c.Outcome == spec.Pass:
		return "held, in " + c.Why
	case c.Outcome == spec.Fail:
		return "fails in " + c.Why
	case c.Unasked:
		return "not asked"
	}
	return "not offered: " + c.Why
}
