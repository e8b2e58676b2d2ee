package verdicts

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec"
)

// header is what a new file begins with.
const header = `The verdicts that are expected of this style: what is not named passes. A run that sees another one fails, and names both.
Each failure has a sentence on why; upstream is an issue about it.`

// Update writes the file of a style anew, with the verdicts that were seen, in the
// order of the scenarios. What passes is left out, unless there is more to say of it.
// An entry that is as expected stays as it was written, with its comments; another
// keeps its why and upstream, as far as it still fails. What was not driven stays. A
// flaky or invalid cell is no verdict: it changes nothing, and a comment says so. A
// new failure gets an empty why, without which the file is refused: only a person
// knows it.
func Update(old Expected, seen []Seen) []byte {
	w := &writer{}
	if old.comment == "" {
		old.comment = "# " + strings.ReplaceAll(header, "\n", "\n# ")
	}
	w.line("%s", old.comment)
	for _, scenario := range order(old, seen) {
		entry, there := old.Of(scenario)
		i := slices.IndexFunc(seen, func(s Seen) bool { return s.Scenario == scenario && s.Driven })
		if i < 0 {
			w.entry("", entry)
			continue
		}
		one := seen[i]
		switch {
		case !slices.Contains([]spec.Outcome{spec.Pass, spec.Fail, spec.NotApplicable}, one.Verdict):
			w.gap(one.Group)
			w.line("# %s was seen as %s: %s", one.Scenario, one.Text, firstLine(one.Reason))
			w.entry(one.Group, entry)
		case there && entry.matches(one):
			w.entry(one.Group, entry)
		default:
			w.entry(one.Group, entryOf(one, entry))
		}
	}
	if !w.entries {
		w.gap("")
		w.line("{}")
	}
	return w.text.Bytes()
}

// order lists the scenarios of which something is to be written: those that there
// are, and what else is known of.
func order(old Expected, seen []Seen) []string {
	names := slices.Clone(old.scenarios)
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, one := range seen {
		add(one.Scenario)
	}
	for _, one := range old.Entries {
		add(one.Scenario)
	}
	return names
}

type writer struct {
	text    bytes.Buffer
	group   string
	heading string // of a group of which no entry is written yet
	written bool   // anything below the file's comment
	entries bool   // at least one entry
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// gap parts groups of scenarios, and the first from the file's comment.
func (w *writer) gap(group string) {
	if !w.written || w.heading != "" || group != "" && w.group != group {
		w.line("")
	}
	w.written = true
	w.group = cmp.Or(group, w.group)
}

// entryOf is what would be the entry of what was seen, with the words of an old one.
func entryOf(seen Seen, old Entry) Entry {
	e := Entry{Scenario: seen.Scenario, Verdict: seen.Verdict}
	if slices.Contains(Recoveries(), seen.Recovery) && (seen.Verdict == spec.Fail || old.Recovery != "") {
		e.Recovery = seen.Recovery
	}
	switch seen.Verdict {
	case spec.Fail:
		e.Oracles, e.Upstream, e.Why = seen.Failed, old.Upstream, old.Why
	case spec.NotApplicable:
		e.Why = old.Why
		if old.Verdict != spec.NotApplicable {
			e.Why = "" // it said why something failed
		}
	}
	if e.Verdict == spec.Fail && e.Why == "" {
		e.key = &yaml.Node{Kind: yaml.ScalarNode, Value: seen.Scenario, HeadComment: "seen: " + firstLine(seen.Reason)}
	}
	return e
}

// plain tells whether all that an entry says is that the scenario passes.
func (e Entry) plain() bool {
	return e.Verdict == spec.Pass && e.Recovery == "" && e.Why == "" && e.Upstream == "" && (e.key == nil || !remarked(e.key) && !remarked(e.value))
}

// remarked tells whether a person wrote a comment, but for a group's name.
func remarked(node *yaml.Node) bool {
	return node.LineComment != "" || node.FootComment != "" || node.HeadComment != "" && !isHeading(node.HeadComment)
}

func isHeading(comment string) bool {
	return slices.Contains(spec.Groups(), strings.TrimSpace(strings.TrimPrefix(comment, "#")))
}

// entry writes one entry, as it was read or in the short form where that says all,
// unless it is a plain pass.
func (w *writer) entry(group string, e Entry) {
	key, value := yaml.Node{Kind: yaml.ScalarNode, Value: e.Scenario}, e.value
	if e.key != nil {
		key = *e.key
	}
	if isHeading(key.HeadComment) {
		w.heading, key.HeadComment = key.HeadComment, ""
	}
	if e.plain() {
		return
	}
	w.gap(group)
	if w.heading != "" {
		key.HeadComment = strings.TrimSpace(w.heading + "\n" + key.HeadComment)
		w.heading = ""
	}
	if value == nil {
		value = e.node()
	}
	w.entries = true
	encoder := yaml.NewEncoder(&w.text)
	encoder.SetIndent(2)
	// Writing to memory does not fail, and the nodes were read or made here.
	_ = encoder.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&key, value}})
	_ = encoder.Close()
}

// node is the entry's value in YAML.
func (e Entry) node() *yaml.Node {
	text := func(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value} }
	if e.Verdict != spec.Fail && e.Why == "" && e.Recovery == "" {
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
	if e.Why != "" || e.Verdict == spec.Fail {
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
