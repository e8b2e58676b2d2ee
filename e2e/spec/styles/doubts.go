package styles

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Doubts says, a sentence each, what may well be meant and is a mistake more often. A run does not refuse it.
func (s Style) Doubts(catalogue *images.Catalogue) ([]string, error) {
	objs, err := s.Objects()
	if err != nil {
		return nil, err
	}
	if catalogue, err = catalogue.With(s.Own...); err != nil {
		return nil, err
	}
	w, err := s.Handles()
	if err != nil {
		return nil, err
	}
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, obj := range append(objs, w.New("", w.Name, w.Smallest())) {
		for _, container := range containersIn(obj) {
			if !slices.ContainsFunc(catalogue.Images, func(image images.Image) bool { return image.Reference == container.Image }) {
				say("%s runs %s, which images does not list: the node must pull it, and a run does not", kube.Describe(obj), container.Image)
			}
			if container.ImagePullPolicy == corev1.PullAlways {
				say("%s pulls %s each time (imagePullPolicy: Always): what a run has brought to the node is not used", kube.Describe(obj), container.Image)
			}
		}
	}
	if err := s.doubtRights(say); err != nil {
		return nil, err
	}
	for i, d := range s.Differs {
		if unknown := unknownField(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, d.Path); unknown != "" {
			say("differs (style.yaml:%d): %s has no field %q, so that it excuses nothing", s.line([]any{"differs", i}), d.Path, unknown)
		}
	}
	return all, nil
}

// doubtRights says which verbs no role has that informers need: of the custom resource, of its children, and of pods
// where its status names them.
func (s Style) doubtRights(say func(format string, args ...any)) error {
	held, err := s.Rights()
	if err != nil || len(held.Unknown) > 0 || s.managed() || s.Control != "" {
		return err
	}
	w, err := s.Handles()
	if err != nil {
		return err
	}
	kinds := []schema.GroupResource{w.GVR().GroupResource()}
	for _, child := range w.Children { // two may be Services
		kinds = plain.Once(kinds, schema.ParseGroupResource(child.GroupResource()))
	}
	if slices.Contains(s.Declares.Status.Fields, spec.StatusNodes) {
		kinds = append(kinds, schema.GroupResource{Resource: "pods"}) // whose names it is to write
	}
	for _, of := range kinds {
		if lacks := held.InformerLacks(of); lacks != "" {
			say("%s", lacks)
		}
	}
	return nil
}

// unknownField is the first key of a path that objects of a kind do not have; "": they have all, or their fields are
// not known.
func unknownField(kind schema.GroupVersionKind, path string) string {
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return ""
	}
	at := reflect.TypeOf(object).Elem()
	for _, key := range strings.Split(path, ".") {
		for at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		switch at.Kind() {
		case reflect.Slice:
			at = at.Elem()
		case reflect.Struct:
			if at.Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()) || reflect.PointerTo(at).Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()) {
				return "" // a text or a number, or what has no fixed fields
			}
			field := fieldOf(at, key)
			if field == nil {
				return key
			}
			at = field
		default:
			return "" // a map has any key
		}
	}
	return ""
}

// fieldOf is the type of a field by its name in JSON; nil: there is none.
func fieldOf(of reflect.Type, name string) reflect.Type {
	for field := range of.Fields() {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name {
			return field.Type
		}
		if field.Anonymous && tag == "" {
			if inner := fieldOf(field.Type, name); inner != nil {
				return inner
			}
		}
	}
	return nil
}
