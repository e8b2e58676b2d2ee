package learn_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/learn"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/propose"
)

const queues = "queues.v1.example.org"

func header(styles int) record.Entry {
	h := &record.Header{Workload: &spec.Workload{
		Resource: spec.CustomResource{Group: "example.org", Version: "v1", Kind: "Queue", Plural: "queues"},
		Knobs:    map[string]spec.Knob{"size": {Path: "spec.replicas", Effect: spec.Scale}},
	}}
	for range styles {
		h.Styles = append(h.Styles, record.Style{Installed: spec.Installed{Namespaces: []string{"queue-system"}}})
	}
	return record.Entry{Header: h}
}

// seen is a custom resource of a size, with a status.
func seen(namespace string, size int, status string) record.Entry {
	return record.Entry{Watch: &record.Watch{
		Event: spec.Modified, Resource: queues, Namespace: namespace, Name: "queue", UID: namespace,
		Object: json.RawMessage(fmt.Sprintf(`{"metadata": {"generation": %d}, "spec": {"replicas": %d}, "status": %s}`, size+1, size, status)),
	}}
}

// running is the status of one that is ready.
func running(size int) string {
	return fmt.Sprintf(`{"observedGeneration": %d, "phase": "Running", "service": "queue", "ready": %d, "conditions": [{"type": "Ready", "status": "True"}, {"type": "Valid", "status": "True"}]}`, size+1, size)
}

func end(namespace, outcome string) record.Entry {
	return record.Entry{End: &record.End{Outcome: outcome, Namespace: namespace}}
}

// life is a custom resource that is created, made and ready.
func life(namespace string, size int) []record.Entry {
	all := []record.Entry{
		{Begin: &record.Sample{Namespace: namespace, Name: "queue"}},
		{Action: &record.Action{Verb: "create", Resource: queues, Namespace: namespace, Name: "queue"}},
		seen(namespace, size, `{}`),
		seen(namespace, size, `{"phase": "Creating", "service": "queue", "ready": 0, "conditions": [{"type": "Ready", "status": "False"}, {"type": "Valid", "status": "True"}]}`),
		seen(namespace, size, running(size)),
		end(namespace, record.Settled),
	}
	for i, resource := range []string{"statefulsets.v1.apps", "secrets.v1", "widgets.v1.example.org", "events.v1", queues} {
		all = append(all, record.Entry{Audit: &record.Audit{
			User: "system:serviceaccount:queue-system:queues", Verb: "create", Resource: resource, Namespace: namespace, Name: fmt.Sprint("queue", i), Code: 201,
		}})
	}
	return append(all,
		record.Entry{Audit: &record.Audit{User: "system:serviceaccount:kube-system:sets", Verb: "create", Resource: "pods.v1", Namespace: namespace, Name: "queue-0", Code: 201}},
		record.Entry{Audit: &record.Audit{User: "system:serviceaccount:queue-system:queues", Verb: "create", Resource: "jobs.v1.batch", Namespace: namespace, Name: "queue", Code: 403}},
		record.Entry{Inventory: &record.Inventory{Objects: []record.Item{
			{Resource: "statefulsets.v1.apps", Owners: []record.Owner{{Kind: "Queue", Controller: true}}}, {Resource: "secrets.v1"},
		}}},
	)
}

func sequence(entries ...record.Entry) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestWhatARunShows(t *testing.T) {
	all := append([]record.Entry{header(1)}, life("one", 1)...)
	learned, err := learn.From(sequence(append(all, life("two", 3)...)...))
	require.NoError(t, err)
	const made = "2 made by the operator's accounts for 2 custom resources (audit log)"
	assert.Equal(t, []propose.Child{
		{Resource: "secrets.v1", Kind: "Secret", Why: made + "; one of them is not controlled by the custom resource"},
		{Resource: "statefulsets.v1.apps", Kind: "StatefulSet", Template: true, Why: made},
		{Resource: "widgets.v1.example.org", Kind: spec.Unsaid, Why: made},
	}, learned.Children)
	const why = "true of 2 custom resources at each of 2 times that one was as asked for, and not when it was made"
	assert.Equal(t, []propose.Part{
		{Text: "cr.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", Why: why},
		{Text: "cr.status.conditions.exists(c, c.type == 'Valid' && c.status == 'True')", Why: why},
		{Text: "cr.status.observedGeneration == cr.metadata.generation", Why: why},
		{Text: "cr.status.phase == 'Running'", Why: why},
		{Text: "cr.status.ready == knob.size", Why: why},
	}, learned.Ready)
}

// What did not come to what was asked for, and what the matrix did something else to, teaches nothing of being ready.
func TestWhatEndedOtherwiseTeachesNothing(t *testing.T) {
	want, err := learn.From(sequence(slices.Concat([]record.Entry{header(1)}, life("one", 1), life("two", 3))...))
	require.NoError(t, err)
	late, paused, could := life("three", 2)[:4], life("four", 2)[:4], life("five", 2)[:4]
	paused[0].Begin.Matrix, could[0].Begin.Unmeetable = true, true
	late, paused, could = append(late, end("three", record.TimedOut)), append(paused, end("four", record.Settled)), append(could, end("five", record.Settled))
	got, err := learn.From(sequence(slices.Concat([]record.Entry{header(1)}, life("one", 1), late, paused, could, life("two", 3))...))
	require.NoError(t, err)
	assert.Equal(t, want.Ready, got.Ready)
}

// A custom resource that was as asked for teaches that, whatever becomes of it later: LeaderWorkerSet's could not be
// scaled up on a node without room, and all that its creation had shown was lost.
func TestWhatWasReadyBeforeItFailedTeaches(t *testing.T) {
	deleted := seen("one", 2, running(2))
	deleted.Watch.Event = spec.Deleted
	learned, err := learn.From(sequence(slices.Concat([]record.Entry{header(1)}, life("one", 3), []record.Entry{
		{Begin: &record.Sample{Namespace: "one"}},
		seen("one", 2, running(3)), seen("one", 2, running(2)), end("one", record.Settled),
		{Begin: &record.Sample{Namespace: "one"}},
		seen("one", 5, running(3)), end("one", record.TimedOut),
		{Begin: &record.Sample{Namespace: "one"}},
		seen("one", 0, `{"observedGeneration": 1}`), end("one", record.Settled),
		{Begin: &record.Sample{Namespace: "one"}},
		deleted, end("one", record.Settled),
	})...))
	require.NoError(t, err)
	var parts []string
	for _, part := range learned.Ready {
		parts = append(parts, part.Text)
		assert.Equal(t, "true of 1 custom resource at each of 2 times that one was as asked for, and not when it was made", part.Why)
	}
	assert.Equal(t, []string{
		"cr.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')", "cr.status.conditions.exists(c, c.type == 'Valid' && c.status == 'True')",
		"cr.status.observedGeneration == cr.metadata.generation", "cr.status.ready == knob.size",
	}, parts)
}

// One custom resource shows neither which text of a status is always the same nor which number is that of its pods.
func TestWhatOneCustomResourceDoesNotShow(t *testing.T) {
	learned, err := learn.From(sequence(append([]record.Entry{header(1)}, life("one", 3)...)...))
	require.NoError(t, err)
	assert.Len(t, learned.Ready, 3)
}

func TestWhatNothingIsLearnedFrom(t *testing.T) {
	for want, entries := range map[string][]record.Entry{
		"of several styles":                  {header(2)},
		"shows 0 custom resources":           {header(1)},
		"shows 1 custom resource":            append([]record.Entry{header(1)}, life("one", 1)[:2]...),
		"read the custom resource one/queue": {header(1), {Begin: &record.Sample{Namespace: "one"}}, {Watch: &record.Watch{Resource: queues, Namespace: "one", Name: "queue", Object: json.RawMessage(`{`)}}},
	} {
		_, err := learn.From(sequence(entries...))
		assert.ErrorContains(t, err, want)
	}
}
