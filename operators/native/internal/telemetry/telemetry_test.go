package telemetry

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
)

func get(t *testing.T, handler http.Handler, path string) (int, string) {
	t.Helper()
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return response.Code, response.Body.String()
}

func TestProbes(t *testing.T) {
	ready := false
	handler := NewServer(http.NotFoundHandler(), func() bool { return ready }).Handler
	code, _ := get(t, handler, "/healthz")
	assert.Equal(t, http.StatusOK, code, "alive before it is ready")
	code, body := get(t, handler, "/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, code)
	assert.Contains(t, body, "not synced")
	ready = true
	code, _ = get(t, handler, "/readyz")
	assert.Equal(t, http.StatusOK, code)
}

type answer int

func (a answer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Body: http.NoBody}, nil
}

func TestMetricsTellWhatHappened(t *testing.T) {
	m, err := NewMetrics()
	require.NoError(t, err)
	m.Reconciled("done", 3*time.Millisecond)
	m.Reconciled("done", 5*time.Millisecond)
	m.Reconciled("error", time.Second)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, "/", nil)
	response, err := m.CountRequests(answer(http.StatusConflict)).RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	queue := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: "memcached", MetricsProvider: m})
	defer queue.ShutDown()
	queue.Add("a")
	queue.Add("b")
	queue.Add("b")
	queue.Get()

	limiter := m.HeldBack(flowcontrol.NewTokenBucketRateLimiter(50, 1))
	for range 3 { // the second and the third are held back for 20 ms each
		require.NoError(t, limiter.Wait(t.Context()))
	}

	_, body := get(t, NewServer(m.Handler(), nil).Handler, "/metrics")
	for _, line := range []string{
		`memcached_operator_reconciles_total{outcome="done"} 2`,
		`memcached_operator_reconciles_total{outcome="error"} 1`,
		`memcached_operator_reconcile_duration_seconds_count 3`,
		`memcached_operator_reconcile_duration_seconds_bucket{le="0.004"} 1`,
		`memcached_operator_api_requests_total{code="409",method="patch"} 1`,
		`workqueue_adds_total{name="memcached"} 2`,
		`workqueue_depth{name="memcached"} 1`,
		`workqueue_queue_duration_seconds_count{name="memcached"} 1`,
		`rest_client_rate_limiter_duration_seconds_count 3`,
		`rest_client_rate_limiter_duration_seconds_bucket{le="0.004"} 1`,
		`process_resident_memory_bytes `,
		`go_goroutines `,
	} {
		assert.Contains(t, body, line)
	}
}
