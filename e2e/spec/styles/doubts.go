package styles

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
	return all, nil
}

// doubtRights says that custom resources may be watched in one namespace alone, and which verbs no role has that informers
// need: of the custom resource, of its children, and of pods where its status names them.
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
	if confined := held.Confined(kinds[0]); confined != "" {
		say("%s", confined)
	}
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
