package run

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/terminal"
)

// left is a session on a cluster in which a style has left its namespace, and
// these pods.
func left(t *testing.T, style *styles.Style, pods ...runtime.Object) *Session {
	t.Helper()
	recorder, err := record.NewRecorder(&bytes.Buffer{}, record.Header{Run: "r"})
	require.NoError(t, err)
	object := namespace(style.Components[0].Namespace)
	object.SetLabels(kube.Owner{Run: "r", Style: style.Name}.Labels())
	typed := fake.NewClientset(pods...)
	typed.Resources = []*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "namespaces", Kind: "Namespace", Verbs: []string{"list", "delete"}},
	}}}
	lists := map[schema.GroupVersionResource]string{{Version: "v1", Resource: "namespaces"}: "NamespaceList"}
	s := newSession(Options{}, "", time.Time{}, io.Discard)
	s.id, s.recorder, s.progress = "r", recorder, terminal.NewProgress(io.Discard)
	s.kube = &kube.Client{Typed: typed, Dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, []runtime.Object{object}...)}
	return s
}

// found are two participants of styles that bring other objects, and one that brings the
// first one's.
func found(t *testing.T) (native, again, other *participant) {
	t.Helper()
	styles, err := styles.Find("../../operators", "native", "controller-runtime")
	require.NoError(t, err)
	return &participant{operator: styles[0], variant: "head"}, &participant{operator: styles[0], variant: "base"}, &participant{operator: styles[1]}
}

// stuck is a block whose style was neither installed nor removed.
func stuck(p *participant) func() error {
	return func() error {
		return errors.Join(errors.New("install operator: not ready"), &remainsError{p.label(), errors.New("a finalizer holds it")})
	}
}

func never(t *testing.T) func() error {
	return func() error { assert.Fail(t, "it is in the way"); return nil }
}

// Why it could not be installed comes first, and the others have their turns.
func TestWhatCannotBeRemovedIsOnlyInTheWayOfWhoSharesIt(t *testing.T) {
	native, again, other := found(t)
	s := left(t, native.operator)
	require.NoError(t, s.guarded(t.Context(), native, stuck(native)))
	require.EqualError(t, native.err, "install operator: not ready\nnative@head could not be removed: a finalizer holds it")
	driven := 0
	for _, p := range []*participant{{}, other} {
		require.NoError(t, s.guarded(t.Context(), p, func() error { driven++; return nil }))
		require.NoError(t, p.err)
	}
	assert.Equal(t, 2, driven)
	require.NoError(t, s.guarded(t.Context(), again, never(t)))
	require.EqualError(t, again.err, "not driven any further: it brings what is left of native@head, which could not be removed: namespace/memcached-operator")
}

// What still runs would act on the next one's custom resources.
func TestWhatCannotBeRemovedAndStillRunsEndsTheRun(t *testing.T) {
	native, _, other := found(t)
	component := native.operator.Components[0]
	labels, err := metav1.ParseToLabelSelector(component.Selector)
	require.NoError(t, err)
	require.NotEmpty(t, labels.MatchLabels)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "operator-1", Namespace: component.Namespace, Labels: labels.MatchLabels}}
	s := left(t, native.operator, pod)
	require.NoError(t, s.guarded(t.Context(), native, stuck(native)))
	err = s.guarded(t.Context(), other, never(t))
	require.EqualError(t, err, "native@head could not be removed, and its pods still run: memcached-operator/operator-1; "+
		"the run ends here, because they would act on the next style's custom resources; delete these pods (or the cluster), and run again")
	assert.NoError(t, other.err)
}
