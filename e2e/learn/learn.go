// Package learn says what a run has shown of an operator: what its accounts make for a custom resource, and how its
// status says that it is ready.
package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/propose"
)

// lesson collects what a recording shows.
type lesson struct {
	customs    string            // the resource of the custom resources
	kind       string            // theirs
	knob       []string          // the path of the one that scales
	accounts   []string          // how the names of the operator's accounts begin
	namespaces map[string]*place // of samples
	asked      int               // custom resources that the harness created
	made       map[string]map[string]bool
	owned      map[string]bool // resources whose objects all have the custom resource as their controller
	lives      map[string]*life
	moments    []moment
	varied     map[string]bool // texts of the status that have had several values in one life
}

// place is what the last sample of a namespace was.
type place struct {
	matrix     bool // one so far was of the correctness matrix, in which custom resources are paused, say, and operators stopped
	unmeetable bool // what is asked for cannot be brought about
}

// life is what the watch showed of one custom resource.
type life struct {
	moment

	in    *place
	first map[string]any // as said
	gone  bool
}

// moment is a custom resource as it stood when it was as asked for, or as it stands now.
type moment struct {
	of               *life
	said             map[string]any // values of its status, by path; conditions by their type
	size, generation int64
}

// From reads a recording: of a run of the operator, with an audit log.
func From(entries iter.Seq2[record.Entry, error]) (*propose.Learned, error) {
	l := &lesson{namespaces: map[string]*place{}, made: map[string]map[string]bool{}, owned: map[string]bool{}, lives: map[string]*life{}, varied: map[string]bool{}}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if err := l.take(&e); err != nil {
			return nil, err
		}
	}
	if l.asked == 0 || len(l.made) == 0 {
		return nil, fmt.Errorf("the recording shows %s that were created, and %s that the operator's accounts made for them: run it on a cluster of the harness, which has an audit log",
			plain.Plural(l.asked, "custom resource"), plain.Plural(len(l.made), "resource"))
	}
	return &propose.Learned{Children: l.children(), Ready: l.ready()}, nil
}

func (l *lesson) take(e *record.Entry) error {
	switch {
	case e.Header != nil:
		if len(e.Header.Styles) != 1 || e.Header.Workload == nil {
			return errors.New("the recording is of several styles, or of none with a workload of its own: run the operator by itself")
		}
		_, knob := e.Header.Workload.ScaleKnob()
		l.customs, l.kind, l.knob = e.Header.Workload.Resource.Name(), e.Header.Workload.Resource.Kind, spec.Fields(knob.Path)
		l.runs(e.Header.Styles[0].Namespaces)
	case e.Block != nil && e.Block.Installed != nil:
		l.runs(e.Block.Installed.Namespaces)
	case e.Begin != nil:
		at := l.namespaces[e.Begin.Namespace]
		if at == nil {
			at = &place{}
			l.namespaces[e.Begin.Namespace] = at
		}
		at.matrix, at.unmeetable = at.matrix || e.Begin.Matrix, e.Begin.Unmeetable
	case e.End != nil && e.End.Outcome == record.Settled:
		l.settled(l.namespaces[e.End.Namespace])
	case e.Action != nil && e.Action.Verb == "create" && e.Action.Resource == l.customs && e.Action.Error == "":
		l.asked++
	case e.Audit != nil:
		l.write(e.Audit)
	case e.Inventory != nil:
		for i := range e.Inventory.Objects {
			l.own(&e.Inventory.Objects[i])
		}
	case e.Watch != nil && e.Watch.Resource == l.customs && l.namespaces[e.Watch.Namespace] != nil:
		return l.see(e.Watch)
	}
	return nil
}

// runs takes note of where the operator runs.
func (l *lesson) runs(namespaces []string) {
	for _, namespace := range namespaces {
		l.accounts = append(l.accounts, "system:serviceaccount:"+namespace+":")
	}
}

// write notes what an account of the operator made.
func (l *lesson) write(a *record.Audit) {
	mine := slices.ContainsFunc(l.accounts, func(account string) bool { return strings.HasPrefix(a.User, account) })
	if !mine || a.Code != 201 || a.Subresource != "" || l.namespaces[a.Namespace] == nil || a.Resource == l.customs || a.OfEvents() {
		return
	}
	if l.made[a.Resource] == nil {
		l.made[a.Resource] = map[string]bool{}
	}
	name := a.Name
	if name == "" { // the API server makes it
		name = strconv.Itoa(len(l.made[a.Resource]))
	}
	l.made[a.Resource][a.Namespace+"/"+name] = true
}

// own takes note of whether a custom resource controls an object.
func (l *lesson) own(o *record.Item) {
	owned := slices.ContainsFunc(o.Owners, func(r record.Owner) bool { return r.Controller && r.Kind == l.kind })
	before, known := l.owned[o.Resource]
	l.owned[o.Resource] = owned && (before || !known)
}

// see takes up how a custom resource is.
func (l *lesson) see(w *record.Watch) error {
	var object map[string]any
	if err := json.Unmarshal(w.Object, &object); err != nil {
		return fmt.Errorf("read the custom resource %s/%s: %w", w.Namespace, w.Name, err)
	}
	is := l.lives[w.UID]
	if _, deleting, _ := unstructured.NestedString(object, "metadata", "deletionTimestamp"); deleting || w.Event == spec.Deleted {
		if is != nil {
			is.gone = true
		}
		return nil
	}
	size, _, _ := unstructured.NestedFieldNoCopy(object, l.knob...)
	asks, _ := size.(float64)
	now := said(object)
	if is == nil {
		is = &life{in: l.namespaces[w.Namespace], first: now}
		l.lives[w.UID] = is
	}
	for at, value := range is.said {
		if now[at] != value {
			l.varied[at] = true
		}
	}
	generation, _, _ := unstructured.NestedFieldNoCopy(object, "metadata", "generation")
	number, _ := generation.(float64)
	is.moment = moment{is, now, int64(asks), int64(number)}
	return nil
}

// settled takes note of how the custom resources of a place stand now that they are as asked for. Of one without pods
// little is said.
func (l *lesson) settled(at *place) {
	for _, is := range l.lives {
		if is.in == at && !at.unmeetable && !is.gone && is.size > 0 {
			l.moments = append(l.moments, is.moment)
		}
	}
}

// said are the texts and whole numbers at the top of a status, and the status of each condition.
func said(object map[string]any) map[string]any {
	all := map[string]any{}
	status, _ := object["status"].(map[string]any)
	for field, value := range status {
		switch value := value.(type) {
		case string:
			all["cr.status."+field] = value
		case float64:
			all["cr.status."+field] = int64(value)
		}
	}
	conditions, _ := status["conditions"].([]any)
	for _, one := range conditions {
		c, _ := one.(map[string]any)
		all[fmt.Sprintf("cr.status.conditions.exists(c, c.type == '%v' && c.status == 'True')", c["type"])] = c["status"] == "True"
	}
	return all
}

// children are the kinds of objects that the operator made, each with how many.
func (l *lesson) children() []propose.Child {
	kinds := map[string]string{}
	for kind := range scheme.Scheme.AllKnownTypes() {
		plural, _ := meta.UnsafeGuessKindToResource(kind)
		kinds[watch.ResourceName(plural)] = kind.Kind
	}
	var list []propose.Child
	for _, resource := range slices.Sorted(maps.Keys(l.made)) {
		kind, known := kinds[resource]
		if !known {
			kind = spec.Unsaid
		}
		why := fmt.Sprintf("%d made by the operator's accounts for %s (audit log)", len(l.made[resource]), plain.Plural(l.asked, "custom resource"))
		if owned, seen := l.owned[resource]; seen && !owned {
			why += "; one of them is not controlled by the custom resource"
		}
		list = append(list, propose.Child{Resource: resource, Kind: kind, Template: spec.ChildKind{Resource: resource}.HasTemplate(), Why: why})
	}
	return list
}

// ready are parts of an expression that were true each time that a custom resource was as asked for, and of none when
// it was made: of those times that were measured, if there are such.
func (l *lesson) ready() []propose.Part {
	moments := l.moments
	if measured := slices.DeleteFunc(slices.Clone(moments), func(m moment) bool { return m.of.in.matrix }); len(measured) > 0 {
		moments = measured
	}
	sizes, lives, candidates := map[int64]bool{}, map[*life]bool{}, map[string]bool{}
	for _, m := range moments {
		sizes[m.size], lives[m.of] = true, true
		for at := range m.said {
			candidates[at] = true
		}
	}
	var list []propose.Part
	for _, at := range slices.Sorted(maps.Keys(candidates)) {
		if part := l.part(at, moments, len(sizes) > 1, len(lives) > 1); part != "" {
			list = append(list, propose.Part{Text: part, Why: fmt.Sprintf("true of %s at each of %s that one was as asked for, and not when it was made",
				plain.Plural(len(lives), "custom resource"), plain.Plural(len(moments), "time"))})
		}
	}
	return list
}

// observed is where a status names its generation.
const observed = "cr.status.observedGeneration"

// part is what a value of the status says once a custom resource is ready; "": nothing, it was so before, or is
// otherwise each time.
func (l *lesson) part(at string, moments []moment, sizes, lives bool) string {
	var same any
	counts, differs, newest := sizes, false, at == observed
	for _, m := range moments {
		value, there := m.said[at]
		if !there || m.of.first[at] == value {
			return ""
		}
		differs = differs || same != nil && same != value
		same = value
		counts, newest = counts && value == m.size, newest && value == m.generation
	}
	switch value := same.(type) {
	case bool:
		if value && !differs {
			return at
		}
	case string:
		if !differs && l.varied[at] && lives {
			return fmt.Sprintf("%s == '%s'", at, strings.ReplaceAll(value, "'", `\'`))
		}
	case int64:
		switch {
		case newest:
			return at + " == cr.metadata.generation"
		case counts:
			return at + " == knob.size"
		}
	}
	return ""
}
