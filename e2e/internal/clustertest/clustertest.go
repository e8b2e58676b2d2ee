// Package clustertest gives the tests of a package one kind cluster of their own, with the images that `make images`
// has made ready. The package's TestMain calls cluster.ReapIfAsked first, so that the cluster goes even if the tests
// are killed, and then Main.
package clustertest

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/nodetest"
)

const (
	createWithin = 4 * time.Minute // images included
	deleteWithin = time.Minute
	listWithin   = time.Minute
)

// A Cluster is shared by the tests of a package. It is made when the first of them asks for it.
type Cluster struct {
	images []string

	once   sync.Once
	err    error
	kind   *cluster.Kind
	client *kube.Client
}

// New returns a cluster that will have the images, which are named as in the catalogue. Nothing is made yet.
func New(images ...string) *Cluster { return &Cluster{images: images} }

// Main runs the tests, deletes the cluster if one was made, and returns the exit code.
func (c *Cluster) Main(m *testing.M) int {
	code := m.Run()
	if c.kind == nil {
		return code
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteWithin)
	defer cancel()
	if err := c.kind.Delete(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// Client returns a client of the cluster.
func (c *Cluster) Client() (*kube.Client, error) {
	c.once.Do(func() { c.err = c.create() })
	return c.client, c.err
}

// Kubeconfig returns the path of the cluster's kubeconfig.
func (c *Cluster) Kubeconfig() (string, error) {
	if _, err := c.Client(); err != nil {
		return "", err
	}
	return c.kind.Kubeconfig(), nil
}

// AuditLog returns the cluster's audit log, see cluster.Kind.
func (c *Cluster) AuditLog(ctx context.Context) (io.ReadCloser, error) {
	if _, err := c.Client(); err != nil {
		return nil, err
	}
	return c.kind.AuditLog(ctx)
}

// Node returns the cluster's one node, to run commands in and to restart.
func (c *Cluster) Node() (*cluster.Kind, error) {
	_, err := c.Client()
	return c.kind, err
}

func (c *Cluster) create() error {
	ctx, cancel := context.WithTimeout(context.Background(), createWithin)
	defer cancel()
	store, err := nodetest.Store(ctx)
	if err != nil {
		return err
	}
	image, err := store.Node(ctx)
	if err != nil {
		return err
	}
	if c.kind, err = cluster.NewKind(cluster.KindOptions{Run: cluster.NewRunID(), NodeImage: image}); err != nil {
		return err
	}
	config, err := c.kind.Create(ctx)
	if err != nil {
		return err
	}
	if len(c.images) > 0 {
		if err := c.kind.LoadImages(ctx, func(w io.Writer) error { return store.Archive(ctx, w, c.images...) }); err != nil {
			return err
		}
	}
	if c.client, err = kube.New(config); err != nil {
		return err
	}
	return c.client.WaitRollout(ctx, "Deployment", "kube-system", "coredns") // its coming up would show in an inventory
}

// Inventory lists every object of the cluster with its UID, sorted, but for those that come and go by themselves.
func (c *Cluster) Inventory(ctx context.Context) ([]string, error) {
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	lists, err := client.Typed.Discovery().ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its resources: %w", err)
	}
	resources, err := kube.Supporting(lists, "list")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, resource := range resources {
		if slices.Contains([]string{"events", "leases", "componentstatuses"}, resource.Resource) {
			continue
		}
		found, err := client.Dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource.GroupResource(), err)
		}
		for _, item := range found.Items {
			if !derived(&item) {
				all = append(all, fmt.Sprintf("%s %s/%s %s", resource.Resource, item.GetNamespace(), item.GetName(), item.GetUID()))
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// derived reports whether the object is an APIService that the API server makes of a definition, and removes some time
// after it.
func derived(obj *unstructured.Unstructured) bool {
	return obj.GetKind() == "APIService" && obj.GetLabels()["kube-aggregator.kubernetes.io/automanaged"] == "true"
}
