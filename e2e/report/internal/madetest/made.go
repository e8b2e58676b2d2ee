// Package madetest makes judged recordings for the tests of reports: of the
// correctness matrix, with every verdict that there is.
package madetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// Cell is what one style did in one scenario.
type Cell struct {
	Style, Scenario string
	Repeats         []Repeat
}

// Repeat is what one sample came to.
type Repeat struct {
	Fails   []string // oracles; empty: all pass
	Message string   // of the oracles that fail, do not apply, or cannot judge
	Outcome spec.Outcome
	By      string        // how it recovered; empty: nothing was broken
	After   time.Duration // in which it did
}

// Pass is a sample that all oracles pass.
func Pass() Repeat { return Repeat{Outcome: spec.Pass} }

// Fail is a sample in which oracles failed.
func Fail(message string, oracles ...string) Repeat {
	return Repeat{Outcome: spec.Fail, Fails: oracles, Message: message}
}

// Exempt is a scenario that does not apply.
func Exempt(reason string) Repeat { return Repeat{Outcome: spec.NotApplicable, Message: reason} }

// Invalid is a sample that could not be judged.
func Invalid(reason string) Repeat { return Repeat{Outcome: spec.Invalid, Message: reason} }

// Recovered is the repeat with how it recovered from a fault.
func (r Repeat) Recovered(by string, after time.Duration) Repeat {
	r.By, r.After = by, after
	return r
}

// Recording is a judged recording of cells.
func Recording(run string, list []record.Scenario, cells ...Cell) result.Recording {
	j := &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: run, Scenarios: list}}
	seen := map[string]bool{}
	for _, c := range cells {
		if !seen[c.Style] {
			seen[c.Style] = true
			j.Header.Styles = append(j.Header.Styles, record.Style{Style: spec.Style{Name: c.Style}})
		}
		for i, r := range c.Repeats {
			of, _ := plain.Find(list, func(s record.Scenario) bool { return s.Name == c.Scenario })
			j.Results = append(j.Results, resultOf(c, i+1, r, of.Group))
		}
	}
	return result.Recording{Judgement: j}
}

func resultOf(c Cell, round int, r Repeat, group string) judge.Result {
	one := judge.Result{
		Style: c.Style, Scenario: c.Scenario, Group: group, Matrix: group != "latency", Round: round,
		Namespace: fmt.Sprintf("services-%s-%s-%d", c.Style, c.Scenario, round), Began: 10 * time.Second, Ended: 22*time.Second + time.Duration(round),
		End: record.Settled,
	}
	for _, name := range []string{"converged", "stays-converged", "reference", "status"} { // that every scenario asks
		v := judge.Verdict{Oracle: name, Outcome: spec.Pass, Message: "as wanted"}
		if r.Outcome != spec.Pass && r.Outcome != spec.Fail {
			v.Outcome, v.Message = r.Outcome, r.Message
		}
		if name == "status" && c.Style == "argo" && v.Outcome == spec.Pass {
			v.Outcome, v.Message = spec.NotApplicable, "the style argo declares that it writes no status"
		}
		one.Verdicts = append(one.Verdicts, v)
	}
	for _, name := range r.Fails {
		failed := judge.Verdict{Oracle: name, Outcome: spec.Fail, Message: r.Message, Evidence: []string{
			"+0.003 s harness: patch memcacheds/memcached, size 5", "+45.120 s MODIFIED deployments/memcached 3 of 3 ready | wants 3 <not> 5",
		}}
		if i := slices.IndexFunc(one.Verdicts, func(v judge.Verdict) bool { return v.Oracle == name }); i >= 0 {
			one.Verdicts[i] = failed
		} else {
			one.Verdicts = append(one.Verdicts, failed)
		}
		one.End, one.Reason = record.TimedOut, "nothing moved for 45s: 3 of 5 pods are ready"
	}
	if r.By != "" {
		one.Recovery = &judge.Recovery{By: r.By, After: r.After}
	}
	return one
}

// Expected reads expected verdicts of a style.
func Expected(style string, list []record.Scenario, text string) verdicts.Expected {
	names := plain.Map(list, func(s record.Scenario) verdicts.Scenario { return verdicts.Scenario{Name: s.Name, Group: s.Group} })
	e, err := verdicts.Parse("operators/"+style+"/"+verdicts.File, []byte(text), names, append(judge.OracleNames(), judge.Released))
	if err != nil {
		panic(err) // a mistake in a test
	}
	return e
}

// Grants are rights of a style, and what it did with them.
func Grants(style string) grants.Use {
	account := style + "/" + style
	return grants.Use{
		Style: style, Audited: true, Over: []string{"install", "create"},
		Rights: []grants.Right{
			{Right: spec.Right{ServiceAccount: account, Role: style, Group: "apps", Resource: "deployments", Verb: "create"}, Used: 4},
			{Right: spec.Right{ServiceAccount: account, Role: style, Group: "apps", Resource: "deployments", Verb: "deletecollection"}},
			{Right: spec.Right{ServiceAccount: account, Role: style + "/secrets", Namespace: style, Resource: "secrets", Verb: "*"}, Used: 1},
		},
		Denied:  []grants.Call{{ServiceAccount: account, Verb: "list", Resource: "nodes", Count: 2}},
		Secrets: []grants.SecretRights{{ServiceAccount: account, Role: style + "/secrets", Namespace: style, Verbs: []string{"*"}, Reads: 1}},
	}
}

// Diagnosable adds the verdict of the oracle of that name to every sample of a style and scenario.
func Diagnosable(one result.Recording, style, scenario string, outcome spec.Outcome) {
	for i := range one.Judgement.Results {
		if r := &one.Judgement.Results[i]; r.Style == style && r.Scenario == scenario {
			r.Verdicts = append(r.Verdicts, judge.Verdict{Oracle: "diagnosable", Outcome: outcome, Message: strings.ToLower(string(outcome))})
		}
	}
}
