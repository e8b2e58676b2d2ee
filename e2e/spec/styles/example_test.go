package styles_test

import (
	"fmt"

	"operatorbench/e2e/spec/styles"
)

// Styles are loaded by the names of their folders.
func ExampleFind() {
	found, err := styles.Find("../../../operators", "floor", "native")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, operator := range found {
		fmt.Println(operator.Name, len(operator.Stages))
	}
	_, err = styles.Find("../../../operators", "natvie")
	fmt.Println(err != nil)
	// Output:
	// floor 0
	// native 1
	// true
}
