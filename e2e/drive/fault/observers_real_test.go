//go:build cluster

package fault_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/audit"
	"operatorbench/e2e/record/usage"
	"operatorbench/e2e/record/watch"
)

// recording is what the observers record, all of them, while something is broken.
type recording struct {
	recorder *record.Recorder
	mu       sync.Mutex
	out      bytes.Buffer
	stop     func()
	audit    *audit.Follower
	usage    *usage.Sampler
	scene    *scene
	began    time.Time
}

func (r *recording) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

func (s *scene) record(t *testing.T) *recording {
	t.Helper()
	r := &recording{scene: s, began: time.Now()}
	var err error
	r.recorder, err = record.NewRecorder(r, record.Header{})
	require.NoError(t, err)
	watches, err := watch.Open(context.Background(), s.Dynamic, r.recorder, nil,
		watch.Target{Resource: s.injector.Workload.GVR(), Namespace: space}, watch.Target{Resource: deployments, Namespace: space})
	require.NoError(t, err)
	r.stop = watches.Stop
	log, err := shared.AuditLog(context.Background())
	require.NoError(t, err)
	r.audit = audit.Follow(context.Background(), log, r.recorder)
	r.usage, err = usage.Open(context.Background(), s.Typed.Discovery().RESTClient(), r.recorder, usage.Interval, func() []string { return []string{"memcached-operator"} })
	require.NoError(t, err)
	return r
}

const customs = "memcacheds.v1alpha1.cache.example.com"

// check ends the observers after a restart: each has come back, with what it
// missed told, and few words.
func (r *recording) check(t *testing.T) {
	t.Helper()
	gaps := r.end(t)
	assert.NotZero(t, gaps[customs])
	assert.NotZero(t, gaps["deployments.v1.apps"])
	for resource, n := range gaps {
		assert.LessOrEqual(t, n, 4, "of %s", resource)
	}
}

// end ends the observers, which have seen the newest state and all that was
// answered, and returns how many gaps there were, by resource.
func (r *recording) end(t *testing.T) map[string]int {
	t.Helper()
	require.NoError(t, r.usage.Sample(t.Context()))
	// Stop tells of the spell in which nothing was known: that is no failure of the run.
	t.Logf("usage: %v", r.usage.Stop())
	require.NoError(t, r.audit.CatchUp(t.Context(), r.scene.Typed.Discovery().RESTClient()))
	require.NoError(t, r.audit.Stop())
	live, err := r.scene.Dynamic.Resource(deployments).Namespace(space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	eventually(t, "the watch has seen the newest state", func() bool { return r.newest(t) == live.Items[0].GetResourceVersion() })
	r.stop()
	gaps := map[string]int{}
	for entry := range r.entries(t) {
		if entry.Gap == nil {
			continue
		}
		gaps[entry.Gap.Resource]++
		t.Logf("gap of %s: %s, for %s: %s", entry.Gap.Resource, entry.Gap.From.Round(time.Millisecond), (entry.Time - entry.Gap.From).Round(time.Millisecond), entry.Gap.Reason)
	}
	assert.Zero(t, gaps[record.AuditLog], "what was answered is all in the log")
	return gaps
}

func (r *recording) entries(t *testing.T) func(func(record.Entry) bool) {
	t.Helper()
	r.mu.Lock()
	text := bytes.Clone(r.out.Bytes())
	r.mu.Unlock()
	return func(yield func(record.Entry) bool) {
		for entry, err := range record.Read(bytes.NewReader(text)) {
			require.NoError(t, err)
			if !yield(entry) {
				return
			}
		}
	}
}

// newest is the version of the Deployment that was recorded last.
func (r *recording) newest(t *testing.T) string {
	t.Helper()
	version := ""
	for entry := range r.entries(t) {
		if entry.Watch != nil && entry.Watch.Resource == "deployments.v1.apps" {
			object := &unstructured.Unstructured{}
			require.NoError(t, object.UnmarshalJSON(entry.Watch.Object))
			version = object.GetResourceVersion()
		}
	}
	return version
}
