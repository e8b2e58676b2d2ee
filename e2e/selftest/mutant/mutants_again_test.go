package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	clienttesting "k8s.io/client-go/testing"
)

// againStories are those of mutants_again.go.
func againStories() []story {
	const name = "memcached"
	refused := func(then func(w *world) string) func(w *world) string {
		return func(w *world) string {
			w.create(name, 1)
			w.client.ClearActions()
			w.forbid.Store(true)
			w.scale(name, 3)
			return then(w)
		}
	}
	return []story{
		{"tries-the-same", refused(func(w *world) string {
			w.scale(name, 2)
			w.client.ClearActions()
			w.forbid.Store(false)
			w.wait(6 * time.Second)
			var sizes []string
			for _, action := range w.client.Actions() {
				if update, is := action.(clienttesting.UpdateAction); is && action.Matches("update", "deployments") {
					written, _ := update.GetObject().(*object)
					sizes = append(sizes, field(written, "spec", "replicas"))
				}
			}
			return strings.Join(slices.Compact(sizes), " ")
		}), "2", "3 2"},
		{"keeps-error", refused(func(w *world) string {
			w.scale(name, 1)
			w.messages(name)
			return fmt.Sprint(strings.Contains(w.messages(name), "forbidden"))
		}), "false", "true"},
		{"makes-anew", refused(func(w *world) string {
			return fmt.Sprint(strings.Contains(w.writes(deployments), "delete"))
		}), "false", "true"},
		{"sweeps-up", func(w *world) string {
			w.create(name, 1)
			w.remove(customs, name)
			w.edit(deployments, name, func(o *object) { o.SetOwnerReferences(nil) })
			return w.deployments()
		}, "memcached=1", ""},
		{"forgets-late", func(w *world) string {
			w.create(name, 1)
			w.remove(customs, name)
			w.remove(deployments, name)
			w.create(name, 1)
			w.scale(name, 2)
			w.wait(5 * time.Second)
			w.scale(name, 3)
			return w.deployments()
		}, "memcached=3", "memcached=2"},
		{"gives-up-soon", func(w *world) string {
			slow := func(action clienttesting.Action) error {
				if action.Matches("create", "deployments") {
					<-time.After(3 * time.Second)
				}
				return nil
			}
			w.fails.Store(&slow)
			w.create(name, 1)
			w.wait(5 * time.Second)
			return fmt.Sprint(strings.Contains(w.messages(name), "deadline exceeded"))
		}, "false", "true"},
	}
}
