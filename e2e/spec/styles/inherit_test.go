package styles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
)

// theBase is what the overlays of these tests are completed by.
const theBase = `name: base
description: d
source: s
images: [native, pause]
install:
  - name: bus
    manifests: [manifests/bus]
    ready:
      - log: {component: manager, contains: serves}
  - name: operator
    manifests: [manifests/bus/bus.yaml]
    ready:
      - log: {component: manager, contains: started}
components:
  - {name: manager, namespace: n, selector: "app=manager"}
child: {name: fixed}
declares:
  status: {supported: false, reason: none}
  ownerReferences: {supported: false, reason: none}
  driftRepair: {supported: false, reason: none}
idle: [done]
phases:
  - {name: done, resource: pods.v1, event: ADDED}
owned: [manifests/bus]
warmup: {skip: too slow}
typical: {install: 5s, reconcile: 1s}
timeout: 30s
`

// overlay changes a stage and a declaration of the base, and takes its phases away.
const overlay = `name: mine
description: d
source: s
base: base
images: [native]
install:
  - name: operator
    manifests: [manifests]
  - name: more
    manifests: [manifests/all.yaml]
    ready:
      - log: {component: manager, contains: more}
child: {ownerReference: true}
declares:
  ownerReferences: true
phases: null
idle: null
typical: {install: 2s, reconcile: 2s}
timeout: 10s
`

func TestParseBase(t *testing.T) {
	style, err := parseBeside(overlay, theBase)
	require.NoError(t, err)
	log := func(text string) []spec.Gate {
		return []spec.Gate{{Log: &spec.Log{Component: "manager", Contains: text, Pods: 1}}}
	}
	none := spec.Declaration{Reason: "none"}
	assert.EqualExportedValues(t, styles.Style{Style: spec.Style{
		Name: "mine", Description: "d", Source: "s", Base: "base", Images: []spec.Image{{Name: "native"}},
		Stages: []spec.Stage{
			{Name: "bus", Manifests: []string{"../base/manifests/bus"}, Ready: log("serves")},
			{Name: "operator", Manifests: []string{"manifests"}, Ready: log("started")},
			{Name: "more", Manifests: []string{"manifests/all.yaml"}, Ready: log("more")},
		},
		Components: []spec.Component{{Name: "manager", Namespace: "n", Selector: "app=manager"}},
		Child:      spec.Child{OwnerReference: true},
		Declares:   spec.Declares{Status: none, OwnerReferences: spec.Declaration{Supported: true}, DriftRepair: none},
		Owned:      []string{"../base/manifests/bus", "."},
		Typical:    spec.Typical{Install: 2 * time.Second, Reconcile: 2 * time.Second},
		Timeout:    10 * time.Second,
	}}, style)
}

// Who maintains an overlay owns its base's code; a part of it can be listed.
// The workload of a base's own folder is that of its overlays too; one of the repository has a name.
func TestParseWorkloadOfABase(t *testing.T) {
	for of, want := range map[string]string{".": "../base", "./load": "../base/load", "rabbitmq": "rabbitmq"} {
		style, err := parseBeside(overlay, theBase+"workload: "+of+"\n")
		require.NoError(t, err)
		assert.Equal(t, want, style.Workload)
	}
}

func TestParseOwnedOfABase(t *testing.T) {
	for name, test := range map[string]struct {
		inBase, mine string
		want         []string
	}{
		"the base's and its own": {"owned: [main.go]", "", []string{"../base/main.go", "."}},
		"all of the base":        {"", "", []string{"../base", "."}},
		"a part of the base":     {"", "owned: [../base/main.go, manifests]\n", []string{"../base/main.go", "manifests"}},
		"its own alone":          {"owned: [main.go]", "owned: null\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			style, err := parseBeside(overlay+test.mine, replace(theBase, "owned: [manifests/bus]", test.inBase))
			require.NoError(t, err)
			assert.Equal(t, test.want, style.Owned)
		})
	}
}

func TestParseBaseErrors(t *testing.T) {
	for name, test := range map[string]struct{ was, is, inBase, toBase, want string }{
		"a base that is not there":       {was: "base: base", is: "base: bas", want: `style.yaml:4: base: found "bas", expected the name of another style; there is no ../bas/style.yaml`},
		"a base outside":                 {was: "base: base", is: "base: ../base", want: `style.yaml:4: base: found "../base", expected the name of another style`},
		"itself":                         {was: "base: base", is: "base: mine", want: `style.yaml:4: base: found "mine", expected the name of another style`},
		"no name":                        {was: "base: base", is: "base: [base]", want: `style.yaml:4: base: found a list, expected a text`},
		"a base with a base":             {inBase: "name: base", toBase: "base: other", want: `style.yaml:4: base: ../base/style.yaml:1 has base, expected a style that stands on its own and is no control`},
		"a base that is a control":       {inBase: "child:", toBase: "control: idle\nchild:", want: `style.yaml:4: base: ../base/style.yaml:16 has control`},
		"a base that is no YAML":         {inBase: "name: base", toBase: "\t", want: `style.yaml:4: base: ../base/style.yaml cannot be read as a style`},
		"a base that is no style":        {inBase: theBase, toBase: "[]", want: `style.yaml:4: base: ../base/style.yaml cannot be read as a style`},
		"times are the style's own":      {was: "timeout: 10s\n", want: `style.yaml:1: style: field "timeout" is missing`},
		"what is needed is taken away":   {was: "phases: null", is: "components: null", want: `style.yaml:1: style: field "components" is missing`},
		"what nothing has is taken away": {was: "phases: null", is: "work: null", want: `style.yaml:16: work: found nothing, expected a list of at least one`},
		"what is left does not fit":      {was: "idle: null\n", want: `style.yaml:4: unknown phase "done"`},
		"an error in what is taken over": {inBase: "app=manager", toBase: "app in", want: `style.yaml:4: components.selector: found "app in"`},
		"a stage twice":                  {was: "name: more", is: "name: operator", want: `style.yaml:9: stage: the name "operator" stands twice`},
		"a stage of no name":             {was: "name: more", is: "nam: more", want: `style.yaml:9: install: unknown field "nam"`},
		"stages that are none":           {was: overlay[strings.Index(overlay, "install:"):strings.Index(overlay, "child:")], is: "install: 3\n", want: `style.yaml:6: install: found the number 3`},
		"owned files that are no list":   {inBase: "owned: [manifests/bus]", toBase: "owned: {manifests: bus}", want: `style.yaml:4: owned: found`},
		"a path outside all styles":      {inBase: "owned: [manifests/bus]", toBase: "owned: [../../main.go]", want: `style.yaml:4: owned: found "../../main.go", expected a path`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseBeside(replace(overlay, test.was, test.is), replace(theBase, test.inBase, test.toBase))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func replace(text, was, is string) string {
	if was == "" {
		return text
	}
	return strings.Replace(text, was, is, 1)
}
