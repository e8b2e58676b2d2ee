package wrong_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/spec/wrong"
)

const rules = `
properties:
  spec:
    type: object
    required: [size]
    properties:
      size: {type: integer, minimum: 1, maximum: 3}
      port: {type: integer}
      image: {type: string}
      mode: {type: string, enum: [a, b]}
      tls:
        type: object
        properties:
          secret: {type: string, minLength: 1}
          deep: {type: object, properties: {deeper: {type: boolean}}}
`

func values(t *testing.T, rules, custom string, most int) []string {
	t.Helper()
	var schema apiextensions.JSONSchemaProps
	var object map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(rules), &schema))
	require.NoError(t, yaml.Unmarshal([]byte(custom), &object))
	var texts []string
	for _, value := range wrong.Values(&schema, object, most) {
		texts = append(texts, value.String())
	}
	return texts
}

func TestEachFieldHasOneValueBeforeAnyHasASecond(t *testing.T) {
	assert.Equal(t, []string{
		`spec.image: "no such value!" (it has characters of no name)`,
		`spec.port: -1 (it is below zero)`,
		`spec.tls.secret: "no such value!" (it has characters of no name)`,
		`spec.image: "" (it is empty)`,
		`spec.size: 0 (it is below the minimum)`,
		`spec.image: 1 (it is no text)`,
		`spec.mode: "no-such-value" (it is none of the enumeration)`,
		`spec.port: "three" (it is no number)`,
	}, values(t, rules, `{spec: {size: 1}}`, 4))
}

func TestValuesThatReachTheOperatorComeFirst(t *testing.T) {
	assert.Equal(t, []string{`spec.image: "no such value!" (it has characters of no name)`, `spec.size: 0 (it is below the minimum)`}, values(t, rules, `{spec: {size: 1}}`, 1))
}

func TestRequiredFieldIsAlsoRemoved(t *testing.T) {
	assert.Contains(t, values(t, rules, `{}`, 100), `spec.size: null (it is required)`)
}

func TestDeepFieldsAreLeftOut(t *testing.T) {
	for _, text := range values(t, rules, `{}`, 100) {
		assert.NotContains(t, text, "deeper")
	}
}

func TestDefinitionWithoutFieldsHasNoValues(t *testing.T) {
	assert.Empty(t, values(t, `{properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`, `{}`, 10))
	assert.Empty(t, values(t, `{}`, `{}`, 10))
}

func FuzzValues(f *testing.F) {
	f.Add(rules, `{spec: {size: 1}}`)
	f.Fuzz(func(t *testing.T, rules, custom string) {
		var schema apiextensions.JSONSchemaProps
		var object map[string]any
		if yaml.Unmarshal([]byte(rules), &schema) != nil || yaml.Unmarshal([]byte(custom), &object) != nil {
			return
		}
		list := wrong.Values(&schema, object, 20)
		if len(list) > 40 {
			t.Fatalf("%d values, asked for 20 of each kind", len(list))
		}
		for _, value := range list {
			if value.Path[0] != "spec" {
				t.Fatalf("%v is not below spec", value.Path)
			}
		}
	})
}
