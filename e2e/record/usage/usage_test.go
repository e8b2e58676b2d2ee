package usage_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/usage"
)

// realSummary is what a kind cluster's kubelet told (Kubernetes 1.37).
const realSummary = "testdata/summary.json"

// cluster answers as an API server with one node does.
type cluster struct {
	mu     sync.Mutex
	answer func(w http.ResponseWriter)
	asked  int

	metrics      func(w http.ResponseWriter)
	metricsAsked int

	pods      map[string]func(w http.ResponseWriter, r *http.Request) // what each says of itself, by the path at which it is asked
	podsAsked []string
}

func (c *cluster) answers(f func(w http.ResponseWriter)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = f
}

func says(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = w.Write([]byte(text)) }
}

func fails(code int, reason string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"no"}`, reason, code)
	}
}

// newCluster returns a cluster, and a client of it.
func newCluster(t *testing.T, answer func(http.ResponseWriter)) (*cluster, rest.Interface) {
	t.Helper()
	c := &cluster{answer: answer, metrics: fails(http.StatusNotFound, "NotFound")}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if pod := c.pods[r.URL.Path]; pod != nil {
			c.podsAsked = append(c.podsAsked, r.URL.Path)
			c.mu.Unlock() // one may hang
			pod(w, r)
			c.mu.Lock()
			return
		}
		switch r.URL.Path {
		case "/api/v1/nodes":
			_, _ = w.Write([]byte(`{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"},"status":{"images":[{"names":["a@sha256:1","a:1"],"sizeBytes":7}]}}]}`))
		case "/api/v1/nodes/n1/proxy/stats/summary":
			assert.Equal(t, "true", r.URL.Query().Get("only_cpu_and_memory"))
			c.asked++
			c.answer(w)
		case "/api/v1/nodes/n1/proxy/metrics/cadvisor":
			c.metricsAsked++
			c.metrics(w)
		default:
			t.Errorf("asked for %s", r.URL.Path)
		}
	}))
	t.Cleanup(server.Close)
	typed, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	require.NoError(t, err)
	return c, typed.Discovery().RESTClient()
}

// recording is a recording that a test reads back.
type recording struct {
	t   *testing.T
	out bytes.Buffer
	*record.Recorder
}

func newRecording(t *testing.T) *recording {
	t.Helper()
	r := &recording{t: t}
	var err error
	r.Recorder, err = record.NewRecorder(&r.out, record.Header{})
	require.NoError(t, err)
	return r
}

func (r *recording) entries() []record.Entry {
	r.t.Helper()
	var all []record.Entry
	for e, err := range record.Read(bytes.NewReader(r.out.Bytes())) {
		require.NoError(r.t, err)
		all = append(all, e)
	}
	return all[1:]
}

func spaces(names ...string) func() []string { return func() []string { return names } }

// never is an interval in which a test looks only when it wants to.
const never = time.Hour

func open(t *testing.T, answer func(http.ResponseWriter), namespaces ...string) (*cluster, *recording, *usage.Sampler) {
	t.Helper()
	c, client := newCluster(t, answer)
	r := newRecording(t)
	s, err := usage.Open(t.Context(), client, r.Recorder, never, spaces(namespaces...))
	require.NoError(t, err)
	return c, r, s
}

func TestARealAnswer(t *testing.T) {
	raw, err := os.ReadFile(realSummary)
	require.NoError(t, err)
	_, r, s := open(t, says(string(raw)), "kube-system")
	require.NoError(t, s.Stop())
	entries := r.entries()
	require.Len(t, entries, 1)
	u := entries[0].Usage
	assert.Equal(t, "n1", u.Node)
	assert.Len(t, u.Pods, 7)
	assert.Contains(t, u.Pods, record.PodUsage{Namespace: "kube-system", Name: "coredns-559f6c778d-wvrxg", CPU: 138903760, Memory: 11694080})
}

// answer is a kubelet's answer: pods as "namespace/name cpu second".
func answer(pods ...string) string {
	var list []string
	for i, p := range pods {
		var name string
		var cpu, second int
		if _, err := fmt.Sscan(p, &name, &cpu, &second); err != nil {
			panic(err) // of what a test wrote
		}
		namespace, name, _ := strings.Cut(name, "/")
		list = append(list, fmt.Sprintf(`{"podRef":{"namespace":%q,"name":%q,"uid":"%d"},"startTime":"2026-01-01T00:00:%02dZ","cpu":{"time":"2026-01-01T00:01:%02dZ","usageCoreNanoSeconds":%d},"memory":{"workingSetBytes":5}}`,
			namespace, name, i, i, second, cpu))
	}
	return `{"pods":[` + strings.Join(list, ",") + "]}"
}

func TestPodsElsewhereAreLeftOut(t *testing.T) {
	_, r, s := open(t, says(answer("a/x 10 9", "b/y 20 9", "c/z 30 9", "a/young 0 9")), "a")
	require.NoError(t, s.Stop())
	u := r.entries()[0].Usage
	assert.Equal(t, []record.PodUsage{{Namespace: "a", Name: "x", CPU: 10, Memory: 5}}, u.Pods, "a pod is left out while nothing is known of it")
}

func TestOfTwoPodsOfOneNameTheYoungerCounts(t *testing.T) {
	_, r, s := open(t, says(answer("a/x 10 9", "a/x 3 9")), "a")
	require.NoError(t, s.Stop())
	u := r.entries()[0].Usage
	require.Len(t, u.Pods, 1)
	assert.EqualValues(t, 3, u.Pods[0].CPU)
}

func TestAFailedLookIsAGap(t *testing.T) {
	c, r, s := open(t, says(answer("a/x 10 9")), "a")
	for name, bad := range map[string]func(http.ResponseWriter){
		"server error": fails(http.StatusInternalServerError, "InternalError"),
		"no JSON":      says("<html>"),
		"no pods":      says("{}"),
	} {
		c.answers(bad)
		require.ErrorContains(t, s.Sample(t.Context()), "ask the kubelet of node n1 what pods use", name)
	}
	c.answers(says(answer("a/x 11 9")))
	require.NoError(t, s.Sample(t.Context()))
	require.ErrorContains(t, s.Stop(), "not known for 1 spells")
	entries := r.entries()
	require.Len(t, entries, 3)
	gap := entries[1].Gap
	require.NotNil(t, gap)
	assert.Equal(t, usage.Resource, gap.Resource)
	assert.Equal(t, "n1", gap.Namespace)
	assert.Equal(t, entries[0].Time, gap.From, "since the last good look")
	assert.GreaterOrEqual(t, entries[2].Time, entries[1].Time)
}

func TestAKubeletThatStaysAwayLeavesAGap(t *testing.T) {
	c, r, s := open(t, says(answer("a/x 10 9")), "a")
	c.answers(fails(http.StatusServiceUnavailable, "ServiceUnavailable"))
	require.Error(t, s.Sample(t.Context()))
	require.Error(t, s.Stop())
	entries := r.entries()
	require.Len(t, entries, 2)
	assert.Equal(t, record.KindGap, entries[1].Kind)
}

func TestAForbiddenKubeletIsExplained(t *testing.T) {
	_, client := newCluster(t, fails(http.StatusForbidden, "Forbidden"))
	r := newRecording(t)
	_, err := usage.Open(t.Context(), client, r.Recorder, never, spaces())
	require.ErrorContains(t, err, "allow the user to get nodes/proxy")
	assert.Empty(t, r.entries(), "nothing was known, so there is no gap")
}

func TestLooksGoOnUntilStop(t *testing.T) {
	c, client := newCluster(t, says(answer("a/x 10 9")))
	r := newRecording(t)
	looks := make(chan struct{}, 100)
	defer r.Listen(func(record.Entry) { looks <- struct{}{} })()
	s, err := usage.Open(t.Context(), client, r.Recorder, time.Millisecond, spaces("a"))
	require.NoError(t, err)
	for range 5 {
		select {
		case <-looks:
		case <-time.After(10 * time.Second):
			t.Fatal("no look within ten seconds")
		}
	}
	require.NoError(t, s.Stop())
	c.mu.Lock()
	asked := c.asked
	c.mu.Unlock()
	recorded := len(r.entries())
	assert.GreaterOrEqual(t, recorded, asked-1, "every answer is recorded, but for one that Stop gave up waiting for")
	assert.LessOrEqual(t, recorded, asked)
	assert.Never(t, func() bool { return len(r.entries()) > recorded }, 20*time.Millisecond, time.Millisecond, "nothing is recorded after Stop")
}

func TestRestIsBetweenTwoLooks(t *testing.T) {
	_, r, s := open(t, says(answer("a/x 10 9")), "a")
	require.NoError(t, s.Rest(t.Context(), 20*time.Millisecond))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.Rest(ended, never))
	require.NoError(t, s.Stop())
	entries := r.entries()
	require.Len(t, entries, 3)
	assert.GreaterOrEqual(t, entries[2].Time-entries[1].Time, 20*time.Millisecond)
}

func TestStaleFiguresAreNoticed(t *testing.T) {
	c, _, s := open(t, says(answer("a/x 10 9", "a/y 10 9")), "a")
	assert.Zero(t, s.Stale())
	c.answers(says(answer("a/x 10 10", "a/y 10 10")))
	require.NoError(t, s.Sample(t.Context()))
	assert.Zero(t, s.Stale(), "the figure is the same, its time is not")
	c.answers(says(answer("a/x 10 11", "a/y 10 10")))
	require.NoError(t, s.Rest(t.Context(), 20*time.Millisecond))
	assert.GreaterOrEqual(t, s.Stale(), 20*time.Millisecond)
	require.NoError(t, s.Stop())
}

// How CPU limits held pods back is asked for at the edges alone: the answer is long.
func TestThrottlingIsAskedForAtEdges(t *testing.T) {
	raw, err := os.ReadFile("testdata/cadvisor.txt")
	require.NoError(t, err)
	const pod = "memcached-operator-747b5849d5-ddbp6"
	summary := says(`{"pods":[{"podRef":{"name":"` + pod + `","namespace":"memcached-operator","uid":"u"},"cpu":{"time":"2030-01-01T00:00:00Z","usageCoreNanoSeconds":7},"memory":{"workingSetBytes":8}}]}`)
	c, r, s := open(t, summary, "memcached-operator")
	assert.Equal(t, 1, c.metricsAsked, "at the beginning, where there is no answer")
	c.mu.Lock()
	c.metrics = says(string(raw))
	c.mu.Unlock()
	require.NoError(t, s.Sample(t.Context()))
	require.NoError(t, s.Stop())
	entries := r.entries()
	require.Len(t, entries, 2)
	assert.Nil(t, entries[0].Usage.Pods[0].Throttled, "not known")
	assert.Equal(t, &record.Throttled{Time: time.Second, Periods: 56, ThrottledPeriods: 30}, entries[1].Usage.Pods[0].Throttled)
	assert.Equal(t, int64(7), entries[1].Usage.Pods[0].CPU)
}

func TestTheIntervalsOwnLooksDoNotAskForThrottling(t *testing.T) {
	raw, err := os.ReadFile(realSummary)
	require.NoError(t, err)
	c, client := newCluster(t, says(string(raw)))
	r := newRecording(t)
	s, err := usage.Open(t.Context(), client, r.Recorder, 10*time.Millisecond, spaces("kube-system"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.asked > 3
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, s.Stop())
	assert.Equal(t, 1, c.metricsAsked)
}

// What a style does to start is over when it has used next to nothing for two
// seconds; one that never does is not waited for.
func TestSettleWaitsUntilTheStyleIsAtRest(t *testing.T) {
	const second = int64(time.Second)
	for name, test := range map[string]struct {
		uses func(look int64) int64 // in ns, so far
		want int
	}{
		"at rest":          {func(int64) int64 { return 5 * second }, 3},
		"starting for 3 s": {func(look int64) int64 { return min(look, 3) * second / 5 }, 6},
		"one calm second":  {func(look int64) int64 { return (look - look/3) * second / 5 }, 8},
		"always at work":   {func(look int64) int64 { return look * second / 20 }, 8},
		"its pods end":     {func(look int64) int64 { return (20 - look) * second }, 8},
		"next to nothing":  {func(look int64) int64 { return look * second / 1000 }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &answering{uses: test.uses}
				recorder, err := record.NewRecorder(io.Discard, record.Header{})
				require.NoError(t, err)
				s, err := usage.Open(t.Context(), transport.client(t), recorder, time.Hour, func() []string { return []string{"mine"} })
				require.NoError(t, err)
				transport.looks = 0
				require.NoError(t, s.Settle(t.Context()))
				assert.Equal(t, test.want, transport.looks)
				require.NoError(t, s.Stop())
			})
		})
	}
}

// answering is a transport to an API server with one node, on which a style has
// one pod.
type answering struct {
	uses  func(look int64) int64
	looks int
}

func (a *answering) client(t *testing.T) rest.Interface {
	t.Helper()
	typed, err := kubernetes.NewForConfig(&rest.Config{Host: "http://cluster", QPS: -1, Transport: a})
	require.NoError(t, err)
	return typed.Discovery().RESTClient()
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	code, text := http.StatusOK, ""
	switch r.URL.Path {
	case "/api/v1/nodes":
		text = `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}`
	case "/api/v1/nodes/n1/proxy/stats/summary":
		text = fmt.Sprintf(`{"node":{},"pods":[{"podRef":{"name":"p","namespace":"mine","uid":"u"},"cpu":{"usageCoreNanoSeconds":%d},"memory":{"workingSetBytes":1}}]}`, a.uses(int64(a.looks)))
		a.looks++
	default:
		code = http.StatusNotFound
	}
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// A pod says what it keeps while it is asked; one that hangs is given up, and not asked again.
func TestPodsAreAskedWhatTheyKeep(t *testing.T) {
	c, r, s := open(t, says(answer("mine/good 1 10", "mine/hangs 1 10", "other/silent 1 10")), "mine", "other")
	c.pods = map[string]func(http.ResponseWriter, *http.Request){
		"/api/v1/namespaces/mine/pods/good:8080/proxy/metrics": func(w http.ResponseWriter, _ *http.Request) {
			says("# TYPE go_goroutines gauge\ngo_goroutines 41\n")(w)
		},
		"/api/v1/namespaces/mine/pods/hangs:8080/proxy/metrics": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
	c.metrics = says("# TYPE container_cpu_usage_seconds_total counter\ncontainer_cpu_usage_seconds_total{container=\"c\",namespace=\"mine\",pod=\"good\"} 1\n" +
		"# TYPE container_sockets gauge\ncontainer_sockets{container=\"c\",namespace=\"mine\",pod=\"good\"} 6\n")
	s.Ask(map[string]int{"mine": 8080})
	began := time.Now()
	for range 5 {
		require.NoError(t, s.Sample(t.Context()))
	}
	assert.Less(t, time.Since(began), 5*time.Second)
	s.Ask(nil)
	require.NoError(t, s.Sample(t.Context()))
	require.NoError(t, s.Stop())
	var kept []map[string]float64
	for _, e := range r.entries() {
		require.NotNil(t, e.Usage)
		for _, pod := range e.Usage.Pods {
			if pod.Name == "good" {
				kept = append(kept, pod.Kept)
			} else {
				assert.Nil(t, pod.Kept, pod.Name)
			}
		}
	}
	is := map[string]float64{"go_goroutines": 41, "container_sockets": 6}
	assert.Equal(t, []map[string]float64{nil, is, is, is, is, is, nil}, kept)
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Len(t, c.podsAsked, 8, "%s", c.podsAsked)
}
