package main

import (
	"flag"
	"io"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chartutil"
	kubefake "helm.sh/helm/v3/pkg/kube/fake"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/storage"
	"helm.sh/helm/v3/pkg/storage/driver"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func TestParse(t *testing.T) {
	s, err := parse(nil)
	require.NoError(t, err)
	assert.Equal(t, settings{workers: 8, history: 3}, s)
	s, err = parse([]string{"--max-concurrent-reconciles=1", "--max-release-history=10", "--cache-all", "--failure-rollbacks"})
	require.NoError(t, err)
	assert.Equal(t, settings{workers: 1, history: 10, cacheAll: true, rollbacks: true}, s)
	assert.Empty(t, cacheOptions(s.cacheAll).ByObject)

	_, err = parse([]string{"memcached"})
	require.ErrorContains(t, err, `unexpected argument "memcached"`)
	_, err = parse([]string{"--leader-elect"})
	require.ErrorContains(t, err, "-leader-elect")
	_, err = parse([]string{"-help"})
	require.ErrorIs(t, err, flag.ErrHelp)
}

// render returns the manifest that Helm makes of the chart for one Memcached's spec.
func render(t *testing.T, spec map[string]any) (string, error) {
	t.Helper()
	memcached, err := loadChart(chartFiles)
	require.NoError(t, err)
	install := action.NewInstall(&action.Configuration{
		Capabilities: chartutil.DefaultCapabilities, Log: t.Logf,
	})
	install.ReleaseName, install.Namespace = "cache-a", "team"
	install.ClientOnly, install.DryRun = true, true
	rendered, err := install.Run(memcached, spec)
	if err != nil {
		return "", err
	}
	return rendered.Manifest, nil
}

func TestChart(t *testing.T) {
	manifest, err := render(t, map[string]any{"size": int64(3)})
	require.NoError(t, err)
	var deployment appsv1.Deployment
	require.NoError(t, yaml.UnmarshalStrict([]byte(manifest), &deployment))
	assert.Equal(t, "cache-a", deployment.Name)
	assert.Equal(t, "team", deployment.Namespace)
	assert.Equal(t, int32(3), *deployment.Spec.Replicas)
	assert.Equal(t, deployment.Spec.Selector.MatchLabels, deployment.Spec.Template.Labels)
	assert.Equal(t, "cache-a", deployment.Spec.Template.Labels["app.kubernetes.io/instance"])
	for kind, selected := range cacheOptions(false).ByObject {
		if _, ok := kind.(*appsv1.Deployment); ok {
			assert.True(t, selected.Label.Matches(labels.Set(deployment.Labels)), "its own cache must hold it")
		}
	}
}

func TestChartOfZero(t *testing.T) {
	manifest, err := render(t, map[string]any{"size": int64(0)})
	require.NoError(t, err)
	assert.Contains(t, manifest, "replicas: 0\n")
}

// What is no size is refused by the chart's schema before anything is sent.
func TestChartRefuses(t *testing.T) {
	for name, spec := range map[string]map[string]any{
		"none": {}, "negative": {"size": int64(-1)}, "too large": {"size": int64(1) << 31}, "text": {"size": "3"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := render(t, spec)
			require.ErrorContains(t, err, "size")
		})
	}
}

// The schema's message for a number that is too large is hard to read, the chart's is not.
func TestChartSaysWhatIsOutOfRange(t *testing.T) {
	_, err := render(t, map[string]any{"size": int64(1) << 31})
	require.ErrorContains(t, err, "size 2147483648 is out of range")
}

// What each reconcile begins with, by the state that the release was left in.
func TestTheDryRunThatAReconcileBeginsWith(t *testing.T) {
	memcached, err := loadChart(chartFiles)
	require.NoError(t, err)
	for state, refusal := range map[release.Status]string{
		release.StatusDeployed: "",
		// By an install that failed: why failures are not undone.
		release.StatusFailed: "",
		// By an install that failed, and whose undoing failed, too.
		release.StatusUninstalling: `"cache-a" has no deployed releases`,
		// By an operator that was killed: helm-operator-plugins#94. When this is not refused any more, it is mended.
		release.StatusPendingInstall: "another operation (install/upgrade/rollback) is in progress",
	} {
		t.Run(string(state), func(t *testing.T) {
			helm := &action.Configuration{
				Releases: storage.Init(driver.NewMemory()), KubeClient: &kubefake.PrintingKubeClient{Out: io.Discard},
				Capabilities: chartutil.DefaultCapabilities, Log: t.Logf,
			}
			install := action.NewInstall(helm)
			install.ReleaseName, install.Namespace = "cache-a", "default"
			installed, err := install.Run(memcached, map[string]any{"size": int64(1)})
			require.NoError(t, err)
			installed.SetStatus(state, "")
			require.NoError(t, helm.Releases.Update(installed))

			dryRun := action.NewUpgrade(helm)
			dryRun.DryRun, dryRun.Namespace = true, "default"
			_, err = dryRun.Run("cache-a", memcached, map[string]any{"size": int64(1)})
			if refusal == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, refusal)
		})
	}
}

func TestLoadChartSaysWhatIsWrong(t *testing.T) {
	_, err := loadChart(fstest.MapFS{"chart/Chart.yaml": {Data: []byte("name: [")}})
	require.ErrorContains(t, err, "load the chart")
	_, err = loadChart(fstest.MapFS{})
	require.ErrorContains(t, err, "read the chart")
}
