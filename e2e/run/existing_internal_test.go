package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
)

// kubeconfig writes one for a server, and returns its path.
func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "production",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": server}}},
		"contexts": []any{map[string]any{"name": "production", "context": map[string]any{"cluster": "c", "user": ""}}},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// keyboard is a terminal at which somebody types.
type keyboard struct {
	io.Reader
	screen *bytes.Buffer
}

func (k keyboard) Write(text []byte) (int, error) { return k.screen.Write(text) }
func (keyboard) Close() error                     { return nil }

// onExisting is a run on a cluster that counts what it is asked.
func onExisting(t *testing.T, args ...string) (s *Session, said *strings.Builder, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		http.Error(w, "there is nothing here", http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	options := Parse(t, append([]string{"--operator=native", "--cluster=existing", "--results=" + filepath.Join(t.TempDir(), "results")}, args...)...)
	options.Kubeconfig = kubeconfig(t, server.URL)
	said = &strings.Builder{}
	s, err := Load(t.Context(), options, Clone(t), time.Time{}, said)
	require.NoError(t, err)
	return s, said, requests
}

// Nothing is made in somebody's cluster before that person has agreed.
func TestAnExistingClusterIsAgreedToFirst(t *testing.T) {
	const agreed = "does not answer" // what follows when it was
	for name, test := range map[string]struct {
		typed string // at the terminal; "none": there is none
		args  []string
		want  string
	}{
		"no terminal":        {"none", nil, "There is no terminal to ask at (no such device): agree with --yes"},
		"no":                 {"n\n", nil, "is not used: the answer was no; nothing was made"},
		"nothing":            {"\n", nil, "the answer was no"},
		"end of the line":    {"", nil, "the answer was no"},
		"yes":                {"y\n", nil, agreed},
		"yes in full":        {" Yes\n", nil, agreed},
		"agreed beforehand":  {"none", []string{"--yes"}, agreed},
		"a no is not needed": {"n\n", []string{"--yes"}, agreed},
	} {
		t.Run(name, func(t *testing.T) {
			s, said, requests := onExisting(t, test.args...)
			screen := &bytes.Buffer{}
			s.terminal = func() (io.ReadWriteCloser, error) {
				if test.typed == "none" {
					return nil, errors.New("no such device")
				}
				return keyboard{strings.NewReader(test.typed), screen}, nil
			}
			err := s.Open(t.Context())
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "context production")
			assert.Contains(t, said.String(), "this run uses the existing cluster http://127.0.0.1:")
			assert.Contains(t, said.String(), "clean --kubeconfig="+s.options.Kubeconfig+" --context=production --run="+s.id)
			if test.want != agreed {
				assert.Zero(t, requests.Load(), "nothing was asked of it")
				assert.NoDirExists(t, s.Folder())
			}
			if len(test.args) == 0 && test.typed != "none" {
				assert.Regexp(t, `^Install operators, .* in http://127\.0\.0\.1:.*context production\)\? \[y/N\] $`, screen.String())
			} else {
				assert.Empty(t, screen.String(), "nobody is asked")
			}
			require.NoError(t, s.Close(t.Context()))
			assert.Empty(t, s.Left())
		})
	}
}

// Who is asked has read before what would be made, the policies that refuse writes included.
func TestWhatWouldBeMadeIsSaidBeforeTheQuestion(t *testing.T) {
	s, said, requests := onExisting(t, "--scenario=create,write-refused")
	stranger := filepath.Join(t.TempDir(), "native")
	require.NoError(t, os.CopyFS(stranger, os.DirFS("../../operators/native")))
	namespaces := filepath.Join(stranger, "manifests", "01-namespace.yaml")
	text, err := os.ReadFile(namespaces)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(namespaces, []byte(string(text)+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: kube-system}\n"), 0o600))
	loaded, err := styles.Load(stranger)
	require.NoError(t, err)
	s.participants[1].operator = loaded
	var before string
	s.terminal = func() (io.ReadWriteCloser, error) {
		before = said.String()
		return keyboard{strings.NewReader("n\n"), &bytes.Buffer{}}, nil
	}
	require.ErrorContains(t, s.Open(t.Context()), "nothing was made")
	assert.Zero(t, requests.Load())
	for _, line := range []string{
		"this run makes, in the existing cluster, nothing but:",
		"  CustomResourceDefinition memcacheds.cache.example.com",
		"  ValidatingAdmissionPolicies operatorbench-services-" + s.id + "-*, and their bindings,",
		"namespaces kube-system, memcached-operator; ClusterRole memcached-operator, ClusterRoleBinding memcached-operator",
		"    beware: 1 of its objects are in kube-system, which is the cluster's own",
	} {
		assert.Contains(t, before, line)
	}
	require.NoError(t, s.Close(t.Context()))
}

func TestNobodyWaitsForAnAnswerThatIsNotWanted(t *testing.T) {
	s, _, _ := onExisting(t)
	silent, typing := io.Pipe()
	defer typing.Close()
	s.terminal = func() (io.ReadWriteCloser, error) { return keyboard{silent, &bytes.Buffer{}}, nil }
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by hand")
	stop(stopped)
	require.ErrorIs(t, s.Open(ctx), stopped)
}

func scheduleOn(cluster string) *schedule {
	return &schedule{job: &job{options: Options{Cluster: cluster}}}
}

// go test ends the process at its -timeout: what is kept for the teardown is what
// the teardown may take.
func TestTheReserveIsWhatTheTeardownMayTake(t *testing.T) {
	kind, existing := scheduleOn("kind"), scheduleOn("existing")
	assert.Greater(t, existing.Reserve(), kind.Reserve(), "each of its objects is removed")
	for _, s := range []*schedule{kind, existing} {
		s.deadline = time.Now().Add(s.Reserve())
		whole := mendWithin + logsWhenOver + s.teardownTime() + reportsWithin // from the moment at which driving is stopped
		assert.LessOrEqual(t, s.teardownTime()+reportsWithin, time.Until(s.deadline)+time.Second)
		assert.GreaterOrEqual(t, whole, s.Reserve())
		s.deadline = time.Now().Add(time.Hour)
		assert.Equal(t, teardownWithin, s.teardownTime(), "where there is time it is taken")
		s.deadline = time.Time{}
		assert.Equal(t, teardownWithin, s.teardownTime(), "opbench has no deadline")
		s.deadline = time.Now()
		assert.Positive(t, s.teardownTime(), "what can still be removed is")
	}
}

// There is less time for turns on an existing cluster.
func TestTurnsEndBeforeTheReserve(t *testing.T) {
	kind, existing := scheduleOn("kind"), scheduleOn("existing")
	kind.deadline = time.Now().Add(time.Hour)
	existing.deadline = kind.deadline
	assert.InDelta(t, existing.Reserve()-kind.Reserve(), kind.remains()-existing.remains(), float64(time.Second))
}

// What cannot be judged while it is written ends the run, in one sentence.
func TestWhatTheJudgeCannotReadEndsTheRecording(t *testing.T) {
	header := record.Header{Run: "abc123", Styles: []record.Style{{Style: spec.Style{Name: "native"}}}}
	recorder, err := record.NewRecorder(io.Discard, header)
	require.NoError(t, err)
	rec := recording{recorder: recorder}
	require.NoError(t, rec.follow())
	require.NoError(t, recorder.Record(record.Entry{Kind: record.KindEnd, End: &record.End{Style: "native", Scenario: "create", Round: 1, Namespace: "n"}}))
	rec.judge.Stop()
	err = recorder.Record(record.Entry{Kind: record.KindBlock, Block: &record.Block{}})
	require.ErrorContains(t, err, "the recording ends (what was recorded before is kept): judge it while it is written: ")
	require.ErrorContains(t, err, "native create round 1 in n ended without having begun")
	assert.NotContains(t, err.Error(), "\n")
	<-recorder.Failed()
}
