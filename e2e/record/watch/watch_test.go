package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/workloads"
)

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// server speaks the part of the watch protocol that a test writes down: each
// connection of the watch gets the next script, then is closed.
func server(t *testing.T, scripts ...[]string) dynamic.Interface {
	t.Helper()
	var connection atomic.Int32
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[` + pod("old", "9") + `]}`))
			return
		}
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		n := int(connection.Add(1)) - 1
		if n >= len(scripts) {
			<-r.Context().Done()
			return
		}
		for _, line := range scripts[n] {
			_, _ = w.Write([]byte(line + "\n"))
		}
	}
	s := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(s.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: s.URL})
	require.NoError(t, err)
	return client
}

func pod(name, version string) string {
	raw, _ := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{
		"name": name, "namespace": "n", "uid": name + "-uid", "resourceVersion": version,
		"managedFields": []any{map[string]any{"manager": "x"}},
	}})
	return string(raw)
}

func event(kind, object string) string { return `{"type":"` + kind + `","object":` + object + `}` }

// collect opens a watch and returns the entries up to the n-th behind the header.
func collect(t *testing.T, client dynamic.Interface, n int) []record.Entry {
	t.Helper()
	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, record.Header{})
	require.NoError(t, err)
	heard := make(chan record.Entry, 100)
	defer recorder.Listen(func(e record.Entry) { heard <- e })()
	watches, err := watch.Open(context.Background(), client, recorder, nil, watch.Target{Resource: pods, Namespace: "n"})
	require.NoError(t, err)
	defer watches.Stop()
	var entries []record.Entry
	for len(entries) < n {
		select {
		case e := <-heard:
			entries = append(entries, e)
		case <-time.After(10 * time.Second):
			t.Fatalf("only %d of %d entries came: %+v", len(entries), n, entries)
		}
	}
	return entries
}

func TestEventsAreRecordedWithoutManagedFields(t *testing.T) {
	entries := collect(t, server(t, []string{event("ADDED", pod("new", "11")), event("BOOKMARK", pod("", "12")), event("DELETED", pod("new", "13"))}), 3)
	require.Equal(t, "LISTED", entries[0].Watch.Event)
	assert.Equal(t, "old", entries[0].Watch.Name)
	assert.NotContains(t, string(entries[0].Watch.Object), "managedFields")
	assert.Equal(t, "ADDED", entries[1].Watch.Event)
	assert.Equal(t, "new-uid", entries[1].Watch.UID)
	assert.Equal(t, "pods.v1", entries[1].Watch.Resource)
	assert.Equal(t, "DELETED", entries[2].Watch.Event)
	assert.LessOrEqual(t, entries[1].Time, entries[2].Time)
}

func TestAnInterruptedWatchLeavesAGapAndGoesOn(t *testing.T) {
	entries := collect(t, server(t, []string{event("ADDED", pod("a", "11"))}, []string{event("ADDED", pod("b", "12"))}), 4)
	assert.Equal(t, "a", entries[1].Watch.Name)
	require.Equal(t, record.KindGap, entries[2].Kind)
	assert.Equal(t, "pods.v1", entries[2].Gap.Resource)
	assert.Contains(t, entries[2].Gap.Reason, "closed")
	assert.Equal(t, "b", entries[3].Watch.Name)
}

// A server that restarts refuses connections, ends them without an answer, or
// is not ready, for some time: that is one gap, and the watch goes on from the
// last event.
func TestAServerThatRestartsLeavesOneGap(t *testing.T) {
	var watches atomic.Int32
	var resumed atomic.Value
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[]}`))
			return
		}
		switch n := watches.Add(1); {
		case n == 1:
			_, _ = w.Write([]byte(event("ADDED", pod("a", "11")) + "\n"))
		case n < 6:
			connection, _, err := http.NewResponseController(w).Hijack()
			if assert.NoError(t, err) {
				assert.NoError(t, connection.Close())
			}
		case n == 6:
			http.Error(w, "not ready", http.StatusServiceUnavailable)
		default:
			resumed.Store(r.URL.Query().Get("resourceVersion"))
			_, _ = w.Write([]byte(event("ADDED", pod("b", "12")) + "\n"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	s := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(s.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: s.URL})
	require.NoError(t, err)
	entries := collect(t, client, 3)
	assert.Equal(t, "a", entries[0].Watch.Name)
	require.Equal(t, record.KindGap, entries[1].Kind)
	assert.Contains(t, entries[1].Gap.Reason, "unable to handle the request")
	assert.Less(t, entries[1].Time-entries[1].Gap.From, 6*time.Second, "it came back soon")
	assert.Equal(t, "b", entries[2].Watch.Name)
	assert.Equal(t, "11", resumed.Load())
}

func TestAnExpiredWatchListsAnewAndLeavesAGap(t *testing.T) {
	gone := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`
	entries := collect(t, server(t, []string{event("ERROR", gone)}), 3)
	assert.Equal(t, "LISTED", entries[1].Watch.Event, "an expired version is listed anew")
	require.Equal(t, record.KindGap, entries[2].Kind)
	assert.Contains(t, entries[2].Gap.Reason, "too old resource version")
}

func TestWhatIsGoneWhenListedAnewIsRecordedAsDeleted(t *testing.T) {
	gone := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`
	entries := collect(t, server(t, []string{event("ADDED", pod("a", "11")), event("ADDED", pod("b", "12")), event("DELETED", pod("b", "13")), event("ERROR", gone)}), 7)
	heard := plain.Map(entries[:6], func(e record.Entry) string { return e.Watch.Event + " " + e.Watch.UID })
	assert.Equal(t, []string{"LISTED old-uid", "ADDED a-uid", "ADDED b-uid", "DELETED b-uid", "DELETED a-uid", "LISTED old-uid"}, heard)
	assert.JSONEq(t, string(entries[1].Watch.Object), string(entries[4].Watch.Object), "the last that was seen of it")
	require.Equal(t, record.KindGap, entries[6].Kind)
}

func TestResourceNames(t *testing.T) {
	for name, resource := range map[string]schema.GroupVersionResource{
		"pods.v1":                        pods,
		"deployments.v1.apps":            {Group: "apps", Version: "v1", Resource: "deployments"},
		"workflows.v1alpha1.argoproj.io": {Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"},
	} {
		assert.Equal(t, name, watch.ResourceName(resource))
		assert.Equal(t, resource, workloads.GVR(name))
	}
}

// A parameter says which custom resource an object is for, and may be a secret:
// what is recorded is the custom resource alone. What the reference has anyway can
// be compared with it.
func TestValuesThatMayBeSecretAreNotRecorded(t *testing.T) {
	work := func(name, version, value string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","namespace":"n","uid":"` + name + `-uid","resourceVersion":"` + version + `","annotations":{"operatorbench-of":"forged/one"}},` +
			`"data":{"k":"hunter2"},"spec":{"arguments":{"parameters":[{"name":"of","value":"` + value + `"},{"name":"p","value":"hunter2"}]},"containers":[{"command":["memcached","hunter2"],"env":{"A":"hunter2"}}]}}`
	}
	begun := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[` + work("old", "9", "none") + `]}`))
			return
		}
		w.(http.Flusher).Flush()
		<-begun
		for _, e := range []string{event("ADDED", work("one", "11", "services/cache")), event("MODIFIED", work("one", "12", "hunter2")), event("ADDED", work("two", "13", "services/cache-2"))} {
			_, _ = w.Write([]byte(e + "\n"))
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: s.URL})
	require.NoError(t, err)
	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, record.Header{Reference: json.RawMessage(`{"spec":{"command":["memcached"]}}`)})
	require.NoError(t, err)
	heard := make(chan record.Entry, 100)
	defer recorder.Listen(func(e record.Entry) {
		if e.Kind == record.KindWatch {
			heard <- e
		}
	})()
	begin := record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Namespace: "services", Name: "cache", Others: []record.Other{{Namespace: "services", Name: "other"}}}}
	target := watch.Target{Resource: pods, Namespace: "n", Of: watch.Of{
		Path: `spec.arguments.parameters.#(name=="of").value`, Matches: "^{{.Namespace}}/{{.Name}}$",
	}}
	watches, err := watch.Open(context.Background(), client, recorder, nil, target)
	require.NoError(t, err)
	defer watches.Stop()
	require.NoError(t, recorder.Record(begin))
	close(begun)
	var of []string
	for range 4 { // LISTED is the first
		e := <-heard
		assert.NotContains(t, string(e.Watch.Object), "hunter2")
		assert.NotContains(t, string(e.Watch.Object), "forged")
		of = append(of, e.Watch.Event+" "+gjson.GetBytes(e.Watch.Object, watch.RecordedOf().Path).String())
		assert.Equal(t, `["memcached","(withheld)"]`, gjson.GetBytes(e.Watch.Object, "spec.containers.0.command").Raw)
	}
	assert.Equal(t, []string{"LISTED ", "ADDED services/cache", "MODIFIED services/cache", "ADDED "}, of)
}
