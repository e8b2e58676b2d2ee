package operators

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"operatorbench/e2e/spec/bounds"
)

// version of style.yaml that this package reads. Today's files need not say it.
const version = "1"

// Parse reads a style.yaml. The file's name is for errors, folder is the name of
// the style and of its folder, and beside holds that folder and those of other
// styles. The error lists every mistake with its line.
func Parse(file, folder string, text []byte, beside fs.FS) (Style, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Style{}, fmt.Errorf("%s: %w", file, err)
	}
	p := &parser{reader: reader{file: file}, folder: folder, beside: beside}
	if len(document.Content) != 1 {
		return Style{}, fmt.Errorf("%s:1: the file is empty, expected a style", file)
	}
	p.style.node = document.Content[0]
	if p.inherit(p.style.node); len(p.problems) > 0 {
		return Style{}, p.err() // all that follows would be missing
	}
	p.root(p.style.node)
	for _, check := range p.later {
		check()
	}
	if err := p.err(); err != nil {
		return Style{}, err
	}
	return p.style, nil
}

// floor is the name of the style in which the harness is the operator.
const floor = "null"

// parser fills a style from a file.
type parser struct {
	reader
	folder string
	beside fs.FS // the folder's own parent
	style  Style
	floor  bool // the harness is the operator
}

func (p *parser) root(node *yaml.Node) {
	s := &p.style
	if p.harness(node) {
		return
	}
	p.mapping(node, "style", map[string]field{
		"version":     optional(p.version),
		"name":        required(p.name),
		"description": required(p.text("description", &s.Description)),
		"source":      required(p.text("source", &s.Source)),
		"control":     optional(p.control),
		"base":        optional(p.text("base", &s.Base)),
		"images":      required(p.list("images", p.image)),
		"install":     required(p.stages),
		"components":  required(p.list("components", p.component)),
		"child":       required(p.child),
		"declares":    required(p.declares),
		"phases":      optional(p.list("phases", p.phases)),
		"idle":        optional(p.list("idle", p.idle)),
		"work":        optional(p.list("work", p.work)),
		"differs":     optional(p.list("differs", p.differs)),
		"owned":       optional(p.list("owned", p.owned)),
		"scaffold":    optional(p.list("scaffold", p.scaffold)),
		"warmup":      optional(p.warmup),
		"typical":     required(p.typical),
		"timeout":     required(p.duration("timeout", &s.Timeout)),
	})
	p.later = append(p.later, func() {
		if s.Timeout > 0 && s.Timeout <= s.Typical.Reconcile {
			p.fail(node, "timeout is %s, expected more than typical.reconcile, which is %s", s.Timeout, s.Typical.Reconcile)
		}
	})
}

// control reads what the harness is calibrated with.
func (p *parser) control(node *yaml.Node) {
	p.choice("control", (*string)(&p.style.Control), string(Harness), string(Idle))(node)
}

// harness reads the style in which the harness itself is the operator; false: it
// is another one. There is nothing to install, and nothing to find.
func (p *parser) harness(node *yaml.Node) bool {
	if value, has := valueOf(node, "control"); !has || value.Value != string(Harness) {
		return false
	}
	p.floor = true
	p.mapping(node, "style with control: harness", map[string]field{
		"version":     optional(p.version),
		"name":        required(p.name),
		"description": required(p.text("description", &p.style.Description)),
		"source":      required(p.text("source", &p.style.Source)),
		"control":     required(p.control),
	})
	return true
}

func (p *parser) version(node *yaml.Node) {
	if node.Value != version {
		p.fail(node, "version: found %s, expected %s", found(node), version)
	}
}

func (p *parser) name(node *yaml.Node) {
	p.text("name", &p.style.Name)(node)
	if p.style.Name == "" {
		return
	}
	if p.style.Name != p.folder {
		p.fail(node, "name: found %q, expected %q as the folder's name", p.style.Name, p.folder)
	}
	if p.style.Name == floor && !p.floor {
		p.fail(node, "name: found %q, expected another: it is the floor's, which stands beside the styles in every report", floor)
	}
	if p.style.Name != floor && p.floor {
		p.fail(node, "name: found %q, expected %q: with control: harness the style is the floor", p.style.Name, floor)
	}
	if wrong := validation.IsDNS1123Label(p.style.Name); len(wrong) > 0 {
		p.fail(node, "name: found %q, expected lower-case letters, digits and hyphens, since it becomes a label", p.style.Name)
	}
}

func (p *parser) stages(node *yaml.Node) {
	seen := map[string]bool{}
	p.list("install", func(item *yaml.Node) {
		stage := p.stage(item)
		if seen[stage.Name] && stage.Name != "" {
			p.fail(item, "stage: the name %q stands twice, expected it once", stage.Name)
		}
		seen[stage.Name] = true
		p.style.Stages = append(p.style.Stages, stage)
	})(node)
	if last := len(p.style.Stages) - 1; last >= 0 && len(p.style.Stages[last].Ready) == 0 {
		p.fail(node, "install: the last stage has no ready list, expected the sign by which the operator is known to see events")
	}
}

func (p *parser) stage(node *yaml.Node) Stage {
	var stage Stage
	p.mapping(node, "stage", map[string]field{
		"name": required(p.text("stage name", &stage.Name)),
		"manifests": required(p.list("manifests", func(item *yaml.Node) {
			stage.Manifests = append(stage.Manifests, p.path("manifests", item))
		})),
		"ready": optional(p.list("ready", func(item *yaml.Node) {
			stage.Ready = append(stage.Ready, p.gate(item))
		})),
	})
	return stage
}

// inBase is a path in the manifests of another style, whose folder is beside this one's.
var inBase = regexp.MustCompile(`^\.\./[a-z0-9]([a-z0-9-]*[a-z0-9])?/manifests(/|$)`)

// path reads a path in the style's folder, or in the manifests of a style that
// this one is an overlay of, at which there is something.
func (p *parser) path(what string, node *yaml.Node) string {
	var found string
	p.text(what, &found)(node)
	switch {
	case found == "":
	case !filepath.IsLocal(found) && (!inBase.MatchString(found) || filepath.ToSlash(filepath.Clean(found)) != strings.TrimSuffix(found, "/")):
		p.fail(node, "%s: found %q, expected a path in the style's folder, or ../STYLE/manifests/… in that of the style beside it that it is an overlay of", what, found)
	case !p.exists(found) && strings.HasPrefix(found, ".."):
		p.fail(node, "%s: there is no %q, expected a file or a folder of the style that this one is an overlay of", what, found)
	case !p.exists(found):
		p.fail(node, "%s: there is no %q in the style's folder, expected a file or a folder", what, found)
	}
	return found
}

func (p *parser) exists(relative string) bool {
	_, err := fs.Stat(p.beside, path.Join(p.folder, filepath.ToSlash(relative)))
	return err == nil
}

func (p *parser) gate(node *yaml.Node) Gate {
	var gate Gate
	p.mapping(node, "ready", map[string]field{
		"rollout":   optional(func(n *yaml.Node) { gate.Rollout = p.rollout(n) }),
		"condition": optional(func(n *yaml.Node) { gate.Condition = p.condition(n) }),
		"log":       optional(func(n *yaml.Node) { gate.Log = p.log(n) }),
	})
	if node.Kind == yaml.MappingNode && len(node.Content) != 2 {
		p.fail(node, "ready: found %d signs in one item, expected exactly one of condition, log, rollout", len(node.Content)/2)
	}
	return gate
}

func (p *parser) rollout(node *yaml.Node) *Rollout {
	var r Rollout
	p.mapping(node, "rollout", map[string]field{
		"kind":      required(p.choice("rollout kind", &r.Kind, "Deployment", "StatefulSet", "DaemonSet")),
		"namespace": required(p.text("rollout namespace", &r.Namespace)),
		"name":      required(p.text("rollout name", &r.Name)),
	})
	return &r
}

func (p *parser) condition(node *yaml.Node) *Condition {
	var c Condition
	p.mapping(node, "condition", map[string]field{
		"apiVersion": required(p.text("condition apiVersion", &c.APIVersion)),
		"kind":       required(p.text("condition kind", &c.Kind)),
		"namespace":  optional(p.text("condition namespace", &c.Namespace)),
		"name":       required(p.text("condition name", &c.Name)),
		"type":       required(p.text("condition type", &c.Type)),
	})
	return &c
}

func (p *parser) log(node *yaml.Node) *Log {
	l := Log{Pods: 1}
	p.mapping(node, "log", map[string]field{
		"component": required(func(n *yaml.Node) {
			p.text("log component", &l.Component)(n)
			p.later = append(p.later, func() { p.known(n, "component", p.componentNames()) })
		}),
		"contains": required(p.text("log contains", &l.Contains)),
		"pods":     optional(p.count("log pods", &l.Pods)),
	})
	return &l
}

// known refuses a reference to what the file does not hold.
func (p *parser) known(node *yaml.Node, what string, names []string) {
	for _, name := range names {
		if node.Value == name {
			return
		}
	}
	p.fail(node, "unknown %s %q, expected one of %s%s", what, node.Value, strings.Join(names, ", "), Suggestion(node.Value, names))
}

func (p *parser) componentNames() []string {
	var names []string
	for _, component := range p.style.Components {
		names = append(names, component.Name)
	}
	return names
}

func (p *parser) phaseNames() []string {
	var names []string
	for _, phase := range p.style.Phases {
		names = append(names, phase.Name)
	}
	return names
}

func (p *parser) component(node *yaml.Node) {
	var c Component
	p.mapping(node, "component", map[string]field{
		"name":      required(p.text("component name", &c.Name)),
		"namespace": required(p.text("component namespace", &c.Namespace)),
		"selector": required(func(n *yaml.Node) {
			p.text("component selector", &c.Selector)(n)
			if _, err := labels.Parse(c.Selector); err != nil {
				p.fail(n, "component selector: found %q, expected a label selector: %v", c.Selector, err)
			}
		}),
		"managedBy": optional(p.managedBy(&c)),
	})
	if _, twice := p.style.Component(c.Name); twice && c.Name != "" {
		p.fail(node, "component: the name %q stands twice, expected it once", c.Name)
	}
	p.style.Components = append(p.style.Components, c)
}

func (p *parser) child(node *yaml.Node) {
	c := &p.style.Child
	p.mapping(node, "child", map[string]field{
		"name":           optional(p.childName),
		"ownerReference": optional(p.flag("child ownerReference", &c.OwnerReference)),
	})
	if (c.Name != "") == c.OwnerReference {
		p.fail(node, "child: expected exactly one of name and ownerReference: true")
	}
	p.later = append(p.later, func() {
		if c.OwnerReference && !p.style.Declares.OwnerReferences.Supported {
			p.fail(node, "child: found by its owner reference, but declares.ownerReferences says that there is none")
		}
	})
}

func (p *parser) childName(node *yaml.Node) {
	p.text("child name", &p.style.Child.Name)(node)
	if p.style.Child.Name == "" {
		return
	}
	name, err := bounds.DeploymentName(p.style.Child, "services", "memcached")
	if err == nil && len(validation.IsDNS1123Subdomain(name)) > 0 {
		err = fmt.Errorf("for a custom resource memcached it gives %q, which is no name of a Deployment", name)
	}
	if err != nil {
		p.fail(node, "child name: found %q, expected a text/template over .Name and .Namespace: %v", node.Value, err)
	}
}

func (p *parser) declares(node *yaml.Node) {
	d := &p.style.Declares
	p.mapping(node, "declares", map[string]field{
		"status":          required(p.status),
		"ownerReferences": required(p.declaration("declares ownerReferences", &d.OwnerReferences, nil)),
		"driftRepair":     required(p.declaration("declares driftRepair", &d.DriftRepair, nil)),
	})
}

// status reads a declaration that may say what of the status is written.
func (p *parser) status(node *yaml.Node) {
	d := &p.style.Declares.Status
	p.declaration("declares status", d, map[string]field{
		"fields": optional(p.list("declares status fields", p.statusField)),
		"ready":  optional(p.text("declares status ready", &d.Ready)),
	})(node)
	switch conditions := slices.Contains(d.Fields, StatusConditions); {
	case !d.Supported && (len(d.Fields) > 0 || d.Ready != ""):
		p.fail(node, "declares status: not supported, and yet says what of it is written; expected neither fields nor ready")
	case d.Ready != "" && !conditions:
		p.fail(node, "declares status: ready names the condition %s, expected conditions among fields", d.Ready)
	case d.Supported && len(d.Fields) == 0:
		d.Fields = []string{StatusNodes, StatusObservedGeneration}
	}
}

func (p *parser) statusField(node *yaml.Node) {
	var name string
	p.choice("declares status fields", &name, StatusFields()...)(node)
	fields := &p.style.Declares.Status.Fields
	if slices.Contains(*fields, name) {
		p.fail(node, "declares status fields: %s stands twice, expected it once", name)
	}
	*fields = append(*fields, name)
}

// declaration reads true, or a mapping that gives a no its reason, with further
// fields.
func (p *parser) declaration(what string, into *Declaration, further map[string]field) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if node.Kind == yaml.ScalarNode && node.Tag == "!!bool" {
			p.flag(what, &into.Supported)(node)
		} else {
			fields := map[string]field{
				"supported": required(p.flag(what+" supported", &into.Supported)),
				"reason":    optional(p.text(what+" reason", &into.Reason)),
			}
			maps.Copy(fields, further)
			p.mapping(node, what, fields)
		}
		switch {
		case !into.Supported && into.Reason == "":
			p.fail(node, "%s: not supported and no reason, expected {supported: false, reason: …}", what)
		case into.Supported && into.Reason != "":
			p.fail(node, "%s: supported and yet a reason, expected the reason of a no", what)
		}
	}
}

func (p *parser) idle(node *yaml.Node) {
	var name string
	p.text("idle", &name)(node)
	p.style.Idle = append(p.style.Idle, name)
	p.later = append(p.later, func() {
		if name != "" {
			p.known(node, "phase", p.phaseNames())
		}
	})
}

func (p *parser) owned(node *yaml.Node) {
	p.style.Owned = append(p.style.Owned, p.path("owned", node))
}

func (p *parser) scaffold(node *yaml.Node) {
	p.style.Scaffold = append(p.style.Scaffold, p.path("scaffold", node))
}

// warmup reads why there is none.
func (p *parser) warmup(node *yaml.Node) {
	p.mapping(node, "warmup", map[string]field{"skip": required(p.text("warmup skip", &p.style.Warmup.Skip))})
}

func (p *parser) typical(node *yaml.Node) {
	p.mapping(node, "typical", map[string]field{
		"install":   required(p.duration("typical install", &p.style.Typical.Install)),
		"reconcile": required(p.duration("typical reconcile", &p.style.Typical.Reconcile)),
	})
}
