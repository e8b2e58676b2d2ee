package usage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a process keeps is read of any exporter's metrics, and nothing else.
func TestWhatIsKeptIsRead(t *testing.T) {
	for text, want := range map[string]map[string]float64{
		"# TYPE go_goroutines gauge\ngo_goroutines 41\n# TYPE process_open_fds gauge\nprocess_open_fds 12\n# TYPE go_memstats_heap_objects gauge\ngo_memstats_heap_objects 1e5\n": {"go_goroutines": 41, "process_open_fds": 12},
		"jvm_threads_live_threads 31.0\n": {"jvm_threads_live_threads": 31},
		"go_goroutines NaN\n":             {},
		"go_goroutines 1e300\n":           {},
		"":                                {},
	} {
		got, err := parseKept([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
	_, err := parseKept([]byte("<html>"))
	require.ErrorContains(t, err, "not in Prometheus' format")
}
