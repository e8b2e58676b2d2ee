package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// moreStories are those of mutants_early.go and mutants_many.go.
func moreStories() []story {
	const name = "memcached"
	waiting := func() *object {
		p := pod("p1", name)
		p.Object["status"] = map[string]any{"phase": "Pending"}
		return p
	}
	many := func(w *world) string {
		for i := range 21 {
			w.put(customs, cr("services", fmt.Sprintf("%s-%d", name, i), 1))
		}
		return fmt.Sprint(len(strings.Fields(w.deployments())))
	}
	restless := func(w *world) string {
		w.create(name, 0) // its Deployment is ready at once
		w.client.ClearActions()
		w.wait(calm + settle)
		return w.writes(deployments)
	}
	long := strings.Repeat("m", 60)
	return []story{
		{"status-early-nodes", func(w *world) string {
			w.create(name, 1)
			w.put(pods, waiting())
			return field(w.custom(name), "status", "nodes")
		}, "[]", "[p1]"},
		{"ready-at-once", func(w *world) string {
			w.create(name, 1)
			conditions, _, _ := unstructured.NestedSlice(w.custom(name).Object, "status", "conditions")
			return fmt.Sprint(conditions[0].(map[string]any)["status"])
		}, "False", "True"},
		{"wrong-replicas", func(w *world) string {
			w.create(name, 2)
			w.put(pods, pod("p1", name))
			w.put(pods, pod("p2", name))
			return field(w.custom(name), "status", "replicas")
		}, "2", "1"},
		{"wrong-selector", func(w *world) string {
			w.create(name, 1)
			return field(w.custom(name), "status", "selector")
		}, instanceLabel + "=memcached", "app=memcached"},
		{"truncates-names", func(w *world) string {
			w.create(long+"-1", 1)
			w.create(long+"-2", 2)
			return strings.ReplaceAll(w.deployments(), "m", "")
		}, "-1=1 -2=2", "=1"},
		{"stops-after-twenty", many, "21", "20"},
		{"late-every-fifth", func(w *world) string {
			before := many(w)
			w.wait(late + settle)
			return before + " then " + fmt.Sprint(len(strings.Fields(w.deployments())))
		}, "21 then 21", "17 then 21"},
		{"flaps-after-8s", restless, "", "patch"},
		{"labels-after-8s", restless, "", "patch"},
	}
}
