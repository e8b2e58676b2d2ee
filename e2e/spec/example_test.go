package spec_test

import (
	"encoding/json"
	"fmt"

	"operatorbench/e2e/spec"
)

// What a style declares is a yes, or a no with its reason.
func ExampleDeclaration() {
	var declares spec.Declares
	text := `{"status": {"supported": false, "reason": "no step of it writes one"}, "ownerReferences": true, "driftRepair": true}`
	if err := json.Unmarshal([]byte(text), &declares); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(declares.OwnerReferences.Supported, declares.Status.Supported, declares.Status.Reason)
	// Output: true false no step of it writes one
}
