package judge

import (
	"fmt"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

// itemLine tells of an object as evidence.
func itemLine(t *timeline.Timeline, o *record.Item) string {
	parts := []string{fmt.Sprintf("%s: %s", t.Since(t.LastInventory().At), timeline.ItemTitle(o))}
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
func unlisted(t *timeline.Timeline) string {
	if s := t.LastInventory(); s != nil && len(s.Unlisted) > 0 {
		return "; not looked at, since it could not be listed: " + strings.Join(s.Unlisted, "; ")
	}
	return ""
}
