//go:build cluster

package audit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/audit"
)

// shared is the cluster that these tests share; TestMain makes it known.
var shared *clustertest.Cluster

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	shared = clustertest.New("python")
	os.Exit(shared.Main(m))
}

// space is the namespace of these tests, caller the pod in it that makes requests.
const (
	space  = "audited"
	caller = "caller"
)

// callerObjects are a pod with a service account and what it may do. The program
// prints how each request was answered, and ends.
const callerObjects = `
{kind: List, apiVersion: v1, items: [
  {apiVersion: v1, kind: ServiceAccount, metadata: {name: caller, namespace: audited}},
  {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: caller, namespace: audited}, rules: [
    {apiGroups: [""], resources: [configmaps], verbs: ["*"]},
    {apiGroups: [""], resources: [serviceaccounts/token], verbs: [create]},
    {apiGroups: [apps], resources: [deployments], verbs: [list]}]},
  {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: caller, namespace: audited},
   roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: caller},
   subjects: [{kind: ServiceAccount, name: caller, namespace: audited}]}]}
`

const callerProgram = `
import json, os, ssl, urllib.error, urllib.request
account = "/var/run/secrets/kubernetes.io/serviceaccount/"
context = ssl.create_default_context(cafile=account + "ca.crt")
token = open(account + "token").read()
def call(method, path, body=None, kind="application/json"):
    request = urllib.request.Request("https://%s%s" % (os.environ["KUBERNETES_SERVICE_HOST"], path), method=method,
        data=body and json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + token, "User-Agent": "caller/1", "Content-Type": kind})
    try:
        answer = urllib.request.urlopen(request, context=context)
        answer.read()
        print(method, path, answer.status)
    except urllib.error.HTTPError as e:
        print(method, path, e.code)
maps = "/api/v1/namespaces/audited/configmaps"
one = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"password": "open sesame"}}
call("GET", "/version")
call("POST", maps, one)
call("GET", maps + "/one")
call("PATCH", maps + "/one", {"data": {"b": "c"}}, "application/merge-patch+json")
call("PUT", maps + "/one", one)
call("GET", maps)
call("GET", maps + "?watch=true&timeoutSeconds=1")
call("GET", "/apis/apps/v1/namespaces/audited/deployments")
call("GET", "/api/v1/namespaces/audited/secrets/none?password=open+sesame")
call("POST", "/api/v1/namespaces/audited/serviceaccounts/caller/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
call("DELETE", maps + "/one")
call("DELETE", maps)
`

// short is what is compared of an entry: its times are checked by themselves.
type short struct {
	Verb, Resource, Subresource, Name string
	Code                              int
}

const maps = "configmaps.v1"

// recording is one that the cluster's audit log is followed into.
type recording struct {
	*audit.Follower

	out   bytes.Buffer // to be read when the follower has stopped
	began time.Time
	api   rest.Interface
}

func record1(t *testing.T) *recording {
	t.Helper()
	client, err := shared.Client()
	require.NoError(t, err)
	log, err := shared.AuditLog(t.Context())
	require.NoError(t, err)
	r := &recording{began: time.Now(), api: client.Typed.CoreV1().RESTClient()}
	recorder, err := record.NewRecorder(&r.out, record.Header{})
	require.NoError(t, err)
	r.Follower = audit.Follow(t.Context(), log, recorder)
	return r
}

// finish returns all that was answered until now.
func (r *recording) finish(t *testing.T) []record.Audit {
	t.Helper()
	began := time.Now()
	require.NoError(t, r.CatchUp(t.Context(), r.api))
	t.Logf("caught up in %s", time.Since(began).Round(time.Microsecond))
	require.NoError(t, r.Stop())
	var all []record.Audit
	for entry, err := range record.Read(bytes.NewReader(r.out.Bytes())) {
		require.NoError(t, err)
		if entry.Kind != record.KindHeader {
			require.Equal(t, record.KindAudit, entry.Kind)
			all = append(all, *entry.Audit)
		}
	}
	return all
}

// of returns the requests of one agent, after checking what they have in common.
func (r *recording) of(t *testing.T, all []record.Audit, agent, user, pod string) []short {
	t.Helper()
	var found []short
	for _, a := range all {
		if a.Agent != agent {
			continue
		}
		assert.Equal(t, user, a.User)
		assert.Equal(t, pod, a.Pod)
		assert.Equal(t, space, a.Namespace)
		assert.False(t, a.Answered.Before(a.Received), "%+v", a)
		assert.WithinRange(t, a.Received, r.began, time.Now(), "the node is on the harness's clock")
		found = append(found, short{a.Verb, a.Resource, a.Subresource, a.Name, a.Code})
	}
	return found
}

// prepare makes the namespace, which goes with the test.
func prepare(t *testing.T) *kube.Client {
	t.Helper()
	client, err := shared.Client()
	require.NoError(t, err)
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": space}}}
	owner := kube.Owner{Run: "audittest"}
	require.NoError(t, client.Apply(t.Context(), owner, []*unstructured.Unstructured{namespace}))
	t.Cleanup(func() {
		assert.NoError(t, client.Delete(context.Background(), owner, []*unstructured.Unstructured{namespace}))
	})
	return client
}

func TestRequestsOfTheHarness(t *testing.T) {
	config := rest.CopyConfig(prepare(t).Config)
	config.UserAgent = "harness/1"
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	r := record1(t)

	mine := client.CoreV1().ConfigMaps(space)
	_, err = mine.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Data: map[string]string{"key": "open sesame"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	watch, err := mine.Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = mine.Patch(t.Context(), "one", types.MergePatchType, []byte(`{"data":{"key":"open sesame again"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	watch.Stop() // its end is not another request
	_, err = mine.Get(t.Context(), "two", metav1.GetOptions{})
	require.Error(t, err)
	token, err := client.CoreV1().ServiceAccounts(space).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, mine.Delete(t.Context(), "one", metav1.DeleteOptions{}))

	all := r.finish(t)
	assert.Equal(t, []short{
		{"create", maps, "", "one", 201},
		{"watch", maps, "", "", 200},
		{"patch", maps, "", "one", 200},
		{"get", maps, "", "two", 404},
		{"create", "serviceaccounts.v1", "token", "default", 201},
		{"delete", maps, "", "one", 200},
	}, r.of(t, all, "harness/1", "kubernetes-admin", ""))
	assert.NotContains(t, r.out.String(), "sesame")
	assert.NotContains(t, r.out.String(), token.Status.Token)
	assert.False(t, slices.ContainsFunc(all, func(a record.Audit) bool {
		return a.Agent == "operatorbench" && a.Verb == "get" && a.Name == "default" && a.Resource == "namespaces.v1"
	}), "the marks are left out")
}

func TestRequestsOfAPod(t *testing.T) {
	client := prepare(t)
	r := record1(t)
	list := &unstructured.UnstructuredList{}
	require.NoError(t, yaml.Unmarshal([]byte(callerObjects), list))
	for i := range list.Items {
		resource, err := client.Resource(&list.Items[i])
		require.NoError(t, err)
		_, err = resource.Create(t.Context(), &list.Items[i], metav1.CreateOptions{})
		require.NoError(t, err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: caller, Namespace: space},
		Spec: corev1.PodSpec{ServiceAccountName: caller, RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{
			Name: caller, Image: "docker.io/library/python:3.11.14-slim-bookworm", ImagePullPolicy: corev1.PullNever,
			Command: []string{"python3", "-c", callerProgram},
		}}},
	}
	_, err := client.Typed.CoreV1().Pods(space).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, ended(t, client))

	all := r.finish(t)
	assert.Equal(t, []short{
		{"create", maps, "", "one", 201},
		{"get", maps, "", "one", 200},
		{"patch", maps, "", "one", 200},
		{"update", maps, "", "one", 200},
		{"list", maps, "", "", 200},
		{"watch", maps, "", "", 200},
		{"list", "deployments.v1.apps", "", "", 200},
		{"get", "secrets.v1", "", "none", 403},
		{"create", "serviceaccounts.v1", "token", caller, 201},
		{"delete", maps, "", "one", 200},
		{"deletecollection", maps, "", "", 200},
	}, r.of(t, all, "caller/1", "system:serviceaccount:audited:caller", caller))
	assert.NotContains(t, r.out.String(), "sesame")
}

// ended waits until the pod's program has ended well.
func ended(t *testing.T, client *kube.Client) error {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("the pod takes too long"))
	defer cancel()
	return client.WaitFor(ctx, corev1.SchemeGroupVersion.WithResource("pods"), space, caller, "its end", func(obj *unstructured.Unstructured) (bool, string) {
		phase, _, _ := unstructured.NestedString(obj.Object, "status", "phase")
		return phase == "Succeeded", phase
	})
}
