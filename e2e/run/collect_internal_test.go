package run

import (
	"bytes"
	"context"
	"testing"
	"time"

	"operatorbench/e2e/terminal"

	"github.com/stretchr/testify/assert"
)

// Nothing is collected any more once that has taken its time in the run; what is
// said then names the style.
func TestCollectingLogsIsBounded(t *testing.T) {
	var out bytes.Buffer
	s := newSession(Options{}, "", time.Time{}, &out)
	s.progress, s.collecting = terminal.NewProgress(&out), logsWithin
	s.collect(t.Context(), &participant{})
	assert.Equal(t, "logs of floor are not collected: collecting other logs has already taken 30s in this run, which is the limit; run this style alone to get them\n", out.String())

	out.Reset()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	s.collect(stopped, &participant{})
	assert.Empty(t, out.String(), "that a person stopped the run is no failure")
}

// However many samples go wrong, the objects and logs of a few are collected.
func TestAFewSamplesAreTelling(t *testing.T) {
	p := &participant{}
	assert.False(t, p.bad())
	for _, namespace := range []string{"one", "two", "three", "four"} {
		p.blame(namespace)
	}
	assert.True(t, p.bad())
	assert.Equal(t, []string{"one", "two", "three"}, p.telling())
}
