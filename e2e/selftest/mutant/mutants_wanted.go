package main

import (
	"log/slog"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
)

// wants makes an operator ask for a Deployment that edit has changed.
func wants(o *operator, edit func(cr, deployment *object)) {
	want := o.want
	o.want = func(cr *object, size int64) (*object, error) {
		deployment, err := want(cr, size)
		if err == nil {
			edit(cr, deployment)
		}
		return deployment, err
	}
}

// container is the one of a Deployment that wanted has made.
func container(deployment *object) map[string]any {
	at := deployment.Object
	for _, key := range []string{"spec", "template", "spec"} {
		at, _ = at[key].(map[string]any)
	}
	list, _ := at["containers"].([]any)
	first, _ := list[0].(map[string]any)
	return first
}

// annotatePods sets an annotation of a Deployment's pod template.
func annotatePods(deployment *object, key, value string) {
	template, _ := deployment.Object["spec"].(map[string]any)["template"].(map[string]any)
	template["metadata"].(map[string]any)["annotations"] = map[string]any{key: value}
}

// anyones takes every Deployment for its own.
func anyones(*object, *object) error { return nil }

// noOwner sets no owner reference, so that nothing removes the Deployment.
func noOwner(o *operator) {
	wants(o, func(_, deployment *object) { deployment.SetOwnerReferences(nil) })
	o.mine = anyones
}

// wrongPort opens another port than memcached's.
func wrongPort(o *operator) {
	wants(o, func(_, deployment *object) {
		container(deployment)["ports"] = []any{map[string]any{"containerPort": int64(11212), "protocol": "TCP"}}
	})
}

// wrongImage runs another program, which is every bit as ready.
func wrongImage(o *operator) {
	wants(o, func(_, deployment *object) {
		container(deployment)["image"] = "registry.k8s.io/pause:3.10.2"
		delete(container(deployment), "command")
	})
}

// second is the generation that the second change of a spec brings.
const second = 3

// wrongSecondSize is one pod off from the second update on.
func wrongSecondSize(o *operator) {
	o.size = func(cr *object) (int64, error) {
		size, err := sizeOf(cr)
		if cr.GetGeneration() >= second {
			size++
		}
		return size, err
	}
}

// dropsSecondSize misses every second update.
func dropsSecondSize(o *operator) {
	last := map[string]int64{} // sizes by uid
	o.size = func(cr *object) (int64, error) {
		known, was := last[string(cr.GetUID())]
		if generation := cr.GetGeneration(); was && generation >= second && generation%2 == second%2 {
			return known, nil
		}
		size, err := sizeOf(cr)
		last[string(cr.GetUID())] = size
		return size, err
	}
}

// burst is how soon one update after another comes in a burst.
const burst = time.Second

// swapsOrder brings the updates of a burst about in the wrong order: the last is
// followed by the one before it.
func swapsOrder(o *operator) {
	type sizes struct {
		generation, now, before int64
		at                      time.Time
		swapped                 bool
	}
	heard := map[string]sizes{}
	o.size = func(cr *object) (int64, error) {
		size, err := sizeOf(cr)
		if err != nil {
			return size, err
		}
		last, known := heard[string(cr.GetUID())]
		if !known || last.generation != cr.GetGeneration() {
			last = sizes{
				generation: cr.GetGeneration(), now: size, before: last.now, at: time.Now(),
				swapped: known && time.Since(last.at) < burst,
			}
			heard[string(cr.GetUID())] = last
		}
		if last.swapped {
			return last.before, nil
		}
		return size, nil
	}
}

// clampsSize makes do with one pod where the size is not usable, and says nothing.
func clampsSize(o *operator) {
	o.size = func(cr *object) (int64, error) {
		size, err := sizeOf(cr)
		if err != nil {
			return 1, nil //nolint:nilerr // this is the fault
		}
		return size, nil
	}
}

// crashesOnZero divides by the size.
func crashesOnZero(o *operator) {
	o.size = func(cr *object) (int64, error) {
		size, err := sizeOf(cr)
		if err == nil {
			slog.Info("what each pod bears", "memcached", cr.GetName(), "percent", 100/size)
		}
		return size, err
	}
}

// crashesOnBadSize takes for granted that the size is one.
func crashesOnBadSize(o *operator) {
	o.size = func(cr *object) (int64, error) {
		size, err := sizeOf(cr)
		if err != nil {
			panic(err)
		}
		return size, nil
	}
}

// rollsOnRestart replaces all pods when it starts: they carry its start's time.
func rollsOnRestart(o *operator) {
	started := time.Now().Format(time.RFC3339Nano)
	wants(o, func(_, deployment *object) { annotatePods(deployment, "started", started) })
}

// rollsOnScale replaces all pods when it scales: they carry the size.
func rollsOnScale(o *operator) {
	wants(o, func(_, deployment *object) {
		size, _, _ := unstructured.NestedInt64(deployment.Object, "spec", "replicas")
		annotatePods(deployment, "size", strconv.FormatInt(size, 10))
	})
}

// copiesAnnotations writes the Deployment for whatever is noted on the custom resource.
func copiesAnnotations(o *operator) {
	wants(o, func(cr, deployment *object) { deployment.SetAnnotations(cr.GetAnnotations()) })
}

// oneForAll has one Deployment for all custom resources of a namespace: that of
// the first.
func oneForAll(o *operator) {
	first := map[string]*object{} // by namespace
	want := o.want
	o.want = func(cr *object, size int64) (*object, error) {
		if first[cr.GetNamespace()] == nil {
			first[cr.GetNamespace()] = cr
		}
		return want(first[cr.GetNamespace()], size)
	}
	o.mine = anyones
}

// randomNames draws a name for each Deployment, and knows it until it restarts.
func randomNames(o *operator) {
	drawn := map[string]string{}
	wants(o, func(cr, deployment *object) {
		key := string(cr.GetUID())
		if drawn[key] == "" {
			drawn[key] = cr.GetName() + "-" + rand.String(5)
		}
		deployment.SetName(drawn[key])
	})
}
