package drive

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/record"
)

// bystander is a kind of objects that are not the operator's. None of them starts a pod, or gives the cluster's own
// controllers much to do.
type bystander struct {
	resource schema.GroupVersionResource
	kind     string
	content  map[string]any // beside its head
}

// bystanders are those that a growth can name.
func bystanders() map[string]bystander {
	labels := map[string]any{"app": "bystander"}
	pod := map[string]any{
		"schedulingGates": []any{map[string]any{"name": "operatorbench/nowhere"}},
		"containers":      []any{map[string]any{"name": "main", "image": "operatorbench.local/nothing:none"}},
	}
	return map[string]bystander{
		"configmaps": {schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "ConfigMap", map[string]any{"data": map[string]any{"key": "value"}}},
		"secrets":    {schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, "Secret", map[string]any{"data": map[string]any{"key": "dmFsdWU="}}},
		"pods":       {schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "Pod", map[string]any{"spec": pod}},
		"deployments": {schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "Deployment", map[string]any{"spec": map[string]any{
			"paused": true, "replicas": int64(0), "selector": map[string]any{"matchLabels": labels}, "template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod},
		}}},
	}
}

// BystanderResource is the resource of a kind of bystanders.
func BystanderResource(kind string) schema.GroupVersionResource { return bystanders()[kind].resource }

// atOnce is how many bystanders are created at the same time.
const atOnce = 16

// beside creates bystanders, one kind after the other, in a namespace that is not recorded, and leaves the operator
// alone with them.
func (g *growing) beside(ctx context.Context) error {
	if len(g.Bystanders.Kinds) == 0 {
		return nil
	}
	l := g.lane(g.space("beside", g.scenario))
	l.made, l.open = []string{l.prefix}, []string{l.prefix}
	if err := g.Namespaces.Make(ctx, l.prefix); err != nil {
		return fmt.Errorf("make the namespace %s: %w", l.prefix, err)
	}
	for _, kind := range g.Bystanders.Kinds {
		if err := g.part(record.StageBeside, kind); err != nil {
			return err
		}
		group, creating := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i := range g.Bystanders.Each {
			group.Go(func() error { return g.put(creating, bystanders()[kind], l.prefix, fmt.Sprintf("bystander-%05d", i+1)) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if err := g.rest(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// put creates a bystander.
func (d *Driver) put(ctx context.Context, of bystander, namespace, name string) error {
	object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": namespace, "name": name, "labels": map[string]any{"app": "bystander"}}}}
	for field, value := range of.content {
		object.Object[field] = value
	}
	object.SetGroupVersionKind(of.resource.GroupVersion().WithKind(of.kind))
	if _, err := d.Client.Resource(of.resource).Namespace(namespace).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create the %s %s/%s, which is not the operator's: %w", of.kind, namespace, name, err)
	}
	return nil
}
