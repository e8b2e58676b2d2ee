package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

// tutorialStyle is the style that the tutorial's claims are about.
const tutorialStyle = "argo"

// peers are what the tutorial compares with, the first that was measured: an
// operator as its SDKs lay it out, or one written with the library below them.
func peers() []string { return []string{"controller-runtime", "native"} }

// peerStyle names the peers in rules.
const peerStyle = "controller-runtime (native where that was not measured)"

// What a claim turned out to be.
const (
	Holds    = "holds"
	Partly   = "holds partly"
	Fails    = "does not hold"
	Untested = "not tested"
)

// Claim is something that the tutorial says, beside what was measured.
type Claim struct {
	Claim string `json:"claim"` // in short, in the tutorial's words
	// Verdict follows from Evidence by Rule: holds, holds partly, does not
	// hold, or not tested, where the last of Evidence says what is missing.
	Verdict  string   `json:"verdict"`
	Evidence []string `json:"evidence"`
	Rule     string   `json:"rule"`
	From     string   `json:"from"` // what it was computed from
}

// claimed is a claim and how it is tested; the test returns a verdict with
// what was measured.
type claimed struct {
	claim, rule, from string
	test              func(*claimants) (verdict string, evidence []string)
}

// claimants are the styles that the claims are tested on.
type claimants struct {
	argo *claimant
	peer *claimant   // nil: not in the report
	kin  []*claimant // argo, and the styles that are made the same way: argo-…
}

// claimant is all that is known of one style.
type claimant struct {
	label  string
	cells  []*result.Cell
	loads  []*result.Cell
	facts  *record.StyleFacts // nil: not known
	images []record.ImageFacts
	cost   *result.Cost // nil: not computed
	matrix []*result.Cell
}

// Claims tests what the tutorial says on what is in the report; none where the
// report does not have its style.
func (r *Report) Claims() []Claim {
	c := r.claimants()
	if c == nil {
		return nil
	}
	var all []Claim
	for _, one := range tutorialClaims() {
		verdict, evidence := one.test(c)
		all = append(all, Claim{Claim: one.claim, Verdict: verdict, Evidence: evidence, Rule: one.rule, From: one.from})
	}
	return all
}

// claimants finds the styles; nil where the tutorial's is not there. Of several
// variants the first counts: no variant, or the base of a comparison.
func (r *Report) claimants() *claimants {
	c := &claimants{}
	var styles []string
	rank := len(peers())
	for _, label := range r.Styles {
		one := r.claimant(label)
		style, _ := r.Named(label)
		if slices.Contains(styles, style) {
			continue
		}
		styles = append(styles, style)
		switch {
		case style == tutorialStyle:
			c.argo, c.kin = one, append(c.kin, one)
		case slices.Contains(peers(), style):
			if i := slices.Index(peers(), style); i < rank {
				c.peer, rank = one, i
			}
		case strings.HasPrefix(style, tutorialStyle+"-"):
			c.kin = append(c.kin, one)
		}
	}
	if c.argo == nil {
		return nil
	}
	return c
}

func (r *Report) claimant(label string) *claimant {
	one := &claimant{label: label, matrix: r.Matrix.Cells(label)}
	for c := range r.By(label) {
		if c.Load() {
			one.loads = append(one.loads, c)
			continue
		}
		one.cells = append(one.cells, c) // the tutorial mostly speaks of one change at a time
	}
	if facts, environment := r.Facts(label); facts != nil {
		one.facts, one.images = facts, environment.ImagesOf(facts)
	}
	for i := range r.Costs {
		if r.Costs[i].Label() == label {
			one.cost = &r.Costs[i]
			break
		}
	}
	return one
}

// counts sums up the style's samples.
func (c *claimant) counts() (passed, all int) {
	for _, cell := range c.cells {
		t := cell.Tally
		passed, all = passed+t.Passed, all+t.All()
	}
	return passed, all
}

// flawless tells whether every sample that could be judged was handled
// correctly.
func (c *claimant) flawless() bool {
	passed, _ := c.counts()
	return passed > 0 && !slices.ContainsFunc(c.cells, func(cell *result.Cell) bool {
		return slices.Contains([]judge.Outcome{judge.Fail, judge.Flaky, judge.Late}, cell.Verdict)
	})
}

// inner are the names of the style's own phases that were seen in every
// scenario that has any.
func (c *claimant) inner() []string {
	var names []string
	for _, cell := range c.cells {
		for _, p := range cell.Phases {
			if p.N > p.Censored && !slices.Contains(judge.Phases(), p.Phase) {
				names = plain.Once(names, p.Phase)
			}
		}
	}
	return names
}

// steps are the steps of a change: what inner phases see begin.
func (c *claimant) steps() []string {
	var names []string
	for _, name := range c.inner() {
		for _, begins := range []string{" pending", " started"} { // a pod for it is there; the Workflow says so
			if step, is := strings.CutSuffix(name, begins); is {
				names = plain.Once(names, step)
			}
		}
	}
	return names
}

// logic are the languages that the operator's own logic is written in: those of
// its files that are not mere manifests, and those whose interpreter is among
// its images, for scripts within manifests.
func (c *claimant) logic() []string {
	var found []string
	if c.facts != nil && c.facts.Owned != nil {
		for language := range c.facts.Owned.Languages {
			if !slices.Contains([]string{"YAML", "JSON", "other"}, language) {
				found = plain.Once(found, language)
			}
		}
	}
	interpreters := map[string]string{
		"python": "Python", "node": "JavaScript", "deno": "TypeScript", "ruby": "Ruby", "perl": "Perl", "php": "PHP", "bash": "Shell", "busybox": "Shell",
	}
	for _, image := range c.images {
		name, _, _ := strings.Cut(path.Base(image.Reference), ":")
		if language := interpreters[name]; language != "" {
			found = plain.Once(found, language)
		}
	}
	slices.Sort(found)
	return found
}

// figureOf prints a summary's p50 with its interval and n.
func figureOf(s stat.Summary) string {
	if s.N == 0 {
		return strings.TrimSpace("not measured " + notes(s))
	}
	text := s.P50.String()
	if s.CI50 != nil {
		text += fmt.Sprintf(" [%s, %s]", s.CI50.Low.String(), s.CI50.High.String())
	}
	return strings.TrimSpace(fmt.Sprintf("%s (n=%d in %s) %s", text, s.N, plain.Plural(s.Rounds, "round"), notes(s)))
}

// untested is the verdict where something is missing.
func untested(missing string) (string, []string) {
	return Untested, []string{"missing: " + missing}
}

// ofTwo is the verdict on a claim of which parts hold.
func ofTwo(parts ...bool) string {
	switch {
	case !slices.Contains(parts, false):
		return Holds
	case slices.Contains(parts, true):
		return Partly
	}
	return Fails
}

// claimsTable is Claims for Markdown.
func (r *Report) claimsTable() table {
	t := table{title: "The tutorial's claims, tested", header: []string{"claim", "verdict", "measured", "rule", "computed from"}, left: 5}
	for _, c := range r.Claims() {
		t.rows = append(t.rows, []string{c.Claim, c.Verdict, strings.Join(c.Evidence, "; "), c.Rule, c.From})
	}
	return t
}
