package run

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
)

func TestReadFairness(t *testing.T) {
	for text, want := range map[string]*record.Fairness{
		"PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n" +
			"exempt,            0,            false,  false,       0,               40,                900,                0,                0,                0\n" +
			"workload-low,      2,            false,  false,       12,              7,                 300,                3,                0,                0\n" +
			"catch-all,         <none>,       <none>, <none>,      <none>,          <none>\n" +
			"workload-high,     0,            true,   false,       1,               2,                 30,                 1,                0,                0\n": {Waiting: 13, Rejected: 4},
		"PriorityLevelName, ActiveQueues\nexempt, 0\n": nil,
		"<html>": nil, "": nil, "a\"b": nil,
	} {
		assert.Equal(t, want, parseFairness([]byte(text)), text)
	}
}
