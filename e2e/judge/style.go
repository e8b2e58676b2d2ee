package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/tidwall/gjson"

	"operatorbench/e2e/record"
)

// style is a record.Style made ready for use.
type style struct {
	record.Style
	where      [][]condition      // parallel to Phases
	child      *template.Template // nil: the child is found by its owner reference
	byResource map[string][]int   // resource → indices into Phases
	adds       map[string]bool    // resources of which each reconcile adds an object, as an ADDED phase says
	write      []phase            // of a sample that wants a size
	delete     []phase            // of a sample that wants the custom resource gone
}

func compile(s record.Style) (*style, error) {
	c := &style{Style: s, byResource: map[string][]int{}, adds: map[string]bool{}}
	c.write, c.delete = writePhases(s), deletePhases(s)
	if s.ChildName != "" {
		t, err := template.New("childName").Option("missingkey=error").Parse(s.ChildName)
		if err != nil {
			return nil, fmt.Errorf("style %s: childName %q: %w", s.Name, s.ChildName, err)
		}
		c.child = t
	}
	for i, p := range s.Phases {
		c.byResource[p.Resource] = append(c.byResource[p.Resource], i)
		if p.Event == "ADDED" {
			c.adds[p.Resource] = true
		}
		conditions, err := compileWhere(p.Where)
		if err != nil {
			return nil, fmt.Errorf("style %s: phase %q: %w", s.Name, p.Name, err)
		}
		c.where = append(c.where, conditions)
	}
	for _, idle := range s.Idle {
		if !slices.ContainsFunc(s.Phases, func(p record.Phase) bool { return p.Name == idle }) {
			return nil, fmt.Errorf("style %s: idle names phase %q, which it does not define", s.Name, idle)
		}
	}
	return c, nil
}

// condition is a record.Condition made ready for use.
type condition struct {
	record.Condition
	matches *regexp.Regexp // nil: any value
}

func compileWhere(list []record.Condition) ([]condition, error) {
	var all []condition
	for _, one := range list {
		c := condition{Condition: one}
		if one.Matches != "" {
			var err error
			if c.matches, err = regexp.Compile(one.Matches); err != nil {
				return nil, fmt.Errorf("where %s: %w", one.Path, err)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

func (c *condition) holds(object []byte) bool {
	value := gjson.GetBytes(object, c.Path)
	return value.Exists() &&
		(len(c.Equals) == 0 || slices.Contains(c.Equals, value.String())) &&
		(c.matches == nil || c.matches.MatchString(value.String()))
}

func (s *style) phases(sample *record.Sample) []phase {
	if sample.Size == nil {
		return s.delete
	}
	return s.write
}

// childName is the Deployment's name for a custom resource; empty where the
// child is found by its owner reference.
func (s *style) childName(namespace, name string) (string, error) {
	if s.child == nil {
		return "", nil
	}
	var out strings.Builder
	if err := s.child.Execute(&out, struct{ Namespace, Name string }{namespace, name}); err != nil {
		return "", fmt.Errorf("style %s: childName %q for %s/%s: %w", s.Name, s.ChildName, namespace, name, err)
	}
	return out.String(), nil
}

// innerKey is one inner phase on one object.
type innerKey struct {
	style *style
	phase int
	uid   string
}

// innerPhases remembers for which objects a phase's path already holds, so
// that only the event which brings it about counts: a finished Workflow that
// is labelled later has not finished again.
type innerPhases map[innerKey]struct{}

// happened returns the indices of the style's phases that this event brings about.
func (held innerPhases) happened(s *style, w *record.Watch) []int {
	var found []int
	for _, i := range s.byResource[w.Resource] {
		if held.transition(s, i, w) {
			found = append(found, i)
		}
	}
	return found
}

func (held innerPhases) transition(s *style, i int, w *record.Watch) bool {
	p := &s.Phases[i]
	if p.Namespace != "" && p.Namespace != w.Namespace {
		return false
	}
	for j := range s.where[i] {
		if !s.where[i][j].holds(w.Object) {
			return false
		}
	}
	rightEvent := w.Event != "LISTED" && (p.Event == "" || p.Event == w.Event)
	if p.Path == "" {
		return rightEvent
	}
	value := gjson.GetBytes(w.Object, p.Path)
	holds := value.Exists() && (len(p.Equals) == 0 || slices.Contains(p.Equals, value.String()))
	if p.Event == "ADDED" || p.Event == "DELETED" { // once in an object's life: nothing to remember
		return rightEvent && holds
	}
	key := innerKey{s, i, w.UID}
	_, held0 := held[key]
	if holds && w.Event != "DELETED" {
		held[key] = struct{}{}
	} else {
		delete(held, key)
	}
	return rightEvent && holds && !held0
}
