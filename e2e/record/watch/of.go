package watch

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
)

// Of says which custom resource an object in which a style works is for: Matches, a template over .Namespace and .Name
// that makes a regular expression, then matches what stands at Path. That may be a parameter, which is not recorded;
// what is, is the custom resource that was found: see RecordedOf.
type Of struct{ Path, Matches string }

// ofAnnotation is put into the recorded object.
const ofAnnotation = "operatorbench-of"

// RecordedOf is how the recording says which custom resource an object is for: an
// annotation lists it as namespace/name, several with spaces between them.
func RecordedOf() spec.FieldCondition {
	return spec.FieldCondition{Path: "metadata.annotations." + ofAnnotation, Matches: "(^| ){{.Namespace}}/{{.Name}}( |$)"}
}

// customs are the custom resources of the samples that have begun.
type customs struct {
	begins *record.Follower // hears of samples

	mu   sync.Mutex
	list []types.NamespacedName
	seen map[types.NamespacedName]bool
}

func newCustoms(recorder *record.Recorder) *customs {
	c := &customs{seen: map[types.NamespacedName]bool{}}
	c.begins = recorder.Follow(c.begun)
	return c
}

// begun takes note of a sample's custom resources.
func (c *customs) begun(e record.Entry) error {
	if e.Begin == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(e.Begin.Namespace, e.Begin.Name)
	for _, other := range e.Begin.Others {
		c.add(other.Namespace, other.Name)
	}
	return nil
}

func (c *customs) add(namespace, name string) {
	if one := (types.NamespacedName{Namespace: namespace, Name: name}); !c.seen[one] {
		c.seen[one], c.list = true, append(c.list, one)
	}
}

// all lists those of every sample whose beginning is recorded.
func (c *customs) all() []types.NamespacedName {
	c.begins.CatchUp()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list // it only grows
}

// finder tells which custom resources the objects in one place are for.
type finder struct {
	path     string
	template *bounds.Template
	customs  *customs
	matchers []*bounds.Pattern // parallel to the custom resources
	found    map[types.UID]match
}

// match is which custom resources an object is for, by what stood in it; once some were found, that is so for good.
// Until then so many of the custom resources have been compared: each object is compared with each of them once.
type match struct {
	value, of string
	compared  int
}

func newFinder(of Of, customs *customs) (*finder, error) {
	template, err := bounds.NewTemplate(of.Matches)
	if err != nil {
		return nil, fmt.Errorf("which custom resource it is for, by %q: %w", of.Matches, err)
	}
	if err := bounds.Path(of.Path); err != nil {
		return nil, fmt.Errorf("which custom resource it is for, at %q: %w", of.Path, err)
	}
	return &finder{path: of.Path, template: template, customs: customs, found: map[types.UID]match{}}, nil
}

// mark puts into an object, before anything is withheld, which custom resources it is for.
func (t *finder) mark(object *unstructured.Unstructured) {
	was := t.found[object.GetUID()]
	if was.of == "" {
		was = t.find(object, was)
		t.found[object.GetUID()] = was
	}
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", ofAnnotation)
	if was.of != "" {
		// An error is of annotations that are no texts, which no API server delivers.
		_ = unstructured.SetNestedField(object.Object, was.of, "metadata", "annotations", ofAnnotation)
	}
}

func (t *finder) find(object *unstructured.Unstructured, was match) match {
	raw, err := json.Marshal(object.Object)
	if err != nil {
		return was // cannot happen to what was just decoded from JSON
	}
	value := gjson.GetBytes(raw, t.path)
	if !value.Exists() {
		return match{}
	}
	now := match{value: value.String()}
	if now.value == was.value {
		now.compared = was.compared
	}
	all := t.customs.all()
	for _, custom := range all[len(t.matchers):] {
		t.matchers = append(t.matchers, t.matcher(custom))
	}
	var found []string
	for ; now.compared < len(all); now.compared++ {
		if matcher := t.matchers[now.compared]; matcher != nil && matcher.MatchString(now.value) {
			found = append(found, all[now.compared].String())
		}
	}
	now.of = strings.Join(found, " ")
	return now
}

// matcher is nil where there is none, as for a name that is too long.
func (t *finder) matcher(custom types.NamespacedName) *bounds.Pattern {
	text, err := t.template.Fill(regexp.QuoteMeta(custom.Namespace), regexp.QuoteMeta(custom.Name))
	if err != nil {
		return nil
	}
	matcher, err := bounds.Expression(text)
	if err != nil {
		return nil
	}
	return matcher
}
