package scenarios_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/scenarios"
)

// The digest of a scenario is of what it does and expects: not of its words, nor of how they are laid out.
func TestDigest(t *testing.T) {
	of := func(text string) string {
		s, err := scenarios.Parse("x.yaml", []byte("name: x\ngroup: basic\n"+text), []string{"converged"})
		require.NoError(t, err)
		assert.Len(t, s.Digest, 12)
		return s.Digest
	}
	one := of("description: d\nstandsFor: s\nsteps:\n  - create: {size: 1}\nexpect: [converged]\n")
	assert.Equal(t, one, of("description: Otherwise.\nstandsFor: t\nexpect:\n  - converged\nsteps: [{create: {size: 1}}] # once\n"))
	assert.NotEqual(t, one, of("description: d\nstandsFor: s\nsteps:\n  - create: {size: 2}\nexpect: [converged]\n"))
}

// A scenario is one file; a mistake is told of with its line and the word that
// was probably meant.
func ExampleParse() {
	text := `name: grow
group: basic
description: A custom resource grows from one pod to three.
standsFor: Anyone who scales up.
steps:
  - create: {size: 1}
  - patch: {size: 3}
expect: [converged]
`
	scenario, err := scenarios.Parse("grow.yaml", []byte(text), []string{"converged"})
	fmt.Println(scenario.Name, len(scenario.Steps), scenario.Result().Size, err)
	_, err = scenarios.Parse("grow.yaml", []byte(text[:len(text)-len("expect: [converged]\n")]+"expect: [convergd]\n"), []string{"converged"})
	fmt.Println(err)
	// Output:
	// grow 2 3 <nil>
	// grow.yaml:8: unknown oracle "convergd", expected one of converged; did you mean "converged"?
}
