package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBusyShare(t *testing.T) {
	then, now := processor{idle: 850, all: 1000}, processor{idle: 860, all: 1100}
	assert.InDelta(t, 0.9, now.busySince(then), 1e-9)
	assert.Zero(t, then.busySince(now), "a clock that goes back says nothing")
	assert.Zero(t, now.busySince(processor{}), "not known")
	assert.Positive(t, readProcessor().all)
}
