package main

import (
	"context"
	"fmt"
	"time"
)

// cut is how many letters of a name are taken for all of it.
const cut = 50

// truncatesNames cuts the Deployment's name, so that there is room for an ending.
func truncatesNames(o *operator) {
	wants(o, func(_, deployment *object) {
		if name := deployment.GetName(); len(name) > cut {
			deployment.SetName(name[:cut])
		}
	})
}

// nth says of each custom resource which one it is, from 1.
func nth() func(cr *object) int {
	known := map[string]int{} // by uid
	return func(cr *object) int {
		uid := string(cr.GetUID())
		if known[uid] == 0 {
			known[uid] = len(known) + 1
		}
		return known[uid]
	}
}

// enough is how many custom resources the one that stops handles.
const enough = 20

// stopsAfterTwenty handles no more custom resources than these.
func stopsAfterTwenty(o *operator) {
	custom, number := o.custom, nth()
	o.custom = func(key name) *object {
		cr := custom(key)
		if cr == nil || number(cr) > enough {
			return nil
		}
		return cr
	}
}

const (
	every = 5
	late  = 40 * time.Second
)

// lateEveryFifth handles every fifth custom resource so much later.
func lateEveryFifth(o *operator) {
	custom, number, due := o.custom, nth(), map[string]time.Time{} // by uid
	o.custom = func(key name) *object {
		cr := custom(key)
		if cr == nil || number(cr)%every != 0 {
			return cr
		}
		uid := string(cr.GetUID())
		if due[uid].IsZero() {
			due[uid] = time.Now().Add(late)
		}
		if left := time.Until(due[uid]); left > 0 {
			o.queue.AddAfter(key, left)
			return nil
		}
		return cr
	}
}

// calm is how long the one that flaps leaves its Deployment alone.
const calm = 8 * time.Second

// flapsAfter8s writes an annotation of the Deployment again when nothing has happened for so long, which is a generation
// more.
func flapsAfter8s(o *operator) { writesAfter8s(o, "annotations") }

// labelsAfter8s writes a label likewise, which is none.
func labelsAfter8s(o *operator) { writesAfter8s(o, "labels") }

func writesAfter8s(o *operator, field string) {
	ensure, last := o.ensure, map[string]time.Time{} // by uid
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		have, err := ensure(ctx, cr, size)
		if err != nil || have == nil || !rolledOut(have) {
			return have, err
		}
		uid, now := string(cr.GetUID()), time.Now()
		if last[uid].IsZero() {
			last[uid] = now
		}
		o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, calm)
		if now.Sub(last[uid]) < calm {
			return have, nil
		}
		last[uid] = now
		return have, o.patch(ctx, have, fmt.Sprintf(`{"metadata":{%q:{"looked":"%d"}}}`, field, now.UnixNano()))
	}
}
