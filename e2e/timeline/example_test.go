package timeline_test

import (
	"fmt"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

// A splitter takes a recording's entries in their order and hands out the
// timeline of each sample as it ends.
func ExampleSplitter() {
	splitter := timeline.NewSplitter()
	for entry, err := range record.ReadFile("../report/testdata/hand-made/recording.jsonl") {
		if err != nil {
			fmt.Println(err)
			return
		}
		sample, err := splitter.Add(entry)
		if err != nil {
			fmt.Println(err)
			return
		}
		if sample == nil {
			continue
		}
		if at, reached := sample.Reached("child written"); reached {
			fmt.Println("the first sample has its Deployment at", at)
			return
		}
	}
	// Output: the first sample has its Deployment at 102.9ms
}
