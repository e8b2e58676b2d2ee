// Package inventory lists what is in a cluster: what there is, at a sample's end, of
// all resources that a style may write. It reads metadata alone.
package inventory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
)

// Taker makes inventories. Which resources the cluster serves it asks once.
type Taker struct {
	Metadata  metadata.Interface
	Discovery discovery.DiscoveryInterface
	// Writes reports whether the style may write a resource.
	Writes func(schema.GroupResource) bool
	Custom schema.GroupResource // what the custom resource is, which ends by itself

	once     sync.Once
	served   []schema.GroupVersionResource
	unserved []string // what of discovery failed
}

// atOnce is how many resources are listed at a time, and page how many objects in one request.
const (
	atOnce = 4
	page   = 500
)

// plain is a namespace that every cluster has, and in which no sample is. What is in it under the same name is what the
// cluster makes in every namespace: a root certificate, a service account.
const plain = metav1.NamespaceDefault

// Take makes an inventory for a sample: its own namespace comes first.
func (t *Taker) Take(ctx context.Context, namespaces ...string) record.Inventory {
	t.once.Do(t.discover)
	found := record.Inventory{Namespace: namespaces[0], Unlisted: slices.Clone(t.unserved)}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, resource := range t.served {
		group.Go(func() error {
			listed, err := t.list(ctx, resource)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				found.Unlisted = append(found.Unlisted, fmt.Sprintf("%s: %v", watch.ResourceName(resource), err))
				return nil
			}
			found.Resources = append(found.Resources, watch.ResourceName(resource))
			found.Objects = append(found.Objects, pick(watch.ResourceName(resource), listed, namespaces)...)
			return nil
		})
	}
	_ = group.Wait() // what could not be listed is said
	slices.Sort(found.Resources)
	slices.Sort(found.Unlisted)
	slices.SortFunc(found.Objects, func(a, b record.Item) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// discover finds the resources whose objects can be made, listed and deleted, but
// for custom resources, namespaces and Events, which end by themselves.
func (t *Taker) discover() {
	lists, err := t.Discovery.ServerPreferredResources()
	if err != nil { // of some groups, be it of one whose server is down
		t.unserved = append(t.unserved, fmt.Sprintf("some groups of the API: %v", err))
	}
	all, err := kube.Supporting(lists, "create", "list", "delete")
	if err != nil { // no API server serves such
		t.unserved = append(t.unserved, fmt.Sprintf("some groups of the API: %v", err))
	}
	t.served = slices.DeleteFunc(all, func(r schema.GroupVersionResource) bool {
		of := r.GroupResource()
		return r.Resource == "events" || r.Resource == "namespaces" || of == t.Custom || strings.Contains(r.Resource, "/") || !t.Writes(of)
	})
}

func (t *Taker) list(ctx context.Context, resource schema.GroupVersionResource) ([]metav1.PartialObjectMetadata, error) {
	var all []metav1.PartialObjectMetadata
	for options := (metav1.ListOptions{Limit: page}); ; {
		list, err := t.Metadata.Resource(resource).List(ctx, options)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if options.Continue = list.Continue; options.Continue == "" {
			return all, nil
		}
	}
}

// pick chooses what is of the sample among all objects of a resource.
func pick(resource string, listed []metav1.PartialObjectMetadata, namespaces []string) []record.Item {
	common := map[string]bool{}
	for i := range listed {
		if listed[i].Namespace == plain {
			common[listed[i].Name] = true
		}
	}
	var found []record.Item
	for i := range listed {
		o := &listed[i]
		own := slices.Contains(namespaces, o.Namespace)
		switch {
		case o.Labels[kube.LabelRun] != "" && o.Labels[kube.LabelManagedBy] == kube.ManagedBy: // the harness's own
		case own && common[o.Name]:
		case own, metav1.GetControllerOf(o) == nil && names(o, namespaces): // what has a controller elsewhere goes with that
			found = append(found, item(resource, o))
		}
	}
	return found
}

// names reports whether an object's metadata name one of the namespaces, which are one sample's alone.
func names(o *metav1.PartialObjectMetadata, namespaces []string) bool {
	texts := slices.Concat([]string{o.Name}, slices.Collect(maps.Values(o.Labels)),
		slices.Collect(maps.Keys(o.Annotations)), slices.Collect(maps.Values(o.Annotations)))
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(namespaces, func(namespace string) bool { return strings.Contains(text, namespace) })
	})
}

func item(resource string, o *metav1.PartialObjectMetadata) record.Item {
	s := record.Item{
		Resource: resource, Namespace: o.Namespace, Name: o.Name, UID: string(o.UID),
		Deleting: o.DeletionTimestamp != nil, Finalizers: o.Finalizers,
	}
	for _, m := range o.ManagedFields {
		if !slices.Contains(s.Managers, m.Manager) {
			s.Managers = append(s.Managers, m.Manager)
		}
	}
	is := func(yes *bool) bool { return yes != nil && *yes }
	for _, r := range o.OwnerReferences {
		s.Owners = append(s.Owners, record.Owner{
			APIVersion: r.APIVersion, Kind: r.Kind, Name: r.Name, UID: string(r.UID),
			Controller: is(r.Controller), BlockOwnerDeletion: is(r.BlockOwnerDeletion),
		})
	}
	return s
}
