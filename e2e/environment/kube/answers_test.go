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
