package drive_test

import (
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// cost is what a load took of the harness, the API's fake included.
type cost struct {
	watches  int           // that were opened
	events   int           // watch events that were recorded
	cpu      time.Duration // of this process
	heap     uint64        // bytes, while all samples were open
	routines int           // at the same time
}

func (c cost) String() string {
	return fmt.Sprintf("%d watches, %d events, %v of CPU (%v an event), %.1f MiB, %d goroutines",
		c.watches, c.events, c.cpu.Round(time.Millisecond), (c.cpu / time.Duration(c.events)).Round(time.Microsecond), float64(c.heap)/(1<<20), c.routines)
}

// loadRun drives so many custom resources, and each is created and changed nine
// times, by a clock of its own: waiting costs nothing.
func loadRun(t *testing.T, resources int) (c cost) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &loaded{stage: newStage(t)}
		header := record.Header{Schema: record.Schema, Run: "abc123", Styles: []record.Style{named}}
		recorder, err := record.NewRecorder(io.Discard, header)
		require.NoError(t, err)
		live, err := judge.NewLive(recorder)
		require.NoError(t, err)
		defer live.Stop()
		l.Recorder, l.Judge = recorder, live
		l.Window, l.Matrix.Window = time.Second, 3*time.Second
		defer recorder.Listen(func(e record.Entry) {
			if e.Watch != nil {
				c.events++
			}
		})()
		var watches atomic.Int64
		l.Client.(*dynamicfake.FakeDynamicClient).PrependWatchReactor("*", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
			watches.Add(1)
			return false, nil, nil
		})
		scenario := scenarios.Scenario{
			Name: "rapid", Group: spec.GroupLoad, Expect: []string{"stays-converged"},
			Load:  &scenarios.Schedule{Resources: resources, Every: 5 * time.Millisecond, Pace: 500 * time.Millisecond, Within: 10 * time.Minute},
			Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}},
		}
		for i := range 9 {
			scenario.Steps = append(scenario.Steps, scenarios.Step{Patch: &scenarios.Spec{Size: (8 - i) % 4}})
		}
		first := &atEnd{do: func() {
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			c.heap, c.routines = memory.HeapAlloc, runtime.NumGoroutine()
		}}
		l.Observer = first
		before := processorTime(t)
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		c.cpu, c.watches = processorTime(t)-before, int(watches.Load())
		assert.Equal(t, resources, first.settled)
	})
	return c
}

// atEnd does something when the first sample ends.
type atEnd struct {
	do      func()
	settled int
}

func (*atEnd) Began(record.Sample) {}
func (*atEnd) Held(record.Held)    {}
func (a *atEnd) Ended(_ record.Sample, end record.End) {
	if a.do != nil {
		a.do()
		a.do = nil
	}
	if end.Outcome == record.Settled {
		a.settled++
	}
}

// processorTime is what this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Ten times as many custom resources take as many watches, and an event of them no
// more time.
func TestTheCostOfRecordingManyCustomResources(t *testing.T) {
	few, many := loadRun(t, 100), loadRun(t, 1000)
	t.Log(" 100 custom resources:", few)
	t.Log("1000 custom resources:", many)
	assert.Equal(t, 5, many.watches)
	assert.Equal(t, few.watches, many.watches)
	assert.Equal(t, few.routines, many.routines)
	assert.Equal(t, 20*100, few.events)
	assert.Equal(t, 20*1000, many.events)
	assert.Less(t, many.cpu, 3*10*few.cpu)
}
