package verdicts

import (
	"errors"
	"net/url"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/schema"
)

// Parse reads expected verdicts: a mapping from the names of scenarios to a bare word (pass, not applicable) or to a
// mapping with the fields verdict, oracles, recovery, why, cause and upstream. Scenarios and oracles are the names that
// there are. All mistakes are told of, each with file and line.
func Parse(file string, text []byte, scenarios []Scenario, oracles []string) (Expected, error) {
	e := Expected{Path: file, scenarios: scenarios}
	rules, err := verdictsSchema()
	if err != nil {
		return e, err
	}
	f, err := schema.Read(file, text, "mapping from scenarios to verdicts: {} where all are to pass; a style without expectations has no such file")
	if err != nil {
		return e, err
	}
	e.comment = f.Root.HeadComment
	if e.comment == "" && len(f.Root.Content) > 0 {
		e.comment, f.Root.Content[0].HeadComment = splitComment(f.Root.Content[0].HeadComment)
	}
	f.Check(rules)
	names := plain.Map(scenarios, func(s Scenario) string { return s.Name })
	for i := 0; f.Root.Kind == yaml.MappingNode && i+1 < len(f.Root.Content); i += 2 {
		one := entry(f.Root.Content[i], f.Root.Content[i+1])
		e.Entries = append(e.Entries, one)
		f.Known([]any{one.Scenario}, "scenario", one.Scenario, names)
		for j, oracle := range one.Oracles {
			f.Known([]any{one.Scenario, "oracles", j}, "oracle", oracle, oracles)
		}
	}
	return e, f.Err()
}

// verdictsSchema is docs/schema/verdicts.schema.json with its formats.
var verdictsSchema = sync.OnceValues(func() (*schema.Schema, error) {
	return schema.Load("verdicts", schema.Formats{"https-url": func(text string) error {
		at, err := url.Parse(text)
		if err == nil && (at.Scheme != "https" || at.Host == "") {
			err = errors.New("it has no host, or not the scheme https")
		}
		return err
	}})
})

// fields are what stands under a scenario's name, where it is more than a verdict.
type fields struct {
	Verdict  spec.Outcome `yaml:"verdict"`
	Oracles  []string     `yaml:"oracles,flow,omitempty"`
	Recovery string       `yaml:"recovery,omitempty"`
	Why      *string      `yaml:"why,omitempty"`
	Cause    string       `yaml:"cause,omitempty"`
	Upstream string       `yaml:"upstream,omitempty"`
}

// entry reads what stands under a scenario's name, as far as it fits.
func entry(key, value *yaml.Node) Entry {
	var of fields
	if value.Kind == yaml.ScalarNode {
		of.Verdict = spec.Outcome(value.Value)
	} else if err := value.Decode(&of); err != nil {
		of.Verdict = "" // the schema tells why
	}
	e := Entry{
		Scenario: key.Value, Verdict: of.Verdict, Oracles: of.Oracles, Recovery: of.Recovery,
		Cause: of.Cause, Upstream: of.Upstream, Line: key.Line, key: key, value: value,
	}
	if of.Why != nil {
		e.Why = strings.Join(strings.Fields(*of.Why), " ")
	}
	return e
}

// splitComment parts the file's own comment, which a blank line ends, from the first entry's.
func splitComment(text string) (file, entry string) {
	if i := strings.LastIndex(text, "\n\n"); i >= 0 {
		return text[:i], text[i+2:]
	}
	return "", text
}
