package record

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func line(tb testing.TB, e Entry) []byte {
	tb.Helper()
	text, err := json.Marshal(e)
	require.NoError(tb, err)
	return text
}

func quickLines(tb testing.TB) [][]byte {
	tb.Helper()
	received := time.Date(2026, 11, 20, 14, 4, 34, 483045000, time.UTC)
	watch := Watch{Event: "MODIFIED", Resource: "pods.v1", Namespace: "services", Name: "p1", UID: "u1", Object: json.RawMessage(`{"a":{"b":[1,"}"]}}`)}
	bare := watch
	bare.Namespace, bare.Object = "", json.RawMessage(`{}`)
	return [][]byte{
		line(tb, Entry{Time: 5, Kind: KindWatch, Watch: &watch}),
		line(tb, Entry{Kind: KindWatch, Watch: &bare}),
		line(tb, Entry{Time: 7, Kind: KindAudit, Audit: &Audit{Received: received, Answered: received.Add(time.Millisecond), User: "system:admin", Verb: "list", Code: 200}}),
		line(tb, Entry{Time: 7, Kind: KindAudit, Audit: &Audit{
			Received: received, Answered: received, User: "u", Pod: "p", Agent: "kubectl/v1 (linux/amd64)", Verb: "get",
			Resource: "pods.v1", Subresource: "status", Namespace: "services", Name: "p1", Code: 404,
		}}),
	}
}

// What is written most is read without encoding/json.
func TestQuickLinesAreTaken(t *testing.T) {
	for _, text := range quickLines(t) {
		p := &Parser{}
		_, watch := p.watch(text)
		_, audit := p.audit(text, &Audit{})
		assert.True(t, watch || audit, "%s", text)
		assert.NotEmpty(t, frequent(text), "%s", text)
	}
}

// A line that is taken quickly says what encoding/json reads in it.
func FuzzLine(f *testing.F) {
	for _, text := range quickLines(f) {
		f.Add(text)
	}
	f.Add([]byte(`{"t":5,"kind":"watch","watch":{"event":"A\u0041","resource":"r","name":"n","uid":"u","object":{}}}`))
	f.Add([]byte(`{"t":05,"kind":"watch","watch":{"event":"A","resource":"r","name":"n","uid":"u","object":{}},"junk":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		quick, err := (&Parser{}).line(frequent(text), text, &Audit{})
		whole, slow := parse(text, false)
		if slow != nil {
			// Objects are not looked into; all else is.
			if err == nil && (quick.Watch == nil || json.Valid(quick.Watch.Object)) {
				t.Fatalf("%s is taken as %+v, but %v", text, quick, slow)
			}
			return
		}
		require.NoError(t, err)
		if quick.Watch != nil && !json.Valid(quick.Watch.Object) {
			return // something follows the object: whoever looks into it is told
		}
		if quick.Watch != nil {
			assert.True(t, bytes.Equal(quick.Watch.Object, whole.Watch.Object))
			quick.Watch.Object, whole.Watch.Object = nil, nil
		}
		assert.Equal(t, whole, quick)
	})
}

// An entry has one kind: its line is read by how it begins.
func TestLineOfTwoKinds(t *testing.T) {
	text := []byte(`{"t":5,"kind":"watch","watch":{},"kind":"end","end":{}}`)
	err := (&Parser{}).Parse(&Line{Entry: Entry{Kind: frequent(text)}, text: text, at: place{"file: ", 7}}, nil)
	require.EqualError(t, err, `file: line 7: not an entry of a recording: it is of two kinds, "watch" and "end"`)
}
