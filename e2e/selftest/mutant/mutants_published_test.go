package main

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

// asked counts requests in the custom resources' namespace.
func (w *world) asked(verb string, resource schema.GroupVersionResource) int {
	n := 0
	for _, action := range w.client.Actions() {
		if action.Matches(verb, resource.Resource) && action.GetNamespace() == "services" {
			n++
		}
	}
	return n
}

// publishedStories are those of mutants_published.go.
func publishedStories() []story {
	const name = "memcached"
	return []story{
		{"dies-after-write", func(w *world) string {
			w.stop()
			made := cr("services", name, 1)
			_ = w.client.Tracker().Create(customs, made, "services")
			return panics(func() {
				want, _ := w.operator.want(made, 1)
				_, _ = w.operator.create(w.t.Context(), made, want)
			})
		}, "fine", "panic"},
		{"never-scales", func(w *world) string { w.create(name, 1); w.scale(name, 3); return w.deployments() }, "memcached=3", "memcached=1"},
		{"stops-after-one", func(w *world) string { w.create("one", 1); w.create("two", 2); return w.deployments() }, "one=1 two=2", "one=1"},
		{"one-selector", func(w *world) string {
			w.create(name, 1)
			return fmt.Sprint(field(&w.list(deployments)[0], "spec", "selector", "matchLabels") == "map[app:memcached]")
		}, "false", "true"},
		{"retries-deleted", func(w *world) string {
			w.create(name, 1)
			w.remove(customs, name)
			w.wait(20 * time.Second)
			return fmt.Sprint(w.asked("get", customs) > 8)
		}, "false", "true"},
		{"finalizes-late", func(w *world) string {
			w.create(name, 1)
			w.edit(customs, name, func(o *object) {
				now := metav1.Now()
				o.SetDeletionTimestamp(&now)
				o.SetFinalizers([]string{"somebody.else/holds"})
			})
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[somebody.else/holds]", "[somebody.else/holds cache.example.com/mutant]"},
		{"drops-errors", func(w *world) string {
			w.forbid.Store(true)
			w.create(name, 1)
			w.wait(time.Second)
			w.forbid.Store(false)
			w.wait(10 * time.Second)
			return w.deployments()
		}, "memcached=1", ""},
		{"status-later", func(w *world) string {
			w.create(name, 1)
			first := field(w.custom(name), "status", "observedGeneration")
			w.wait(time.Minute)
			return first + " " + field(w.custom(name), "status", "observedGeneration")
		}, "1 1", "<nil> 1"},
		{"crashes-on-second", func(w *world) string {
			w.stop()
			return panics(func() {
				for _, one := range []string{"one", "two"} {
					_ = w.operator.memcacheds.GetStore().Add(cr("services", one, 1))
					_ = w.operator.custom(nameOf(one))
				}
			})
		}, "fine", "panic"},
		{"waits-ever-longer", func(w *world) string {
			w.forbid.Store(true)
			w.create(name, 1)
			w.wait(64 * time.Second)
			w.forbid.Store(false)
			w.wait(45 * time.Second)
			return w.deployments()
		}, "memcached=1", ""},
		{"looks-after-deleted", func(w *world) string {
			w.create(name, 1)
			w.remove(customs, name)
			w.wait(time.Minute)
			return fmt.Sprint(w.asked("list", pods) > 3)
		}, "false", "true"},
	}
}

func nameOf(one string) name { return name{Namespace: "services", Name: one} }

// twoStories are those of mutants_two.go.
func twoStories() []story {
	const memcached = "memcached"
	led := func(w *world) string {
		held, err := w.client.Resource(leases).Namespace("operator").Get(w.t.Context(), leaseName, metav1.GetOptions{})
		if err != nil {
			return "nobody"
		}
		return field(held, "spec", "holderIdentity")
	}
	// behind has another lead, from before the operator starts until an hour later.
	behind := func(w *world) {
		w.stop()
		lease := &object{Object: map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": map[string]any{
			"holderIdentity": "another", "renewTime": time.Now().Add(time.Hour).UTC().Format(metav1.RFC3339Micro),
		}}}
		lease.SetNamespace("operator")
		lease.SetName(leaseName)
		if _, err := w.client.Resource(leases).Namespace("operator").Update(w.t.Context(), lease, metav1.UpdateOptions{}); err != nil {
			_, _ = w.client.Resource(leases).Namespace("operator").Create(w.t.Context(), lease, metav1.CreateOptions{})
		}
		w.client.ClearActions()
		w.start()
		w.create(memcached, 1)
	}
	campaigns := func(w *world) bool {
		return slices.ContainsFunc(w.client.Actions(), func(a clienttesting.Action) bool { return a.Matches("get", leases.Resource) })
	}
	kept := func(w *world) string {
		w.create(memcached, 1)
		size := 0
		if len(w.operator.kept) > 1 {
			size = len(w.operator.kept[0])
		}
		return fmt.Sprint(size)
	}
	return []story{
		{leads, func(w *world) string { // no fault: see TestWhoElectsTakesOver
			w.create(memcached, 1)
			return fmt.Sprint(led(w) == identity(), " ", w.deployments())
		}, "false memcached=1", "true memcached=1"},
		{"leads-aside", func(w *world) string { behind(w); return fmt.Sprint(campaigns(w), " ", w.deployments()) }, "false memcached=1", "true memcached=1"},
		{"never-takes-over", func(w *world) string { behind(w); w.wait(2 * time.Hour); return w.deployments() }, "memcached=1", ""},
		{"draws-names", func(w *world) string {
			one, _ := w.operator.want(cr("services", memcached, 1), 1)
			w.stop()
			w.start()
			two, _ := w.operator.want(cr("services", memcached, 1), 1)
			return fmt.Sprint(one.GetName() == two.GetName())
		}, "true", "false"},
		{"keeps-some", kept, "0", fmt.Sprint(48 << 10)},
		{"keeps-mebibyte", kept, "0", fmt.Sprint(1 << 20)},
		{"keeps-goroutine", func(w *world) string {
			for n := range 20 {
				w.create(fmt.Sprint("memcached-", n), 0)
			}
			return fmt.Sprint(w.operator.waiting.Load() >= 20)
		}, "false", "true"},
		{"keeps-socket", func(w *world) string {
			w.create(memcached, 0)
			for _, socket := range w.operator.sockets {
				defer func() { assert.NoError(w.t, socket.Close()) }()
			}
			return fmt.Sprint(len(w.operator.sockets) > 0)
		}, "false", "true"},
		{"watches-namespaces", func(w *world) string {
			for _, namespace := range []string{"services", "services", "others"} {
				w.put(customs, cr(namespace, fmt.Sprint("memcached-", len(w.client.Actions())), 0))
			}
			began := 0
			for _, action := range w.client.Actions() {
				if action.Matches("watch", pods.Resource) && action.GetNamespace() != "" {
					began++
				}
			}
			return fmt.Sprint(began)
		}, "0", "2"},
	}
}

// The correct operator that elects a leader acts once the other's Lease has run out, and not before.
func TestWhoElectsTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, leads)
		defer func() { w.stop() }()
		w.stop()
		lease, err := w.client.Resource(leases).Namespace("operator").Get(t.Context(), leaseName, metav1.GetOptions{})
		assert.NoError(t, err)
		lease.Object["spec"] = map[string]any{"holderIdentity": "another", "renewTime": time.Now().Add(time.Minute).UTC().Format(metav1.RFC3339Micro)}
		_, err = w.client.Resource(leases).Namespace("operator").Update(t.Context(), lease, metav1.UpdateOptions{})
		assert.NoError(t, err)
		w.start()
		w.create("memcached", 1)
		assert.Empty(t, w.deployments())
		w.wait(2 * time.Minute)
		assert.Equal(t, "memcached=1", w.deployments())
	})
}
