package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/judge"
)

// Parse reads expected verdicts: a mapping from the names of scenarios to a
// bare word (pass, not applicable) or to a mapping with the fields verdict,
// oracles, recovery, why and upstream. Scenarios are the names that there are.
// All mistakes are told of, each with file and line.
func Parse(file string, text []byte, scenarios []string) (Expected, error) {
	e := Expected{Path: file}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var root yaml.Node
	switch err := decoder.Decode(&root); {
	case errors.Is(err, io.EOF):
		return e, fmt.Errorf("%s:1: it is empty, expected scenarios with their verdicts; a style of which nothing is expected has no such file", file)
	case err != nil:
		return e, fmt.Errorf("%s: %w", file, err)
	}
	p := &parser{file: file, scenarios: scenarios, oracles: append(judge.OracleNames(), judge.Released)}
	var further yaml.Node
	if err := decoder.Decode(&further); !errors.Is(err, io.EOF) {
		p.fail(&further, "a second document begins here, expected one")
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		p.fail(&root, "found %s, expected a mapping from scenarios to verdicts", found(&root))
		return e, errors.Join(p.problems...)
	}
	e.comment = root.HeadComment
	if e.comment == "" && len(root.Content[0].Content) > 0 {
		e.comment, root.Content[0].Content[0].HeadComment = splitComment(root.Content[0].Content[0].HeadComment)
	}
	e.Entries = p.entries(root.Content[0])
	return e, errors.Join(p.problems...)
}

// splitComment parts the file's own comment, which a blank line ends, from the
// first entry's.
func splitComment(text string) (file, entry string) {
	if i := strings.LastIndex(text, "\n\n"); i >= 0 {
		return text[:i], text[i+2:]
	}
	return "", text
}

type parser struct {
	file      string
	scenarios []string
	oracles   []string
	problems  []error
}

func (p *parser) fail(node *yaml.Node, format string, args ...any) {
	p.problems = append(p.problems, fmt.Errorf("%s:%d: %s", p.file, max(node.Line, 1), fmt.Sprintf(format, args...)))
}

func (p *parser) entries(mapping *yaml.Node) []Entry {
	var all []Entry
	seen := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		one := Entry{Scenario: key.Value, Line: key.Line, key: key, value: value}
		switch before, twice := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode || !slices.Contains(p.scenarios, key.Value):
			p.fail(key, "there is no scenario %q, expected one of %s", key.Value, strings.Join(p.scenarios, ", "))
			continue
		case twice:
			p.fail(key, "scenario %s stands here again, it is at line %d already", key.Value, before)
			continue
		}
		seen[key.Value] = key.Line
		p.entry(&one)
		all = append(all, one)
	}
	return all
}

// entry reads what stands under a scenario's name.
func (p *parser) entry(one *Entry) {
	switch one.value.Kind {
	case yaml.ScalarNode:
		p.verdict(one, one.value)
	case yaml.MappingNode:
		p.fields(one)
	default:
		p.fail(one.key, "%s: found %s, expected a verdict, or a mapping with verdict, oracles, recovery, why, upstream", one.Scenario, found(one.value))
		return
	}
	if one.Verdict == judge.Fail && one.Why == "" {
		p.fail(one.key, "%s: it is expected to fail, and why is missing: expected {verdict: fail, why: a sentence}", one.Scenario)
	}
	if one.Verdict != judge.Fail && len(one.Oracles) > 0 {
		p.fail(one.key, "%s: oracles are those that fail, but the verdict is %q", one.Scenario, one.Verdict)
	}
}

func (p *parser) verdict(one *Entry, node *yaml.Node) {
	words := []string{string(judge.Pass), string(judge.Fail), string(judge.NotApplicable)}
	if node.Kind != yaml.ScalarNode || !slices.Contains(words, node.Value) {
		p.fail(node, "%s: the verdict is %s, expected one of %s", one.Scenario, found(node), strings.Join(words, ", "))
		return
	}
	one.Verdict = judge.Outcome(node.Value)
}

func (p *parser) fields(one *Entry) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(one.value.Content); i += 2 {
		key, node := one.value.Content[i], one.value.Content[i+1]
		if seen[key.Value] {
			p.fail(key, "%s: %s stands twice", one.Scenario, key.Value)
		}
		seen[key.Value] = true
		switch key.Value {
		case "verdict":
			p.verdict(one, node)
		case "oracles":
			one.Oracles = p.names(one, node)
		case "recovery":
			if one.Recovery = p.text(one, key, node); one.Recovery != "" && !slices.Contains(Recoveries(), one.Recovery) {
				p.fail(node, "%s: recovery is %q, expected one of %s", one.Scenario, one.Recovery, strings.Join(Recoveries(), ", "))
			}
		case "why":
			one.Why = strings.Join(strings.Fields(p.text(one, key, node)), " ")
		case "upstream":
			one.Upstream = p.text(one, key, node)
			if at, err := url.Parse(one.Upstream); one.Upstream != "" && (err != nil || at.Scheme != "https" || at.Host == "") {
				p.fail(node, "%s: upstream is %q, expected the https URL of an issue", one.Scenario, one.Upstream)
			}
		default:
			p.fail(key, "%s: unknown field %q, expected verdict, oracles, recovery, why or upstream", one.Scenario, key.Value)
		}
	}
	if !seen["verdict"] {
		p.fail(one.key, "%s: verdict is missing", one.Scenario)
	}
}

// text reads a text that is not empty.
func (p *parser) text(one *Entry, key, node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" || strings.TrimSpace(node.Value) == "" {
		p.fail(node, "%s: %s is %s, expected a text", one.Scenario, key.Value, found(node))
		return ""
	}
	return node.Value
}

// names reads a list of oracles.
func (p *parser) names(one *Entry, node *yaml.Node) []string {
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		p.fail(node, "%s: oracles are %s, expected a list of those that fail", one.Scenario, found(node))
		return nil
	}
	var all []string
	for _, item := range node.Content {
		switch {
		case item.Kind != yaml.ScalarNode || !slices.Contains(p.oracles, item.Value):
			p.fail(item, "%s: there is no oracle %s, expected one of %s", one.Scenario, found(item), strings.Join(p.oracles, ", "))
		case slices.Contains(all, item.Value):
			p.fail(item, "%s: oracle %s stands twice", one.Scenario, item.Value)
		default:
			all = append(all, item.Value)
		}
	}
	return all
}

// found says for people what stands in the file.
func found(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.DocumentNode && len(node.Content) == 1:
		return found(node.Content[0])
	case node.Kind == yaml.AliasNode:
		return "an alias"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Tag == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("%q", node.Value)
}
