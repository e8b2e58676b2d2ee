package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// turns makes an operator write its condition as edit has changed it; was is the one before, nil if there is none.
func turns(o *operator, edit func(was, now map[string]any)) {
	says(o, func(cr *object, status map[string]any) {
		before, _, _ := unstructured.NestedMap(cr.Object, "status")
		now, _ := status["conditions"].([]any)[0].(map[string]any)
		edit(condition(before), now)
	})
}

// conditionMoves gives its condition the time of each change of the status.
func conditionMoves(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		before, _, _ := unstructured.NestedMap(cr.Object, "status")
		now, _ := status["conditions"].([]any)[0].(map[string]any)
		running := fmt.Sprint(before["nodes"]) != fmt.Sprint(status["nodes"])
		if running || before["replicas"] != status["replicas"] || before["observedGeneration"] != status["observedGeneration"] {
			now["lastTransitionTime"] = time.Now().UTC().Format(time.RFC3339Nano)
		}
	})
}

// conditionStands keeps the time of the first turn of its condition.
func conditionStands(o *operator) {
	turns(o, func(was, now map[string]any) {
		if at, found := was["lastTransitionTime"]; found {
			now["lastTransitionTime"] = at
		}
	})
}

// reasonOfWords writes a sentence where a program reads a word.
func reasonOfWords(o *operator) {
	turns(o, func(_, now map[string]any) { now["reason"] = "not yet ready, see message" })
}
