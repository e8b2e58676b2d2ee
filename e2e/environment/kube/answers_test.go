package kube_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/environment/kube"
)

// A request that the server puts off is sent again, and that is counted.
func TestWhatAnAPIServerPutsOffIsCounted(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= 2 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"gitVersion":"v1.35.0"}`))
	}))
	t.Cleanup(server.Close)
	client, err := kube.New(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	_, err = client.Typed.Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 3}, []int64{client.PutOff(), asked.Load()})
}

// A run on a cluster that has died must not wait for as long as its job may take.
func TestWhatAnAPIServerDoesNotAnswerEnds(t *testing.T) {
	for name, test := range map[string]struct {
		dead func(w http.ResponseWriter, r *http.Request)
		last string
	}{
		"unavailable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, "currently unable to handle the request"},
		"silent":      {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "nothing within 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			var died atomic.Bool
			asked := make(chan struct{}, 1000)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				if died.Load() {
					test.dead(w, r)
					return
				}
				w.WriteHeader(http.StatusForbidden) // is an answer
			}))
			t.Cleanup(server.Close)
			client, err := kube.New(&rest.Config{Host: server.URL})
			require.NoError(t, err)
			ctx, stop := client.WhileAnswering(t.Context(), 200*time.Millisecond)
			t.Cleanup(stop)
			for range 6 { // for longer than the silence
				<-asked
			}
			require.NoError(t, ctx.Err())
			died.Store(true)
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Second):
				t.Fatal("it goes on")
			}
			require.ErrorContains(t, context.Cause(ctx), "the API server has not answered since ")
			assert.ErrorContains(t, context.Cause(ctx), "; its last answer: ")
			assert.ErrorContains(t, context.Cause(ctx), test.last)
		})
	}
}

// A kubelet ends the stream of a container that runs on where its machine has no inotify instance left.
func TestALogWhoseStreamEndsIsFollowedAgain(t *testing.T) {
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n","uid":"u","resourceVersion":"1"},
		"status":{"containerStatuses":[{"name":"main","state":{"running":{}}}]}}`
	end := `{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}`
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/namespaces/n/pods/p/log" {
			_, _ = w.Write([]byte("begins\n"))
			if asked.Add(1) > 1 {
				_, _ = w.Write([]byte("listens\n"))
			}
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"type":"ADDED","object":` + pod + `}{"type":"BOOKMARK","object":` + end + `}`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	client, err := kube.New(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, client.WaitLog(ctx, "n", "app=p", "listens", 1))
	assert.EqualValues(t, 2, asked.Load())
}
