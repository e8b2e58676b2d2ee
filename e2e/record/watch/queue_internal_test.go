package watch

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/record"
)

// While a disk stalled, events got the time at which there was room for them again, and
// nothing said so.
func TestAFullQueueIsAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		recorder, err := record.NewRecorder(&out, record.Header{})
		require.NoError(t, err)
		w := &watcher{Watches: &Watches{recorder: recorder}, resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, queue: make(chan func(), 2)}
		go func() {
			for range 3 {
				w.enqueue(func() {})
			}
			close(w.queue)
		}()
		const stall = time.Minute
		<-time.After(stall)
		for do := range w.queue {
			do()
		}
		var gaps []record.Entry
		for e, err := range record.Read(&out) {
			require.NoError(t, err)
			if e.Kind == record.KindGap {
				gaps = append(gaps, e)
			}
		}
		require.Len(t, gaps, 1, "the third had to wait")
		assert.Equal(t, "pods.v1", gaps[0].Gap.Resource)
		assert.Equal(t, stall, gaps[0].Time-gaps[0].Gap.From)
		assert.Contains(t, gaps[0].Gap.Reason, "2 events waited")
	})
}
