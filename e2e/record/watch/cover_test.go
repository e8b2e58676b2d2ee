package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
)

// shared is a cluster that other people use too: its watch of all pods delivers what
// a test sends it.
type shared struct {
	client    dynamic.Interface
	recorder  *record.Recorder
	heard     chan record.Entry
	events    chan string // "" ends the watch
	forbidden bool        // to list namespaces
	refuses   bool        // any further watch

	mu      sync.Mutex
	watches []string // what was asked for: path and field selector
	listed  string   // pods
	version string   // of the cluster
}

func newShared(t *testing.T) *shared {
	t.Helper()
	s := &shared{heard: make(chan record.Entry, 10_000), events: make(chan string), version: "10"}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	var err error
	s.client, err = dynamic.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	s.recorder, err = record.NewRecorder(&bytes.Buffer{}, record.Header{})
	require.NoError(t, err)
	t.Cleanup(s.recorder.Listen(func(e record.Entry) { s.heard <- e }))
	return s
}

func (s *shared) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/namespaces") && s.forbidden:
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`))
	case strings.HasSuffix(r.URL.Path, "/namespaces"):
		_, _ = w.Write([]byte(`{"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[` +
			`{"metadata":{"name":"style"}},{"metadata":{"name":"theirs"}},{"metadata":{"name":"kube-system"}}]}`))
	case r.URL.Query().Get("watch") == "":
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"` + s.version + `"},"items":[` + s.listed + `]}`))
	default:
		s.mu.Lock()
		s.watches = append(s.watches, r.URL.Path+" "+r.URL.Query().Get("fieldSelector"))
		refused := s.refuses && len(s.watches) > 1
		s.mu.Unlock()
		if refused {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.(http.Flusher).Flush()
		for {
			select {
			case text := <-s.events:
				if text == "" {
					return
				}
				_, _ = w.Write([]byte(text + "\n"))
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
}

func in(namespace, name, version string) string {
	return strings.Replace(strings.Replace(pod(name, version), `"namespace":"n"`, `"namespace":"`+namespace+`"`, 1), name+"-uid", namespace+"-"+name, 1)
}

// next are the watch events and gaps that were recorded, up to so many.
func (s *shared) next(t *testing.T, n int) (list []string) {
	t.Helper()
	for len(list) < n {
		select {
		case e := <-s.heard:
			switch {
			case e.Watch != nil:
				list = append(list, fmt.Sprintf("%s %s/%s", e.Watch.Event, e.Watch.Namespace, e.Watch.Name))
			case e.Gap != nil:
				list = append(list, fmt.Sprintf("gap %s %q", e.Gap.Resource, e.Gap.Namespace))
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("only %d of %d came: %v", len(list), n, list)
		}
	}
	return list
}

var everywhere = []schema.GroupVersionResource{pods}

// One watch serves the style's namespace and those of all samples, each from when it
// is covered until it is not; nothing of anybody else is recorded.
func TestOneWatchServesAllNamespaces(t *testing.T) {
	s := newShared(t)
	s.listed = in("style", "operator", "8") + "," + in("theirs", "a", "9")
	watches, err := watch.Open(t.Context(), s.client, s.recorder, everywhere, watch.Target{Resource: pods, Namespace: "style"})
	require.NoError(t, err)
	defer watches.Stop()
	uncover, err := watches.Cover(t.Context(), 0, "one", "two")
	require.NoError(t, err)
	for _, e := range []string{
		event("ADDED", in("one", "a", "11")), event("ADDED", in("theirs", "b", "12")), event("ADDED", in("two", "a", "13")),
		event("ADDED", in("three", "a", "14")), event("MODIFIED", in("style", "operator", "15")),
	} {
		s.events <- e
	}
	assert.Equal(t, []string{"LISTED style/operator", "ADDED one/a", "ADDED two/a", "MODIFIED style/operator"}, s.next(t, 4))
	uncover()
	_, err = watches.Cover(t.Context(), 0, "three")
	require.NoError(t, err)
	s.events <- event("MODIFIED", in("one", "a", "16"))
	s.events <- event("MODIFIED", in("three", "a", "17"))
	assert.Equal(t, []string{"MODIFIED three/a"}, s.next(t, 1))
	assert.Equal(t, []string{"/api/v1/pods metadata.namespace!=theirs,metadata.namespace!=kube-system"}, s.watches, "what other people have is not even sent")
	_, err = watches.Cover(t.Context(), 0, "theirs")
	require.ErrorContains(t, err, "theirs is there already")
}

// A watch of all namespaces that breaks is one gap of all. What went meanwhile is
// known, and a namespace is covered when it is heard of again.
func TestAGapOfAWatchOfAllNamespaces(t *testing.T) {
	s := newShared(t)
	watches, err := watch.Open(t.Context(), s.client, s.recorder, everywhere)
	require.NoError(t, err)
	defer watches.Stop()
	_, err = watches.Cover(t.Context(), 0, "one")
	require.NoError(t, err)
	s.events <- event("ADDED", in("one", "a", "11"))
	s.events <- event("ADDED", in("one", "b", "12"))
	assert.Equal(t, []string{"ADDED one/a", "ADDED one/b"}, s.next(t, 2))
	s.mu.Lock()
	s.listed = in("one", "b", "12") + "," + in("other", "c", "13")
	s.mu.Unlock()
	s.events <- event("ERROR", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`)
	assert.Equal(t, []string{"DELETED one/a", "LISTED one/b", `gap pods.v1 ""`}, s.next(t, 3))
	_, err = watches.Cover(t.Context(), 0, "two")
	require.NoError(t, err)
	s.events <- event("ADDED", in("two", "a", "14"))
	assert.Equal(t, []string{"ADDED two/a"}, s.next(t, 1))
}

// A watch that the server closed, and that goes on from where it was, has missed
// nothing: only what happened meanwhile comes late. Who bears that has no gap.
func TestOnlyWhatIsLateHasAGap(t *testing.T) {
	s := newShared(t)
	watches, err := watch.Open(t.Context(), s.client, s.recorder, everywhere)
	require.NoError(t, err)
	defer watches.Stop()
	_, err = watches.Cover(t.Context(), 0, "late", "prompt")
	require.NoError(t, err)
	_, err = watches.Cover(t.Context(), time.Hour, "patient")
	require.NoError(t, err)
	s.events <- event("ADDED", in("late", "a", "11"))
	assert.Equal(t, []string{"ADDED late/a"}, s.next(t, 1))
	s.mu.Lock()
	s.version = "14"
	s.mu.Unlock()
	s.events <- "" // it is closed
	for _, e := range []string{
		event("MODIFIED", in("late", "a", "12")), event("MODIFIED", in("late", "a", "13")), event("ADDED", in("patient", "a", "14")),
		event("ADDED", in("prompt", "a", "15")), event("MODIFIED", in("late", "a", "16")),
	} {
		s.events <- e
	}
	assert.Equal(t, []string{
		`gap pods.v1 "late"`, "MODIFIED late/a", "MODIFIED late/a", "ADDED patient/a", "ADDED prompt/a", "MODIFIED late/a",
	}, s.next(t, 6))
}

// Who may not list namespaces is sent what other people have, and drops it.
func TestOtherPeoplesObjectsAreDroppedWhereNamespacesMayNotBeListed(t *testing.T) {
	s := newShared(t)
	s.forbidden = true
	watches, err := watch.Open(t.Context(), s.client, s.recorder, everywhere)
	require.NoError(t, err)
	defer watches.Stop()
	_, err = watches.Cover(t.Context(), 0, "one")
	require.NoError(t, err)
	const foreign = 10_000
	for i := range foreign {
		s.events <- event("ADDED", in("theirs", fmt.Sprint("p", i), fmt.Sprint(11+i)))
	}
	s.events <- event("ADDED", in("one", "a", "20000"))
	assert.Equal(t, []string{"ADDED one/a"}, s.next(t, 1))
	assert.Equal(t, []string{"/api/v1/pods "}, s.watches)
}

// What was delivered before is recorded, and nothing after.
func TestStopRecordsWhatWasDelivered(t *testing.T) {
	s := newShared(t)
	watches, err := watch.Open(t.Context(), s.client, s.recorder, everywhere)
	require.NoError(t, err)
	_, err = watches.Cover(t.Context(), 0, "one")
	require.NoError(t, err)
	s.events <- event("ADDED", in("one", "a", "11"))
	assert.Equal(t, []string{"ADDED one/a"}, s.next(t, 1))
	watches.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = watch.Open(ctx, s.client, s.recorder, everywhere)
	require.Error(t, err)
}

// A watch that is broken when the recording stops leaves a gap: what came meanwhile is not known.
func TestAWatchThatIsBrokenAtTheEndLeavesAGap(t *testing.T) {
	s := newShared(t)
	s.refuses = true
	watches, err := watch.Open(t.Context(), s.client, s.recorder, everywhere)
	require.NoError(t, err)
	_, err = watches.Cover(t.Context(), 0, "one")
	require.NoError(t, err)
	s.events <- ""
	assert.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.watches) > 1
	}, 10*time.Second, time.Millisecond)
	watches.Stop()
	assert.Equal(t, []string{`gap pods.v1 ""`}, s.next(t, 1))
}
