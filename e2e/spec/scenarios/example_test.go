package scenarios_test

import (
	"fmt"

	"operatorbench/e2e/spec/scenarios"
)

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
