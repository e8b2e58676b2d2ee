package drive_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// unrest is a stage on which the custom resource's status is written all the time.
type unrest struct {
	*stage
	t      *testing.T
	writes int
	reason string
}

func (u *unrest) LastEvent(namespace string) time.Duration {
	u.writes++
	object := fmt.Sprintf(`{"metadata":{"resourceVersion":"%d"},"spec":{"size":1},"status":{"looked":"at %d","nodes":["a"]}}`, u.writes, u.writes)
	assert.NoError(u.t, u.Recorder.Record(record.Entry{Time: u.Recorder.Now(), Kind: record.KindWatch, Watch: &record.Watch{
		Event: "MODIFIED", Resource: "memcacheds.v1alpha1.cache.example.com", Namespace: namespace, Name: "memcached", UID: "u", Object: json.RawMessage(object),
	}}))
	return u.Recorder.Now()
}

func (u *unrest) Ended(sample record.Sample, end record.End) {
	u.reason = end.Reason
	u.stage.Ended(sample, end)
}

// An operator that writes without end is given up after the style's timeout, long
// before the time that a reconcile may take, and what it writes is told. Nobody
// nudges it: nothing is lacking.
func TestASampleThatNeverStandsStillSaysWhatMoves(t *testing.T) {
	s, _, style := newMatrixStage(t)
	u := &unrest{stage: s, t: t}
	s.Judge, s.Observer = u, u
	s.Matrix.Window, style.Timeout = 10*time.Millisecond, 50*time.Millisecond
	began := time.Now()
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{stop("one", true)}}))
	assert.Less(t, time.Since(began), time.Minute, "not the bound of two minutes")
	assert.Equal(t, []string{"one timeout"}, s.ends)
	assert.Regexp(t, `^it never stood still for 10ms; what moved last, \S+ ago: `+resource.Resource+`/memcached: status.looked from "at \d+" to "at \d+" \(it moved \d+ times\)$`, u.reason)
	for _, entry := range s.entries(t) {
		assert.NotContains(t, entry, "measured=false", "a nudge")
	}
}
