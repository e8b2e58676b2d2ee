package matrix

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/judge"
)

// header is what a new file begins with.
const header = `The verdicts that are expected of this style. A run that sees another one fails, and names both.
Each failure has a sentence on why; upstream is an issue about it.`

// Update writes the file of a style anew, with the verdicts that were seen. An
// entry that is as expected stays as it was written, with its comments; another
// keeps its why and upstream, as far as it still fails. What was not driven
// stays. A flaky or invalid cell is no verdict: it changes nothing, and a comment
// says so. A new failure gets an empty why, without which the file is refused:
// only a person knows it.
func Update(old Expected, seen []Seen) []byte {
	w := &writer{seen: map[string]bool{}}
	if old.comment == "" {
		old.comment = "# " + strings.ReplaceAll(header, "\n", "\n# ")
	}
	w.line("%s", old.comment)
	for _, one := range seen {
		w.row(old, one)
	}
	left := slices.DeleteFunc(slices.Clone(old.Entries), func(e Entry) bool { return w.seen[e.Scenario] })
	for i, e := range left {
		if i == 0 {
			w.line("")
		}
		w.entry(e)
	}
	return w.text.Bytes()
}

type writer struct {
	text  bytes.Buffer
	group string
	seen  map[string]bool // scenarios that are written
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// row writes a scenario's entry.
func (w *writer) row(old Expected, seen Seen) {
	entry, there := old.Of(seen.Scenario)
	if !seen.Driven && !there {
		return
	}
	if w.group != seen.Group {
		w.line("")
		w.group = seen.Group
	}
	w.seen[seen.Scenario] = true
	switch {
	case !seen.Driven:
		w.entry(entry)
	case seen.Verdict == judge.Flaky || seen.Verdict == judge.Invalid || seen.Verdict == judge.Late:
		w.line("# %s was seen as %s: %s", seen.Scenario, seen.Text, firstLine(seen.Reason))
		if there {
			w.entry(entry)
		}
	case there && entry.matches(seen):
		w.entry(entry)
	default:
		w.entry(entryOf(seen, entry))
	}
}

// entryOf is what would be the entry of what was seen, with the words of an old one.
func entryOf(seen Seen, old Entry) Entry {
	e := Entry{Scenario: seen.Scenario, Verdict: seen.Verdict}
	if slices.Contains(Recoveries(), seen.Recovery) && (seen.Verdict == judge.Fail || old.Recovery != "") {
		e.Recovery = seen.Recovery
	}
	switch seen.Verdict {
	case judge.Fail:
		e.Oracles, e.Upstream, e.Why = seen.Failed, old.Upstream, old.Why
	case judge.NotApplicable:
		e.Why = old.Why
		if old.Verdict != judge.NotApplicable {
			e.Why = "" // it said why something failed
		}
	}
	if e.Verdict == judge.Fail && e.Why == "" {
		e.key = &yaml.Node{Kind: yaml.ScalarNode, Value: seen.Scenario, HeadComment: "seen: " + firstLine(seen.Reason)}
	}
	return e
}

// entry writes one entry: as it was read, or in the short form where that says all.
func (w *writer) entry(e Entry) {
	key, value := e.key, e.value
	if key == nil {
		key = &yaml.Node{Kind: yaml.ScalarNode, Value: e.Scenario}
	}
	if value == nil {
		value = e.node()
	}
	encoder := yaml.NewEncoder(&w.text)
	encoder.SetIndent(2)
	// Writing to memory does not fail, and the nodes were read or made here.
	_ = encoder.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
	_ = encoder.Close()
}

// node is the entry's value in YAML.
func (e Entry) node() *yaml.Node {
	text := func(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value} }
	if e.Verdict != judge.Fail && e.Why == "" && e.Recovery == "" {
		return text(string(e.Verdict))
	}
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	field := func(name string, value *yaml.Node) {
		mapping.Content = append(mapping.Content, text(name), value)
	}
	field("verdict", text(string(e.Verdict)))
	if len(e.Oracles) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, name := range e.Oracles {
			list.Content = append(list.Content, text(name))
		}
		field("oracles", list)
	}
	if e.Recovery != "" {
		field("recovery", text(e.Recovery))
	}
	if e.Why != "" || e.Verdict == judge.Fail {
		field("why", text(e.Why))
	}
	if e.Upstream != "" {
		field("upstream", text(e.Upstream))
	}
	return mapping
}

// firstLine is a message's first line.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return strings.TrimSpace(line)
}
