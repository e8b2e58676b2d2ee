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

// BenchmarkStamps measures by how much the stamps of 200 events a second differ
// from the times at which they are sent, with a judge that takes no time and with
// one that takes 50 ms an event.
func BenchmarkStamps(b *testing.B) {
	for _, judging := range []time.Duration{0, 50 * time.Millisecond} {
		b.Run("judging="+judging.String(), func(b *testing.B) {
			var late time.Duration
			for b.Loop() {
				one, _ := lateness(b, 100, judging)
				late = max(late, one)
			}
			b.ReportMetric(float64(late.Microseconds()), "max-late-µs")
		})
	}
}

// lateness sends so many events, 200 a second, to a watch that is recorded and
// judged. It returns by how much a stamp was late at most, and how many events
// were judged.
func lateness(tb testing.TB, events int, judging time.Duration) (late time.Duration, heard int) {
	tb.Helper()
	const every = time.Second / 200
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(tb, err)
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
	watches, err := watch.Open(tb.Context(), client, recorder, nil, watch.Target{Resource: pods, Namespace: "n"})
	require.NoError(tb, err)
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
