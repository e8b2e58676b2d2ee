package styles

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/schema"
)

// Parse reads a style.yaml. The file's name is for errors, folder is the name of the style and of its folder, and
// beside holds that folder and those of other styles. The error lists every mistake with its line.
func Parse(file, folder string, text []byte, beside fs.FS) (Style, error) {
	rules, err := styleSchema()
	if err != nil {
		return Style{}, err
	}
	f, err := schema.Read(file, text, "style")
	if err != nil {
		return Style{}, err
	}
	p := &parser{File: f, folder: folder, beside: beside}
	if p.inherit(f.Root); !f.OK() {
		return Style{}, f.Err() // all that follows would be missing
	}
	p.decode(f.Check(rules))
	p.check()
	if err := f.Err(); err != nil {
		return Style{}, err
	}
	p.style.node = f.Root
	return p.style, nil
}

// parser fills a style from a file.
type parser struct {
	*schema.File
	folder string
	beside fs.FS // the folder's own parent
	style  Style
}

// styleSchema is docs/schema/style.schema.json with its formats.
var styleSchema = sync.OnceValues(func() (*schema.Schema, error) {
	return schema.Load("style", schema.Formats{
		"gjson-path":     bounds.Path,
		"recorded-path":  recorded,
		"label-selector": func(text string) error { _, err := labels.Parse(text); return err },
		"re2":            func(text string) error { _, err := bounds.Expression(text); return err },
		"child-name":     childName,
		"matcher":        matcher,
	})
})

// recorded checks a path in gjson's syntax to what a recording has.
func recorded(text string) error {
	if field := kube.WithheldIn(text); field != "" {
		return fmt.Errorf("values of %s may be secret and are not", field)
	}
	return bounds.Path(text)
}

// childName checks the template of a main child's name.
func childName(text string) error {
	name, err := bounds.ChildName(spec.Child{Name: text}, "services", "example")
	if err == nil && len(validation.IsDNS1123Subdomain(name)) > 0 {
		err = fmt.Errorf("for a custom resource example it gives %q, which is no name of an object", name)
	}
	return err
}

// matcher makes sure that the expressions for custom resources of two names, or in two namespaces, differ.
func matcher(text string) error {
	seen := map[string]bool{}
	for _, of := range []struct{ namespace, name string }{{"a", "a"}, {"b", "a"}, {"a", "b"}} {
		expression, err := bounds.WorkMatcher(spec.Work{Of: spec.FieldCondition{Matches: text}}, of.namespace, of.name)
		if err != nil {
			return err
		}
		if seen[expression.String()] {
			return fmt.Errorf("it is the same for custom resources of two names or in two namespaces")
		}
		seen[expression.String()] = true
	}
	return nil
}

// decode fills the style with as much as fits: what does not, the schema has told of.
func (p *parser) decode(value any) {
	object, is := value.(map[string]any)
	if !is {
		return
	}
	p.duration(object, "timeout")
	p.duration(object, "typical", "install")
	p.duration(object, "typical", "reconcile")
	text, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, &p.style.Style)
	}
	if err != nil && p.OK() {
		p.Fail(p.Root, "style: %v", err)
	}
	if d := &p.style.Declares.Status; d.Supported && len(d.Fields) == 0 {
		d.Fields = []string{spec.StatusNodes, spec.StatusObservedGeneration}
	}
	for _, stage := range p.style.Stages {
		for _, gate := range stage.Ready {
			if gate.Log != nil {
				gate.Log.Pods = max(gate.Log.Pods, 1)
			}
		}
	}
}

// duration puts nanoseconds in the place of a duration above zero.
func (p *parser) duration(object map[string]any, path ...string) {
	var at []any
	for i, key := range path {
		at = append(at, key)
		if i < len(path)-1 {
			object, _ = object[key].(map[string]any)
		}
	}
	key := path[len(path)-1]
	text, is := object[key].(string)
	if !is {
		return
	}
	value, err := time.ParseDuration(text)
	if err != nil || value <= 0 {
		p.FailAt(at, "%s: found %q, expected a duration above zero, such as 90s or 2m", strings.Join(path, "."), text)
	}
	object[key] = int64(value)
}

// inBase is a path in the folder of another style, which is beside this one's.
var inBase = regexp.MustCompile(`^\.\./[a-z0-9]([a-z0-9-]*[a-z0-9])?(/|$)`)

// manifestsOf is what is installed of another style: nothing but its manifests.
var manifestsOf = regexp.MustCompile(`^\.\./[^/]+/manifests(/|$)`)

// paths checks paths in the style's folder, or in that of a style whose files this
// one uses, at which there is something.
func (p *parser) paths(what string, list []string, at ...any) {
	var refused *files.RefusedError
	for i, found := range list {
		here := append(slices.Clone(at), i)
		switch {
		case found == "":
		case !filepath.IsLocal(found) && what == "manifests" && !manifestsOf.MatchString(found):
			p.FailAt(here, "%s: found %q, expected a path in the style's folder, or ../STYLE/manifests/…, where STYLE is a style whose manifests this one uses", what, found)
		case !filepath.IsLocal(found) && (!inBase.MatchString(found) || filepath.ToSlash(filepath.Clean(found)) != strings.TrimSuffix(found, "/")):
			p.FailAt(here, "%s: found %q, expected a path in the style's folder, or ../STYLE/…, where STYLE is a style whose files this one uses", what, found)
		case errors.As(p.stat(found), &refused):
			p.FailAt(here, "%s: %v", what, refused)
		case p.stat(found) != nil && strings.HasPrefix(found, ".."):
			p.FailAt(here, "%s: there is no %q, expected a file or a folder of a style whose files this one uses", what, found)
		case p.stat(found) != nil:
			p.FailAt(here, "%s: there is no %q in the style's folder, expected a file or a folder", what, found)
		}
	}
}

// stat says why there is nothing to read at a path from the style's folder on.
func (p *parser) stat(relative string) error {
	_, err := fs.Stat(p.beside, path.Join(p.folder, filepath.ToSlash(relative)))
	return err
}

// settings checks that what departs from the rule says why, and nothing else does.
func (p *parser) settings() {
	for _, rule := range spec.Rules() {
		setting, said := p.style.Settings[rule.Setting]
		switch {
		case !said:
		case !rule.Holds(setting.Is) && setting.Reason == "":
			p.FailAt([]any{"settings", rule.Setting}, "settings.%s: found %q, expected %s as in all styles, or {is, reason} with why it is otherwise (docs/settings.md)",
				rule.Setting, setting.Is, strings.Join(rule.Values, " or "))
		case rule.Holds(setting.Is) && setting.Reason != "":
			p.FailAt([]any{"settings", rule.Setting}, "settings.%s: %q is as in all styles: leave the reason out", rule.Setting, setting.Is)
		}
	}
}
