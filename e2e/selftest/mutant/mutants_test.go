package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/selftest"
)

// story is what happens to the operator, and one question about what came of it:
// the correct operator and the mutant must give different answers.
type story struct {
	mutant         string
	tell           func(*world) string
	correct, wrong string
}

func stories() []story {
	const name = "memcached"
	template := func(d *object) map[string]any {
		at, _, _ := unstructured.NestedMap(d.Object, "spec", "template")
		return at
	}
	child := func(w *world) *object { return &w.list(deployments)[0] }
	bad := func(w *world) {
		w.edit(customs, name, func(o *object) { o.Object["spec"] = map[string]any{"size": "three"} })
	}
	restarted := func(w *world, meanwhile func()) {
		w.stop()
		meanwhile()
		w.start()
		w.wait(time.Second)
	}
	leaving := func(o *object) {
		now := metav1.Now()
		o.SetDeletionTimestamp(&now)
		o.SetFinalizers(append(o.GetFinalizers(), "somebody.else/holds"))
	}
	yes := true
	another := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "other", Controller: &yes}
	occupied := func(w *world, owners ...metav1.OwnerReference) string {
		theirs := &object{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{"replicas": int64(0)}}}
		theirs.SetNamespace("services")
		theirs.SetName(name)
		theirs.SetUID("theirs")
		theirs.SetOwnerReferences(owners)
		w.put(deployments, theirs)
		w.create(name, 2)
		return w.deployments()
	}
	return []story{
		{"ignores-listed", func(w *world) string {
			restarted(w, func() {
				_ = w.client.Tracker().Create(customs, cr("services", name, 2), "services")
			})
			return w.deployments()
		}, "memcached=2", ""},
		{"added-only", func(w *world) string { w.create(name, 1); w.scale(name, 3); return w.deployments() }, "memcached=3", "memcached=1"},
		{"ignores-applies", func(w *world) string {
			w.create(name, 1)
			w.edit(customs, name, func(o *object) {
				resize(o, 3)
				o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "person", Operation: metav1.ManagedFieldsOperationApply}})
			})
			return w.deployments()
		}, "memcached=3", "memcached=1"},
		{"forgets-namespace", func(w *world) string {
			w.create(name, 1)
			w.put(customs, cr("elsewhere", name, 2))
			return w.deployments()
		}, "memcached=1 memcached=2", "memcached=1"},
		{"gives-up", func(w *world) string {
			w.forbid.Store(true)
			w.create(name, 1)
			w.wait(time.Second)
			w.forbid.Store(false)
			w.wait(10 * time.Second)
			return w.deployments()
		}, "memcached=1", ""},
		{"forgets-forbidden", func(w *world) string {
			w.stop()
			w.failing(func(action clienttesting.Action) error {
				if action.GetResource() == deployments && action.GetVerb() == "list" {
					return apierrors.NewForbidden(deployments.GroupResource(), "", nil)
				}
				return nil
			}, func() { w.start(); w.create(name, 1) })
			return w.deployments()
		}, "memcached=1", ""},
		{"lagging-cache", func(w *world) string {
			w.create(name, 1)
			w.remove(customs, name)
			w.remove(deployments, name) // the garbage collector
			return w.deployments()
		}, "", "memcached=1"},

		{"no-owner", func(w *world) string { w.create(name, 1); return fmt.Sprint(len(child(w).GetOwnerReferences())) }, "1", "0"},
		{"wrong-port", func(w *world) string {
			w.create(name, 1)
			return fmt.Sprint(strings.Contains(fmt.Sprint(template(child(w))), "11212"))
		}, "false", "true"},
		{"wrong-image", func(w *world) string {
			w.create(name, 1)
			return fmt.Sprint(strings.Contains(fmt.Sprint(template(child(w))), "pause"))
		}, "false", "true"},
		{"wrong-second-size", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 2)
			first := w.deployments()
			w.scale(name, 3)
			return first + " " + w.deployments()
		}, "memcached=2 memcached=3", "memcached=2 memcached=4"},
		{"drops-second-size", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 2)
			w.scale(name, 5)
			return w.deployments()
		}, "memcached=5", "memcached=2"},
		{"swaps-order", func(w *world) string {
			w.create(name, 1)
			w.wait(2 * burst)
			w.scale(name, 2)
			w.wait(2 * burst)
			calm := w.deployments()
			w.scale(name, 4)
			w.scale(name, 5)
			return calm + " " + w.deployments()
		}, "memcached=2 memcached=5", "memcached=2 memcached=4"},
		{"clamps-size", func(w *world) string {
			w.create(name, 3)
			bad(w)
			return w.deployments()
		}, "memcached=3", "memcached=1"},
		{"crashes-on-zero", func(w *world) string { return panics(func() { _, _ = w.operator.size(cr("services", name, 0)) }) }, "fine", "panic"},
		{"crashes-on-bad-size", func(w *world) string {
			return panics(func() { _, _ = w.operator.size(cr("services", name, -1)) })
		}, "fine", "panic"},
		{"rolls-on-restart", func(w *world) string {
			w.create(name, 1)
			before := template(child(w))
			restarted(w, func() { w.wait(time.Second) })
			return fmt.Sprint(assert.ObjectsAreEqual(before, template(child(w))))
		}, "true", "false"},
		{"rolls-on-scale", func(w *world) string {
			w.create(name, 1)
			before := template(child(w))
			w.scale(name, 2)
			return fmt.Sprint(assert.ObjectsAreEqual(before, template(child(w))))
		}, "true", "false"},
		{"copies-annotations", func(w *world) string {
			w.create(name, 1)
			w.edit(customs, name, func(o *object) { o.SetAnnotations(map[string]string{"note": "nothing"}) })
			return w.writes(deployments)
		}, "create", "create update"},
		{"event-each-time", func(w *world) string {
			w.create(name, 1)
			_ = w.messages(name)
			for i := range 3 {
				w.edit(customs, name, func(o *object) { o.SetAnnotations(map[string]string{"note": fmt.Sprint(i)}) })
			}
			return fmt.Sprint(strings.Count(w.messages(name), "Reconciled") >= 3)
		}, "false", "true"},
		{"one-for-all", func(w *world) string { w.create("one", 1); w.create("two", 2); return w.deployments() }, "one=1 two=2", "one=1"},
		{"random-names", func(w *world) string {
			w.create(name, 1)
			restarted(w, func() {})
			return fmt.Sprint(len(w.list(deployments)))
		}, "1", "2"},

		{"double-create", func(w *world) string { w.create(name, 1); return w.deployments() }, "memcached=1", "memcached-again=1 memcached=1"},
		{"ignores-replicas", func(w *world) string {
			w.create(name, 1)
			w.edit(deployments, name, func(o *object) { o.Object["spec"].(map[string]any)["replicas"] = int64(7) })
			drifted := w.deployments()
			w.scale(name, 2)
			return drifted + " " + w.deployments()
		}, "memcached=1 memcached=2", "memcached=7 memcached=2"},
		{"ignores-image", func(w *world) string {
			w.create(name, 1)
			before := template(child(w))
			w.edit(deployments, name, func(o *object) { container(o)["image"] = "another" })
			return fmt.Sprint(assert.ObjectsAreEqual(before, template(child(w))))
		}, "true", "false"},
		{"ignores-command", func(w *world) string {
			w.create(name, 1)
			before := template(child(w))
			w.edit(deployments, name, func(o *object) { container(o)["command"] = []any{"another"} })
			return fmt.Sprint(assert.ObjectsAreEqual(before, template(child(w))))
		}, "true", "false"},
		{"ignores-owner", func(w *world) string {
			w.create(name, 1)
			w.edit(deployments, name, func(o *object) { o.SetOwnerReferences(nil) })
			return fmt.Sprint(len(child(w).GetOwnerReferences()))
		}, "1", "0"},
		{"ignores-labels", func(w *world) string {
			w.create(name, 1)
			w.edit(deployments, name, func(o *object) { o.SetLabels(nil) })
			return fmt.Sprint(len(child(w).GetLabels()))
		}, "2", "0"},
		{"replaces-child", func(w *world) string {
			w.create(name, 1)
			w.edit(deployments, name, func(o *object) { o.SetFinalizers([]string{"somebody.else/holds"}) })
			w.scale(name, 2)
			return fmt.Sprint(child(w).GetFinalizers(), w.deployments())
		}, "[somebody.else/holds]memcached=2", "[]memcached=2"},
		{"owns-alone", func(w *world) string {
			w.create(name, 1)
			w.edit(deployments, name, func(o *object) {
				o.SetOwnerReferences(append(o.GetOwnerReferences(), metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "other"}))
			})
			return fmt.Sprint(len(child(w).GetOwnerReferences()))
		}, "2", "1"},
		{"insists", func(w *world) string {
			w.create(name, 1)
			containers := []string{"spec", "template", "spec", "containers"}
			updates := 0
			w.client.PrependReactor("update", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
				updates++
				made := action.(clienttesting.UpdateAction).GetObject().(*object).DeepCopy()
				list, _, _ := unstructured.NestedSlice(made.Object, containers...)
				if len(list) == 1 {
					_ = unstructured.SetNestedSlice(made.Object, append(list, map[string]any{"name": "sidecar"}), containers...)
				}
				if live, err := w.client.Tracker().Get(deployments, "services", name); err != nil || equality.Semantic.DeepEqual(live, made) {
					return true, made, err // as the API does: what changes nothing is no event
				}
				return true, made, w.client.Tracker().Update(deployments, made, "services")
			})
			w.scale(name, 2)
			w.wait(10 * time.Second)
			return fmt.Sprint(updates < 5, " ", w.deployments())
		}, "true memcached=2", "false memcached=2"},
		{"takes-orphans", func(w *world) string { return occupied(w) }, "memcached=0", "memcached=2"},
		{"takes-controlled", func(w *world) string { return occupied(w, another) }, "memcached=0", "memcached=2"},
		{"deletes-by-name", func(w *world) string {
			occupied(w, another)
			w.edit(customs, name, leaving)
			return w.deployments()
		}, "memcached=0", ""},
		{"sees-by-label", func(w *world) string {
			w.create(name, 1)
			w.edit(deployments, name, func(o *object) { o.SetLabels(nil) })
			w.scale(name, 2)
			return w.deployments()
		}, "memcached=2", "memcached=1"},
		{"ignores-deleted", func(w *world) string { w.create(name, 1); w.remove(deployments, name); return w.deployments() }, "memcached=1", ""},
		{"once-per-name", func(w *world) string {
			w.create(name, 1)
			w.remove(customs, name)
			w.remove(deployments, name)
			again := cr("services", name, 2)
			again.SetUID("another life")
			w.put(customs, again)
			return w.deployments()
		}, "memcached=2", ""},
		{"recreates-on-scale", func(w *world) string { w.create(name, 1); w.scale(name, 2); return w.writes(deployments) }, "create update", "create delete create"},
		{"restless", func(w *world) string {
			w.create(name, 1)
			w.wait(5 * pace)
			return fmt.Sprint(child(w).GetAnnotations()["looked"] > "2000-01-01T00:00:03")
		}, "false", "true"},
		{"neighbour", func(w *world) string {
			w.create("one", 1)
			w.create("two", 3)
			return w.deployments() + " " + w.writes(deployments)
		}, "one=1 two=3 create", "one=1 two=3 create patch update"},
		{"leaks-pod", func(w *world) string { w.create(name, 1); return fmt.Sprint(len(w.list(pods))) }, "0", "1"},

		{cleans, func(w *world) string { // no fault: see TestWhoCleansUpLetsGo
			w.create(name, 1)
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[]", "[" + finalizer + "]"},
		{"keeps-at-zero", kept(0), "[somebody.else/holds]", "[cache.example.com/mutant somebody.else/holds]"},
		{"keeps-changed", kept(3), "[somebody.else/holds]", "[cache.example.com/mutant somebody.else/holds]"},
		{"keeps-finalizer", func(w *world) string { w.create(name, 1); return fmt.Sprint(w.custom(name).GetFinalizers()) }, "[]", "[" + finalizer + "]"},
		{"tries-once", func(w *world) string {
			w.create(name, 1)
			w.failing(func(action clienttesting.Action) error {
				if update, is := action.(clienttesting.UpdateActionImpl); is && update.Resource == customs && update.UpdateOptions.FieldManager == manager {
					return apierrors.NewForbidden(customs.GroupResource(), name, nil)
				}
				return nil
			}, func() { w.edit(customs, name, leaving) })
			return fmt.Sprint(w.custom(name).GetFinalizers())
		}, "[somebody.else/holds]", "[" + finalizer + " somebody.else/holds]"},
		{"orphans", func(w *world) string {
			w.create(name, 1)
			w.edit(customs, name, leaving)
			return fmt.Sprintln(w.custom(name).GetFinalizers(), w.writes(deployments))
		}, "[somebody.else/holds] create\n", "[somebody.else/holds] create delete\n"},
		{"deletion-as-update", func(w *world) string {
			w.create(name, 1)
			w.edit(customs, name, leaving)
			return fmt.Sprint(strings.Contains(w.writes(deployments), "delete create"))
		}, "false", "true"},

		{"status-lies", func(w *world) string {
			w.create(name, 2)
			w.put(pods, pod("p1", name))
			return field(w.custom(name), "status", "nodes")
		}, "[p1]", "[memcached-0 memcached-1]"},
		{"status-stale", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 2)
			return field(w.custom(name), "status", "observedGeneration")
		}, "2", "1"},
		{"observes-changes", func(w *world) string {
			w.create(name, 1)
			w.scale(name, 1)
			return field(w.custom(name), "status", "observedGeneration")
		}, "2", "1"},
		{"drops-status-errors", func(w *world) string {
			w.create(name, 1)
			w.failing(func(action clienttesting.Action) error {
				if action.GetResource() == customs && action.GetSubresource() == "status" {
					return apierrors.NewForbidden(customs.GroupResource(), name, nil)
				}
				return nil
			}, func() { w.scale(name, 2) })
			return field(w.custom(name), "status", "observedGeneration")
		}, "2", "1"},
		{"status-keeps-dead", func(w *world) string {
			w.create(name, 1)
			w.put(pods, pod("p1", name))
			w.put(pods, pod("p2", name))
			w.remove(pods, "p1")
			return field(w.custom(name), "status", "nodes")
		}, "[p2]", "[p2 p1]"},
		{"status-restless", func(w *world) string {
			w.create(name, 1)
			w.wait(5*pace + settle)
			conditions, _, _ := unstructured.NestedSlice(w.custom(name).Object, "status", "conditions")
			return fmt.Sprint(conditions[0].(map[string]any)["lastTransitionTime"])
		}, "2000-01-01T00:00:01Z", "2000-01-01T00:00:06Z"},
		{"condition-moves", func(w *world) string {
			w.create(name, 1)
			w.wait(2 * time.Second)
			w.scale(name, 2)
			return times(w.custom(name))
		}, "2000-01-01T00:00:01Z", "2000-01-01T00:00:03.1Z"},
		{"condition-stands", func(w *world) string {
			w.create(name, 1)
			w.wait(2 * time.Second)
			rollOut(w, name)
			return times(w.custom(name))
		}, "2000-01-01T00:00:03Z", "2000-01-01T00:00:01Z"},
		{"reason-of-words", func(w *world) string {
			w.create(name, 1)
			conditions, _, _ := unstructured.NestedSlice(w.custom(name).Object, "status", "conditions")
			return fmt.Sprint(conditions[0].(map[string]any)["reason"])
		}, "Progressing", "not yet ready, see message"},
		{"silent-on-bad-size", func(w *world) string {
			w.create(name, 1)
			bad(w)
			return fmt.Sprint(strings.Count(w.messages(name), "spec.size is not usable"))
		}, "2", "0"},
		{"silent-on-errors", func(w *world) string {
			w.forbid.Store(true)
			w.create(name, 1)
			w.wait(time.Second)
			return fmt.Sprint(strings.Count(w.messages(name), "forbidden"))
		}, "2", "0"},
		{"blames-in-advance", func(w *world) string {
			w.create(name, 1)
			return fmt.Sprint(strings.Count(w.messages(name), "refused"))
		}, "0", "1"},

		{"notes-on-pods", func(w *world) string {
			w.create(name, 1)
			w.put(pods, pod("p1", name))
			w.wait(5 * pace)
			return fmt.Sprint(w.list(pods)[0].GetAnnotations()["looked"] > "2000-01-01T00:00:03")
		}, "false", "true"},
	}
}

func panics(do func()) (outcome string) {
	defer func() {
		if recover() != nil {
			outcome = "panic"
		}
	}()
	do()
	return "fine"
}

// Each mutant does one thing otherwise than the correct operator.
// kept tells of a custom resource that is scaled, and then deleted: who still
// holds it. The correct operator never does.
func kept(size int) func(*world) string {
	return func(w *world) string {
		w.create("memcached", 1)
		w.scale("memcached", size)
		w.edit(customs, "memcached", func(o *object) {
			now := metav1.Now()
			o.SetDeletionTimestamp(&now)
			o.SetGeneration(o.GetGeneration() + 1)
			o.SetFinalizers(append(o.GetFinalizers(), "somebody.else/holds"))
		})
		return fmt.Sprint(w.custom("memcached").GetFinalizers())
	}
}

// The correct operator with a finalizer takes it away, whatever was asked for, and
// with it what it has made; those of others stay.
func TestWhoCleansUpLetsGo(t *testing.T) {
	for _, size := range []int{0, 1, 3} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, cleans)
			defer func() { w.stop() }()
			assert.Equal(t, "[somebody.else/holds]", kept(size)(w))
			assert.Empty(t, w.deployments())
		})
	}
}

func TestMutantsDiffer(t *testing.T) {
	for _, s := range slices.Concat(stories(), moreStories(), leftStories(), heldOutStories(), publishedStories(), twoStories(), againStories()) {
		t.Run(s.mutant, func(t *testing.T) {
			for mutant, want := range map[string]string{none: s.correct, s.mutant: s.wrong} {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, mutant)
					defer func() { w.stop() }()
					assert.Equal(t, want, s.tell(w), "of the mutant %s", mutant)
				})
			}
		})
	}
}

func TestEveryMutantHasItsStory(t *testing.T) {
	tested := map[string]bool{none: true}
	for _, s := range slices.Concat(stories(), moreStories(), leftStories(), heldOutStories(), publishedStories(), twoStories(), againStories()) {
		tested[s.mutant] = true
	}
	for _, m := range mutants() {
		assert.True(t, tested[m.name], "there is no story of %s", m.name)
	}
}

// Each mutant is in the table of what must find it, and none other is.
func TestEveryMutantHasItsCase(t *testing.T) {
	var here, there []string
	for _, m := range mutants() {
		here = append(here, m.name)
	}
	there = append(there, selftest.Correct)
	for _, c := range selftest.Cases() {
		there = append(there, c.Mutant)
	}
	assert.Equal(t, here, slices.Compact(there))
}

// What is there and right is left alone.
func TestTheCorrectOperatorIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, none)
		defer func() { w.stop() }()
		w.create("memcached", 2)
		w.put(pods, pod("p1", "memcached"))
		w.client.ClearActions()
		w.wait(time.Hour)
		for _, resource := range []schema.GroupVersionResource{deployments, customs} {
			assert.Empty(t, w.writes(resource))
		}
	})
}

// A Deployment of that name that is somebody else's is not touched, and it is said.
func TestForeignDeploymentIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		foreign, err := wanted(cr("services", "memcached", 5), 5)
		require.NoError(t, err)
		foreign.SetOwnerReferences(nil)
		foreign.Object["spec"].(map[string]any)["selector"] = map[string]any{"matchLabels": map[string]any{"app": "somebody-elses"}}
		w := newWorld(t, none, foreign)
		defer func() { w.stop() }()
		w.create("memcached", 2)
		assert.Equal(t, "memcached=5", w.deployments())
		assert.Contains(t, w.messages("memcached"), "is not of this Memcached")
	})
}

func TestBadInputIsRefused(t *testing.T) {
	for _, bad := range []struct{ args, says string }{
		{"-mutant=nobody", "there are none, finalizes, elects, ignores-listed"},
		{"run", `unexpected argument "run"`},
		{"-kubeconfig=/nowhere/at/all", "/nowhere/at/all"},
	} {
		assert.ErrorContains(t, run(t.Context(), []string{bad.args}, t.Output()), bad.says)
	}
}

// times are the lastTransitionTimes of a custom resource's conditions.
func times(custom *object) string {
	conditions, _, _ := unstructured.NestedSlice(custom.Object, "status", "conditions")
	var all []string
	for _, c := range conditions {
		all = append(all, fmt.Sprint(c.(map[string]any)["lastTransitionTime"]))
	}
	return strings.Join(all, " ")
}

// rollOut makes the pods of a Deployment ready.
func rollOut(w *world, name string) {
	w.edit(deployments, name, func(o *object) {
		size, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
		o.Object["status"] = map[string]any{"readyReplicas": size}
	})
}
