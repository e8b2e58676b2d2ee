package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/schema"
)

var oracles = []string{
	"converged", "stays-converged", "write-history", "status", "gone", "garbage", "recovers", "refused", "reference",
	"isolation", "health", "ledger", "no-needless-work", "pods-kept", "diagnosable",
	"series", "others-kept", "not-taken", "repaired", "serves", "data-kept", "answered", "growth", "one-leader",
}

func TestEveryScenarioLoads(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{"create", "scale-up", "scale-down", "delete"}, names[:4])
}

// The basic scenarios are one life: each starts where the one before it ends,
// so that a round needs no preparation.
func TestTheBasicScenariosChain(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	var state *scenarios.Spec
	for _, s := range all[:4] {
		assert.Equal(t, state, s.Given, s.Name)
		state = s.Result()
	}
	assert.Nil(t, state)
}

// Each mistake is refused with its line, and says what to do.
func TestParseRefuses(t *testing.T) {
	const (
		head  = "name: x\ngroup: basic\ndescription: d\nstandsFor: s\n" // four lines
		given = head + "given: {size: 2}\n"                             // five
		tail  = "expect: [write-history]\n"
		loose = "  - fault: {definition: tutorial}\n"
	)
	for name, test := range map[string]struct{ text, want string }{
		"not YAML":       {"name: [", "x.yaml: yaml: line 1"},
		"empty":          {"", "x.yaml:1: the file is empty, expected a scenario"},
		"two documents":  {head + tail + "---\nname: y\n", "x.yaml:6: a second document begins here, expected one scenario"},
		"a list":         {"- name: x\n", "x.yaml:1: scenario: found a list, expected the fields asked, before, cause, component"},
		"unknown field":  {head + "surprise: 1\n", `x.yaml:5: scenario: unknown field "surprise", expected one of asked, before, cause, component`},
		"field twice":    {head + "name: x\n", `x.yaml:5: scenario: field "name" stands twice, expected it once`},
		"wrong name":     {"name: y\n", `x.yaml:1: name is "y", expected "x"`},
		"unknown group":  {"name: x\ngroup: odd\n", `x.yaml:2: group: found "odd", expected one of latency, load, basic`},
		"no sentence":    {"name: x\ndescription: ' '\n", `x.yaml:2: description: found " ", expected a sentence`},
		"no source":      {"name: x\ngroup: basic\n", `x.yaml:1: scenario: field "standsFor" is missing`},
		"group fault":    {strings.Replace(head, "basic", "fault", 1), "x.yaml:2: group fault: no step is of that kind"},
		"group upgrade":  {strings.Replace(head, "basic", "upgrade", 1), "x.yaml:2: group upgrade: no step is of that kind"},
		"group input":    {strings.Replace(head, "basic", "input", 1), "x.yaml:2: group input: no step is of that kind"},
		"given no size":  {head + "given: {}\n", `x.yaml:5: given: field "size" is missing`},
		"given too much": {head + "given: {size: 101}\n", "x.yaml:5: given.size: found the number 101, expected 0 to 5"},

		"latency of two acts": {"name: x\ngroup: latency\nsteps:\n  - create: {size: 1}\n  - delete: {}\n", "x.yaml:3: latency is measured of exactly one step"},
		"latency of another":  {"name: x\ngroup: latency\nsteps:\n  - {on: y, create: {size: 1}}\n", "x.yaml:3: latency is measured of exactly one step"},
		"latency of a fault":  {"name: x\ngroup: latency\nsteps:\n  - fault: {kill: all}\n", "x.yaml:3: latency is measured of exactly one step"},
		"latency and a part":  {"name: x\ngroup: latency\ncomponent: bus\n", `x.yaml:3: component: found "bus", expected nothing: what is measured is measured of every style`},

		"no steps":      {head + tail, `x.yaml:1: scenario: field "steps" is missing`},
		"unknown step":  {head + "steps:\n  - explode: {}\n", `x.yaml:6: steps: unknown field "explode", expected one of annotate, apply`},
		"two acts":      {head + "steps:\n  - {create: {size: 1}, delete: {}}\n" + tail, "x.yaml:6: steps: found 2 of the fields create, patch, apply,"},
		"no act":        {head + "steps:\n  - {on: y}\n" + tail, "x.yaml:6: steps: found 0 of the fields create, patch"},
		"step null":     {head + "steps:\n  - delete:\n" + tail, "x.yaml:6: steps.delete: found nothing, expected {}"},
		"negative size": {head + "steps:\n  - create: {size: -1}\n" + tail, "x.yaml:6: steps.create.size: found the number -1, expected 0 to 5"},
		"size missing":  {head + "steps:\n  - create: {}\n" + tail, `x.yaml:6: steps.create: field "size" is missing`},
		"size as text":  {head + "steps:\n  - create: {size: many}\n" + tail, `x.yaml:6: steps.create.size: found "many", expected 0 to 5`},
		"deep line":     {head + "steps:\n  -\n    on: y\n    create:\n      size: -1\n" + tail, "x.yaml:9: steps.create.size: found the number -1"},

		"patch of nothing":    {head + "steps:\n  - patch: {size: 1}\n" + tail, "x.yaml:6: patch: the custom resource is not there; add given, or create it first"},
		"apply of nothing":    {head + "steps:\n  - apply: {size: 1}\n" + tail, "x.yaml:6: apply: the custom resource is not there"},
		"annotate of nothing": {head + "steps:\n  - annotate: 1\n" + tail, "x.yaml:6: annotate: the custom resource is not there"},
		"delete of nothing":   {head + "steps:\n  - delete: {}\n" + tail, "x.yaml:6: delete: the custom resource is not there"},
		"delete twice":        {given + "steps:\n  - delete: {}\n  - delete: {}\n" + tail, "x.yaml:8: delete: the custom resource is not there"},
		"create twice":        {given + "steps:\n  - create: {size: 1}\n" + tail, "x.yaml:7: create: the custom resource already exists"},
		"other not there":     {given + "steps:\n  - {on: y, patch: {size: 1}}\n" + tail, "x.yaml:7: patch: the custom resource is not there"},
		"too many writes":     {given + "steps:\n  - annotate: 21\n" + tail, "x.yaml:7: steps.annotate: found the number 21, expected 1 to 20"},

		"on nothing":      {given + "steps:\n  - {on: '', delete: {}}\n" + tail, `x.yaml:7: on is "": leave it out`},
		"on no name":      {head + "steps:\n  - {on: elsewhere/A/b, create: {size: 1}}\n" + tail, `x.yaml:6: on is "elsewhere/A/b", expected a name or elsewhere/NAME`},
		"await on other":  {given + "steps:\n  - {on: y, await: ready}\n" + tail, "x.yaml:7: await is always of the scenario's own custom resource"},
		"other unwatched": {given + "steps:\n  - {on: y, create: {size: 1}}\n" + tail, "x.yaml:8: there is a second custom resource, and no oracle checks it: expect isolation"},

		"a name that no label holds": {head + "custom: " + strings.Repeat("a", 64) + "\n", "x.yaml:5: custom is \"aaa"},
		"a name of no object":        {head + "custom: A_b\n", "x.yaml:5: custom is \"A_b\", expected the name of a custom resource"},
		"no name":                    {head + "custom: ''\n", "x.yaml:5: custom is \"\", expected the name of a custom resource"},
		"on itself, renamed":         {head + "custom: y\nsteps:\n  - {on: y, create: {size: 1}}\n" + tail, "x.yaml:7: on is \"y\": leave it out for the scenario's own custom resource"},
		"too many letters":           {head + "letters: 64\n", "x.yaml:5: letters: found the number 64, expected 50 to 63"},
		"letters of two namespaces":  {head + "letters: 63\nsteps:\n  - {on: elsewhere/y, create: {size: 1}}\n", "x.yaml:5: letters: there is another namespace"},
		"letters of the same name":   {head + "letters: 63\nsteps:\n  - {on: elsewhere, create: {size: 1}}\n", "x.yaml:5: letters: there is another namespace"},
		"too long a window":          {head + "window: 1h\n", "x.yaml:5: window is 1h0m0s, expected more than 0s, to 2m0s"},
		"a window unwatched":         {given + "window: 10s\nsteps:\n  - patch: {size: 1}\nexpect: [gone]\n", "there is a window, and no oracle checks that nothing changes in it: expect stays-converged"},
		"scale of nothing":           {head + "steps:\n  - scale: {size: 1}\n" + tail, "x.yaml:6: scale: the custom resource is not there"},
		"scale too far":              {given + "steps:\n  - scale: {size: 6}\n" + tail, "x.yaml:7: steps.scale.size: found the number 6, expected 0 to 5"},
		"read the scale of nothing":  {head + "steps:\n  - readScale: {}\n" + tail, "x.yaml:6: readScale: the custom resource is not there"},
		"a series of one":            {head + "steps:\n  - series: {count: 1, size: 0, every: 1s}\n" + tail, "x.yaml:6: steps.series.count: found the number 1, expected 2 to 400"},
		"a series that keeps all":    {head + "steps:\n  - series: {count: 2, size: 0, every: 1s, keep: 2}\n" + tail, "x.yaml:6: series.keep is 2, expected fewer than the 2 that are created"},
		"a series at once":           {head + "steps:\n  - series: {count: 2, size: 0}\n" + tail, "x.yaml:6: series.every is 0s, expected more than 0s"},
		"a series apart that stays":  {head + "steps:\n  - series: {count: 2, size: 0, every: 1s, apart: true}\n" + tail, "x.yaml:6: steps.series: apart without keep, expected both"},
		"two series":                 {head + "steps:\n  - series: {count: 2, size: 0, every: 1s}\n  - series: {count: 2, size: 0, every: 1s}\n" + tail, "x.yaml:7: series: there is one already"},
		"a series unwatched":         {head + "steps:\n  - series: {count: 2, size: 0, every: 1s}\n" + tail, "there is a series of custom resources, and no oracle checks it: expect series"},
		"finalizer left":             {given + "steps:\n  - finalize: true\n" + tail, "x.yaml:7: the finalizer is never removed"},
		"finalizer not there":        {given + "steps:\n  - finalize: false\n" + tail, "x.yaml:7: finalize: a finalizer is removed that was not added"},
		"finalizer twice":            {given + "steps:\n  - finalize: true\n  - finalize: true\n" + tail, "x.yaml:8: finalize: the finalizer is there already"},
		"finalizer of nothing":       {head + "steps:\n  - finalize: true\n" + tail, "x.yaml:6: finalize: the custom resource is not there"},
		"create while it goes":       {given + "steps:\n  - finalize: true\n  - delete: {}\n  - create: {size: 1}\n" + tail, "x.yaml:9: create: the custom resource that was deleted still has a finalizer"},
		"await gone while held":      {given + "steps:\n  - finalize: true\n  - delete: {}\n  - await: gone\n" + tail, "x.yaml:9: await gone: the custom resource is still there"},

		"submit nothing":       {head + "steps:\n  - submit: {refused: true}\n" + tail, `x.yaml:6: steps.submit: field "object" is missing`},
		"submit a name":        {head + "steps:\n  - submit: {refused: true, object: {metadata: {name: y}}}\n" + tail, `x.yaml:6: steps.submit.object.metadata.name: found "y", expected nothing: the harness sets it`},
		"submit no JSON":       {head + "steps:\n  - submit: {refused: true, object: {spec: {1: 2}}}\n" + tail, "x.yaml:6: steps.submit.object.spec: found the number 1 as a field's name, expected a text"},
		"submit patch":         {head + "steps:\n  - submit: {refused: true, patch: true, object: {spec: {}}}\n" + tail, "x.yaml:6: submit: the custom resource is not there"},
		"submit again":         {given + "steps:\n  - submit: {refused: true, object: {spec: {}}}\n" + tail, "x.yaml:7: submit: the custom resource already exists"},
		"submit strictly":      {head + "steps:\n  - submit: {object: {spec: {}}}\n" + tail, "x.yaml:6: submit: the workload's definition refuses it"},
		"submit for other":     {head + "steps:\n" + loose + "  - {on: y, submit: {object: {spec: {}}}}\n" + tail, "x.yaml:7: submit: what cannot be brought about is asked of the scenario's own"},
		"refused unwatched":    {head + "steps:\n  - submit: {refused: true, object: {spec: {}}}\n" + tail, "x.yaml:7: a submit must be refused, and no oracle checks that it is: expect refused"},
		"unmeetable unwatched": {head + "steps:\n" + loose + "  - submit: {object: {spec: {}}}\n  - mend: definition\n" + tail, "x.yaml:9: the last request cannot be fulfilled"},

		"drift of two kinds": {given + "steps:\n  - drift: {replicas: 1, image: y}\n" + tail, "x.yaml:7: steps.drift: found 2 of the fields replicas, image, delete, merge, owner, fields, pod, pods, expected exactly one"},
		"paused for ever":    {given + "steps:\n  - pause: true\n" + tail, "x.yaml:6: the custom resource stays paused: add a step pause: false"},
		"paused twice":       {given + "steps:\n  - pause: true\n  - pause: true\n  - pause: false\n" + tail, "x.yaml:8: pause: the custom resource is so already"},
		"turned to nothing":  {given + "steps:\n  - turn: scale\n" + tail, "x.yaml:7: steps.turn: found \"scale\", expected one of roll, inPlace"},
		"pods lost and kept": {given + "steps:\n  - drift: {pod: {}}\nexpect: [pods-kept]\n", "pods-kept cannot be judged: one of its pods is killed"},
		"all pods killed":    {given + "steps:\n  - drift: {pods: {}}\nexpect: [pods-kept]\n", "pods-kept cannot be judged: its pods are killed"},
		"nothing is written": {given + "steps:\n  - probe: read\nexpect: [data-kept]\n", "x.yaml:7: probe: read: nothing is written before: add a step probe: write"},
		"nothing is read":    {given + "steps:\n  - probe: write\nexpect: [data-kept]\n", "data-kept cannot be judged: the probe reads nothing"},
		"nobody looks":       {given + "steps:\n  - probe: write\n  - probe: read\n" + tail, "the probe writes, and no oracle checks that it is kept: expect data-kept"},
		"written to nobody":  {head + "steps:\n  - probe: write\n" + tail, "x.yaml:6: probe: the custom resource is not there"},
		"drift of none":      {given + "steps:\n  - drift: {}\n" + tail, "x.yaml:7: steps.drift: found 0 of the fields replicas, image, delete, merge, owner, fields, pod, pods, expected exactly one"},
		"drift too far":      {given + "steps:\n  - drift: {replicas: -1}\n" + tail, "x.yaml:7: steps.drift.replicas: found the number -1, expected 0 to 5"},
		"drift too early":    {head + "steps:\n  - create: {size: 1}\n  - drift: {replicas: 2}\n" + tail, "x.yaml:7: drift: it is not certain that there is a main child: await handled first"},

		"two faults":          {head + "steps:\n  - fault: {kill: all, stop: all}\n" + tail, "x.yaml:6: steps.fault: found 2 of the fields kill, stop, upgrade,"},
		"no fault":            {head + "steps:\n  - fault: {}\n" + tail, "x.yaml:6: steps.fault: found 0 of the fields kill, stop"},
		"unknown fault":       {head + "steps:\n  - fault: {scare: all}\n" + tail, `x.yaml:6: steps.fault: unknown field "scare", expected one of cut, definition, deleteWorkload, double, forbid`},
		"kill what":           {head + "steps:\n  - fault: {kill: The Bus}\n" + tail, `x.yaml:6: steps.fault.kill: found "The Bus", expected a component's name or all`},
		"upgrade one":         {head + "steps:\n  - fault: {upgrade: sensor}\n" + tail, `x.yaml:6: steps.fault.upgrade: found "sensor", expected all`},
		"restart what":        {head + "steps:\n  - fault: {restart: etcd}\n" + tail, `x.yaml:6: steps.fault.restart: found "etcd", expected one of api-server, node`},
		"forbid what":         {head + "steps:\n  - fault: {forbid: deployments}\n" + tail, `x.yaml:6: steps.fault.forbid: found "deployments", expected child, the workload's main child, custom, the custom resource, or a resource as plural.group`},
		"refuse what":         {head + "steps:\n  - fault: {refuse: apps/deployments}\n" + tail, `x.yaml:6: steps.fault.refuse: found "apps/deployments", expected child, the workload's main child, custom, the custom resource, or a resource as plural.group`},
		"remove what":         {head + "steps:\n  - fault: {removeImage: memcached}\n" + tail, `x.yaml:6: steps.fault.removeImage: found "memcached", expected workload`},
		"definition":          {head + "steps:\n  - fault: {definition: mine}\n" + tail, `x.yaml:6: steps.fault.definition: found "mine", expected tutorial`},
		"suspend what":        {given + "steps:\n  - fault: {suspend: it}\n" + tail, `x.yaml:7: steps.fault.suspend: found "it", expected work`},
		"suspend nothing":     {head + "steps:\n  - fault: {suspend: work}\n" + tail, "x.yaml:6: suspend: no custom resource has been asked for"},
		"never undone":        {head + "steps:\n  - create: {size: 1}\n  - fault: {stop: all}\n" + tail, "x.yaml:7: stop lasts and is never undone: add a step mend: stop"},
		"broken twice":        {head + "steps:\n  - fault: {stop: a}\n  - fault: {stop: b}\n  - mend: stop\n" + tail, "x.yaml:7: stop is broken since line 6: mend it"},
		"mend nothing":        {head + "steps:\n  - mend: stop\n" + tail, "x.yaml:6: mend: no stop is broken at this point"},
		"mend twice":          {head + "steps:\n  - fault: {stop: a}\n  - mend: stop\n  - mend: stop\n" + tail, "x.yaml:8: mend: no stop is broken at this point"},
		"mend what":           {head + "steps:\n  - mend: roof\n" + tail, `x.yaml:6: steps.mend: found "roof", expected one of stop, upgrading, double,`},
		"mend what is over":   {head + "steps:\n  - fault: {kill: all}\n  - mend: kill\n" + tail, `x.yaml:7: steps.mend: found "kill", expected one of stop, upgrading, double,`},
		"unknown point":       {given + "steps:\n  - await: luck\n" + tail, `x.yaml:7: steps.await: found "luck", expected one of working, written`},
		"await gone":          {given + "steps:\n  - await: gone\n" + tail, "x.yaml:7: await gone: the custom resource is still there"},
		"await what is gone":  {given + "steps:\n  - delete: {}\n  - await: ready\n" + tail, "x.yaml:8: await ready: the custom resource is deleted"},
		"await before":        {head + "steps:\n  - await: working\n" + tail, "x.yaml:6: await working: no custom resource has been asked for"},
		"await without cause": {given + "steps:\n  - await: stuck\n" + tail, "x.yaml:8: await stuck needs a cause, and an oracle that checks it: expect diagnosable"},

		"no oracle":       {given + "steps:\n  - delete: {}\n", `x.yaml:1: scenario: field "expect" is missing`},
		"unknown oracle":  {given + "steps:\n  - delete: {}\nexpect: [gone, lucky]\n", `x.yaml:8: unknown oracle "lucky", expected one of converged`},
		"oracle twice":    {given + "steps:\n  - delete: {}\nexpect: [gone, gone]\n", `x.yaml:8: expect: "gone" stands twice, expected it once`},
		"bad cause":       {given + "cause: '('\n", `x.yaml:6: cause: found "(", expected a regular expression (RE2)`},
		"cause unwatched": {given + "cause: why\nsteps:\n  - patch: {size: 1}\n" + tail, "x.yaml:6: cause: no oracle uses it; expect diagnosable or refused"},
		"no patience":     {head + "patience: 0s\nsteps:\n  - create: {size: 1}\n" + tail, "x.yaml:5: patience is 0s, expected more than 0s, to 5m0s"},
		"bad component":   {head + "component: all\n", `x.yaml:5: component: found "all", expected the name of a part of an operator`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenarios.Parse("x.yaml", []byte(test.text), oracles)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// An oracle that cannot judge a scenario is refused, with the reason.
func TestParseRefusesImpossibleExpectations(t *testing.T) {
	const (
		create  = "steps:\n  - create: {size: 1}\n"
		deleted = "given: {size: 1}\nsteps:\n  - delete: {}\n"
		refused = "steps:\n  - submit: {refused: true, object: {spec: {}}}\n"
		absurd  = "cause: size\nsteps:\n  - fault: {definition: tutorial}\n  - submit: {object: {spec: {}}}\n  - mend: definition\n"
	)
	for _, test := range []struct{ oracle, steps, want string }{
		{"converged", deleted, "the custom resource is not there at the end"},
		{"converged", absurd, "no size that can be brought about is ever asked for"},
		{"stays-converged", deleted, "the custom resource is not there at the end"},
		{"reference", refused, "the custom resource is not there at the end"},
		{"status", deleted, "the custom resource is deleted"},
		{"gone", create, "the custom resource is still there at the end"},
		{"gone", refused, "the custom resource was never there"},
		{"garbage", create, "the custom resource is still there at the end"},
		{"recovers", create, "nothing is broken"},
		{"refused", create, "no submit is refused"},
		{"refused", refused, "cause is missing: what must the refusal say?"},
		{"series", create, "no series of custom resources is created"},
		{"growth", create, "nothing is changed so often that a trend could be told from noise: let a series keep some"},
		{"one-leader", create, "the operator has one pod: double it"},
		{"isolation", create, "there is no second custom resource"},
		{"health", "steps:\n  - create: {size: 1}\n  - fault: {kill: all}\n", "the harness itself restarts the operator's pods: kill all"},
		{"ledger", refused, "nothing is asked for that the operator could handle"},
		{"no-needless-work", create, "no step annotates the custom resource"},
		{"pods-kept", create, "no pods are given"},
		{"pods-kept", "given: {size: 0}\nsteps:\n  - patch: {size: 1}\n", "no pods are given"},
		{"pods-kept", deleted, "it is deleted"},
		{"pods-kept", "given: {size: 1}\nsteps:\n  - patch: {size: 0}\n", "it is scaled to zero"},
		{"pods-kept", "given: {size: 1}\nsteps:\n  - drift: {image: other}\n", "its main child drifts to other pods"},
		{"pods-kept", "given: {size: 1}\nsteps:\n  - drift: {replicas: 0}\n", "its main child drifts to no pods"},
		{"diagnosable", create, "cause is missing"},
	} {
		t.Run(test.oracle+" "+test.want, func(t *testing.T) {
			text := "name: x\ngroup: basic\ndescription: d\nstandsFor: s\n" + test.steps + "expect: [" + test.oracle + "]\n"
			_, err := scenarios.Parse("x.yaml", []byte(text), oracles)
			line := strings.Count(text, "\n")
			require.ErrorContains(t, err, fmt.Sprintf("x.yaml:%d: %s cannot be judged: %s", line, test.oracle, test.want))
		})
	}
}

// A field that is added to a type is added to docs/schema/scenario.schema.json, and
// the other way round; and so is a word.
func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	rules, err := schema.Load("scenario", nil)
	require.NoError(t, err)
	for definition, of := range map[string]any{
		"": scenarios.Scenario{}, "spec": scenarios.Spec{}, "load": scenarios.Schedule{}, "step": scenarios.Step{}, "series": scenarios.Series{},
		"submit": scenarios.Submit{}, "drift": scenarios.Drift{},
	} {
		assert.Equal(t, schema.FieldsOf(of, "yaml"), rules.Fields(definition), definition)
	}
	assert.Equal(t, spec.Groups(), rules.Words("group"))
	assert.Equal(t, spec.Points(), rules.Words("point"))
	assert.Equal(t, scenarios.DriftFields(), rules.Words("field"))
}

// Whatever a file says, it is read or refused; what is read can be described.
func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("*.yaml")
	require.NoError(f, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add("name: x\ngroup: basic\ngiven: &a {size: 1}\nsteps:\n  - patch: *a\n  - {<<: {on: y}, create: *a}\nexpect: [converged]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scenarios.Parse("x.yaml", []byte(text), oracles)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "x.yaml:"), "an error names the file: %v", err)
			return
		}
		assert.NotEmpty(t, s.Text())
		s.Result()
		s.Others()
		s.Exclusive()
		if s.Load != nil {
			assert.GreaterOrEqual(t, s.Load.Starts()[s.Load.Resources-1], time.Duration(0))
		}
	})
}
