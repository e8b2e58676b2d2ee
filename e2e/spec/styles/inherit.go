package styles

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/schema"
)

// inherit completes a style that names a base by what the base says and the style does not: a field of the style
// replaces the base's, and null takes it away. Who maintains it owns what the base's maintainer owns, and its folder.
// The fields of declares and of settings, the stages of install and the fields of a stage are completed one by one, so
// that a stage says only what it does otherwise. What is taken over stands, for errors, in the line of base.
func (p *parser) inherit(node *yaml.Node) {
	value := below(node, "base")
	if value == nil {
		return
	}
	base := p.base(value)
	if base == nil {
		return // told
	}
	complete(below(node, "declares"), below(base, "declares"))
	complete(below(node, "settings"), below(base, "settings"))
	completeStages(below(node, "install"), below(base, "install"))
	complete(node, base)
}

// base reads the style.yaml by which another is completed, so that it can be read as a part of that; nil: it cannot.
func (p *parser) base(value *yaml.Node) *yaml.Node {
	if value.Kind != yaml.ScalarNode || value.Tag != "!!str" || strings.TrimSpace(value.Value) == "" {
		p.Fail(value, "base: found %s, expected a text", schema.Found(value))
		return nil
	}
	name := value.Value
	file := path.Join("..", name, files.StyleFile)
	text, err := fs.ReadFile(p.beside, path.Join(name, files.StyleFile))
	if err != nil || name == p.folder {
		p.Fail(value, "base: found %q, expected the name of another style; there is no %s", name, file)
		return nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		p.Fail(value, "base: %s cannot be read as a style", file)
		return nil
	}
	base := document.Content[0]
	for _, field := range []string{"base", "control"} {
		if above := below(base, field); above != nil {
			p.Fail(value, "base: %s:%d has %s, expected a style that stands on its own and is no control", file, above.Line, field)
			return nil
		}
	}
	for _, field := range ofOne() {
		drop(base, field)
	}
	relocate(base, name)
	ownFolders(base, name)
	setLine(base, value.Line)
	return base
}

// ofOne are the fields that no style takes over: what it is, and the times that were measured of it alone.
func ofOne() []string {
	return []string{"version", "name", "description", "source", "warmup", "typical", "timeout"}
}

// ownFolders puts the folder of an overlay to what its base owns, which is the whole
// of the base's folder if the base does not say it: an overlay runs its base's code.
func ownFolders(base *yaml.Node, name string) {
	text := func(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value} }
	owned := below(base, "owned")
	if owned == nil {
		owned = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{text(path.Join("..", name))}}
		base.Content = append(base.Content, text("owned"), owned)
	}
	owned.Content = append(owned.Content, text("."))
}

// complete puts what a base says into a mapping that does not say it, and takes out what is null.
func complete(mine, base *yaml.Node) {
	if mine == nil || base == nil || mine.Kind != yaml.MappingNode || base.Kind != yaml.MappingNode {
		return // one does not say it, or the reader says what is wrong with it
	}
	for i := 0; i+1 < len(base.Content); i += 2 {
		key := base.Content[i]
		switch own := below(mine, key.Value); {
		case own == nil:
			mine.Content = append(mine.Content, key, base.Content[i+1])
		case own.Tag == "!!null":
			drop(mine, key.Value)
		}
	}
}

// completeStages completes the stages that a style says itself, and puts them in
// the places of the base's of the same names; others come last.
func completeStages(mine, base *yaml.Node) {
	if mine == nil || base == nil || mine.Kind != yaml.SequenceNode || base.Kind != yaml.SequenceNode {
		return
	}
	stages := slices.Clone(base.Content)
	for _, stage := range mine.Content {
		same := func(other *yaml.Node) bool {
			a, b := below(stage, "name"), below(other, "name")
			return a != nil && b != nil && a.Value == b.Value
		}
		if i := slices.IndexFunc(base.Content, same); i >= 0 && stages[i] == base.Content[i] {
			complete(stage, stages[i])
			stages[i] = stage
		} else {
			stages = append(stages, stage)
		}
	}
	mine.Content = stages
}

// relocate makes the paths of a base those that another style reaches them by.
func relocate(base *yaml.Node, name string) {
	lists := []*yaml.Node{below(base, "owned"), below(base, "scaffold"), below(below(base, "upgrade"), "manifests")}
	for _, stage := range items(below(base, "install")) {
		lists = append(lists, below(stage, "manifests"))
	}
	paths := plain.Flat(lists, items)
	for _, image := range items(below(base, "images")) {
		paths = append(paths, below(image, "dockerfile"), below(image, "go"))
	}
	if workload := below(base, "workload"); workload != nil && Own(workload.Value) {
		paths = append(paths, workload)
	}
	for _, item := range paths {
		if item != nil && item.Kind == yaml.ScalarNode && item.Value != "" && !path.IsAbs(item.Value) {
			item.Value = path.Join("..", name, item.Value)
		}
	}
}

// items are those of a list, which need not be there.
func items(list *yaml.Node) []*yaml.Node {
	if list == nil {
		return nil
	}
	return list.Content
}

func drop(node *yaml.Node, key string) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			node.Content = slices.Delete(node.Content, i, i+2)
			return
		}
	}
}

func setLine(node *yaml.Node, line int) {
	node.Line = line
	for _, inner := range node.Content {
		setLine(inner, line)
	}
}
