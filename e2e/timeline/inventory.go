package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Inventory is an inventory that was made of the sample's namespaces.
type Inventory struct {
	At time.Duration
	*record.Inventory
}

// LastInventory is the last that was made; nil: none was.
func (t *Timeline) LastInventory() *Inventory {
	if len(t.Inventories) == 0 {
		return nil
	}
	return &t.Inventories[len(t.Inventories)-1]
}

// collectedLacks says what of deleted custom resources is still there.
func (t *Timeline) collectedLacks() string {
	if t.LastInventory() == nil {
		return "no inventory was made"
	}
	left := t.Uncollected()
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("there is still %s", ListItems(left))
}

// Uncollected lists the objects that were made for custom resources that are gone and that were there at the end, other
// than main children, ReplicaSets and pods.
func (t *Timeline) Uncollected() []*record.Item {
	s := t.LastInventory()
	if s == nil {
		return nil
	}
	stays := t.Staying()
	var left []*record.Item
	for i := range s.Objects {
		o := &s.Objects[i]
		work := slices.ContainsFunc(t.Style.Work, func(w spec.Work) bool { return w.Resource == o.Resource && w.Namespace == o.Namespace })
		kept := stays[o.UID] || len(o.Owners) == 0 && (OfTheCluster(o) || t.Claimed(o))
		if !t.watched(o) && !work && !kept {
			left = append(left, o)
		}
	}
	return left
}

// watched reports whether an object is one whose watch tells more of it than an inventory.
func (t *Timeline) watched(o *record.Item) bool {
	return t.Covers(o.Namespace) && slices.Contains(t.Resources(RoleMain, RoleSets, RolePods), o.Resource)
}

// controllerManager is the field manager of what Kubernetes' own controllers make.
const controllerManager = "kube-controller-manager"

// OfTheCluster reports whether an object is one that the cluster's own parts alone have written: its controllers, and the
// scheduler, which notes on a volume claim which node it is for.
func OfTheCluster(o *record.Item) bool {
	return len(o.Managers) > 0 && !slices.ContainsFunc(o.Managers, func(m string) bool { return m != controllerManager && m != "kube-scheduler" })
}

// Claimed reports whether an object is a volume claim of a main child, or another, that is a StatefulSet, by its name,
// whoever has changed it since: Kubernetes keeps it by default, without an owner, as it holds the data.
func (t *Timeline) Claimed(o *record.Item) bool {
	set := o.Name[:max(strings.LastIndex(o.Name, "-"), 0)] // behind it is the pod's number
	names := func(e Event) bool {
		return e.Watch != nil && (e.Watch.Resource == t.Mains || Kind(e.Watch.Resource) == "statefulsets") && e.Watch.Namespace == o.Namespace && strings.HasSuffix(set, "-"+e.Watch.Name)
	}
	return strings.HasPrefix(o.Resource, "persistentvolumeclaims.") && (slices.ContainsFunc(t.Before, names) || slices.ContainsFunc(t.Events, names))
}

// Staying are the uids of custom resources that are to stay, and of all that they own, be it through others. What has no
// owner may be one's own, where one stays: in its namespace, or outside of the sample's.
func (t *Timeline) Staying() map[string]bool {
	stays := map[string]bool{}
	for _, s := range t.Subjects {
		if s.Size == nil {
			continue
		}
		if custom := t.CustomOf(s); custom != nil {
			stays[custom.UID] = true
		}
		for uid, d := range t.World.Mains {
			stays[uid] = stays[uid] || s.Owns(d)
		}
	}
	var objects []record.Item
	if last := t.LastInventory(); last != nil {
		objects = last.Objects
	}
	for i := range objects {
		if o := &objects[i]; len(o.Owners) == 0 && !t.watched(o) && slices.ContainsFunc(t.Subjects, func(s *Subject) bool {
			return s.Size != nil && (s.Namespace == o.Namespace || !t.Covers(o.Namespace))
		}) {
			stays[o.UID] = true
		}
	}
	for more := true; more; {
		more = false
		for i := range objects {
			if o := &objects[i]; !stays[o.UID] && slices.ContainsFunc(o.Owners, func(r record.Owner) bool { return stays[r.UID] }) {
				stays[o.UID], more = true, true
			}
		}
		for _, watched := range []map[string]*Entity{t.World.ReplicaSets, t.World.Pods} {
			for uid, o := range watched {
				if !stays[uid] && stays[o.Owner] {
					stays[uid], more = true, true
				}
			}
		}
	}
	return stays
}

// ListItems names objects, a few of many.
func ListItems(list []*record.Item) string {
	return strings.Join(Some(plain.Map(list, ItemTitle), mostNamed), ", ")
}

// ItemTitle names an object, and where it is.
func ItemTitle(o *record.Item) string {
	if o.Namespace == "" {
		return Title(o.Resource, o.Name) + " (cluster-scoped)"
	}
	return fmt.Sprintf("%s in %s", Title(o.Resource, o.Name), o.Namespace)
}
