package styles

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// components refuses a component whose pods nothing makes: no workload of the manifests, and no other component.
func (c *checks) components() {
	objs := plain.Map(c.all, func(obj placed) *unstructured.Unstructured { return obj.Unstructured })
	for i, component := range c.Components {
		unmade, err := install.Unmade([]spec.Component{component}, objs)
		if err != nil {
			c.fail(c.errorAt([]any{"components", i, "selector"}, "%w", err))
			return
		}
		if len(unmade) > 0 && component.ManagedBy == "" {
			c.fail(c.errorAt([]any{"components", i}, "component %s: no workload of the manifests has pods %s in namespace %s: mend the selector, or say with managedBy which component makes them",
				component.Name, component.Selector, component.Namespace))
		}
	}
}

// rollouts refuses the rollout of a workload that nothing makes. Where a component makes
// workloads, they are not among the manifests.
func (c *checks) rollouts() {
	managed := c.managed()
	for i, stage := range c.Stages {
		for j, gate := range stage.Ready {
			r := gate.Rollout
			if r == nil || managed {
				continue
			}
			if !slices.ContainsFunc(c.all, func(obj placed) bool {
				return obj.GetKind() == r.Kind && obj.GetNamespace() == r.Namespace && obj.GetName() == r.Name
			}) {
				c.fail(c.errorAt([]any{"install", i, "ready", j}, "stage %s: the manifests have no %s %s/%s, so that its rollout would never complete", stage.Name, r.Kind, r.Namespace, r.Name))
			}
		}
	}
}

// images refuses a name that the catalogue does not have, and an image of the catalogue that the manifests need
// and style.yaml does not list: the node would not have it. What the catalogue does not know and the style does not
// bring along, the node pulls.
func (c *checks) images(catalogue *images.Catalogue) {
	for i, name := range c.ImageNames() {
		if _, err := catalogue.Image(name); err != nil {
			c.fail(c.errorAt([]any{"images", i}, "%w; an image that it does not have is written as {name: …, reference: …}, see operators/README.md", err))
		}
	}
	for _, image := range catalogue.Images {
		needs := func(obj placed) bool { return runs(obj.Object, image.Reference) }
		if i := slices.IndexFunc(c.all, needs); i >= 0 && !slices.Contains(c.ImageNames(), image.Name) {
			obj := c.all[i]
			c.fail(c.problem(obj.from, fmt.Errorf("%s/%s runs %s, which images (line %d) does not list: add %s",
				strings.ToLower(obj.GetKind()), obj.GetName(), image.Reference, c.line([]any{"images"}), image.Name)))
		}
	}
}

// runs reports whether a container at any depth of an object has an image.
func runs(object any, reference string) bool {
	for inner := range kube.Maps(object) {
		if inner["image"] == reference {
			return true
		}
	}
	return false
}
