// Package fakenodes adds nodes to a cluster that are none: of each pod that is put there kwok says that it runs. So
// thousands of custom resources have pods on a machine that runs a hundred. Those of operators stay on the real node.
package fakenodes

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/environment/kube"
)

// Image is kwok's, in the catalogue of images.
const Image = "kwok"

//go:embed kwok.yaml
var manifests []byte

// within is how long kwok and its nodes may take to be ready.
const within = 2 * time.Minute

// daemons is how many pods more a node takes: those of DaemonSets.
const daemons = 10

// Install adds so many nodes for so many pods each, and returns when pods go there.
func Install(ctx context.Context, client *kube.Client, owner kube.Owner, nodes, pods int) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	objects, err := objects(pods + daemons)
	if err != nil {
		return err
	}
	for i := range nodes {
		objects = append(objects, node(i+1))
	}
	if err := client.Apply(ctx, owner, objects); err != nil {
		return err
	}
	if err := client.WaitRollout(ctx, "Deployment", "operatorbench-kwok", "kwok"); err != nil {
		return err
	}
	for i := range nodes {
		if err := client.WaitCondition(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Node"}, "", name(i+1), "Ready"); err != nil {
			return err
		}
	}
	return awaitSent(ctx, client)
}

// objects are those of kwok, with nodes that take so many pods.
func objects(pods int) ([]*unstructured.Unstructured, error) {
	return yaml.Parse("kwok.yaml", bytes.ReplaceAll(manifests, []byte("PODS"), []byte(strconv.Itoa(pods))))
}

func name(number int) string { return fmt.Sprintf("fake-%03d", number) }

// node is a fake one. What is not put there on purpose does not tolerate it.
func node(number int) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": name(number), "labels": map[string]any{
			"operatorbench/node": "fake", "kubernetes.io/hostname": name(number), "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
		}},
		"spec": map[string]any{"taints": []any{map[string]any{"key": "operatorbench/node", "value": "fake", "effect": "NoSchedule"}}},
	}}
}

// awaitSent returns when the API server sends pods of the namespaces that ask for it to the fake nodes: a policy takes
// a moment until it counts.
func awaitSent(ctx context.Context, client *kube.Client) error {
	pods := client.Dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace("operatorbench-fake-pods")
	probe := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "probe"},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "operatorbench.local/nothing:none"}}},
	}}
	seen := "nothing was answered"
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (there bool, _ error) {
		there, seen = sent(pods.Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
		return there, nil
	})
	if err != nil {
		return fmt.Errorf("create a pod for a fake node (dry run): the policy operatorbench-fake-nodes did not send it there in %v; last seen: %s: %w", within, seen, err)
	}
	return nil
}

// sent reports whether a pod goes to a fake node, and what of it was seen. As long as its namespace is new it is
// refused.
func sent(pod *unstructured.Unstructured, refused error) (there bool, seen string) {
	if refused != nil {
		return false, refused.Error()
	}
	selector, _, _ := unstructured.NestedStringMap(pod.Object, "spec", "nodeSelector")
	return selector["operatorbench/node"] == "fake", fmt.Sprintf("its nodeSelector was %v", selector)
}
