//go:build cluster

package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/run"
	"operatorbench/e2e/spec"
)

// shared is the existing cluster of these tests; TestMain makes it known.
var shared *clustertest.Cluster

var customs = schema.GroupVersionResource{Group: "cache.example.com", Version: "v1alpha1", Resource: "memcacheds"}

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	shared = clustertest.New("memcached", "native", "pause")
	os.Exit(shared.Main(m))
}

// trial is a run on the existing cluster.
type trial struct {
	*run.Session
	out     strings.Builder
	results string
}

// load prepares a run of one round, whose results go to a folder of the test's.
func load(t *testing.T, args ...string) *trial {
	t.Helper()
	tr := &trial{results: filepath.Join(t.TempDir(), "results")}
	options := run.Parse(t, append([]string{"--rounds=1", "--cluster=existing", "--yes", "--results=" + tr.results}, args...)...)
	var err error
	options.Kubeconfig, err = shared.Kubeconfig()
	require.NoError(t, err)
	tr.Session, err = run.Load(t.Context(), options, run.Clone(t), time.Time{}, &tr.out)
	require.NoError(t, err)
	t.Cleanup(func() { t.Log(tr.out.String()) })
	return tr
}

// drive drives everything and tells of all that was wrong.
func drive(ctx context.Context, s *run.Session) error { return errors.Join(s.Drive(ctx), s.Wrong()) }

// settled is a context that outlives the test, for closing.
func settled(t *testing.T) context.Context {
	t.Helper()
	return context.WithoutCancel(t.Context())
}

// inventory lists the cluster's objects.
func inventory(t *testing.T) []string {
	t.Helper()
	all, err := shared.Inventory(settled(t))
	require.NoError(t, err)
	return all
}

// A run leaves an existing cluster as it was, says beforehand what it makes
// there, and its results folder is complete.
func TestRunOnAnExistingCluster(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "step-summary.md")
	require.NoError(t, os.WriteFile(summary, []byte("of an earlier step\n"), 0o600))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	tr := whole(t, "--operator=native")

	for _, style := range []string{spec.Floor, "native"} {
		for _, scenario := range tr.Scenarios() {
			results, err := tr.Judged(style, scenario)
			require.NoError(t, err)
			want := 1
			if style != spec.Floor && scenario == "create" {
				want = 2 // the first warms up
			}
			require.Len(t, results, want, "%s %s", style, scenario)
			for _, result := range results {
				assert.Equal(t, spec.Pass, result.Outcome(), "%s %s: %v", style, scenario, result.Verdicts)
			}
		}
	}

	announcement, _, found := strings.Cut(tr.out.String(), "custom resource  ") // the first stage that makes something
	require.True(t, found)
	for _, want := range []string{
		"CustomResourceDefinition memcacheds.cache.example.com",
		"namespaces services-",
		"native: namespaces memcached-operator; ClusterRole memcached-operator, ClusterRoleBinding memcached-operator",
	} {
		assert.Contains(t, announcement, want)
	}
	for _, file := range []string{record.FileName, report.SamplesFile, record.EnvironmentFile, report.JUnitFile, report.SummaryFile} {
		info, err := os.Stat(filepath.Join(tr.results, file))
		require.NoError(t, err)
		assert.Positive(t, info.Size(), file)
	}
	assert.Equal(t, "of an earlier step\n"+read(t, filepath.Join(tr.results, report.SummaryFile)), read(t, summary))
}

// whole opens, drives and closes a run, which leaves the cluster as it was.
func whole(t *testing.T, args ...string) *trial {
	t.Helper()
	before := inventory(t)
	tr := load(t, args...)
	opened := tr.Open(t.Context())
	var driven error
	if opened == nil {
		driven = drive(t.Context(), tr.Session)
	}
	require.NoError(t, tr.Close(settled(t)))
	require.NoError(t, opened)
	require.NoError(t, driven)
	assert.Equal(t, before, inventory(t), "the cluster's objects before and after the run")
	return tr
}

// The controls are as their verdicts say: nothing that needs a reconcile passes
// where nobody does any, and the floor is measured without any other style.
func TestRunOfTheControls(t *testing.T) {
	tr := whole(t, "--operator=idle,null", "--scenario=create,walkthrough,two-resources,deployments-forbidden,create-refused")
	for scenario, want := range map[string][2]spec.Outcome{ // idle's, and the floor's
		"create":                {spec.Fail, spec.Pass},
		"walkthrough":           {spec.Fail, spec.NotApplicable},
		"two-resources":         {spec.Fail, spec.NotApplicable},
		"deployments-forbidden": {spec.NotApplicable, spec.NotApplicable},
		"create-refused":        {spec.Pass, spec.NotApplicable},
	} {
		for i, style := range []string{"idle", spec.Floor} {
			results, err := tr.Judged(style, scenario)
			require.NoError(t, err)
			require.Len(t, results, 1, "%s %s", style, scenario)
			assert.Equal(t, want[i], results[0].Outcome(), "%s %s", style, scenario)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// What is in an existing cluster under a name that a style needs makes the
// run refuse before it has made anything, and stays as it is.
func TestRunRefusesWhatItDidNotMake(t *testing.T) {
	client, err := shared.Client()
	require.NoError(t, err)
	roles := client.Typed.RbacV1().ClusterRoles()
	foreign, err := roles.Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "memcached-operator"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, roles.Delete(settled(t), foreign.Name, metav1.DeleteOptions{})) })
	before := inventory(t)

	tr := load(t, "--operator=native")
	opened := tr.Open(t.Context())
	made := inventory(t)
	require.NoError(t, tr.Close(settled(t)))
	var refused *kube.ForeignError
	require.ErrorAs(t, opened, &refused)
	assert.ErrorContains(t, opened, "ClusterRole memcached-operator")
	assert.Equal(t, []string{"ClusterRole memcached-operator"}, refused.Objects)
	assert.Equal(t, before, made, "nothing was made")
	assert.Equal(t, before, inventory(t), "nothing was removed")
	after, err := roles.Get(t.Context(), foreign.Name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, foreign, after)
}

// Nodes that lack an image that no registry has make the run refuse before it has
// made anything.
func TestRunRefusesImagesThatCannotBeHad(t *testing.T) {
	before := inventory(t)
	tr := load(t, "--operator=operator-sdk") // which is not among this cluster's images
	opened := tr.Open(t.Context())
	require.NoError(t, tr.Close(settled(t)))
	require.ErrorContains(t, opened, "operator-sdk (operatorbench.local/memcached-operator-sdk:v0.1.0) is not in node operatorbench-")
	assert.Equal(t, before, inventory(t), "nothing was made")
}

// What may not be done to an existing cluster is not done to it, and nobody fails for that.
func TestRunOfWhatAnExistingClusterLacks(t *testing.T) {
	tr := whole(t, "--operator=native", "--scenario=changed-after-node-restart,changed-after-api-server-restart,image-missing,two-resources")
	for _, scenario := range tr.Scenarios() {
		results, err := tr.Judged("native", scenario)
		require.NoError(t, err)
		require.Len(t, results, 1, scenario)
		want := spec.NotApplicable
		if scenario == "two-resources" {
			want = spec.Pass
		}
		assert.Equal(t, want, results[0].Outcome(), scenario)
	}
	assert.Contains(t, read(t, filepath.Join(tr.results, report.SummaryFile)), "an existing cluster may not have its nodes restarted")
}

// moment is what is in the cluster when a run is interrupted: the state that is hardest to remove.
type moment struct {
	scenario string
	resource schema.GroupVersionResource
	there    func(*unstructured.Unstructured) bool
}

func moments() map[string]moment {
	always := func(*unstructured.Unstructured) bool { return true }
	return map[string]moment{
		"the operator is being installed": {"create", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, func(obj *unstructured.Unstructured) bool {
			return obj.GetNamespace() == "memcached-operator"
		}},
		"a latency is measured": {"create,delete", customs, func(obj *unstructured.Unstructured) bool {
			return strings.Contains(obj.GetNamespace(), "-native-")
		}},
		"a policy refuses writes": {"write-refused", schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}, always},
		"a finalizer holds a custom resource": {"finalizer", customs, func(obj *unstructured.Unstructured) bool {
			return len(obj.GetFinalizers()) > 0
		}},
	}
}

// A run that is interrupted at any moment leaves an existing cluster as it was,
// and what one left that was killed is removed by its label.
func TestAnInterruptedRunLeavesNothing(t *testing.T) {
	client, err := shared.Client()
	require.NoError(t, err)
	for name, moment := range moments() {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed %t", name, killed), func(t *testing.T) {
				before := inventory(t)
				tr := load(t, "--operator=native", "--scenario="+moment.scenario)
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				seen := make(chan error, 1)
				require.NoError(t, tr.Open(ctx))
				go func() {
					seen <- await(ctx, client.Dynamic.Resource(moment.resource), moment.there)
					interrupt()
				}()
				driven := tr.Drive(ctx)
				require.NoError(t, <-seen, "%v", driven)
				require.ErrorIs(t, driven, context.Canceled)
				if killed { // nobody has called Close
					made, err := client.Made(settled(t), "")
					require.NoError(t, err)
					require.NotEmpty(t, made)
					require.NoError(t, client.Sweep(settled(t), made[0].GetLabels()[kube.LabelRun], t.Logf))
					assert.Equal(t, before, inventory(t))
				}
				require.NoError(t, tr.Close(settled(t)))
				assert.Equal(t, before, inventory(t), "the cluster's objects before and after the run")
			})
		}
	}
}

// await returns when an object is there.
func await(ctx context.Context, resource dynamic.ResourceInterface, there func(*unstructured.Unstructured) bool) error {
	events, err := resource.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer events.Stop()
	for {
		select {
		case event := <-events.ResultChan():
			if obj, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Deleted && there(obj) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// neverWithin is above the half minute that the garbage collector may take to
// learn of the custom resource, which comes before an install.
const neverWithin = 50 * time.Second

// A style that does not get ready ends the run with what was waited for and what
// was last seen; its logs are kept and its objects are not.
func TestRunOfAStyleThatNeverGetsReady(t *testing.T) {
	before := inventory(t)
	tr := load(t, "--operator=./e2e/spec/styles/testdata/never-ready", "--scenario=create")
	opened := tr.Open(t.Context())
	var driven error
	if opened == nil {
		ctx, cancel := context.WithTimeout(t.Context(), neverWithin)
		defer cancel()
		driven = drive(ctx, tr.Session)
	}
	require.NoError(t, tr.Close(settled(t)))
	require.NoError(t, opened)
	require.ErrorContains(t, driven, "install operator never-ready: stage operator: not ready: waited for the rollout of Deployment never-ready/never")
	assert.Regexp(t, "ErrImagePull|ImagePullBackOff", driven.Error())

	logs := filepath.Join(tr.results, "logs", "never-ready")
	assert.Contains(t, tr.out.String(), "logs of the cluster and of never-ready are in "+logs)
	assert.FileExists(t, filepath.Join(logs, "never-ready", "pods.yaml"))
	assert.Contains(t, read(t, filepath.Join(logs, "never-ready", "events.yaml")), "registry.invalid/none:v1")
	assert.Equal(t, before, inventory(t), "the cluster's objects before and after the run")
}
