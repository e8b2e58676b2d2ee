package styles_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/styles"
)

// good is a style with something of everything.
const good = `name: mine
description: d
source: s
images: [native]
install:
  - name: one
    manifests: [manifests]
    ready:
      - rollout: {kind: Deployment, namespace: n, name: d}
      - condition: {apiVersion: v1, kind: Node, name: a, type: Ready}
      - log: {component: manager, contains: started, pods: 2}
components:
  - {name: manager, namespace: n, selector: "app=manager"}
child:
  name: "{{.Name}}-deployment"
declares:
  status: {supported: false, reason: none}
  ownerReferences: true
  driftRepair: {supported: true}
phases:
  - {name: made, resource: pods.v1, event: ADDED}
  - {name: done, resource: workflows.v1alpha1.argoproj.io, namespace: n, path: status.phase, equals: [Succeeded]}
  - name: first ended
    resource: pods.v1
    path: status.phase
    equals: [Succeeded, Failed]
    where:
      - {path: metadata.labels.step, equals: [first]}
      - {path: metadata.name, matches: "-first-[0-9]+$"}
  - {name: second ended, resource: pods.v1, path: status.phase, equals: [Succeeded, Failed],
     where: [{path: metadata.labels.step, equals: [second]}, {path: metadata.name, matches: "-second-[0-9]+$"}]}
idle: [done]
owned: [manifests]
warmup: {skip: too slow}
typical: {install: 5s, reconcile: 1s}
timeout: 30s
work:
  - resource: workflows.v1alpha1.argoproj.io
    namespace: n
    of: {path: spec.for, matches: "^{{.Namespace}}/{{.Name}}$"}
    ended: {path: status.phase, equals: [Succeeded]}
    messages: [status.message]
    suspend: spec.suspend
differs:
  - {path: spec.template.spec.containers.0.args, reason: more arguments}
`

// beside is the folder that the style "mine" is in.
func beside(base string) fstest.MapFS {
	return fstest.MapFS{
		"mine/manifests/all.yaml":     {},
		"base/manifests/bus/bus.yaml": {},
		"base/style.yaml":             {Data: []byte(base)},
		"base/main.go":                {},
	}
}

func parse(text string) (styles.Style, error) {
	return parseBeside(text, strings.NewReplacer("name: mine", "name: base", "[manifests]", "[manifests/bus]").Replace(good))
}

func parseBeside(text, base string) (styles.Style, error) {
	return styles.Parse("style.yaml", "mine", []byte(text), beside(base))
}

// ended is the phase that the good style has for each of two names.
func ended(step string) spec.Phase {
	return spec.Phase{
		Name: step + " ended", Resource: "pods.v1", Path: "status.phase", Equals: []string{"Succeeded", "Failed"},
		Where: []spec.FieldCondition{
			{Path: "metadata.labels.step", Equals: []string{step}},
			{Path: "metadata.name", Matches: "-" + step + "-[0-9]+$"},
		},
	}
}

func TestParse(t *testing.T) {
	style, err := parse(good)
	require.NoError(t, err)
	assert.EqualExportedValues(t, styles.Style{Style: spec.Style{
		Name: "mine", Description: "d", Source: "s", Images: []spec.Image{{Name: "native"}},
		Stages: []spec.Stage{{Name: "one", Manifests: []string{"manifests"}, Ready: []spec.Gate{
			{Rollout: &spec.Rollout{Kind: "Deployment", Namespace: "n", Name: "d"}},
			{Condition: &spec.Condition{APIVersion: "v1", Kind: "Node", Name: "a", Type: "Ready"}},
			{Log: &spec.Log{Component: "manager", Contains: "started", Pods: 2}},
		}}},
		Components: []spec.Component{{Name: "manager", Namespace: "n", Selector: "app=manager"}},
		Child:      spec.Child{Name: "{{.Name}}-deployment"},
		Declares: spec.Declares{
			Status:          spec.Declaration{Reason: "none"},
			OwnerReferences: spec.Declaration{Supported: true},
			DriftRepair:     spec.Declaration{Supported: true},
		},
		Phases: []spec.Phase{
			{Name: "made", Resource: "pods.v1", Event: "ADDED"},
			{Name: "done", Resource: "workflows.v1alpha1.argoproj.io", Namespace: "n", Path: "status.phase", Equals: []string{"Succeeded"}},
			ended("first"),
			ended("second"),
		},
		Idle:    []string{"done"},
		Owned:   []string{"manifests"},
		Warmup:  spec.Warmup{Skip: "too slow"},
		Typical: spec.Typical{Install: 5 * time.Second, Reconcile: time.Second},
		Timeout: 30 * time.Second,
		Work: []spec.Work{{
			Resource: "workflows.v1alpha1.argoproj.io", Namespace: "n",
			Of:       spec.FieldCondition{Path: "spec.for", Matches: "^{{.Namespace}}/{{.Name}}$"},
			Ended:    spec.FieldCondition{Path: "status.phase", Equals: []string{"Succeeded"}},
			Messages: []string{"status.message"}, Suspend: "spec.suspend",
		}},
		Differs: []spec.Difference{{Path: "spec.template.spec.containers.0.args", Reason: "more arguments"}},
	}}, style)
	name, err := bounds.ChildName(style.Child, "services", "sample")
	require.NoError(t, err)
	assert.Equal(t, "sample-deployment", name)
}

// A style that says nothing of it is warmed up, and owns its folder.
func TestParseDefaults(t *testing.T) {
	style, err := parse(strings.NewReplacer("owned: [manifests]\n", "", "warmup: {skip: too slow}\n", "").Replace(good))
	require.NoError(t, err)
	assert.Empty(t, style.Warmup.Skip)
	assert.Empty(t, style.Owned)
}

func TestParseScaffold(t *testing.T) {
	style, err := parse(good + "scaffold: [manifests]\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"manifests"}, style.Scaffold)
	_, err = parse(good + "scaffold: [hack]\n")
	require.ErrorContains(t, err, `scaffold: there is no "hack" in the style's folder`)
}

// In the control in which the harness is the operator there is nothing else to say.
func TestParseControls(t *testing.T) {
	text := "name: floor\ndescription: d\nsource: s\ncontrol: harness\n"
	floor := func(text string) (styles.Style, error) {
		return styles.Parse("style.yaml", "floor", []byte(text), fstest.MapFS{})
	}
	style, err := floor(text)
	require.NoError(t, err)
	assert.EqualExportedValues(t, styles.Style{Style: spec.Style{Name: spec.Floor, Description: "d", Source: "s", Control: spec.Harness}}, style)
	_, err = floor(text + "timeout: 10s\n")
	require.ErrorContains(t, err, `style.yaml:5: style with control: harness: unknown field "timeout", expected one of control, description, name, source, version`)
	_, err = floor(strings.Replace(text, "source: s\n", "", 1))
	require.ErrorContains(t, err, `style.yaml:1: style with control: harness: field "source" is missing`)
	_, err = parse(strings.Replace(text, "floor", "mine", 1))
	require.ErrorContains(t, err, `style.yaml:1: name: found "mine", expected floor: with control: harness the style is the floor`)
	for _, name := range []string{"floor"} {
		_, err = floor(strings.Replace(good, "name: mine", fmt.Sprintf("name: %q", name), 1))
		require.ErrorContains(t, err, fmt.Sprintf("style.yaml:1: name: found %q, expected another name: floor is reserved", name))
	}
	style, err = parse("control: idle\n" + good)
	require.NoError(t, err)
	assert.Equal(t, spec.Idle, style.Control)
	_, err = parse("control: lazy\n" + good)
	require.ErrorContains(t, err, `style.yaml:1: control: found "lazy", expected one of harness, idle`)
}

// An overlay lists what of its base it uses as it is.
func TestParseOverlay(t *testing.T) {
	style, err := parse(strings.NewReplacer("manifests: [manifests]", "manifests: [manifests, ../base/manifests/bus]", "owned: [manifests]", "owned: [manifests, ../base/manifests/bus]").Replace(good))
	require.NoError(t, err)
	assert.Equal(t, []string{"manifests", "../base/manifests/bus"}, style.Stages[0].Manifests)
	assert.Equal(t, style.Stages[0].Manifests, style.Owned)
}

// A component may be managed by one that stands below it, which may be managed
// in turn.
func TestParseManagedBy(t *testing.T) {
	style, err := parse(strings.Replace(good, "components:\n", `components:
  - {name: last, namespace: n, selector: l, managedBy: middle}
  - {name: middle, namespace: n, selector: m, managedBy: manager}
`, 1))
	require.NoError(t, err)
	managers := map[string]string{}
	for _, component := range style.Components {
		managers[component.Name] = component.ManagedBy
	}
	assert.Equal(t, map[string]string{"last": "middle", "middle": "manager", "manager": ""}, managers)
}

// What a name holds is no expression.
func TestWorkMatcher(t *testing.T) {
	style, err := parse(good)
	require.NoError(t, err)
	matcher, err := bounds.WorkMatcher(style.Work[0], "services", "a.b")
	require.NoError(t, err)
	assert.True(t, matcher.MatchString("services/a.b"))
	assert.False(t, matcher.MatchString("services/a-b"))
}

func TestParseStatus(t *testing.T) {
	for declared, want := range map[string]spec.Declaration{
		"true":              {Supported: true, Fields: []string{"nodes", "observedGeneration"}},
		"{supported: true}": {Supported: true, Fields: []string{"nodes", "observedGeneration"}},
		"{supported: true, fields: [conditions], ready: Available}": {Supported: true, Fields: []string{"conditions"}, Ready: "Available"},
		"{supported: true, fields: [replicas, selector]}":           {Supported: true, Fields: []string{"replicas", "selector"}},
		"{supported: false, reason: none}":                          {Reason: "none"},
	} {
		style, err := parse(strings.Replace(good, "status: {supported: false, reason: none}", "status: "+declared, 1))
		require.NoError(t, err)
		assert.Equal(t, want, style.Declares.Status, declared)
	}
}

// Each case changes one place of the good style.
func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"empty":                         {good, "", "style.yaml:1: the file is empty"},
		"not YAML":                      {good, "name: [", "style.yaml: yaml: line 1"},
		"a list":                        {good, "- a", "style.yaml:1: style: found a list, expected the fields"},
		"another version":               {"name: mine", "version: 2\nname: mine", `style.yaml:1: version: found the number 2, expected 1`},
		"unknown field":                 {"timeout:", "timeuot:", `style.yaml:36: style: unknown field "timeuot", expected one of base, child, components, control, declares, description, differs, distinct, framework, idle, images, install, name, owned, phases, scaffold, settings, source, timeout, typical, upgrade, version, warmup, work, workload; did you mean "timeout"?`},
		"missing field":                 {"source: s\n", "", `style.yaml:1: style: field "source" is missing`},
		"a field twice":                 {"source: s\n", "source: s\nsource: s\n", `style.yaml:4: style: field "source" stands twice`},
		"another name":                  {"name: mine", "name: yours", `style.yaml:1: name: found "yours", expected "mine" as the folder's name`},
		"a number for a name":           {"name: mine", "name: 7", `style.yaml:1: name: found the number 7, expected a text`},
		"no description":                {"description: d", "description:", "style.yaml:2: description: found nothing, expected a text"},
		"no images":                     {"[native]", "[]", "style.yaml:4: images: found an empty list, expected a list of at least one"},
		"an image twice":                {"[native]", "[native, native]", `style.yaml:4: images: the name "native" stands twice`},
		"an image of no reference":      {"[native]", "[{name: mine}]", `style.yaml:4: images: field "reference" is missing`},
		"an image of unknown make":      {"[native]", "[{name: mine, reference: r, docker: .}]", `style.yaml:4: images: unknown field "docker", expected one of dockerfile, go, name, reference`},
		"no manifests":                  {"[manifests]", "[elsewhere]", `style.yaml:7: manifests: there is no "elsewhere" in the style's folder`},
		"manifests above the folder":    {"[manifests]", "[../secrets]", `style.yaml:7: manifests: found "../secrets", expected a path in the style's folder, or ../STYLE/manifests/…`},
		"manifests of a base's code":    {"[manifests]", "[../base/manifests/../cmd]", `style.yaml:7: manifests: found "../base/manifests/../cmd", expected a path in the style's folder`},
		"manifests anywhere":            {"[manifests]", "[/etc]", `style.yaml:7: manifests: found "/etc", expected a path in the style's folder`},
		"manifests of no base":          {"[manifests]", "[../gone/manifests/bus]", `style.yaml:7: manifests: there is no "../gone/manifests/bus", expected a file or a folder of a style whose files this one uses`},
		"owned of no base":              {"owned: [manifests]", "owned: [../gone/manifests]", `style.yaml:33: owned: there is no "../gone/manifests"`},
		"manifests as a text":           {"[manifests]", "manifests", `style.yaml:7: install.manifests: found "manifests", expected a list`},
		"two stages of a name":          {"components:", "  - {name: one, manifests: [manifests], ready: [rollout: {kind: Deployment, namespace: n, name: d}]}\ncomponents:", `style.yaml:12: stage: the name "one" stands twice`},
		"last stage without a sign":     {"components:", "  - {name: two, manifests: [manifests]}\ncomponents:", "style.yaml:5: install: the last stage has no ready list"},
		"a rollout of a Job":            {"kind: Deployment", "kind: Job", `style.yaml:9: install.ready.rollout.kind: found "Job", expected one of Deployment, StatefulSet, DaemonSet`},
		"two signs in one":              {"- rollout: {kind: Deployment, namespace: n, name: d}", "- {rollout: {kind: Deployment, namespace: n, name: d}, log: {component: manager, contains: x}}", "style.yaml:9: install.ready: found 2 of the fields condition, field, log, rollout, expected exactly one"},
		"a log of nobody":               {"component: manager", "component: manger", `style.yaml:11: unknown component "manger", expected one of manager; did you mean "manager"?`},
		"a bad selector":                {"app=manager", "app in", `style.yaml:13: components.selector: found "app in", expected a label selector`},
		"two components of a name":      {"child:", "  - {name: manager, namespace: n, selector: a}\nchild:", `style.yaml:14: component: the name "manager" stands twice`},
		"child by name and owner":       {"-deployment\"", "-deployment\"\n  ownerReference: true", "style.yaml:15: child: expected exactly one of name and ownerReference: true"},
		"child by nothing":              {"  name: \"{{.Name}}-deployment\"", "  ownerReference: false", "style.yaml:15: child: expected exactly one of name and ownerReference: true"},
		"child by no template":          {"{{.Name}}", "{{.Name", `style.yaml:15: child.name: found "{{.Name-deployment", expected a text/template`},
		"child by an unknown field":     {"{{.Name}}", "{{.Size}}", `style.yaml:15: child.name: found "{{.Size}}-deployment", expected a text/template over .Name and .Namespace`},
		"child by a program":            {"{{.Name}}", "{{range 2000000000}}{{end}}", "style.yaml:15: child.name: found \"{{range 2000000000}}{{end}}-deployment\", expected a text/template over .Name and .Namespace: child.name: there is more in it than texts, .Name and .Namespace"},
		"child by a long name":          {"{{.Name}}", "{{printf \\\"%01000000000d\\\" 1}}", "there is more in it than texts, .Name and .Namespace: found {{printf"},
		"child by no name":              {"{{.Name}}", "{{.Name}}_", "it gives \"example_-deployment\", which is no name of an object"},
		"child by an absent owner":      {"name: \"{{.Name}}-deployment\"\ndeclares:\n  status: {supported: false, reason: none}\n  ownerReferences: true", "ownerReference: true\ndeclares:\n  status: true\n  ownerReferences: {supported: false, reason: none}", "style.yaml:14: child: found by its owner reference, but declares.ownerReferences says that there is none"},
		"no without a reason":           {", reason: none", "", `style.yaml:17: declares.status: field "reason" is missing: not supported and no reason`},
		"false without a reason":        {"ownerReferences: true", "ownerReferences: false", `style.yaml:18: declares.ownerReferences: found "false", expected true, or the reason of a no as {supported: false, reason: …}`},
		"yes with a reason":             {"{supported: true}", "{supported: true, reason: why}", `style.yaml:19: declares.driftRepair.reason: found "why", expected none: it is supported`},
		"status of unknown fields":      {"status: {supported: false, reason: none}", "status: {supported: true, fields: [node]}", `style.yaml:17: declares.status.fields: found "node", expected one of nodes, observedGeneration, replicas, selector, conditions; did you mean "nodes"?`},
		"a status field twice":          {"status: {supported: false, reason: none}", "status: {supported: true, fields: [nodes, nodes]}", "style.yaml:17: declares.status.fields: \"nodes\" stands twice"},
		"status of no fields":           {"status: {supported: false, reason: none}", "status: {supported: true, fields: []}", "style.yaml:17: declares.status.fields: found an empty list"},
		"fields of no status":           {"status: {supported: false, reason: none}", "status: {supported: false, reason: none, fields: [nodes]}", "style.yaml:17: declares.status.fields: found a list, expected neither fields nor ready nor busy: the status is not supported"},
		"ready without conditions":      {"status: {supported: false, reason: none}", "status: {supported: true, ready: Ready}", `style.yaml:17: declares.status: field "fields" is missing: ready names a condition, expected conditions among fields`},
		"fields of another":             {"ownerReferences: true", "ownerReferences: {supported: true, fields: [nodes]}", `style.yaml:18: declares.ownerReferences: unknown field "fields"`},
		"a declaration is missing":      {"  ownerReferences: true\n", "", `style.yaml:17: declares: field "ownerReferences" is missing`},
		"a resource without version":    {"pods.v1", "pods", `style.yaml:21: phases.resource: found "pods", expected plural.version.group`},
		"an unknown event":              {"event: ADDED", "event: ADD", `style.yaml:21: phases.event: found "ADD", expected one of ADDED, MODIFIED, DELETED; did you mean "ADDED"?`},
		"a phase without a mark":        {", event: ADDED", "", "style.yaml:21: phases: found 0 of the fields event, path, expected at least one"},
		"equals without a path":         {"path: status.phase, ", "event: ADDED, ", "style.yaml:22: phases: equals without path"},
		"two phases of a name":          {"name: made", "name: done", `style.yaml:22: phase: the name "done" stands twice`},
		"idle of no phase":              {"idle: [done]", "idle: [finished]", `style.yaml:32: unknown phase "finished", expected one of made, done, first ended, second ended`},
		"a placeholder":                 {"name: made", "name: \"made {{.Each}}\"", "style.yaml:21: phase made {{.Each}}: found {{, expected a text as it is"},
		"a group of phases":             {"  - name: first ended\n", "  - each: [first]\n", `style.yaml:23: phases: unknown field "each"`},
		"where without a path":          {"path: metadata.labels.step, ", "", `style.yaml:28: phases.where: field "path" is missing`},
		"where without a wish":          {", equals: [first]", "", "style.yaml:28: phases.where: found 0 of the fields equals, matches, expected at least one"},
		"where by a number":             {"path: metadata.name, m", "path: 7, m", "style.yaml:29: phases.where.path: found the number 7, expected a text"},
		"where by no expression":        {"[0-9]+$", "[0-9", "style.yaml:29: phases.where.matches: found \"-first-[0-9\", expected a regular expression (RE2)"},
		"a phase on secrets":            {"resource: pods.v1", "resource: secrets.v1", "expected another resource: secrets are never watched or recorded"},
		"secrets of another version":    {"resource: pods.v1", "resource: secrets.v1beta2.core.example.com", "secrets are never watched or recorded"},
		"work on secrets":               {"resource: workflows.v1alpha1.argoproj.io\n", "resource: secrets.v1\n", "style.yaml:38: work.resource: found \"secrets.v1\", expected another resource"},
		"secrets with where":            {"    resource: pods.v1\n", "    resource: secrets.v1\n", "secrets are never watched or recorded"},
		"where of what is withheld":     {"path: metadata.labels.step", "path: data.password", "phases.where.path: found \"data.password\", expected a path in gjson's syntax to what is recorded: values of data may be secret"},
		"where of what doubles":         {"path: metadata.labels.step", "path: metadata.name.@tostr", "expected a path in gjson's syntax to what is recorded: found @tostr"},
		"messages of what is withheld":  {"messages: [status.message]", "messages: ['spec.arguments.parameters.#.value']", "values of arguments may be secret"},
		"owned of nothing there":        {"owned: [manifests]", "owned: [cmd]", `style.yaml:33: owned: there is no "cmd" in the style's folder`},
		"no warm-up and no reason":      {"{skip: too slow}", "{}", `style.yaml:34: warmup: field "skip" is missing`},
		"warm-up as a flag":             {"{skip: too slow}", "false", `style.yaml:34: warmup: found "false", expected the fields skip`},
		"typical of zero":               {"install: 5s", "install: 0s", `style.yaml:35: typical.install: found "0s", expected a duration above zero`},
		"a timeout below zero":          {"timeout: 30s", "timeout: -30s", `style.yaml:36: timeout: found "-30s", expected a duration above zero`},
		"a timeout without a unit":      {"timeout: 30s", "timeout: 30", "style.yaml:36: timeout: found the number 30, expected a duration above zero, such as 90s"},
		"a timeout below typical":       {"timeout: 30s", "timeout: 500ms", "timeout is 500ms, expected more than typical.reconcile, which is 1s"},
		"work of no resource":           {"resource: workflows.v1alpha1.argoproj.io\n", "resource: workflows\n", `style.yaml:38: work.resource: found "workflows", expected plural.version.group`},
		"work of nobody":                {"    of: {path: spec.for, matches: \"^{{.Namespace}}/{{.Name}}$\"}\n", "", `style.yaml:38: work: field "of" is missing`},
		"work of nothing":               {"{path: spec.for, matches", "{matches", `style.yaml:40: work.of: field "path" is missing`},
		"work of any":                   {", matches: \"^{{.Namespace}}/{{.Name}}$\"", "", `style.yaml:40: work.of: field "matches" is missing`},
		"work of no template":           {"{{.Name}}$", "{{.Name$", "style.yaml:40: work.of.matches: found \"^{{.Namespace}}/{{.Name$\", expected a text/template"},
		"work of an unknown field":      {"/{{.Name}}$", "/{{.Name}}-{{.Size}}$", "expected a text/template over .Name and .Namespace that makes a regular expression (RE2): of.matches: there is more in it than texts, .Name and .Namespace: found {{.Size}}$"},
		"work of a program":             {"/{{.Name}}$", "/{{.Name}}{{range 2000000000}}{{end}}$", "that makes a regular expression (RE2): of.matches: there is more in it than texts"},
		"work of no expression":         {"/{{.Name}}$", "/{{.Name}}($", "error parsing regexp: missing closing )"},
		"work of a whole namespace":     {"/{{.Name}}$", "/$", "it is the same for custom resources of two names or in two namespaces"},
		"work of two namespaces":        {"^{{.Namespace}}/", "/", "it is the same for custom resources of two names or in two namespaces"},
		"work without an end":           {"    ended: {path: status.phase, equals: [Succeeded]}\n", "", `style.yaml:38: work: field "ended" is missing`},
		"work that ends with a path":    {"ended: {path: status.phase, equals: [Succeeded]}", "ended: {path: status.phase}", `style.yaml:41: work.ended: field "equals" is missing`},
		"work that tells nothing":       {"messages: [status.message]", "messages: []", "style.yaml:42: work.messages: found an empty list"},
		"suspended by a flag":           {"suspend: spec.suspend", "suspend: true", `style.yaml:43: work.suspend: found "true", expected a text`},
		"suspended by no key":           {"suspend: spec.suspend", "suspend: spec..suspend", `style.yaml:43: work.suspend: found "spec..suspend", expected keys and indices joined by single dots`},
		"work twice":                    {"differs:", "  - {resource: workflows.v1alpha1.argoproj.io, namespace: n, of: {path: a, matches: \"{{.Name}}/{{.Namespace}}\"}, ended: {path: a, equals: [b]}}\ndiffers:", "style.yaml:44: work: workflows.v1alpha1.argoproj.io in n stands twice"},
		"differs without a reason":      {", reason: more arguments", "", `style.yaml:45: differs: field "reason" is missing`},
		"differs with a glob":           {"path: spec.template.spec.containers.0.args", "path: .spec", `style.yaml:45: differs.path: found ".spec", expected keys`},
		"differs in replicas":           {"path: spec.template.spec.containers.0.args", "path: spec", "style.yaml:45: differs.path: found \"spec\", expected no path that excuses a wrong spec.replicas"},
		"differs twice":                 {", reason: more arguments}", ", reason: more arguments}\n  - {path: spec.template, reason: why}", "style.yaml:46: differs: spec.template.spec.containers.0.args and spec.template are the same or one within the other"},
		"an upgrade of nobody":          {"timeout: 30s", "timeout: 30s\nupgrade: {manifests: [manifests], ready: [{rollout: {kind: Deployment, namespace: ns, name: d}}], replaces: [manger]}", `unknown component "manger", expected one of manager; did you mean "manager"?`},
		"an upgrade by what is gone":    {"timeout: 30s", "timeout: 30s\nupgrade: {manifests: [gone], ready: [{log: {component: mangr, contains: x}}], replaces: [manager]}", `manifests: there is no "gone" in the style's folder`},
		"an upgrade that nobody awaits": {"timeout: 30s", "timeout: 30s\nupgrade: {manifests: [manifests], replaces: [manager]}", `field "ready" is missing`},
		"two ports for metrics":         {"selector: \"app=manager\"}", "selector: \"app=manager\", metrics: 8080}\n  - {name: b, namespace: n, selector: b, metrics: 9090}", "metrics at port"},
		"managed by nobody":             {"selector: \"app=manager\"", "selector: \"app=manager\", managedBy: manger", `style.yaml:13: unknown component "manger", expected one of manager; did you mean "manager"?`},
		"managed by itself":             {"selector: \"app=manager\"", "selector: \"app=manager\", managedBy: manager", "style.yaml:13: component manager: managed by manager, which in the end is managed by it"},
		"managed in a circle":           {"selector: \"app=manager\"}", "selector: \"app=manager\", managedBy: b}\n  - {name: c, namespace: n, selector: c, managedBy: manager}\n  - {name: b, namespace: n, selector: b, managedBy: c}", "style.yaml:14: component c: managed by manager, which in the end is managed by it"},
		"an alias":                      {"description: d\nsource: s", "description: &a d\nsource: *a", "style.yaml:3: source: found an alias, expected it written out"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, test.old)
			_, err := parse(strings.Replace(good, test.old, test.new, 1))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestParseTellsEveryMistake(t *testing.T) {
	text := strings.NewReplacer("source: s\n", "", "timeout: 30s", "timeout: never", "idle: [done]", "idle: [made, never]", "-[0-9]+$", "-[0-9").Replace(good)
	_, err := parse(text)
	require.Error(t, err)
	assert.Equal(t, strings.TrimSpace(`
style.yaml:1: style: field "source" is missing
style.yaml:28: phases.where.matches: found "-first-[0-9", expected a regular expression (RE2): error parsing regexp: missing closing ]: `+"`[0-9`"+`
style.yaml:30: phases.where.matches: found "-second-[0-9", expected a regular expression (RE2): error parsing regexp: missing closing ]: `+"`[0-9`"+`
style.yaml:31: unknown phase "never", expected one of made, done, first ended, second ended
style.yaml:35: timeout: found "never", expected a duration above zero, such as 90s or 2m`), err.Error())
}

// Whatever a file holds, the parser ends, and what it accepts it accepts for
// good: a style never lacks what installing it needs.
func FuzzParse(f *testing.F) {
	f.Add(good) // it has every field; a style's own file is mostly prose
	f.Add("a: &a [*a]")
	f.Add("<<: {name: mine}")
	f.Fuzz(func(t *testing.T, text string) {
		style, err := parse(text)
		if err != nil {
			return
		}
		require.Equal(t, "mine", style.Name)
		if style.Control == spec.Harness {
			require.Empty(t, style.Stages)
			return
		}
		require.NotEmpty(t, style.Stages)
		require.NotEmpty(t, style.Stages[len(style.Stages)-1].Ready)
		require.Greater(t, style.Timeout, style.Typical.Reconcile)
		_, err = bounds.ChildName(style.Child, "services", "memcached")
		require.NoError(t, err)
		for _, work := range style.Work {
			require.NotEmpty(t, work.Of.Path)
			require.NotEmpty(t, work.Ended.Equals)
			_, err := bounds.WorkMatcher(work, "services", "memcached")
			require.NoError(t, err)
		}
		for _, phase := range style.Phases {
			require.NotEmpty(t, phase.Event+phase.Path)
			for _, where := range phase.Where {
				require.NotEmpty(t, where.Matches+strings.Join(where.Equals, ""))
				_, err := regexp.Compile(where.Matches)
				require.NoError(t, err)
			}
		}
	})
}
