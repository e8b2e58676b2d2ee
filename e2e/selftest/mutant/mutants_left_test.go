package main

import (
	"fmt"
)

// leftStories are those of mutants_left.go.
func leftStories() []story {
	const name = "memcached"
	owner := func(field string) func(w *world) string {
		return func(w *world) string {
			w.create(name, 1)
			owners := w.list(deployments)[0].GetOwnerReferences()
			set := map[string]*bool{"controller": owners[0].Controller, "blockOwnerDeletion": owners[0].BlockOwnerDeletion}
			return fmt.Sprint(set[field] != nil && *set[field])
		}
	}
	// asked counts requests.
	asked := func(w *world, verb, resource, sub string) int {
		n := 0
		for _, action := range w.client.Actions() {
			if action.Matches(verb, resource) && action.GetSubresource() == sub {
				n++
			}
		}
		return n
	}
	maps := func(w *world) string {
		w.create(name, 1)
		where := ""
		for _, m := range w.list(configMaps) {
			where += m.GetNamespace() + "/" + m.GetName()
		}
		return where
	}
	return []story{
		{"configmap-left", maps, "", "services/services-memcached"},
		{"configmap-elsewhere", maps, "", "kube-public/services-memcached"},
		{"owner-not-controller", owner("controller"), "true", "false"},
		{"owner-not-blocking", owner("blockOwnerDeletion"), "true", "false"},
		{"edits-spec", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 5)
			return field(w.custom(name), "spec", "size")
		}, "5", "3"},
		{"rewrites-status", func(w *world) string {
			w.create(name, 1)
			before := asked(w, "update", customs.Resource, "status")
			w.wait(10 * lateBy)
			return fmt.Sprint(asked(w, "update", customs.Resource, "status")-before > 100)
		}, "false", "true"},
		{"late-at-times", func(w *world) string {
			for i := range 6 {
				w.create(fmt.Sprintf("m%d", i), i)
			}
			w.wait(lateBy / 2)
			return w.deployments()
		}, "m0=0 m1=1 m2=2 m3=3 m4=4 m5=5", "m0=0 m1=1 m2=2 m3=3 m5=5"},
		{"logs-secrets", func(w *world) string {
			w.create(name, 1)
			return fmt.Sprint(asked(w, "list", "secrets", ""))
		}, "0", "1"},
	}
}
