package record_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

const example = "../judge/testdata/argo.jsonl.zst" // a real run of the floor, native and argo

// BenchmarkRecorder does with each watch event of a real run what the harness
// does: it writes the object as JSON without managedFields, the entry around it
// to a file, and lets the judge that goes along look at it. core-% is the share
// of one core that 200 events a second take; it counts the processor time of
// the whole process, the garbage collector's too. That the client decodes the
// event, which is so however a cluster is watched, is counted by the second.
func BenchmarkRecorder(b *testing.B) {
	b.Run("record", func(b *testing.B) { benchmarkRecorder(b, false) })
	b.Run("decode and record", func(b *testing.B) { benchmarkRecorder(b, true) })
}

func benchmarkRecorder(b *testing.B, decoding bool) {
	b.Helper()
	const rate = 200
	entries := fileEntries(b, example)
	file, err := os.Create(filepath.Join(b.TempDir(), "recording.jsonl"))
	require.NoError(b, err)
	defer file.Close()
	objects := make([]*unstructured.Unstructured, len(entries))
	var took time.Duration
	var events, bytes int
	b.ReportAllocs()
	for b.Loop() {
		recorder, err := record.NewRecorder(file, *entries[0].Header)
		require.NoError(b, err)
		stop := follow(b, recorder, *entries[0].Header)
		if !decoding {
			decodeAll(b, entries, objects)
		}
		before := cpuTime(b)
		if decoding {
			decodeAll(b, entries, objects)
		}
		for i, e := range entries[1:] {
			if object := objects[1+i]; object != nil {
				unstructured.RemoveNestedField(object.Object, "metadata", "managedFields")
				w := *e.Watch
				if w.Object, err = json.Marshal(object.Object); err != nil {
					b.Fatal(err)
				}
				e.Watch = &w
				events++
				bytes += len(w.Object)
			}
			if err := recorder.Record(e); err != nil {
				b.Fatal(err)
			}
		}
		stop()
		took += cpuTime(b) - before
	}
	each := took / time.Duration(events)
	b.ReportMetric(float64(each.Nanoseconds()), "ns/event")
	b.ReportMetric(100*rate*each.Seconds(), "core-%")
	b.ReportMetric(float64(bytes)/float64(events), "B/object")
}

func decodeAll(b *testing.B, entries []record.Entry, into []*unstructured.Unstructured) {
	b.Helper()
	for i, e := range entries {
		if e.Watch == nil {
			continue
		}
		object := map[string]any{}
		if err := json.Unmarshal(e.Watch.Object, &object); err != nil {
			b.Fatal(err)
		}
		into[i] = &unstructured.Unstructured{Object: object}
	}
}

// follow lets a judge listen, as the driver's does.
func follow(b *testing.B, recorder *record.Recorder, header record.Header) (stop func()) {
	b.Helper()
	header.Schema = record.Schema
	splitter := timeline.NewSplitter()
	_, err := splitter.Add(record.Entry{Kind: record.KindHeader, Header: &header})
	require.NoError(b, err)
	var mu sync.Mutex
	return recorder.Listen(func(e record.Entry) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := splitter.Add(e); err != nil {
			b.Error(err)
		}
		if e.Watch != nil {
			if open := splitter.Open(e.Watch.Namespace); open != nil {
				open.Missing()
			}
		}
	})
}

// cpuTime is the processor time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
