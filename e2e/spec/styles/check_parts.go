package styles

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// checkComponents refuses a component whose pods nothing makes: no workload of the manifests, and no other component.
func (s Style) checkComponents(all []placed) error {
	var problems []error
	objs := plain.Map(all, func(obj placed) *unstructured.Unstructured { return obj.Unstructured })
	for i, component := range s.Components {
		unmade, err := install.Unmade([]spec.Component{component}, objs)
		if err != nil {
			return s.errorAt([]any{"components", i, "selector"}, "%w", err)
		}
		if len(unmade) > 0 && component.ManagedBy == "" {
			problems = append(problems, s.errorAt([]any{"components", i}, "component %s: no workload of the manifests has pods %s in namespace %s: mend the selector, or say with managedBy which component makes them",
				component.Name, component.Selector, component.Namespace))
		}
	}
	return errors.Join(problems...)
}

// checkRollouts refuses a rollout of what nothing makes. Where a component makes
// workloads, they are not among the manifests.
func (s Style) checkRollouts(all []placed) error {
	managed := s.managed()
	var problems []error
	for i, stage := range s.Stages {
		for j, gate := range stage.Ready {
			r := gate.Rollout
			if r == nil || managed {
				continue
			}
			if !slices.ContainsFunc(all, func(obj placed) bool {
				return obj.GetKind() == r.Kind && obj.GetNamespace() == r.Namespace && obj.GetName() == r.Name
			}) {
				problems = append(problems, s.errorAt([]any{"install", i, "ready", j}, "stage %s: the manifests have no %s %s/%s, so that its rollout would never complete", stage.Name, r.Kind, r.Namespace, r.Name))
			}
		}
	}
	return errors.Join(problems...)
}

// checkImages refuses a name that the catalogue does not have, and an image of the catalogue that the manifests need
// and style.yaml does not list: the node would not have it. What the catalogue does not know and the style does not
// bring along, the node pulls.
func (s Style) checkImages(all []placed, catalogue *images.Catalogue) error {
	var problems []error
	for i, name := range s.ImageNames() {
		if _, err := catalogue.Image(name); err != nil {
			problems = append(problems, s.errorAt([]any{"images", i}, "%w; an image that it does not have is written as {name: …, reference: …}, see operators/README.md", err))
		}
	}
	for _, image := range catalogue.Images {
		needs := func(obj placed) bool { return slices.Contains(imagesIn(obj.Object), image.Reference) }
		if i := slices.IndexFunc(all, needs); i >= 0 && !slices.Contains(s.ImageNames(), image.Name) {
			problems = append(problems, s.problem(all[i].from, fmt.Errorf("%s runs %s, which images (line %d) does not list: add %s",
				strings.ToLower(all[i].GetKind())+"/"+all[i].GetName(), image.Reference, s.line([]any{"images"}), image.Name)))
		}
	}
	return errors.Join(problems...)
}

// imagesIn lists the images that containers have, at any depth: pod templates are
// in workloads, and in objects that a controller makes some of.
func imagesIn(value any) []string {
	var found []string
	switch value := value.(type) {
	case map[string]any:
		if image, is := value["image"].(string); is {
			found = append(found, image)
		}
		for _, inner := range value {
			found = append(found, imagesIn(inner)...)
		}
	case []any:
		for _, inner := range value {
			found = append(found, imagesIn(inner)...)
		}
	}
	return found
}
