package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// heldOutStories are those of mutants_heldout.go.
func heldOutStories() []story {
	const name = "memcached"
	created := func(resource string) func(w *world) string {
		return func(w *world) string {
			w.create(name, 1)
			var made []string
			for _, action := range w.client.Actions() {
				if action.Matches("create", resource) {
					made = append(made, action.GetNamespace())
				}
			}
			return strings.Join(made, " ")
		}
	}
	owner := func(w *world) string {
		w.create(name, 1)
		o := w.list(deployments)[0].GetOwnerReferences()[0]
		return o.APIVersion + " " + o.Name
	}
	ready := func(w *world) map[string]any {
		status, _, _ := unstructured.NestedMap(w.custom(name).Object, "status")
		return condition(status)
	}
	status := func(path string) func(w *world) string {
		return func(w *world) string {
			w.create(name, 1)
			w.put(pods, pod("p1", name))
			w.put(pods, pod("p2", "another"))
			w.put(pods, pod("p3", name))
			return field(w.custom(name), "status", path)
		}
	}
	many := func(w *world) int {
		for i := range 41 {
			w.create(fmt.Sprintf("%s-%d", name, i), 0)
		}
		return len(w.list(deployments))
	}
	written := func(verb, resource string) func(w *world) string {
		return func(w *world) string {
			w.create(name, 0)
			w.client.ClearActions()
			w.wait(10 * time.Second)
			n := 0
			for _, action := range w.client.Actions() {
				if action.Matches(verb, resource) {
					n++
				}
			}
			return fmt.Sprint(n > 10)
		}
	}
	leave := func(w *world) {
		w.edit(customs, name, func(o *object) {
			now := metav1.Now()
			o.SetDeletionTimestamp(&now)
			o.SetFinalizers(append(o.GetFinalizers(), "somebody.else/holds"))
		})
	}
	long := strings.Repeat("m", 58)
	return []story{
		{"leaves-service", created("services"), "", "services"},
		{"leaves-note", created("configmaps"), "", "operator"},
		{"owner-old-version", owner, "cache.example.com/v1alpha1 memcached", "cache.example.com/v1alpha0 memcached"},
		{"letters-first", func(w *world) string { w.create("1"+name, 1); return w.deployments() }, "1memcached=1", ""},
		{"cuts-names", func(w *world) string {
			w.create(long+"-1", 1)
			w.create(long+"-2", 2)
			return fmt.Sprint(len(w.list(deployments)))
		}, "2", "1"},
		{"replicas-of-all", status("replicas"), "2", "3"},
		{"selects-none", status("selector"), instanceLabel + "=memcached", instanceLabel + " in memcached"},
		{"observes-first", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 3)
			return field(w.custom(name), "status", "observedGeneration") + " " + w.deployments()
		}, "2 memcached=3", "2 memcached=1"},
		{"ready-of-first", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 3)
			return fmt.Sprint(ready(w)["observedGeneration"])
		}, "2", "1"},
		{"ready-on-one", func(w *world) string {
			w.create(name, 2)
			w.put(pods, pod("p1", name))
			return fmt.Sprint(ready(w)["status"])
		}, "False", "True"},
		{"never-ready", func(w *world) string {
			w.create(name, 1)
			rollOut(w, name)
			return fmt.Sprint(ready(w)["status"])
		}, "True", "False"},
		{"touches-custom", written("update", "memcacheds"), "false", "true"},
		{"touches-child", written("patch", "deployments"), "false", "true"},
		{"late-every-seventh", func(w *world) string {
			n := many(w)
			w.wait(time.Minute)
			return fmt.Sprintln(n, len(w.list(deployments)))
		}, "41 41\n", "36 41\n"},
		{"stops-after-forty", func(w *world) string { return fmt.Sprint(many(w)) }, "41", "40"},
		{"flaps-once", func(w *world) string {
			w.create(name, 1)
			rollOut(w, name)
			w.client.ClearActions()
			w.wait(time.Minute)
			return w.writes(deployments)
		}, "", "patch update"},
		{"takes-finalizers", func(w *world) string {
			w.create(name, 1)
			leave(w)
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[somebody.else/holds]", "[]"},
		{"forgets-at-restart", func(w *world) string {
			w.create(name, 1)
			w.stop()
			leave(w)
			w.start()
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[somebody.else/holds]", "[" + finalizer + " somebody.else/holds]"},
		{"begins-anew", func(w *world) string {
			w.create(name, 1)
			w.stop()
			w.messages(name) // of its first start
			w.start()
			return fmt.Sprint(strings.Contains(w.messages(name), "it is being set up"))
		}, "false", "true"},
		{"ready-stays", func(w *world) string {
			w.create(name, 1)
			rollOut(w, name)
			w.edit(deployments, name, func(o *object) { o.Object["status"] = map[string]any{"readyReplicas": int64(0)} })
			return fmt.Sprint(ready(w)["status"])
		}, "False", "True"},
		{"keeps-childless", func(w *world) string {
			w.create(name, 1)
			w.stop()
			w.remove(deployments, name)
			leave(w)
			w.start()
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[somebody.else/holds]", "[" + finalizer + " somebody.else/holds]"},
		{"keeps-unready", func(w *world) string {
			w.create(name, 1)
			leave(w)
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[somebody.else/holds]", "[" + finalizer + " somebody.else/holds]"},
		{"older-is-stale", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 2)
			w.remove(customs, name)
			w.remove(deployments, name)
			w.create(name, 1)
			return w.deployments()
		}, "memcached=1", ""},
		{"logs-token", func(w *world) string {
			before := slog.Default()
			defer slog.SetDefault(before)
			var log bytes.Buffer
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			w.create(name, 1)
			return fmt.Sprint(strings.Contains(log.String(), " as="))
		}, "false", "true"},
		{"flips-ready", func(w *world) string {
			w.create(name, 1)
			w.wait(5 * time.Second)
			return fmt.Sprint(ready(w)["status"])
		}, "False", "Unknown"},
	}
}
