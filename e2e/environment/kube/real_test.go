//go:build cluster

package kube_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
)

// These tests share one kind cluster, made with the node image that `make images` has made ready.

const inTime = 2 * time.Minute

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	os.Exit(shared.Main(m))
}

var (
	owner  = kube.Owner{Run: "realtest", Style: "none"}
	shared = clustertest.New()
)

func realClient(t *testing.T) *kube.Client {
	t.Helper()
	client, err := shared.Client()
	require.NoError(t, err)
	return client
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), inTime)
	t.Cleanup(cancel)
	return ctx
}

// corednsImage returns an image that every node has, which runs and logs.
func corednsImage(t *testing.T, client *kube.Client) string {
	t.Helper()
	deployment, err := client.Typed.AppsV1().Deployments("kube-system").Get(bounded(t), "coredns", metav1.GetOptions{})
	require.NoError(t, err)
	return deployment.Spec.Template.Spec.Containers[0].Image
}

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objs, err := kube.Parse("test.yaml", []byte(text))
	require.NoError(t, err)
	return objs
}

// inventory lists the cluster's objects.
func inventory(t *testing.T) []string {
	t.Helper()
	all, err := shared.Inventory(bounded(t))
	require.NoError(t, err)
	return all
}

const everything = `
apiVersion: v1
kind: Namespace
metadata: {name: real}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.test.example}
spec:
  group: test.example
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: test.example/v1
kind: Thing
metadata: {name: thing, namespace: real}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: real-reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: dns, namespace: real}
spec:
  replicas: 2
  selector: {matchLabels: {app: dns}}
  template:
    metadata: {labels: {app: dns}}
    spec:
      containers:
      - {name: dns, image: IMAGE, imagePullPolicy: IfNotPresent, args: [-dns.port=1053]}
`

func TestRealApplyAndDelete(t *testing.T) {
	client := realClient(t)
	image := corednsImage(t, client)
	before := inventory(t)
	objs := parse(t, strings.ReplaceAll(everything, "IMAGE", image))
	require.Equal(t, kube.Footprint{
		Namespaces:    []string{"real"},
		ClusterScoped: []string{"ClusterRole real-reader", "CustomResourceDefinition things.test.example"},
	}, kube.Plan(objs))

	start := time.Now()
	require.NoError(t, client.Apply(bounded(t), owner, objs))
	t.Logf("applied %d objects, a definition and its resource among them, in %.2fs", len(objs), time.Since(start).Seconds())
	require.NoError(t, client.Apply(bounded(t), owner, objs), "again is no error")
	require.NoError(t, client.WaitRollout(bounded(t), "Deployment", "real", "dns"))
	t.Logf("rolled out after %.2fs", time.Since(start).Seconds())
	assert.NotEqual(t, before, inventory(t))

	start = time.Now()
	require.NoError(t, client.Delete(bounded(t), owner, objs))
	t.Logf("deleted in %.2fs", time.Since(start).Seconds())
	assert.Equal(t, before, inventory(t), "only what was there before is there")
	require.NoError(t, client.Delete(bounded(t), owner, objs), "again is no error")
}

// A run that was killed leaves what it made, a custom resource that its finalizer holds, and the roles that the
// Operator Lifecycle Manager made for its namespace, which carry no label of the run. Those for another's namespace
// stay.
func TestRealSweep(t *testing.T) {
	client := realClient(t)
	create := func(objs ...*unstructured.Unstructured) {
		for _, obj := range objs {
			resource, err := client.Resource(obj)
			require.NoError(t, err)
			_, err = resource.Create(bounded(t), obj, metav1.CreateOptions{})
			require.NoError(t, err)
		}
	}
	const roles = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: v0.1.0-NAMESPACE, labels: {olm.owner: v0.1.0, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: NAMESPACE}}
rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: v0.1.0-NAMESPACE, labels: {olm.owner: v0.1.0, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: NAMESPACE}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: v0.1.0-NAMESPACE}
subjects: [{kind: ServiceAccount, name: default, namespace: NAMESPACE}]
`
	create(parse(t, strings.ReplaceAll(roles, "NAMESPACE", "theirs"))...)
	before := inventory(t)
	objs := parse(t, everything)[:4]
	objs[2].SetFinalizers([]string{kube.FinalizerHold})
	require.NoError(t, client.Apply(bounded(t), owner, objs))
	create(parse(t, strings.ReplaceAll(roles, "NAMESPACE", "real"))...)

	require.NoError(t, client.Sweep(bounded(t), owner.Run, t.Logf))
	assert.Equal(t, before, inventory(t))
}

// A namespace goes with all that others have put into it, and does not take the 5 s that the namespace controller waits
// before it begins.
func TestRealNamespace(t *testing.T) {
	client := realClient(t)
	before := inventory(t)
	objs := parse(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: full}\n")
	require.NoError(t, client.Apply(bounded(t), owner, objs))
	others := inNamespace(t, "full", corednsImage(t, client), "-dns.port=1053")[1]
	others.SetFinalizers([]string{kube.FinalizerHold}) // as a scenario that was cut off leaves it
	resource, err := client.Resource(others)
	require.NoError(t, err)
	_, err = resource.Create(bounded(t), others, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, client.WaitRollout(bounded(t), "Deployment", "full", "d"))

	start := time.Now()
	require.NoError(t, client.Delete(bounded(t), owner, objs))
	took := time.Since(start)
	t.Logf("deleted in %.2fs", took.Seconds())
	assert.Less(t, took, 5*time.Second)
	assert.Equal(t, before, inventory(t))
}

// What controllers have made for a custom resource has ended when that is deleted, though the garbage collector does
// not know its definition yet; what they made for another runs on.
func TestRealDependents(t *testing.T) {
	client := realClient(t)
	all := parse(t, strings.ReplaceAll(everything, "IMAGE", corednsImage(t, client)))
	applied(t, client, all[:3]) // namespace, definition, Thing
	thing, err := client.Resource(all[2])
	require.NoError(t, err)
	live, err := thing.Get(bounded(t), "thing", metav1.GetOptions{})
	require.NoError(t, err)
	deployments := client.Dynamic.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("real")
	for _, name := range []string{"its", "another"} {
		made := inNamespace(t, "real", corednsImage(t, client), "-dns.port=1053")[1]
		made.SetName(name)
		for _, field := range [][]string{{"spec", "selector", "matchLabels", "app"}, {"spec", "template", "metadata", "labels", "app"}} {
			require.NoError(t, unstructured.SetNestedField(made.Object, name, field...))
		}
		if name == "its" {
			made.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(live, live.GroupVersionKind())})
		}
		_, err := deployments.Create(bounded(t), made, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, client.WaitRollout(bounded(t), "Deployment", "real", name))
	}

	require.NoError(t, client.Delete(bounded(t), owner, all[2:3]))
	pods, err := client.Typed.CoreV1().Pods("real").List(bounded(t), metav1.ListOptions{})
	require.NoError(t, err)
	for _, pod := range pods.Items {
		if pod.Labels["app"] == "its" {
			assert.Equal(t, "Succeeded", string(pod.Status.Phase), "it may still be there, but not run")
		}
	}
	require.NoError(t, client.WaitRollout(bounded(t), "Deployment", "real", "another"))
}

func TestRealRefusal(t *testing.T) {
	client := realClient(t)
	foreign := parse(t, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: real-reader}\n")[0]
	resource, err := client.Resource(foreign)
	require.NoError(t, err)
	_, err = resource.Create(bounded(t), foreign, metav1.CreateOptions{})
	require.NoError(t, err)
	before := inventory(t)
	objs := parse(t, strings.ReplaceAll(everything, "IMAGE", "never"))

	err = client.Apply(bounded(t), owner, objs)
	var refusal *kube.ForeignError
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, []string{"ClusterRole real-reader"}, refusal.Objects)
	require.NoError(t, client.Delete(bounded(t), owner, objs))
	assert.Equal(t, before, inventory(t), "nothing was touched, by Apply or by Delete")
	require.NoError(t, resource.Delete(bounded(t), foreign.GetName(), metav1.DeleteOptions{}))
}

func TestRealFinalizer(t *testing.T) {
	client := realClient(t)
	objs := parse(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: held}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, namespace: held, finalizers: [test.example/held]}\n")
	require.NoError(t, client.Apply(bounded(t), owner, objs))
	short, cancel := context.WithTimeout(bounded(t), 3*time.Second)
	defer cancel()
	err := client.Delete(short, owner, objs)
	t.Log(err)
	require.ErrorContains(t, err, "ConfigMap held/held")
	require.ErrorContains(t, err, "test.example/held")
	require.ErrorContains(t, err, "Namespace held")

	patch := []byte(`{"metadata":{"finalizers":null}}`)
	_, err = client.Typed.CoreV1().ConfigMaps("held").Patch(bounded(t), "held", "application/merge-patch+json", patch, metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, client.Delete(bounded(t), owner, objs))
	_, err = client.Typed.CoreV1().Namespaces().Get(bounded(t), "held", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err))
}

// inNamespace returns a namespace and a Deployment in it.
func inNamespace(t *testing.T, name, image, args string) []*unstructured.Unstructured {
	t.Helper()
	return parse(t, fmt.Sprintf(`
apiVersion: v1
kind: Namespace
metadata: {name: %[1]s}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: %[1]s}
spec:
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: main, image: %[2]s, imagePullPolicy: IfNotPresent, args: [%[3]s]}
`, name, image, args))
}

func applied(t *testing.T, client *kube.Client, objs []*unstructured.Unstructured) {
	t.Helper()
	require.NoError(t, client.Apply(bounded(t), owner, objs))
	t.Cleanup(func() { assert.NoError(t, client.Delete(bounded(t), owner, objs)) })
}

func TestRealMissingImage(t *testing.T) {
	client := realClient(t)
	applied(t, client, inNamespace(t, "missing", "image.invalid/absent:v1", ""))
	short, cancel := context.WithTimeout(bounded(t), 5*time.Second)
	defer cancel()
	err := client.WaitRollout(short, "Deployment", "missing", "d")
	t.Log(err)
	require.ErrorContains(t, err, "Deployment missing/d: waited 5s for its rollout")
	require.ErrorContains(t, err, "ImagePull")
	require.ErrorContains(t, err, "`opbench images`")
}

func TestRealCrash(t *testing.T) {
	client := realClient(t)
	image := corednsImage(t, client)
	objs := inNamespace(t, "crash", image, "-conf=/no/such/Corefile")
	// Without it a container counts as available in the moment between its start and its end.
	require.NoError(t, unstructured.SetNestedField(objs[1].Object, int64(5), "spec", "minReadySeconds"))
	applied(t, client, objs)
	short, cancel := context.WithTimeout(bounded(t), 8*time.Second)
	defer cancel()
	err := client.WaitRollout(short, "Deployment", "crash", "d")
	t.Log(err)
	require.ErrorContains(t, err, "exit code 1")
	require.ErrorContains(t, err, "/no/such/Corefile: no such file", "the log's last lines")
}

func TestRealLog(t *testing.T) {
	client := realClient(t)
	image := corednsImage(t, client)
	found := make(chan error, 1)
	go func() { found <- client.WaitLog(bounded(t), "logs", "app=d", "CoreDNS-", 1) }() // before there is a pod
	applied(t, client, inNamespace(t, "logs", image, "-version"))                       // which not every build of it needs a plugin for
	require.NoError(t, <-found)
	require.NoError(t, client.WaitLog(bounded(t), "logs", "app=d", "CoreDNS-", 1), "a line that is there already")

	short, cancel := context.WithTimeout(bounded(t), 2*time.Second)
	defer cancel()
	err := client.WaitLog(short, "logs", "app=d", "never written", 1)
	t.Log(err)
	require.ErrorContains(t, err, `a log line that contains "never written"`)
	require.ErrorContains(t, err, "linux/amd64", "the last lines that were read")
}

func TestRealCondition(t *testing.T) {
	client := realClient(t)
	node := schema.GroupVersionKind{Version: "v1", Kind: "Node"}
	nodes, err := client.Typed.CoreV1().Nodes().List(bounded(t), metav1.ListOptions{})
	require.NoError(t, err)
	require.NoError(t, client.WaitCondition(bounded(t), node, "", nodes.Items[0].Name, "Ready"))
	short, cancel := context.WithTimeout(bounded(t), time.Second)
	defer cancel()
	err = client.WaitCondition(short, node, "", nodes.Items[0].Name, "DiskPressure")
	require.ErrorContains(t, err, "DiskPressure=False")
	require.ErrorContains(t, client.WaitCondition(bounded(t), schema.GroupVersionKind{Group: "absent.example", Version: "v1", Kind: "Absent"}, "", "x", "Ready"), "absent.example")
}
