package main

import "slices"

// statusEarlyNodes names pods as soon as there are any, whether or not they run.
func statusEarlyNodes(o *operator) {
	status := o.status
	o.status = func(cr, have *object, problem error, pods []*object) map[string]any {
		next := status(cr, have, problem, pods)
		var names []string
		for _, pod := range pods {
			names = append(names, pod.GetName())
		}
		slices.Sort(names)
		nodes := make([]any, len(names))
		for i, name := range names {
			nodes[i] = name
		}
		next["nodes"] = nodes
		return next
	}
}

// readyAtOnce is Ready as soon as its Deployment is written.
func readyAtOnce(o *operator) {
	status := o.status
	o.status = func(cr, have *object, problem error, pods []*object) map[string]any {
		next := status(cr, have, problem, pods)
		if ready := condition(next); have != nil && problem == nil {
			ready["status"], ready["reason"] = "True", "Ready"
			next["conditions"] = []any{ready}
		}
		return next
	}
}

// wrongReplicas says that there is one pod, however many there are.
func wrongReplicas(o *operator) {
	says(o, func(_ *object, status map[string]any) { status["replicas"] = int64(1) })
}

// wrongSelector selects the pods of every custom resource.
func wrongSelector(o *operator) {
	says(o, func(_ *object, status map[string]any) { status["selector"] = "app=memcached" })
}
