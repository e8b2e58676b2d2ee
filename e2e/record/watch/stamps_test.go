package watch_test

import (
	"io"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
)

// A slow judge delays no timestamp. The clock is a fake one, on which nothing
// takes any time but what waits: every event is stamped at the time at which it is sent.
func TestASlowJudgeDelaysNoTimestamp(t *testing.T) {
	for _, judging := range []time.Duration{0, 50 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			late, heard := lateness(t, 400, judging)
			assert.Zero(t, late, "of a judge that takes %v an event", judging)
			assert.Equal(t, 400, heard, "all are judged in the end")
		})
	}
}

// lateness sends so many events, 200 a second, to a watch that is recorded and
// judged. It returns by how much a stamp was late at most, and how many events
// were judged.
func lateness(t *testing.T, events int, judging time.Duration) (late time.Duration, heard int) {
	t.Helper()
	const every = time.Second / 200
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	sent := make([]time.Duration, events)
	follower := recorder.Follow(func(e record.Entry) error {
		n, err := strconv.Atoi(e.Watch.Name)
		late, heard = max(late, e.Time-sent[n]), heard+1
		<-time.After(judging)
		return err
	})
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{pods: "PodList"})
	source := apiwatch.NewFakeWithChanSize(events, false)
	client.PrependWatchReactor("pods", clienttesting.DefaultWatchReactor(source, nil))
	watches, err := watch.Open(t.Context(), client, recorder, nil, watch.Target{Resource: pods, Namespace: "n"})
	require.NoError(t, err)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := range events {
		<-tick.C
		pod := &unstructured.Unstructured{}
		pod.SetName(strconv.Itoa(n))
		sent[n] = recorder.Now()
		source.Add(pod)
	}
	<-tick.C // the last is delivered
	watches.Stop()
	follower.Stop()
	return late, heard
}
