package timeline

import (
	"fmt"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/timeline/wire"
)

// Where a workload's main child is many, it is the pods themselves. Taken together they are judged as one object: it
// asks for as many pods as there are to stay.

// pods are those that a custom resource controls in its present life.
func (t *Timeline) pods(s *Subject) []*wire.Object {
	uid := s.uid()
	return Living(t.World.Mains, func(p *Entity) bool { return p.controlledBy(uid) })
}

// together is what pods are as one main child; nil: there are none.
func together(s *Subject, pods []*wire.Object) *wire.Object {
	if len(pods) == 0 {
		return nil
	}
	all := &wire.Object{Resource: pods[0].Resource, Namespace: s.Namespace, Name: s.Name, UID: s.uid(), Controller: s.uid(), StatusReplicas: len(pods)}
	stay := plain.Where(pods, Stays)
	all.Replicas, all.ReadyReplicas = len(stay), len(plain.Where(stay, IsReady))
	all.UpdatedReplicas = all.ReadyReplicas
	return all
}

// Stays reports whether a pod is neither deleted nor at its end.
func Stays(p *wire.Object) bool {
	return !p.Deleting && p.Phase != "Succeeded" && p.Phase != "Failed"
}

// IsReady reports whether a pod's condition Ready is True.
func IsReady(p *wire.Object) bool {
	if p.Detail != nil {
		return slices.ContainsFunc(p.Detail.Conditions, func(c wire.Notice) bool { return c.Type == "Ready" && c.Status == "True" })
	}
	status, _ := p.Fields["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	return slices.ContainsFunc(conditions, func(one any) bool {
		c, _ := one.(map[string]any)
		return c["type"] == "Ready" && c["status"] == "True"
	})
}

// fieldsOf is what an expression reads of pods: those that are to stay.
func fieldsOf(pods []*wire.Object) []any {
	list := []any{}
	for _, p := range plain.Where(pods, Stays) {
		list = append(list, p.Fields)
	}
	return list
}

// podsLack says what the pods of a custom resource, taken together, still need to be so many and ready.
func podsLack(o *wire.Object, size int) string {
	switch {
	case o.Replicas != size:
		return fmt.Sprintf("%s has %d pods that are to stay, wanted %d", o.Name, o.Replicas, size)
	case o.ReadyReplicas != size:
		return fmt.Sprintf("of the %d pods of %s %d are ready", size, o.Name, o.ReadyReplicas)
	case o.StatusReplicas != size:
		return fmt.Sprintf("%s still has %d pods, wanted %d", o.Name, o.StatusReplicas, size)
	}
	return ""
}

// ChildrenOf are the main children of a custom resource, of any of its lives, each with the pods that it asks for and
// has.
func (t *Timeline) ChildrenOf(s *Subject) []*wire.Object {
	all := Living(t.World.Mains, s.IsChild)
	if !t.Child.Many || len(all) == 0 {
		return all
	}
	return []*wire.Object{together(s, all)}
}
