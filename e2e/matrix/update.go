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
// only a person knows it. Of several variants of the style the first counts.
func Update(old Expected, m *Matrix, style string) []byte {
	w := &writer{seen: map[string]bool{}}
	if old.comment == "" {
		old.comment = "# " + strings.ReplaceAll(header, "\n", "\n# ")
	}
	w.line("%s", old.comment)
	for _, g := range m.Groups {
		for _, row := range g.Rows {
			w.row(old, g.Name, row, style)
		}
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
func (w *writer) row(old Expected, group string, row *Row, style string) {
	entry, there := old.Of(row.Name)
	i := slices.IndexFunc(row.Cells, func(c *Cell) bool { return c != nil && c.Style.Name == style })
	if i < 0 && !there {
		return
	}
	if w.group != group {
		w.line("")
		w.group = group
	}
	w.seen[row.Name] = true
	if i < 0 {
		w.entry(entry)
		return
	}
	c := row.Cells[i]
	switch {
	case c.Verdict == Flaky || c.Verdict == judge.Invalid || c.Verdict == judge.Late:
		w.line("# %s was seen as %s: %s", row.Name, c, firstLine(differenceOf(c, "").Message))
		if there {
			w.entry(entry)
		}
	case there && entry.matches(c):
		w.entry(entry)
	default:
		w.entry(entryOf(c, entry))
	}
}

// entryOf is what a cell would have as its entry, with the words of an old one.
func entryOf(c *Cell, old Entry) Entry {
	e := Entry{Scenario: c.Scenario, Verdict: c.Verdict}
	if c.Recovery != nil && slices.Contains(Recoveries(), c.Recovery.By()) && (c.Verdict == judge.Fail || old.Recovery != "") {
		e.Recovery = c.Recovery.By()
	}
	switch c.Verdict {
	case judge.Fail:
		e.Oracles, e.Upstream, e.Why = c.FailedNames(), old.Upstream, old.Why
	case judge.NotApplicable:
		e.Why = old.Why
		if old.Verdict != judge.NotApplicable {
			e.Why = "" // it said why something failed
		}
	}
	if e.Verdict == judge.Fail && e.Why == "" {
		e.key = &yaml.Node{Kind: yaml.ScalarNode, Value: c.Scenario, HeadComment: "seen: " + firstLine(differenceOf(c, "").Message)}
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
