package selftest

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec"
)

// Finding is what the judge said of a trial.
type Finding struct {
	Trial
	// Right: of a mutant, that its oracle failed; of the correct operator, that
	// nothing did, and that there was something to judge.
	Right  bool
	Said   string   // what the oracle said; what was wrong with the correct operator
	Others []string // oracles that failed too
}

// Score finds each trial's verdicts among the results.
func Score(trials []Trial, results []judge.Result) []Finding {
	byStyle := map[string][]judge.Result{}
	for _, r := range results {
		byStyle[r.Style] = append(byStyle[r.Style], r)
	}
	var findings []Finding
	for _, t := range trials {
		all := byStyle[t.Style()]
		best := Finding{Trial: t, Said: "it was not driven"}
		for i, r := range all {
			f := t.score(r)
			// A fault need not show each time; an alarm need not come each time.
			if i == 0 || f.Right != t.Correct() && best.Right == t.Correct() {
				best = f
			}
		}
		findings = append(findings, best)
	}
	return findings
}

// score is what one sample of the trial says.
func (t Trial) score(r judge.Result) Finding {
	f := Finding{Trial: t}
	switch {
	case r.Unready: // nothing that an oracle says is about the scenario
		f.Said = r.Reason
	case t.Correct():
		f.alarms(r)
	default:
		f.detection(r)
	}
	return f
}

// alarms are what was said against the correct operator.
func (f *Finding) alarms(r judge.Result) {
	passed := 0
	if r.Outcome() == spec.Late {
		f.Others = append(f.Others, Late)
		f.Said = fmt.Sprintf("no oracle failed, but it was given up: %s\n", r.Reason)
	}
	for _, v := range r.Verdicts {
		switch v.Outcome {
		case spec.Pass:
			passed++
		case spec.NotApplicable:
		default:
			f.Others = append(f.Others, v.Oracle)
			f.Said += fmt.Sprintf("%s: %s: %s\n", v.Oracle, v.Outcome, v.Message)
		}
	}
	if passed == 0 && f.Said == "" {
		f.Said = "there was nothing to judge"
	}
	f.Said = strings.TrimSpace(f.Said)
	f.Right = passed > 0 && len(f.Others) == 0
}

// detection is what the oracle said that must find the mutant.
func (f *Finding) detection(r judge.Result) {
	f.Said = fmt.Sprintf("scenario %s does not expect it", f.Case.Scenario)
	if f.Case.Oracle == Late {
		f.Right, f.Said = r.Outcome() == spec.Late, fmt.Sprintf("%s: %s", r.Outcome(), r.Reason)
	}
	for _, v := range r.Verdicts {
		switch {
		case v.Oracle == f.Case.Oracle:
			f.Right = v.Outcome == spec.Fail
			f.Said = fmt.Sprintf("%s: %s", v.Outcome, v.Message)
		case v.Outcome == spec.Fail:
			f.Others = append(f.Others, v.Oracle)
		}
	}
}

// Print writes the table of mutants and the two rates. It returns how many mutants
// were missed, and how many alarms were false.
func Print(out io.Writer, findings []Finding) (missed, alarms int, err error) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MUTANT\tSCENARIO\tORACLE\tCAUGHT\tOTHERS THAT FAILED\tWHAT THE ORACLE SAID")
	mutants := 0
	for _, f := range findings {
		if f.Correct() {
			continue
		}
		mutants++
		caught := "yes"
		if !f.Right {
			caught = "NO"
			missed++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Case.Mutant, f.Case.Scenario, f.Case.Oracle, caught, strings.Join(f.Others, " "), cut(f.Said))
	}
	correct := len(findings) - mutants
	for _, f := range findings {
		if f.Correct() && !f.Right {
			alarms++
			fmt.Fprintf(table, "%s\t%s\t\tFALSE ALARM\t%s\t%s\n", f.Case.Mutant, f.Case.Scenario, strings.Join(f.Others, " "), cut(f.Said))
		}
	}
	fmt.Fprintf(table, "\ndetection: %d of %d mutants by the oracle that is meant for them (%s)\n", mutants-missed, mutants, percent(mutants-missed, mutants))
	fmt.Fprintf(table, "false alarms: %d of %d scenarios of correct operators (%s)\n", alarms, correct, percent(alarms, correct))
	return missed, alarms, table.Flush()
}

func percent(part, whole int) string {
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(max(whole, 1)))
}

// widest is how many letters of a message fit into the table.
const widest = 140

func cut(text string) string {
	text = strings.ReplaceAll(text, "\n", "; ")
	if letters := []rune(text); len(letters) > widest {
		return string(letters[:widest]) + "…"
	}
	return text
}
