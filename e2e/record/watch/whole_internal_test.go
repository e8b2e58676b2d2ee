package watch

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
)

// A watch that the API server does not open again is waited for, but not for ever.
func TestABrokenWatchIsNotWaitedForForEver(t *testing.T) {
	var watches atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Query().Get("watch") == "":
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[]}`))
		case watches.Add(1) > 1:
			http.Error(w, "not ready", http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	recorder, err := record.NewRecorder(&bytes.Buffer{}, record.Header{})
	require.NoError(t, err)
	w, err := Open(t.Context(), client, recorder, []schema.GroupVersionResource{{Version: "v1", Resource: "pods"}})
	require.NoError(t, err)
	t.Cleanup(w.Stop)
	w.patience = 500 * time.Millisecond
	require.Eventually(t, func() bool { return watches.Load() > 2 }, 10*time.Second, 10*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = w.Cover(ctx, 0, "services")
	require.ErrorContains(t, err, "wait until pods.v1 in all namespaces")
	require.ErrorContains(t, err, "the API server has not opened the watch for 500ms; its last answer: ")
	require.ErrorContains(t, err, "currently unable to handle the request")
}
