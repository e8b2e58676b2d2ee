package record_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
)

func TestWhatAMachineDidSince(t *testing.T) {
	then, now := &record.Machine{Idle: 850, All: 1000}, &record.Machine{Idle: 860, Stolen: 20, All: 1100}
	busy, stolen := now.Since(then)
	assert.InDelta(t, 0.9, busy, 1e-9)
	assert.InDelta(t, 0.2, stolen, 1e-9)
	for what, known := range map[string][2]*record.Machine{
		"a clock that goes back": {then, now}, "not known then": {now, nil}, "not known now": {nil, then}, "nothing was read then": {now, {}},
	} {
		busy, stolen := known[0].Since(known[1])
		assert.Zero(t, busy+stolen, what)
	}
}
