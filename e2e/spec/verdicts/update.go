package verdicts

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec"
)

// header is what a new file begins with.
const header = `The verdicts that are expected of this style: what is not named passes, or does not apply. A run that sees another one fails, and names both.
Each failure has a sentence on why; upstream is an issue about it.`

// Update writes the file of a style anew, with the verdicts that were seen, in the order of the scenarios. What passes
// or does not apply is left out, unless there is more to say of it. An entry that is as expected stays as it was
// written, with its comments; another keeps its why and upstream, as far as it still fails. What was not driven stays.
// A flaky or invalid cell is no verdict: it changes nothing, and a comment says so. A new failure gets an empty why,
// without which the file is refused: only a person knows it.
func Update(old Expected, seen []Seen) []byte {
	w := &writer{}
	if old.comment == "" {
		old.comment = "# " + strings.ReplaceAll(header, "\n", "\n# ")
	}
	w.line("%s", old.comment)
	for _, scenario := range old.scenarios {
		entry, _ := old.Of(scenario.Name)
		i := slices.IndexFunc(seen, func(s Seen) bool { return s.Scenario == scenario.Name && s.Driven })
		switch {
		case i < 0, old.Known() && entry.matches(seen[i]):
			w.entry(scenario.Group, entry)
		case !slices.Contains([]spec.Outcome{spec.Pass, spec.Fail, spec.NotApplicable}, seen[i].Verdict):
			w.begin(scenario.Group)
			w.line("# %s was seen as %s: %s", scenario.Name, seen[i].Text, firstLine(seen[i].Reason))
			w.entry(scenario.Group, entry)
		default:
			w.entry(scenario.Group, entryOf(seen[i], entry))
		}
	}
	if !w.entries {
		w.line("\n{}")
	}
	return w.text.Bytes()
}

type writer struct {
	text    bytes.Buffer
	group   string // of the entries that are being written
	entries bool   // at least one
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// begin writes the heading of a group, where it begins.
func (w *writer) begin(group string) {
	if w.group != group {
		w.line("\n# %s", group)
	}
	w.group = group
}

// entryOf returns the entry that would expect what was seen, with the words of an old one.
func entryOf(seen Seen, old Entry) Entry {
	e := Entry{Scenario: seen.Scenario, Verdict: seen.Verdict}
	if seen.Verdict == spec.NotApplicable {
		return Entry{Scenario: seen.Scenario, Verdict: spec.Pass} // not named: what a style declares says so
	}
	if slices.Contains(Recoveries(), seen.Recovery) && (seen.Verdict == spec.Fail || old.Recovery != "") {
		e.Recovery = seen.Recovery
	}
	if seen.Verdict != spec.Fail {
		return e
	}
	e.Oracles, e.Upstream, e.Why, e.Cause = seen.Failed, old.Upstream, old.Why, old.Cause
	if e.Why == "" {
		e.key = &yaml.Node{Kind: yaml.ScalarNode, Value: seen.Scenario, HeadComment: "seen: " + firstLine(seen.Reason)}
	}
	return e
}

// plain reports whether all that an entry says is that the scenario passes.
func (e Entry) plain() bool {
	return e.Verdict == spec.Pass && e.Recovery == "" && e.Why == "" && e.Upstream == "" && (e.key == nil || !remarked(e.key) && !remarked(e.value))
}

// remarked reports whether a person wrote a comment.
func remarked(node *yaml.Node) bool {
	return node.LineComment != "" || node.FootComment != "" || withoutHeading(node.HeadComment) != ""
}

// withoutHeading is a comment without the name of a group above it.
func withoutHeading(comment string) string {
	first, rest, _ := strings.Cut(comment, "\n")
	if slices.Contains(spec.Groups(), strings.TrimSpace(strings.TrimPrefix(first, "#"))) {
		return rest
	}
	return comment
}

// entry writes one entry, as it was read or in the short form where that says all, unless it is a plain pass.
func (w *writer) entry(group string, e Entry) {
	if e.plain() {
		return
	}
	key, value := yaml.Node{Kind: yaml.ScalarNode, Value: e.Scenario}, e.value
	if e.key != nil {
		key = *e.key
		key.HeadComment = withoutHeading(key.HeadComment)
	}
	// Writing to memory does not fail, and the nodes were read or made here.
	if value == nil {
		value = &yaml.Node{}
		_ = value.Encode(e.written())
	}
	w.begin(group)
	w.entries = true
	encoder := yaml.NewEncoder(&w.text)
	encoder.SetIndent(2)
	_ = encoder.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&key, value}})
	_ = encoder.Close()
}

// written is the entry's value in YAML: the verdict alone, where that says all.
func (e Entry) written() any {
	if e.Verdict != spec.Fail && e.Why == "" && e.Recovery == "" {
		return e.Verdict
	}
	of := fields{Verdict: e.Verdict, Oracles: e.Oracles, Recovery: e.Recovery, Cause: e.Cause, Upstream: e.Upstream}
	if e.Why != "" || e.Verdict == spec.Fail {
		of.Why = &e.Why
	}
	return of
}

// firstLine is a message's first line.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return strings.TrimSpace(line)
}
