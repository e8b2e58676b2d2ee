package usage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a process keeps is read of any exporter's metrics, and nothing else.
func TestWhatIsKeptIsRead(t *testing.T) {
	for text, want := range map[string]map[string]float64{
		"# TYPE go_goroutines gauge\ngo_goroutines 41\n# TYPE go_memstats_heap_objects gauge\ngo_memstats_heap_objects 1e5\n": {"go_goroutines": 41},
		"go_goroutines 31.0\n":  {"go_goroutines": 31}, // of no type
		"go_goroutines NaN\n":   {},
		"go_goroutines 1e300\n": {},
		"":                      {},
	} {
		got, _, err := parseOwn([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
	_, _, err := parseOwn([]byte("<html>"))
	require.ErrorContains(t, err, "not in Prometheus' format")
}

// What a program has done is counted over all of its queues; buckets and what no queue counts are left out.
func TestWhatWasDoneIsRead(t *testing.T) {
	_, done, err := parseOwn([]byte(`# TYPE workqueue_work_duration_seconds histogram
workqueue_work_duration_seconds_bucket{name="a",le="+Inf"} 7
workqueue_work_duration_seconds_sum{name="a"} 0.5
workqueue_work_duration_seconds_count{name="a"} 7
workqueue_work_duration_seconds_bucket{name="b",le="+Inf"} 2
workqueue_work_duration_seconds_sum{name="b"} 0.1
workqueue_work_duration_seconds_count{name="b"} 2
# TYPE workqueue_retries_total counter
workqueue_retries_total{name="a"} 0
# TYPE workqueue_adds_total counter
workqueue_adds_total{name="a"} 12
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"workqueue_work_duration_seconds": 9, "workqueue_retries_total": 0}, done)
	_, done, err = parseOwn([]byte("# TYPE shell_operator_hook_run_seconds histogram\nshell_operator_hook_run_seconds_count 4\n"))
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"shell_operator_hook_run_seconds": 4}, done)
}

// For how long a client held its requests back is read in seconds, over all kinds of requests; what it took them to be
// answered is something else.
func TestWhatWasHeldBackIsRead(t *testing.T) {
	_, done, err := parseOwn([]byte(`# TYPE rest_client_rate_limiter_duration_seconds histogram
rest_client_rate_limiter_duration_seconds_bucket{host="a",verb="GET",le="+Inf"} 7
rest_client_rate_limiter_duration_seconds_sum{host="a",verb="GET"} 1.25
rest_client_rate_limiter_duration_seconds_count{host="a",verb="GET"} 7
rest_client_rate_limiter_duration_seconds_bucket{host="a",verb="PATCH",le="+Inf"} 2
rest_client_rate_limiter_duration_seconds_sum{host="a",verb="PATCH"} 3
rest_client_rate_limiter_duration_seconds_count{host="a",verb="PATCH"} 2
# TYPE rest_client_request_duration_seconds histogram
rest_client_request_duration_seconds_sum{host="a",verb="GET"} 12
rest_client_request_duration_seconds_count{host="a",verb="GET"} 7
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"rest_client_rate_limiter_duration_seconds": 4.25}, done)
}
