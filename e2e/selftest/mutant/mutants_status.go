package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// says makes an operator write a status that edit has changed.
func says(o *operator, edit func(cr *object, status map[string]any)) {
	status := o.status
	o.status = func(cr, have *object, problem error, pods []*object) map[string]any {
		next := status(cr, have, problem, pods)
		edit(cr, next)
		return next
	}
}

// statusLies names as many pods as are wanted, which are not there.
func statusLies(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		size, _, _ := unstructured.NestedInt64(cr.Object, "spec", "size")
		nodes := []any{}
		for i := range size {
			nodes = append(nodes, fmt.Sprintf("%s-%d", cr.GetName(), i))
		}
		status["nodes"] = nodes
	})
}

// statusStale goes on saying which generation it handled first.
func statusStale(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		if first, found, _ := unstructured.NestedInt64(cr.Object, "status", "observedGeneration"); found {
			status["observedGeneration"] = first
		}
	})
}

// observesChanges writes the generation that it has handled only beside something else that is new.
func observesChanges(o *operator) {
	rest := func(status map[string]any) []any {
		c := condition(status)
		return []any{status["nodes"], status["replicas"], status["selector"], c["status"], c["reason"], c["message"]}
	}
	says(o, func(cr *object, status map[string]any) {
		was, found, _ := unstructured.NestedMap(cr.Object, "status")
		if found && equality.Semantic.DeepEqual(rest(was), rest(status)) {
			maps.Copy(status, was)
		}
	})
}

// dropsStatusErrors takes a status that was refused for one that was written.
func dropsStatusErrors(o *operator) {
	report := o.report
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		_ = report(ctx, cr, have, problem) // the fault
		return nil
	}
}

// statusKeepsDead adds to the nodes, and takes none away.
func statusKeepsDead(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		was, _, _ := unstructured.NestedSlice(cr.Object, "status", "nodes")
		nodes, _ := status["nodes"].([]any)
		for _, node := range was {
			if !slices.Contains(nodes, node) {
				nodes = append(nodes, node)
			}
		}
		status["nodes"] = nodes
	})
}

// statusRestless takes every look at a custom resource for a turn of its condition.
func statusRestless(o *operator) {
	says(o, func(cr *object, status map[string]any) {
		ready, _ := status["conditions"].([]any)[0].(map[string]any)
		ready["lastTransitionTime"] = time.Now().UTC().Format(time.RFC3339)
		o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, pace)
	})
}

// silentOnBadSize tells nobody that a size is not usable.
func silentOnBadSize(o *operator) {
	report := o.report
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		if errors.Is(problem, errSize) {
			return nil
		}
		return report(ctx, cr, have, problem)
	}
}

// blamesInAdvance names a refusal in a text that it writes at each creation, and tells
// nobody of one.
func blamesInAdvance(o *operator) {
	silentOnErrors(o)
	status := o.status
	o.status = func(cr, have *object, problem error, pods []*object) map[string]any {
		said := status(cr, have, problem, pods)
		if now := condition(said); now["reason"] == "Progressing" {
			now["message"] = "pods are on their way, unless the Deployment was refused"
			said["conditions"] = []any{now}
		}
		return said
	}
}

// silentOnErrors tells nobody what the API refuses.
func silentOnErrors(o *operator) {
	report := o.report
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		if problem != nil && !errors.Is(problem, errSize) {
			problem = nil
		}
		return report(ctx, cr, have, problem)
	}
}
