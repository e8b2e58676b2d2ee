//go:build cluster

package usage_test

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reaper "operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/usage"
)

// shared is the cluster of these tests.
var shared = clustertest.New("python")

func TestMain(m *testing.M) {
	reaper.ReapIfAsked()
	os.Exit(shared.Main(m))
}

// burn uses two seconds of CPU time, then prints what its own cgroup has used,
// in nanoseconds: version 1 counts nanoseconds, version 2 microseconds.
const burn = `
import time
while time.process_time() < 2: pass
try: print(int(open("/sys/fs/cgroup/cpuacct/cpuacct.usage").read()))
except FileNotFoundError: print(1000 * int(open("/sys/fs/cgroup/cpu.stat").read().split()[1]))
`

// image is the catalogue's image python.
const image = "docker.io/library/python:3.11.14-slim-bookworm"

// burner makes a pod that burns, and returns what its cgroup had used at its end.
func burner(ctx context.Context, t *testing.T, client *kube.Client, name string) time.Duration {
	t.Helper()
	pods := client.Typed.CoreV1().Pods(metav1.NamespaceDefault)
	_, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"burns": name}},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{
			Name: "burn", Image: image, ImagePullPolicy: corev1.PullNever, Command: []string{"python3", "-c", burn},
		}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	watch, err := pods.Watch(ctx, metav1.ListOptions{LabelSelector: "burns=" + name})
	require.NoError(t, err)
	defer watch.Stop()
	for event := range watch.ResultChan() {
		pod, ok := event.Object.(*corev1.Pod)
		require.True(t, ok, "%v", event.Object)
		require.NotEqual(t, corev1.PodFailed, pod.Status.Phase)
		if pod.Status.Phase == corev1.PodSucceeded {
			raw, err := pods.GetLogs(name, &corev1.PodLogOptions{}).DoRaw(ctx)
			require.NoError(t, err)
			ns, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
			require.NoError(t, err)
			return time.Duration(ns)
		}
	}
	t.Fatalf("pod %s did not end: %v", name, ctx.Err())
	return 0
}

// A pod that ends after two seconds of work is found whole by one look a second:
// the last figure is that of its own cgroup, and a little for making it.
func TestShortLivedPodsAreFoundWhole(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	client, err := shared.Client()
	require.NoError(t, err)
	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, record.Header{})
	require.NoError(t, err)
	s, err := usage.Open(ctx, client.Typed.Discovery().RESTClient(), recorder, usage.Interval, spaces(metav1.NamespaceDefault))
	require.NoError(t, err)
	used := map[string]time.Duration{}
	for _, name := range []string{"a", "b", "c"} {
		used[name] = burner(ctx, t, client, name)
	}
	require.NoError(t, s.Rest(ctx, 3*time.Second))
	assert.Less(t, s.Stale(), 3*time.Second, "figures of living pods are fresh")
	require.NoError(t, s.Stop())

	last := map[string]time.Duration{}
	for e, err := range record.Read(bytes.NewReader(out.Bytes())) {
		require.NoError(t, err)
		if e.Usage == nil {
			continue
		}
		for _, p := range e.Usage.Pods {
			last[p.Name] = time.Duration(p.CPU)
			assert.Positive(t, p.Memory)
		}
	}
	for name, of := range used {
		t.Logf("pod %s: its cgroup %v, found %v", name, of, last[name])
		assert.Greater(t, last[name], of-20*time.Millisecond, "missed of pod %s", name)
		assert.Less(t, last[name], of+300*time.Millisecond, "pod %s: its sandbox and its beginning", name)
	}
}
