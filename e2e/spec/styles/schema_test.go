package styles_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/schema"
)

// A field that is added to a type is added to docs/schema/style.schema.json, and
// the other way round.
func TestTheSchemaHasTheFieldsOfTheTypes(t *testing.T) {
	rules, err := schema.Load("style", nil)
	require.NoError(t, err)
	for definition, of := range map[string]struct {
		value any
		also  []string // what is in the file alone
		lacks []string // what this definition of the type has not
	}{
		"style":      {value: spec.Style{}, also: []string{"version"}},
		"own":        {value: spec.Image{}},
		"stage":      {value: spec.Stage{}},
		"gate":       {value: spec.Gate{}},
		"rollout":    {value: spec.Rollout{}},
		"condition":  {value: spec.Condition{}},
		"log":        {value: spec.Log{}},
		"field":      {value: spec.Field{}},
		"component":  {value: spec.Component{}},
		"child":      {value: spec.Child{}},
		"declares":   {value: spec.Declares{}},
		"status":     {value: spec.Declaration{}},
		"reasoned":   {value: spec.Declaration{}, lacks: []string{"busy", "fields", "ready", "without"}},
		"busy":       {value: spec.Busy{}},
		"phase":      {value: spec.Phase{}},
		"where":      {value: spec.FieldCondition{}},
		"of":         {value: spec.FieldCondition{}, lacks: []string{"equals"}},
		"ended":      {value: spec.FieldCondition{}, lacks: []string{"matches"}},
		"work":       {value: spec.Work{}},
		"distinct":   {value: spec.Distinct{}},
		"difference": {value: spec.Difference{}},
		"framework":  {value: spec.Framework{}},
		"departure":  {value: spec.Setting{}},
		"warmup":     {value: spec.Warmup{}},
		"typical":    {value: spec.Typical{}},
	} {
		want := append(schema.FieldsOf(of.value, "json"), of.also...)
		want = slices.DeleteFunc(want, func(name string) bool { return slices.Contains(of.lacks, name) })
		slices.Sort(want)
		assert.Equal(t, want, rules.Fields(definition), definition)
	}
}

func TestTheSchemaHasTheWords(t *testing.T) {
	rules, err := schema.Load("style", nil)
	require.NoError(t, err)
	assert.Equal(t, spec.StatusFields(), rules.Words("statusField"))
	settings := plain.Map(spec.Rules(), func(rule spec.Rule) string { return rule.Setting })
	assert.ElementsMatch(t, settings, rules.Fields("settings"))
	assert.Equal(t, []string{string(spec.Harness), string(spec.Idle)}, rules.Words("control"))
	assert.Equal(t, []string{spec.Added, spec.Modified, spec.Deleted}, rules.Words("event"))
}
