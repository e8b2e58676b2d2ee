package judge_test

import (
	"fmt"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec"
)

// A recording is judged from its file alone. Its results are samples with the
// verdicts of the oracles that their scenarios expect.
func ExampleFile() {
	judgement, err := judge.File("../report/testdata/hand-made/recording.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, result := range judgement.Results {
		if result.Style != "argo" || result.Outcome() == spec.Pass {
			continue
		}
		for _, verdict := range result.Verdicts {
			if verdict.Outcome == spec.Fail {
				fmt.Printf("%s %d: %s: %s\n", result.Scenario, result.Round, verdict.Oracle, verdict.Message)
			}
		}
	}
	// Output:
	// create 2: converged: expected 3 ready replicas within 3m0s; when the timeout came (+180.000 s) there is no Deployment memcached-deployment
	// delete 2: gone: the scenario's steps never began: the given state, a handled custom resource of size 3, was not reached
}
