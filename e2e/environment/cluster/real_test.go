//go:build cluster

package cluster

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/nodetest"
)

// These tests make real kind clusters with the images that `make images` has made ready.

const (
	envVictim = "OPERATORBENCH_TEST_VICTIM" // run id: this process makes a cluster and waits to be killed
	inTime    = 3 * time.Minute
)

func TestMain(m *testing.M) {
	ReapIfAsked()
	if run := os.Getenv(envVictim); run != "" {
		victim(run)
	}
	os.Exit(m.Run())
}

// victim makes a cluster, says so on standard output, and waits until it is killed.
func victim(run string) {
	var k *Kind
	opts, err := options(run)
	if err == nil {
		k, err = NewKind(opts)
	}
	if err == nil {
		_, err = k.Create(context.Background())
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("created", k.link.process.Process.Pid)
	select {}
}

func options(run string) (KindOptions, error) {
	image, err := nodetest.Image(context.Background())
	return KindOptions{Run: run, NodeImage: image}, err
}

func testOptions(t *testing.T) KindOptions {
	t.Helper()
	opts, err := options(NewRunID())
	require.NoError(t, err)
	return opts
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), inTime)
	t.Cleanup(cancel)
	return ctx
}

// newCluster makes a cluster that is removed at the end of the test.
func newCluster(t *testing.T, change func(*KindOptions)) (*Kind, *rest.Config) {
	t.Helper()
	opts := testOptions(t)
	start := time.Now()
	opts.Progress = func(step string) { t.Logf("%5.1fs %s", time.Since(start).Seconds(), step) }
	if change != nil {
		change(&opts)
	}
	k, err := NewKind(opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), inTime)
		defer cancel()
		assert.NoError(t, k.Delete(ctx))
	})
	config, err := k.Create(bounded(t))
	require.NoError(t, err)
	t.Logf("ready for work after %.1fs", time.Since(start).Seconds())
	return k, config
}

// traces returns what is on this machine of a run.
func traces(t *testing.T, run string) []string {
	t.Helper()
	ctx := bounded(t)
	e, err := findEngine(ctx, "")
	require.NoError(t, err)
	nodes, err := e.nodes(ctx, Name(run))
	require.NoError(t, err)
	networks, err := e.networks(ctx, run)
	require.NoError(t, err)
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+run+"*"))
	require.NoError(t, err)
	return append(append(nodes, networks...), folders...)
}

func TestKindCreateLoadDelete(t *testing.T) {
	store, err := nodetest.Store(bounded(t)) // while HOME is still the person's
	require.NoError(t, err)
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("HOME", home)
	k, config := newCluster(t, nil)
	assert.True(t, strings.HasPrefix(config.Host, "https://127.0.0.1:"), "reachable on loopback only, not %s", config.Host)
	assert.NoFileExists(t, filepath.Join(home, ".kube", "config"))

	start := time.Now()
	require.NoError(t, k.LoadImages(bounded(t), archiveOf(t, "example.test/one:v1", "example.test/two:v2")))
	t.Logf("loaded in %.1fs", time.Since(start).Seconds())
	images, err := k.engine.Run(bounded(t), "exec", Name(k.opts.Run)+"-control-plane", "crictl", "images")
	require.NoError(t, err)
	assert.Contains(t, images, "example.test/one")
	assert.Contains(t, images, "example.test/two")

	client, err := kube.New(config)
	require.NoError(t, err)
	require.NoError(t, client.WaitRollout(bounded(t), "Deployment", "kube-system", "coredns"))
	t.Logf("DNS ready %.1fs after the cluster", time.Since(start).Seconds())

	logs := t.TempDir()
	require.NoError(t, k.CollectLogs(bounded(t), logs, "kube-system"))
	assert.FileExists(t, filepath.Join(logs, "kube-system", "deployments.apps.yaml"))
	assert.FileExists(t, filepath.Join(logs, "kube-system", "events.yaml"))
	assert.NoFileExists(t, filepath.Join(logs, "kube-system", "secrets.yaml"))
	assert.FileExists(t, filepath.Join(logs, "kind", Name(k.opts.Run)+"-control-plane", "kubelet.log"))
	podLogs, err := filepath.Glob(filepath.Join(logs, "kube-system", "coredns-*.coredns.log"))
	require.NoError(t, err)
	assert.NotEmpty(t, podLogs)

	start = time.Now()
	require.NoError(t, k.LoadImages(bounded(t), func(w io.Writer) error {
		return store.Archive(bounded(t), w, "argo-events", "workflow-controller", "argoexec", "nats", "pause", "python", "memcached", "native")
	}))
	t.Logf("loaded the images of all styles in %.1fs", time.Since(start).Seconds())
	testExisting(t, k)
	assert.NotEmpty(t, traces(t, k.opts.Run))
	start = time.Now()
	require.NoError(t, k.Delete(bounded(t)))
	t.Logf("deleted in %.1fs", time.Since(start).Seconds())
	assert.Empty(t, traces(t, k.opts.Run))
	assert.NoError(t, k.Delete(bounded(t)), "a second time is no error")
}

// testExisting uses the cluster as one that was there before.
func testExisting(t *testing.T, k *Kind) {
	t.Helper()
	existing := &Existing{Kubeconfig: k.Kubeconfig(), Context: "kind-" + Name(k.opts.Run)}
	config, err := existing.Create(bounded(t))
	require.NoError(t, err)
	logs := t.TempDir()
	require.NoError(t, existing.CollectLogs(bounded(t), logs, "kube-system"))
	assert.FileExists(t, filepath.Join(logs, "kube-system", "pods.yaml"))
	folders, err := os.ReadDir(logs)
	require.NoError(t, err)
	assert.Len(t, folders, 1, "of no other namespace")
	require.NoError(t, existing.Delete(bounded(t)))
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.Discovery().ServerVersion()
	require.NoError(t, err, "it is still there")
}

func archiveOf(t *testing.T, refs ...string) func(io.Writer) error {
	t.Helper()
	images := map[name.Reference]v1.Image{}
	for _, ref := range refs {
		image, err := random.Image(1<<20, 2)
		require.NoError(t, err)
		file, err := image.ConfigFile()
		require.NoError(t, err)
		file.OS, file.Architecture = "linux", "amd64"
		image, err = mutate.ConfigFile(image, file)
		require.NoError(t, err)
		tag, err := name.NewTag(ref)
		require.NoError(t, err)
		images[tag] = image
	}
	return func(w io.Writer) error { return tarball.MultiRefWrite(images, w) }
}

func TestLoadImagesTellsWhoFailed(t *testing.T) {
	k, _ := newCluster(t, nil)
	err := k.LoadImages(bounded(t), func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("this is no archive ", 1000))
		return err
	})
	assert.ErrorContains(t, err, "loading images into node "+Name(k.opts.Run))

	err = k.LoadImages(bounded(t), func(io.Writer) error { return fmt.Errorf("the disk went away") })
	assert.ErrorContains(t, err, "the disk went away")

	ctx, cancel := context.WithCancelCause(bounded(t))
	err = k.LoadImages(ctx, func(w io.Writer) error {
		cancel(fmt.Errorf("the caller went away"))
		for {
			if _, err := w.Write(bytes.Repeat([]byte{0}, 512)); err != nil {
				return err
			}
		}
	})
	assert.ErrorContains(t, err, "the caller went away")

	t.Run("the name is taken", func(t *testing.T) {
		other, err := NewKind(k.opts)
		require.NoError(t, err)
		_, err = other.Create(bounded(t))
		assert.ErrorContains(t, err, "the name is taken")
		assert.NotEmpty(t, traces(t, k.opts.Run), "the cluster that has the name stays")
	})
}

func TestTwoAtOnce(t *testing.T) {
	for i := range 2 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			k, config := newCluster(t, nil)
			client, err := kubernetes.NewForConfig(config)
			require.NoError(t, err)
			nodes, err := client.CoreV1().Nodes().List(bounded(t), metav1.ListOptions{})
			require.NoError(t, err)
			require.Len(t, nodes.Items, 1)
			assert.Equal(t, Name(k.opts.Run)+"-control-plane", nodes.Items[0].Name)
		})
	}
}

func TestCreateCancelled(t *testing.T) {
	for _, step := range []string{"Preparing nodes", "Writing configuration", "Starting control-plane"} {
		t.Run(step, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(bounded(t))
			opts := testOptions(t)
			opts.Progress = func(text string) {
				if strings.Contains(text, step) {
					cancel(fmt.Errorf("interrupted while %s", step))
				}
			}
			k, err := NewKind(opts)
			require.NoError(t, err)
			_, err = k.Create(ctx)
			noticed := time.Now()
			require.ErrorContains(t, err, "interrupted while "+step)
			t.Logf("%v", err)
			assert.Less(t, time.Since(noticed), 20*time.Second)
			assert.Empty(t, traces(t, opts.Run))
		})
	}
}

func TestKeep(t *testing.T) {
	var said []string
	k, config := newCluster(t, func(opts *KindOptions) {
		opts.Keep = true
		opts.Progress = func(step string) { said = append(said, step) }
	})
	run := k.opts.Run
	require.NoError(t, k.Delete(bounded(t)))
	assert.Contains(t, said[len(said)-1], "opbench clean --run "+run)
	_, err := rest.HTTPClientFor(config)
	require.NoError(t, err)

	var out strings.Builder
	require.NoError(t, Clean(bounded(t), CleanOptions{}, &out))
	assert.Contains(t, out.String(), "kept on purpose (delete it: opbench clean --run "+run)
	assert.NotEmpty(t, traces(t, run))

	require.NoError(t, Clean(bounded(t), CleanOptions{Run: run}, &out))
	assert.Empty(t, traces(t, run))
}

// startVictim starts a process that makes a cluster, and returns it and its reaper's process id.
func startVictim(t *testing.T, run string) (*exec.Cmd, int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envVictim+"="+run)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	var reaper int
	_, err = fmt.Sscanf(line, "created %d", &reaper)
	require.NoError(t, err, line)
	return cmd, reaper
}

func TestKilledRunIsReaped(t *testing.T) {
	run := NewRunID()
	victim, _ := startVictim(t, run)
	require.NotEmpty(t, traces(t, run))

	var out strings.Builder
	require.NoError(t, Clean(bounded(t), CleanOptions{}, &out))
	assert.Contains(t, out.String(), "kept, still running: run "+run)

	require.NoError(t, victim.Process.Kill())
	killed := time.Now()
	require.Eventually(t, func() bool { return len(traces(t, run)) == 0 }, time.Minute, 100*time.Millisecond)
	t.Logf("all gone %.1fs after kill -9", time.Since(killed).Seconds())
}

func TestKilledReaperIsCleanedUpAfter(t *testing.T) {
	run := NewRunID()
	victim, reaper := startVictim(t, run)
	require.NoError(t, syscall.Kill(reaper, syscall.SIGKILL))
	require.NoError(t, victim.Process.Kill())
	_ = victim.Wait() // killed
	require.NotEmpty(t, traces(t, run))

	var out strings.Builder
	require.NoError(t, Clean(bounded(t), CleanOptions{DryRun: true}, &out))
	assert.Contains(t, out.String(), "would remove run "+run)
	require.NotEmpty(t, traces(t, run))

	require.NoError(t, Clean(bounded(t), CleanOptions{}, &out))
	t.Log(out.String())
	assert.Contains(t, out.String(), "removed run "+run)
	assert.Empty(t, traces(t, run))
}

func TestDeleteWithoutReaper(t *testing.T) {
	k, _ := newCluster(t, nil)
	require.NoError(t, syscall.Kill(k.link.process.Process.Pid, syscall.SIGKILL))
	require.NoError(t, k.Delete(bounded(t)))
	assert.Empty(t, traces(t, k.opts.Run))
}
