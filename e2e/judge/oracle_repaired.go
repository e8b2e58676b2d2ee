package judge

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/normal"
	"operatorbench/e2e/timeline/wire"
)

var repairedOracle = Named{Name: "repaired", Needs: onMains, Judge: repaired}

// repaired judges what became of each field of the main child that the harness has set to another value: before the
// harness writes it again, and at the end, all of the child is as it was, so that nothing of the other value stays beside
// what was put back. Its evidence is the table of them.
func repaired(t *timeline.Timeline) Verdict {
	drifts := fieldDrifts(t)
	if len(drifts) == 0 {
		return notApplicable("no field of the %s drifted", t.Child.Kind)
	}
	var table, wrong []string
	for _, d := range drifts {
		said := "put right"
		if d.left != "" {
			said = "not put right: " + d.left
			wrong = append(wrong, d.name)
		}
		table = append(table, fmt.Sprintf("%s %s: %s", t.Since(d.at), d.name, said))
	}
	if len(wrong) > 0 {
		return fail(table, "expected the operator to put right each of %s of the %s that drifted; %d stayed: %s",
			plain.Plural(len(drifts), "field"), t.Child.Kind, len(wrong), strings.Join(wrong, ", "))
	}
	v := pass("each of %s of the %s that drifted was put right", plain.Plural(len(drifts), "field"), t.Child.Kind)
	v.Evidence = table
	return v
}

// fieldDrift is a field of a main child that the harness has changed.
type fieldDrift struct {
	name   string
	at     time.Duration
	until  time.Duration  // when the harness wrote the child again
	object string         // the child, as namespace/name
	before map[string]any // nil: the watch has not shown the drift yet
	left   string         // where it is otherwise than before, as last seen; "": nowhere
}

// fieldDrifts lists them, in order.
func fieldDrifts(t *timeline.Timeline) []*fieldDrift {
	var list []*fieldDrift
	byVersion := map[string]*fieldDrift{}
	for e := range t.All() {
		if e.Kind != record.KindAction || e.Action.Resource != t.Mains || e.Action.Error != "" {
			continue
		}
		if n := len(list); n > 0 && list[n-1].until > e.Action.From {
			list[n-1].until = e.Action.From
		}
		if reply, err := t.ReplyOf(e.Action); err == nil && e.Action.Wrong != "" {
			d := &fieldDrift{name: e.Action.Wrong, at: e.Time, until: t.EndedAt + 1, object: e.Action.Namespace + "/" + e.Action.Name, left: "the watch did not show it"}
			list, byVersion[reply.ResourceVersion] = append(list, d), d
		}
	}
	var was map[string]any
	for e := range t.Watched() {
		if len(list) == 0 || e.Watch.Resource != t.Mains || e.Watch.Namespace+"/"+e.Watch.Name != list[0].object || e.Object == nil || e.Object.Detail == nil {
			continue
		}
		now := viewOf(e.Object)
		if d := byVersion[e.Object.ResourceVersion]; d != nil && was != nil {
			d.before = was
		}
		for _, d := range list {
			if d.before != nil && e.Time < d.until {
				d.left = otherwise(d.before, now)
				if e.Watch.Event == spec.Deleted {
					d.left = "it was deleted"
				}
			}
		}
		was = now
	}
	return list
}

// otherwise says where a child is not as it was before; "": nowhere.
func otherwise(before, now map[string]any) string {
	for _, u := range normal.Differences("", before, now) {
		u.Want, u.Got = plain.Clip(u.Want, mostOfAValue), plain.Clip(u.Got, mostOfAValue)
		return strings.TrimPrefix(u.String(), ".")
	}
	return ""
}

// viewOf is what an operator may owe of a main child, in a form that is compared.
func viewOf(o *wire.Object) map[string]any {
	owners := map[string]any{}
	for _, r := range o.Detail.Owners {
		if owners[r.UID] != nil && !r.Controller {
			continue // the Ansible operator's proxy adds one more of the same custom resource
		}
		owners[r.UID] = fmt.Sprintf("%s %s, controller %t", r.Kind, r.Name, r.Controller)
	}
	var body any
	_ = json.Unmarshal([]byte(o.Detail.Spec), &body) // nothing is compared of a spec that cannot be read
	labels := map[string]any{}
	for key, value := range o.Detail.Labels {
		labels[key] = value
	}
	return map[string]any{"labels": labels, "ownerReferences": owners, "spec": body}
}
