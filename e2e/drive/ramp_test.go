package drive_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

var steep = spec.Ramp{From: 8, Most: 100, Hold: 10 * time.Second, P99: 500 * time.Millisecond}

// operator writes Deployments, one after the other, each in such a time. It is stopped while somebody else has what is in the gate.
func (l *loaded) operator(t *testing.T, each time.Duration) {
	t.Helper()
	created, err := l.Client.Resource(resource).Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	queue := make(chan *unstructured.Unstructured, 10_000)
	go func() {
		defer close(queue)
		for {
			select {
			case e := <-created.ResultChan():
				if cr, is := e.Object.(*unstructured.Unstructured); is && e.Type == watch.Added {
					queue <- cr
				}
			case <-t.Context().Done():
				return
			}
		}
	}()
	go func() {
		for cr := range queue {
			if l.gate != nil {
				open := <-l.gate
				l.gate <- open
			}
			select {
			case <-time.After(each):
			case <-t.Context().Done():
				return
			}
			child, err := l.Workload.Child(cr)
			assert.NoError(t, err)
			_, err = l.Client.Resource(l.Workload.MainGVR()).Namespace(cr.GetNamespace()).Create(context.Background(), child, metav1.CreateOptions{})
			assert.NoError(t, err)
		}
	}()
}

// samplesAt are the samples of a step, by the recording so far.
func (l *loaded) samplesAt(t *testing.T, rate int) (samples []judge.Sample) {
	t.Helper()
	l.Recorder.CatchUp()
	j := l.judged(t)
	for s := range j.Samples() {
		if s.Rate == rate {
			samples = append(samples, s)
		}
	}
	return samples
}

// An operator that takes 40 ms for each custom resource holds 25 a second. What a step that was
// too much has left in its queue is not in the next one's time.
func TestARampFindsTheRateThatIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		l.operator(t, 40*time.Millisecond)
		var steps []string
		l.Holds = func(of spec.Ramp, rate int) bool {
			assert.Equal(t, steep, of)
			step := result.StepOf(of, rate, l.samplesAt(t, rate))
			steps = append(steps, step.Text())
			return step.Held()
		}
		scenario := scenarios.Scenario{
			Name: "ramp", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{}}},
			Load: &scenarios.Schedule{Namespaces: 2, Within: time.Second, Ramp: &steep},
		}
		var looks []int // how many steps were over at each
		style := drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor, Timeout: time.Minute}}, Look: func(context.Context) { looks = append(looks, len(steps)) }}
		require.NoError(t, l.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		assert.Equal(t, []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}, looks, "before and behind each step, that is before it is judged")
		assert.Equal(t, []string{
			"holds 8 changes a second; p99 41.0 ms",
			"holds 16 changes a second; p99 41.0 ms",
			"at 32 changes a second its queue grows; the p99 is >2.43 s; 46 of 320 lost",
			"holds 24 changes a second; p99 41.0 ms",
			"at 28 changes a second its queue grows; the p99 is >1.21 s; 6 of 280 lost",
		}, steps)
		rates := []int{}
		for _, s := range l.made {
			rest, _ := strings.CutPrefix(s, "services-abc123-floor-1-")
			var rate int
			if _, err := fmt.Sscanf(rest, "%d-01-ramp", &rate); err == nil && strings.HasSuffix(rest, "-ramp") {
				rates = append(rates, rate)
			}
		}
		assert.Equal(t, []int{8, 16, 32, 24, 28}, slices.Compact(rates))
		assert.ElementsMatch(t, l.made, l.removed, "what a step made is removed")
		left, err := l.Client.Resource(resource).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		assert.Empty(t, left.Items, "the custom resources first: the tests' namespaces take nothing with them")
		j := l.judged(t)
		for _, r := range j.Results {
			if held := r.Rate != 32 && r.Rate != 28; held {
				assert.Equal(t, record.Settled, r.End, "at %d a second: %s", r.Rate, r.Reason)
				assert.Less(t, r.Ended-r.Began, steep.Hold+200*time.Millisecond, "a step is over once all of it is written, whatever the status lacks")
			}
		}
		ramps := result.New(nil, j).Ramps()
		require.Len(t, ramps, 1)
		assert.Equal(t, "holds 24 changes a second; at 28 the machine gave out, not the style: its queue grows; the p99 is >1.21 s; 6 of 280 lost",
			ramps[0].Text(), "the recording alone says the same, of the floor, which has no operator")
		assert.Empty(t, ramps[0].Climbs[0].Differs)
	})
}

// The harness sends, records and judges the steepest ramp that may be asked for with no more work for each change than one
// of a tenth of the rate; how much it is, with the API of the tests in it, is printed.
func TestTheSteepestRampCostsAsMuchForEachChange(t *testing.T) {
	const most = 400
	each := func(rate int) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
			ramp := spec.Ramp{From: rate, Most: rate, Hold: 5 * time.Second, P99: 500 * time.Millisecond}
			before := processorTime(t)
			l.Holds = func(spec.Ramp, int) bool {
				took = (processorTime(t) - before) / time.Duration(ramp.Changes(rate))
				return true
			}
			scenario := scenarios.Scenario{
				Name: "ramp", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{}}},
				Load: &scenarios.Schedule{Namespaces: 8, Within: time.Second, Ramp: &ramp},
			}
			require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		})
		return took
	}
	gentle, steep := each(most/10), each(most)
	t.Logf("%v for each change at %d a second, %v at %d: %.0f%% of a core", gentle, most/10, steep, most, 100*most*steep.Seconds())
	assert.Less(t, steep, 3*gentle)
}
