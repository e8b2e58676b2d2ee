package result_test

import (
	"fmt"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
)

// Recordings add up to cells: one style in one scenario, over all of its samples.
// A latency stands beside the floor of its own run.
func ExampleNew() {
	judgement, err := judge.File("../report/testdata/hand-made/recording.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cell := range result.New(nil, judgement).Cells {
		if cell.Scenario != "create" {
			continue
		}
		written, _ := cell.Outcome()
		fmt.Printf("%s: %s, n=%d, × floor %q\n", cell.Style.Name, cell.VerdictText(), written.N, cell.BesideFloor(written))
	}
	// Output:
	// floor: pass 3/3, n=3, × floor ""
	// native: pass 3/3, n=2, × floor "4.42"
	// argo: flaky 1/3, n=2, × floor "32789"
}
