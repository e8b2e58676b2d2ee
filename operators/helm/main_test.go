package main

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

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
	release, err := install.Run(memcached, spec)
	if err != nil {
		return "", err
	}
	return release.Manifest, nil
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
	for kind, selected := range cacheOptions().ByObject {
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

func TestLoadChartSaysWhatIsWrong(t *testing.T) {
	_, err := loadChart(fstest.MapFS{"chart/Chart.yaml": {Data: []byte("name: [")}})
	require.ErrorContains(t, err, "load the chart")
	_, err = loadChart(fstest.MapFS{})
	require.ErrorContains(t, err, "read the chart")
}
