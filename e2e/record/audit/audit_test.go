package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/audit"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// realLog is what a kind cluster's API server wrote (Kubernetes 1.37).
const realLog = "testdata/audit.log"

// line is a line of the log as the API server writes it, with secrets in all
// places that a client can write to.
func line(id, stage, verb string) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":%q,"stage":%q,`+
		`"requestURI":"/api/v1/namespaces/a/configmaps?token=sesame","verb":%q,`+
		`"user":{"username":"system:serviceaccount:a:b","uid":"1","groups":["g"],"extra":{"authentication.kubernetes.io/credential-id":["JTI=sesame"],"authentication.kubernetes.io/pod-name":["pod-1"]}},`+
		`"sourceIPs":["10.0.0.1"],"userAgent":"agent/1","objectRef":{"resource":"deployments","namespace":"a","name":"c","apiGroup":"apps","apiVersion":"v1","subresource":"status"},`+
		`"responseStatus":{"metadata":{},"message":"sesame","code":200},"requestObject":{"sesame":"sesame"},`+
		`"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z","stageTimestamp":"2026-01-02T03:04:05.000106Z","annotations":{"sesame":"sesame"}}`, id, stage, verb)
}

// follow records a log that ends by itself, and returns the entries behind the
// header, where the last says that it ended, and what Stop returns.
func follow(t testing.TB, log string) ([]record.Entry, error) {
	t.Helper()
	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, record.Header{})
	require.NoError(t, err)
	ended := make(chan struct{})
	defer recorder.Listen(func(e record.Entry) {
		if e.Gap != nil && strings.HasPrefix(e.Gap.Reason, "the audit log ended before the recording") {
			close(ended)
		}
	})()
	f := audit.Follow(context.Background(), io.NopCloser(strings.NewReader(log)), recorder)
	<-ended
	err = f.Stop()
	require.ErrorContains(t, err, "the audit log ended before the recording")
	return entriesOf(t, out.Bytes()), err
}

// entriesOf reads a recording, but for its header.
func entriesOf(t testing.TB, recording []byte) []record.Entry {
	t.Helper()
	var entries []record.Entry
	for entry, err := range record.Read(bytes.NewReader(recording)) {
		require.NoError(t, err)
		entries = append(entries, entry)
	}
	return entries[1:]
}

func TestRealLog(t *testing.T) {
	log, err := os.ReadFile(realLog)
	require.NoError(t, err)
	entries, err := follow(t, string(log))
	assert.NotContains(t, err.Error(), "could not be read")
	var text bytes.Buffer
	for _, e := range entries[:len(entries)-1] {
		e.Time = 0
		line, err := json.Marshal(e)
		require.NoError(t, err)
		text.Write(append(line, '\n'))
	}
	const golden = "testdata/entries.jsonl"
	if *update {
		require.NoError(t, os.WriteFile(golden, text.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), text.String())
}

// Who asks what would be, or talks to a pod, writes nothing.
func TestRequestsThatWriteNothing(t *testing.T) {
	dry := strings.Replace(line("1", "ResponseComplete", "patch"), "?token=sesame", "?dryRun=All&token=sesame", 1)
	exec := strings.Replace(line("2", "ResponseComplete", "create"), `"subresource":"status"`, `"subresource":"exec"`, 1)
	review := strings.NewReplacer(`"subresource":"status"`, `"subresource":""`, `"resource":"deployments"`, `"resource":"selfsubjectaccessreviews"`, `"apiGroup":"apps"`, `"apiGroup":"authorization.k8s.io"`).
		Replace(line("3", "ResponseComplete", "create"))
	entries, _ := follow(t, strings.Join([]string{dry, exec, review, line("4", "ResponseComplete", "patch")}, "\n")+"\n")
	var writes []bool
	for _, e := range entries[:4] {
		writes = append(writes, e.Audit.Writes())
	}
	assert.Equal(t, []bool{false, false, false, true}, writes)
}

func TestALineBecomesAnEntryWithoutSecrets(t *testing.T) {
	entries, err := follow(t, line("1", "ResponseComplete", "patch")+"\n")
	assert.NotContains(t, err.Error(), "could not be read")
	require.Len(t, entries, 2)
	received := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	assert.Equal(t, record.KindAudit, entries[0].Kind)
	assert.Equal(t, &record.Audit{
		Received: received, Answered: received.Add(100 * time.Microsecond),
		User: "system:serviceaccount:a:b", Pod: "pod-1", Agent: "agent/1",
		Verb: "patch", Resource: "deployments.v1.apps", Subresource: "status", Namespace: "a", Name: "c", Code: 200,
	}, entries[0].Audit)
	text, err := json.Marshal(entries)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "sesame")
}

func TestARequestIsRecordedOnce(t *testing.T) {
	var log strings.Builder
	for _, l := range []string{
		line("watch", "ResponseStarted", "watch"),
		line("get", "RequestReceived", "get"),
		line("get", "ResponseComplete", "get"),
		"",
		line("watch", "ResponseComplete", "watch"),
		line("broken", "Panic", "update"),
		line("watch", "ResponseStarted", "watch"), // an id is the client's choice: it may come again
		line("watch", "Panic", "watch"),
	} {
		log.WriteString(l + "\n")
	}
	entries, err := follow(t, log.String())
	assert.NotContains(t, err.Error(), "could not be read")
	told := plain.Map(entries[:len(entries)-1], func(e record.Entry) string {
		if e.Closed != nil {
			return "closed " + e.Closed.Verb
		}
		return fmt.Sprint(e.Audit.Verb, e.Audit.Open)
	})
	assert.Equal(t, []string{"watchtrue", "getfalse", "closed watch", "updatefalse", "watchtrue", "closed watch"}, told)
}

// Only of the pods' watches the end is recorded: the harness's are the most, and nobody asks for theirs.
func TestTheEndOfAWatchOfNoPodIsNotRecorded(t *testing.T) {
	log := line("1", "ResponseStarted", "watch") + "\n" + line("1", "ResponseComplete", "watch") + "\n"
	entries, _ := follow(t, strings.ReplaceAll(log, "pod-name", "node-name"))
	require.Len(t, entries, 2, "its start, and the log's end")
	assert.False(t, entries[0].Audit.Open)
}

func TestALineThatCannotBeReadIsAGap(t *testing.T) {
	good := line("1", "ResponseComplete", "get")
	for name, test := range map[string]struct{ line, reason string }{
		"no JSON":          {"sesame", "a line of 6 bytes is no audit event: invalid character 's' looking for beginning of value, at byte 1"},
		"cut":              {good[:200], "a line of 200 bytes is no audit event: unexpected end of JSON input, at byte 200"},
		"another type":     {strings.Replace(good, `"code":200`, `"code":"sesame"`, 1), "responseStatus.code is no int"},
		"another kind":     {strings.Replace(good, `"Event"`, `"sesame"`, 1), "is no Event of audit.k8s.io/v1"},
		"an older version": {strings.Replace(good, "audit.k8s.io/v1", "audit.k8s.io/v1beta1", 1), "is no Event of audit.k8s.io/v1"},
		"no id":            {line("", "ResponseComplete", "get"), "lacks its auditID, stage, verb or a time"},
		"a strange time":   {strings.Replace(good, "2026-01-02T03:04:05.000106Z", "sesame", 1), "a time is not in RFC 3339"},
		"a far time":       {strings.Replace(good, "2026-01-02T03:04:05.000106Z", "9999-12-31T23:59:59-01:00", 1), "year outside of range"},
		"a long line":      {`{"kind":"` + strings.Repeat("sesame", 200_000) + `"}`, "a line is longer than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			entries, err := follow(t, good+"\n"+test.line+"\n"+good+"\n")
			require.ErrorContains(t, err, "1 lines of the audit log could not be read; the first: ")
			require.ErrorContains(t, err, test.reason)
			assert.NotContains(t, err.Error(), "sesame")
			require.Len(t, entries, 4)
			assert.Equal(t, record.KindAudit, entries[0].Kind)
			require.Equal(t, record.KindGap, entries[1].Kind)
			assert.Equal(t, record.AuditLog, entries[1].Gap.Resource)
			assert.Contains(t, entries[1].Gap.Reason, test.reason)
			assert.LessOrEqual(t, entries[1].Gap.From, entries[1].Time)
			assert.Equal(t, record.KindAudit, entries[2].Kind, "what follows is read")
		})
	}
}

func TestALogThatEndsInALine(t *testing.T) {
	entries, err := follow(t, line("1", "ResponseComplete", "get")[:100])
	require.ErrorContains(t, err, "EOF, 100 bytes into a line")
	require.Len(t, entries, 1)
	assert.Contains(t, entries[0].Gap.Reason, "EOF, 100 bytes into a line")
}

// server is a log that a test writes, and an API server that writes a line of each
// request to it before it answers.
type server struct {
	*audit.Follower

	recorder *record.Recorder
	out      bytes.Buffer // to be read when the follower has stopped
	log      *io.PipeWriter
	api      rest.Interface
}

func newServer(ctx context.Context, t *testing.T, handle func(s *server, w http.ResponseWriter, id string)) *server {
	t.Helper()
	s := &server{}
	var log *io.PipeReader
	log, s.log = io.Pipe()
	var err error
	s.recorder, err = record.NewRecorder(&s.out, record.Header{})
	require.NoError(t, err)
	s.Follower = audit.Follow(ctx, log, s.recorder)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/api/v1/namespaces/default", r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		handle(s, w, r.Header.Get("Audit-ID"))
	}))
	t.Cleanup(api.Close)
	s.api, err = rest.RESTClientFor(&rest.Config{Host: api.URL, APIPath: "/api", ContentConfig: rest.ContentConfig{
		GroupVersion: &schema.GroupVersion{Version: "v1"}, NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
	}})
	require.NoError(t, err)
	return s
}

func (s *server) write(t *testing.T, line string) {
	_, err := io.WriteString(s.log, line+"\n")
	assert.NoError(t, err)
}

func answer(w http.ResponseWriter) {
	_, _ = io.WriteString(w, `{"kind":"Namespace","apiVersion":"v1"}`)
}

func TestCatchUp(t *testing.T) {
	release := make(chan struct{})
	s := newServer(t.Context(), t, func(s *server, w http.ResponseWriter, id string) {
		go func() { // the reader is behind the answer
			<-release
			s.write(t, line("late", "ResponseComplete", "delete"))
			s.write(t, line(id, "ResponseComplete", "get"))
			// By now it may have been stopped, and the log be closed.
			_, _ = io.WriteString(s.log, line("after", "ResponseComplete", "list")+"\n")
		}()
		answer(w)
	})
	caught := make(chan error, 1)
	go func() { caught <- s.CatchUp(t.Context(), s.api) }()
	s.write(t, line("early", "ResponseComplete", "create"))
	select {
	case err := <-caught:
		t.Fatalf("it did not wait: %v", err)
	case release <- struct{}{}:
	}
	require.NoError(t, <-caught)
	require.NoError(t, s.Stop())
	require.NoError(t, s.Stop(), "a second time is no error")
	var verbs []string
	for _, e := range entriesOf(t, s.out.Bytes()) {
		require.NotNil(t, e.Audit, "%+v", e)
		verbs = append(verbs, e.Audit.Verb)
	}
	assert.Subset(t, []string{"create", "delete", "list"}, verbs, "the mark itself is left out")
	require.GreaterOrEqual(t, len(verbs), 2)
	assert.Equal(t, []string{"create", "delete"}, verbs[:2])
	require.ErrorContains(t, s.CatchUp(t.Context(), s.api), "it is not read any more")
}

func TestCatchUpExplainsItself(t *testing.T) {
	tired := errors.New("tired of waiting")
	for name, test := range map[string]struct {
		handle func(cancel func()) func(s *server, w http.ResponseWriter, id string)
		want   string
	}{
		"refused": {func(func()) func(*server, http.ResponseWriter, string) {
			return func(_ *server, w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusForbidden) }
		}, "mark the audit log by a request (get namespace default)"},
		"no line": {func(cancel func()) func(*server, http.ResponseWriter, string) {
			return func(_ *server, w http.ResponseWriter, _ string) { answer(w); cancel() }
		}, tired.Error()},
		"the log breaks": {func(func()) func(*server, http.ResponseWriter, string) {
			return func(s *server, w http.ResponseWriter, _ string) {
				s.log.CloseWithError(errors.New("the node went away"))
				answer(w)
			}
		}, "the node went away"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := newServer(t.Context(), t, test.handle(func() { cancel(tired) }))
			require.ErrorContains(t, s.CatchUp(ctx, s.api), test.want)
			_ = s.Stop() // its error is another test's business
		})
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newServer(ctx, t, nil)
	s.write(t, line("1", "ResponseComplete", "get"))
	_, err := io.WriteString(s.log, "the beginning of a lin")
	require.NoError(t, err)
	cancel()
	require.NoError(t, s.Stop(), "an end that was asked for is none to speak of")
	entries := entriesOf(t, s.out.Bytes())
	require.Len(t, entries, 1, "no gap either")
	assert.Equal(t, "get", entries[0].Audit.Verb)
}

// full is a disk that has room for n more writes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f--; *f < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

func TestARecordingThatFailsEndsTheFollower(t *testing.T) {
	disk := full(2) // the header and one line
	recorder, err := record.NewRecorder(&disk, record.Header{})
	require.NoError(t, err)
	lines := strings.Repeat(line("1", "ResponseComplete", "get")+"\n", 3)
	f := audit.Follow(t.Context(), io.NopCloser(strings.NewReader(lines)), recorder)
	<-recorder.Failed()
	require.ErrorContains(t, f.Stop(), "the disk is full")
}

func FuzzFollow(f *testing.F) {
	log, err := os.ReadFile(realLog)
	require.NoError(f, err)
	f.Add(string(log))
	for _, stage := range []string{"ResponseStarted", "ResponseComplete", "Panic"} {
		f.Add(line("1", stage, "get") + "\n")
	}
	f.Add(line("1", "ResponseComplete", "get")[:300])
	f.Add("\n\r\n{}\nnull\n[]\n")
	f.Fuzz(func(t *testing.T, log string) {
		entries, _ := follow(t, log) // every entry is read back by it
		assert.LessOrEqual(t, len(entries), strings.Count(log, "\n")+1, "a line is at most one entry")
		for _, e := range entries {
			assert.True(t, e.Audit != nil || e.Closed != nil || e.Gap != nil)
		}
	})
}
