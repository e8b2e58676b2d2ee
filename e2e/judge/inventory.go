package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// taken is an inventory that was made of the sample's namespaces.
type taken struct {
	at time.Duration
	*record.Inventory
}

// inventory is the last that was made; nil: none was.
func (t *Timeline) inventory() *taken {
	if len(t.inventories) == 0 {
		return nil
	}
	return &t.inventories[len(t.inventories)-1]
}

func inventoryWeight(s *record.Inventory) int {
	n := texts(s.Resources) + texts(s.Unlisted)
	for i := range s.Objects {
		o := &s.Objects[i]
		n += heldEvent + len(o.Name) + texts(o.Finalizers) + texts(o.Managers) + heldEvent*len(o.Owners)
	}
	return n
}

// PointCollected is reached when all that was made for deleted custom resources has
// gone, of whatever kind. It can be known only once there is an inventory.
const PointCollected = "collected"

// collectedLacks says what of deleted custom resources is still there.
func (t *Timeline) collectedLacks() string {
	if t.inventory() == nil {
		return "no inventory was made"
	}
	left := t.uncollected()
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("there is still %s", listItems(left))
}

// uncollected lists what there was at the end of what was made for custom
// resources that are gone, beside Deployments, ReplicaSets and pods. Where a custom
// resource stays, what has no owner may be its own.
func (t *Timeline) uncollected() []*record.Item {
	s := t.inventory()
	if s == nil {
		return nil
	}
	stays, anyStays := t.staying()
	var left []*record.Item
	for i := range s.Objects {
		o := &s.Objects[i]
		watched := t.covers(o.Namespace) && slices.Contains([]string{Deployments, ReplicaSets, Pods}, o.Resource)
		work := slices.ContainsFunc(t.Style.Work, func(w spec.Work) bool { return w.Resource == o.Resource && w.Namespace == o.Namespace })
		kept := stays[o.UID] || len(o.Owners) == 0 && anyStays
		if !watched && !work && !kept {
			left = append(left, o)
		}
	}
	return left
}

// staying are the uids of custom resources that are to stay, and of all that they
// own, be it through others.
func (t *Timeline) staying() (stays map[string]bool, anyStays bool) {
	stays = map[string]bool{}
	for _, s := range t.subjects {
		if s.size == nil {
			continue
		}
		anyStays = true
		if custom := t.customOf(s); custom != nil {
			stays[custom.UID] = true
		}
		for uid, d := range t.world.deployments {
			stays[uid] = stays[uid] || s.isChild(d)
		}
	}
	for _, watched := range []map[string]*entity{t.world.replicaSets, t.world.pods} {
		for uid, o := range watched {
			stays[uid] = stays[uid] || stays[o.owner]
		}
	}
	objects := t.inventory().Objects
	for more := true; more; {
		more = false
		for i := range objects {
			if o := &objects[i]; !stays[o.UID] && slices.ContainsFunc(o.Owners, func(r record.Owner) bool { return stays[r.UID] }) {
				stays[o.UID], more = true, true
			}
		}
	}
	return stays, anyStays
}

// listItems names objects, a few of many.
func listItems(list []*record.Item) string {
	const most = 3
	var parts []string
	for i, o := range list {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		parts = append(parts, itemTitle(o))
	}
	return strings.Join(parts, ", ")
}

// itemTitle names an object, and where it is.
func itemTitle(o *record.Item) string {
	if o.Namespace == "" {
		return title(o.Resource, o.Name) + " (cluster-scoped)"
	}
	return fmt.Sprintf("%s in %s", title(o.Resource, o.Name), o.Namespace)
}

// itemLine tells of an object as evidence.
func (t *Timeline) itemLine(o *record.Item) string {
	parts := []string{fmt.Sprintf("%s: %s", t.since(t.inventory().at), itemTitle(o))}
	if len(o.Managers) > 0 {
		parts = append(parts, "written by "+strings.Join(o.Managers, ", "))
	}
	for _, r := range o.Owners {
		parts = append(parts, fmt.Sprintf("owned by %s %s (uid %s, controller %t, blockOwnerDeletion %t)", r.Kind, r.Name, r.UID, r.Controller, r.BlockOwnerDeletion))
	}
	if len(o.Owners) == 0 {
		parts = append(parts, "without an owner")
	}
	if o.Deleting {
		parts = append(parts, "being deleted; finalizers: "+strings.Join(o.Finalizers, ", "))
	}
	return strings.Join(parts, ", ")
}

// unlisted says what is not in the inventory, as the end of a message.
func (t *Timeline) unlisted() string {
	if s := t.inventory(); s != nil && len(s.Unlisted) > 0 {
		return "; not looked at, since it could not be listed: " + strings.Join(s.Unlisted, "; ")
	}
	return ""
}
