package operators_test

import (
	"fmt"

	"operatorbench/e2e/spec/operators"
)

// Styles are loaded by the names of their folders.
func ExampleFind() {
	found, err := operators.Find("../../../operators", "floor", "native")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, operator := range found {
		fmt.Println(operator.Style().Name, len(operator.Style().Stages))
	}
	_, err = operators.Find("../../../operators", "natvie")
	fmt.Println(err != nil)
	// Output:
	// floor 0
	// native 1
	// true
}
