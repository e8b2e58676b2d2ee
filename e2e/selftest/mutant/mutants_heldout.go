package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The faults of this file were written without knowledge of the oracles that
// find those of the others, and of the same kinds.

func core(kind, namespace, name string) *object {
	made := &object{Object: map[string]any{"apiVersion": "v1", "kind": kind}}
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}

// leaves makes an object beside each Deployment, which nothing removes.
func leaves(o *operator, resource schema.GroupVersionResource, kindOf func(cr *object) *object) {
	beside(o, func(ctx context.Context, cr *object) error {
		more := kindOf(cr)
		_, err := o.client.Resource(resource).Namespace(more.GetNamespace()).Create(ctx, more, metav1.CreateOptions{FieldManager: manager})
		if apierrors.IsAlreadyExists(err) {
			err = nil
		}
		return err
	})
}

// leavesService makes a Service for each custom resource, which nothing removes.
func leavesService(o *operator) {
	leaves(o, schema.GroupVersionResource{Version: "v1", Resource: "services"}, func(cr *object) *object {
		service := core("Service", cr.GetNamespace(), cr.GetName())
		service.Object["spec"] = map[string]any{
			"selector": map[string]any{instanceLabel: cr.GetName()},
			"ports":    []any{map[string]any{"port": int64(11211)}},
		}
		return service
	})
}

// leavesNote makes a ConfigMap for each custom resource, in its own namespace.
func leavesNote(o *operator) {
	leaves(o, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, func(cr *object) *object {
		return core("ConfigMap", ownNamespace(), cr.GetNamespace()+"."+cr.GetName())
	})
}

// ownNamespace is that of the operator's pod.
func ownNamespace() string {
	own, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if err != nil {
		return "operator"
	}
	return string(own)
}

// ownerOldVersion names a version of the custom resource's API that is not served.
func ownerOldVersion(o *operator) {
	ownerOtherwise(o, func(r *metav1.OwnerReference) { r.APIVersion = "cache.example.com/v1alpha0" })
	o.mine = anyones
}

// lettersFirst takes a name that begins with a digit for no name.
func lettersFirst(o *operator) {
	o.hears = func(c change) bool { return c.now.GetName()[0] > '9' }
}

// cutsNames has room for 52 letters of a name.
func cutsNames(o *operator) {
	wants(o, func(_, deployment *object) {
		if name := deployment.GetName(); len(name) > 52 {
			deployment.SetName(strings.TrimRight(name[:52], "-."))
		}
	})
	o.mine = anyones
}

// replicasOfAll counts all pods of the namespace.
func replicasOfAll(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		n := 0
		for _, obj := range o.pods.GetStore().List() {
			if pod := asObject(obj); pod != nil && pod.GetNamespace() == cr.GetNamespace() && pod.GetDeletionTimestamp() == nil {
				n++
			}
		}
		status["replicas"] = int64(n)
	})
}

// selectsNone has a selector that nothing can be selected by.
func selectsNone(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		status["selector"] = "app.kubernetes.io/instance in " + cr.GetName()
	})
}

// observesFirst says that it has acted on a generation five seconds before it does.
func observesFirst(o *operator) {
	seen := map[string]time.Time{}
	known := map[string]int64{}
	size := o.size
	o.size = func(cr *object) (int64, error) {
		now, err := size(cr)
		was, handled := known[string(cr.GetUID())]
		if err != nil || !handled || was == now {
			known[string(cr.GetUID())] = now
			return now, err
		}
		generation := string(cr.GetUID()) + "/" + time.Duration(cr.GetGeneration()).String()
		if seen[generation].IsZero() {
			seen[generation] = time.Now()
		}
		if time.Since(seen[generation]) < 5*time.Second {
			o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, time.Second)
			return was, nil
		}
		known[string(cr.GetUID())] = now
		return now, nil
	}
}

// conditioned makes an operator's condition otherwise.
func conditioned(o *operator, edit func(cr *object, ready map[string]any)) {
	says(o, func(cr *object, status map[string]any) {
		ready, _ := status["conditions"].([]any)[0].(map[string]any)
		edit(cr, ready)
	})
}

// readyOfFirst keeps the generation that its condition had first.
func readyOfFirst(o *operator) {
	conditioned(o, func(cr *object, ready map[string]any) {
		was, _, _ := unstructured.NestedMap(cr.Object, "status")
		if first, known := condition(was)["observedGeneration"]; known {
			ready["observedGeneration"] = first
		}
	})
}

// readyOnOne is ready with the first pod.
func readyOnOne(o *operator) {
	status := o.status
	o.status = func(cr, have *object, problem error, pods []*object) map[string]any {
		next := status(cr, have, problem, pods)
		if ready, _ := next["conditions"].([]any)[0].(map[string]any); problem == nil && len(running(pods)) > 0 {
			ready["status"], ready["reason"], ready["message"] = "True", "Ready", "a pod is ready"
		}
		return next
	}
}

// neverReady goes on saying that its pods are on their way.
func neverReady(o *operator) {
	conditioned(o, func(_ *object, ready map[string]any) {
		if ready["status"] == "True" {
			ready["status"], ready["reason"], ready["message"] = "False", "Progressing", "pods are on their way"
		}
	})
}

// again looks at each custom resource anew after a pause, for ever, and does something then.
func again(o *operator, pause time.Duration, do func(ctx context.Context, cr, have *object) error) {
	ensure, due := o.ensure, map[string]time.Time{} // by uid
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		have, err := ensure(ctx, cr, size)
		if err != nil || have == nil {
			return have, err
		}
		key, uid := name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, string(cr.GetUID())
		if wait := time.Until(due[uid]); wait > 0 {
			o.queue.AddAfter(key, wait)
			return have, nil
		}
		due[uid] = time.Now().Add(pause)
		o.queue.AddAfter(key, pause)
		return have, do(ctx, cr, have)
	}
}

// touchesCustom writes the custom resource as it is, twice a second.
func touchesCustom(o *operator) {
	again(o, 500*time.Millisecond, func(ctx context.Context, cr, _ *object) error {
		_, err := o.client.Resource(customs).Namespace(cr.GetNamespace()).Update(ctx, cr, metav1.UpdateOptions{FieldManager: manager})
		return err
	})
}

// touchesChild writes the Deployment as it is, twice a second.
func touchesChild(o *operator) {
	again(o, 500*time.Millisecond, func(ctx context.Context, _, have *object) error {
		return o.patch(ctx, have, `{"metadata":{"annotations":{"looked":"at"}}}`)
	})
}

// counted tells an operator which number, from 1, a custom resource has among all that it has seen.
func counted(o *operator, hears func(number int, c change) bool) {
	numbers := map[string]int{}
	o.hears = func(c change) bool {
		uid := string(c.now.GetUID())
		if numbers[uid] == 0 {
			numbers[uid] = len(numbers) + 1
		}
		return hears(numbers[uid], c)
	}
}

// lateEverySeventh handles every seventh custom resource half a minute late.
func lateEverySeventh(o *operator) {
	counted(o, func(number int, c change) bool {
		if number%7 == 0 && c.added {
			o.queue.AddAfter(name{Namespace: c.now.GetNamespace(), Name: c.now.GetName()}, 30*time.Second)
			return false
		}
		return true
	})
}

// stopsAfterForty handles forty custom resources.
func stopsAfterForty(o *operator) {
	counted(o, func(number int, _ change) bool { return number <= 40 })
}

// flapsOnce scales what is at rest to nothing and back, 25 seconds after it came to rest.
func flapsOnce(o *operator) {
	rested := map[string]time.Time{}
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		have, err := ensure(ctx, cr, size)
		if err != nil || have == nil || size == 0 || !rolledOut(have) {
			return have, err
		}
		uid := string(cr.GetUID())
		switch at, known := rested[uid]; {
		case !known:
			rested[uid] = time.Now()
			o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, 25*time.Second)
		case !at.IsZero() && time.Since(at) >= 25*time.Second:
			rested[uid] = time.Time{}
			return have, o.patch(ctx, have, `{"spec":{"replicas":0}}`) // which is an event
		}
		return have, nil
	}
}

// takesFinalizers removes all finalizers of a custom resource that is being deleted, whoever set them.
func takesFinalizers(o *operator) {
	o.leaving = func(ctx context.Context, cr *object) error {
		if len(cr.GetFinalizers()) == 0 {
			return nil
		}
		return o.setFinalizers(ctx, cr, nil)
	}
}

// forgetsAtRestart has a finalizer, which it removes from what it has handled since it started.
func forgetsAtRestart(o *operator) {
	handled := map[string]bool{}
	finalizes(o, func(context.Context, *object) error { return nil })
	ensure, leaving := o.ensure, o.leaving
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		handled[string(cr.GetUID())] = true
		return ensure(ctx, cr, size)
	}
	o.leaving = func(ctx context.Context, cr *object) error {
		if !handled[string(cr.GetUID())] {
			return nil
		}
		return leaving(ctx, cr)
	}
}

// readyStays is Ready until the custom resource changes, once it was.
func readyStays(o *operator) {
	conditioned(o, func(cr *object, ready map[string]any) {
		status, _, _ := unstructured.NestedMap(cr.Object, "status")
		if was := condition(status); was["status"] == "True" && was["observedGeneration"] == ready["observedGeneration"] {
			maps.Copy(ready, was)
		}
	})
}

// keepsChildless takes a Deployment that has gone already for a deletion that failed.
func keepsChildless(o *operator) {
	keepsUnless(o, func(cr *object) bool { return o.known(cr, cr) != nil })
}

// keepsUnready waits for the pods of what is to be deleted.
func keepsUnready(o *operator) {
	keepsUnless(o, func(cr *object) bool { have := o.known(cr, cr); return have == nil || rolledOut(have) })
}

// olderIsStale takes a custom resource whose generation is lower than what it knows of that name for a stale read.
func olderIsStale(o *operator) {
	newest := map[name]int64{}
	custom := o.custom
	o.custom = func(key name) *object {
		cr := custom(key)
		if cr == nil || cr.GetGeneration() < newest[key] {
			return nil
		}
		newest[key] = cr.GetGeneration()
		return cr
	}
}

// logsToken says at each reconcile with which token it does so.
func logsToken(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		token, _ := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/token") // outside of a pod there is none
		slog.Info("reconcile", "memcached", cr.GetName(), "as", string(token))
		return ensure(ctx, cr, size)
	}
}

// beginsAnew says of each custom resource that it first sees that it is being set up, and then what there is.
func beginsAnew(o *operator) {
	seen := map[types.UID]bool{}
	report := o.report
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		if !seen[cr.GetUID()] {
			seen[cr.GetUID()] = true
			return report(ctx, cr, have, errors.New("it is being set up")) // whose event brings the next reconcile
		}
		return report(ctx, cr, have, problem)
	}
}

// flipsReady turns its condition every four seconds.
func flipsReady(o *operator) {
	turn := map[string]time.Time{}
	conditioned(o, func(cr *object, ready map[string]any) {
		uid := string(cr.GetUID())
		if turn[uid].IsZero() {
			turn[uid] = time.Now()
		}
		o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, 4*time.Second)
		if int(time.Since(turn[uid]).Seconds())/4%2 == 1 {
			ready["status"], ready["reason"], ready["message"] = "Unknown", "Looking", "the pods are looked for"
		}
	})
}
