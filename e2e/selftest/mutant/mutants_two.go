package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
)

// The faults of this file show where two of the operator run.

var leases = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// How a leader is elected.
const (
	leaseName = "memcached-mutant"
	renewals  = time.Second
	expiry    = 4 * time.Second
)

// identity is the pod's name.
func identity() string {
	host, err := os.Hostname()
	if err != nil {
		return manager
	}
	return host
}

// lead takes the Lease, or renews it; false: another holds it.
func (o *operator) lead(ctx context.Context) (bool, error) {
	client := o.client.Resource(leases).Namespace(ownNamespace())
	now := time.Now()
	held := map[string]any{"holderIdentity": identity(), "leaseDurationSeconds": int64(expiry / time.Second), "renewTime": now.UTC().Format(metav1.RFC3339Micro)}
	lease, err := client.Get(ctx, leaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease = &object{Object: map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": held}}
		lease.SetName(leaseName)
		_, err = client.Create(ctx, lease, metav1.CreateOptions{FieldManager: manager})
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	holder, _, _ := unstructured.NestedString(lease.Object, "spec", "holderIdentity")
	text, _, _ := unstructured.NestedString(lease.Object, "spec", "renewTime")
	renewed, err := time.Parse(metav1.RFC3339Micro, text)
	if holder != identity() && err == nil && now.Sub(renewed) < expiry {
		return false, nil
	}
	lease.Object["spec"] = held
	_, err = client.Update(ctx, lease, metav1.UpdateOptions{FieldManager: manager}) // of two that write, one is refused
	return err == nil, err
}

// campaign tries to lead, again and again, and tells of its first success.
func (o *operator) campaign(ctx context.Context, led func()) {
	for leads := false; ctx.Err() == nil; {
		leading, err := o.lead(ctx)
		switch {
		case err != nil:
			slog.Info("no leader elected", "error", err)
		case leading && !leads:
			leads = true
			led()
		case !leading && leads:
			slog.Error("the lease is lost")
			os.Exit(1) //nolint:forbidigo // as operators that elect a leader do: whoever leads now must be alone
		}
		select {
		case <-ctx.Done():
		case <-time.After(renewals):
		}
	}
}

// elects is no fault: of several one acts.
func elects(o *operator) {
	o.awaitTurn = func(ctx context.Context) {
		led := make(chan struct{})
		go o.campaign(ctx, func() { close(led) })
		select {
		case <-led:
		case <-ctx.Done():
		}
	}
}

// leadsAside campaigns for the Lease, and acts without it.
func leadsAside(o *operator) {
	o.awaitTurn = func(ctx context.Context) { go o.campaign(ctx, func() {}) }
}

// neverTakesOver asks once for the Lease, and for ever waits to be told that it has it.
func neverTakesOver(o *operator) {
	o.awaitTurn = func(ctx context.Context) {
		if leading, err := o.lead(ctx); err == nil && leading {
			go o.campaign(ctx, func() {})
			return
		}
		<-ctx.Done()
	}
}

// drawsNames gives each Deployment a name of its own, and finds it again by its label: two that look at the same time
// find none.
func drawsNames(o *operator) {
	drawn := map[string]string{} // by uid
	wants(o, func(cr, deployment *object) {
		uid := string(cr.GetUID())
		if drawn[uid] == "" {
			drawn[uid] = cr.GetName() + "-" + rand.String(5)
			there, _ := o.deployments.GetIndexer().ByIndex(byInstance, cr.GetNamespace()+"/"+cr.GetName()) // there is such an index
			for _, one := range there {
				drawn[uid] = asObject(one).GetName()
			}
		}
		deployment.SetName(drawn[uid])
	})
}

// keepsSome keeps something of each reconcile for ever, like a map by uid that nothing is deleted from.
func keepsSome(o *operator) { keeps(o, 48<<10) }

// keepsMebibyte keeps a MiB of each.
func keepsMebibyte(o *operator) { keeps(o, 1<<20) }

// keepsGoroutine starts something at each reconcile that never ends.
func keepsGoroutine(o *operator) {
	custom := o.custom
	o.custom = func(key name) *object {
		o.waiting.Add(1)
		go func() { <-o.ends }()
		return custom(key)
	}
}

// keepsSocket opens a socket at each reconcile that it never closes, and tells nobody what it keeps.
func keepsSocket(o *operator) {
	o.mute = true
	custom := o.custom
	o.custom = func(key name) *object {
		if socket, err := net.ListenPacket("udp", "127.0.0.1:0"); err == nil { //nolint:noctx // nothing is waited for
			o.sockets = append(o.sockets, socket)
		}
		return custom(key)
	}
}

// watchesNamespaces begins a watch in each namespace of a custom resource that never ends. As most operators do, it tells
// nobody how many goroutines it has.
func watchesNamespaces(o *operator) {
	o.mute = true
	ensure, watched := o.ensure, map[string]bool{}
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		if namespace := cr.GetNamespace(); !watched[namespace] {
			_, err := o.client.Resource(pods).Namespace(namespace).Watch(context.WithoutCancel(ctx), metav1.ListOptions{})
			if err != nil {
				return nil, fmt.Errorf("watch the pods of %s: %w", namespace, err)
			}
			watched[namespace] = true
		}
		return ensure(ctx, cr, size)
	}
}

func keeps(o *operator, size int) {
	custom := o.custom
	o.custom = func(key name) *object {
		note := fmt.Sprintf("%d: %s", len(o.kept), key)
		page := make([]byte, size)
		for at := 0; at < size; at += len(note) {
			copy(page[at:], note)
		}
		o.kept = append(o.kept, page)
		return custom(key)
	}
}
