package styles

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	words "operatorbench/e2e/spec/schema"
)

// CheckCluster refuses what a cluster would refuse, and operators that could do nothing. Check reports what cannot be
// rendered.
func CheckCluster(catalogue *images.Catalogue, all ...*Style) error {
	var problems []error
	for _, s := range all {
		objs, err := s.placed()
		if err != nil {
			continue
		}
		with, _ := catalogue.With(s.Own...) // Check tells of these, too
		problems = append(problems, s.checkCluster(objs, with))
	}
	return errors.Join(problems...)
}

// checkCluster refuses kinds that the cluster does not know, and what is in or of something that is not there.
// What a component makes later, the manifests do not say: then only kinds and namespaces are asked for.
func (s Style) checkCluster(all []placed, catalogue *images.Catalogue) error {
	c := checks{Style: s, all: all}
	c.kinds()
	c.namespaces()
	c.scope()
	c.pulls(catalogue)
	if !s.managed() {
		c.accounts()
		c.levels()
		c.rights()
	}
	return errors.Join(c.problems...)
}

// managed reports whether a component makes workloads that are not among the manifests.
func (s Style) managed() bool {
	return slices.ContainsFunc(s.Components, func(c spec.Component) bool { return c.ManagedBy != "" })
}

// of lists the objects of a kind.
func (c *checks) of(kind string) []placed {
	return plain.Where(c.all, func(obj placed) bool { return obj.GetKind() == kind })
}

// kinds refuses a kind that neither Kubernetes has nor a definition among the manifests.
func (c *checks) kinds() {
	defined := plain.Set(c.of("CustomResourceDefinition"), func(obj placed) schema.GroupKind { return kube.Defines(obj.Unstructured) })
	for _, obj := range c.all {
		of := obj.GroupVersionKind()
		served := of.Version == "v1" && slices.Contains([]string{"apiextensions.k8s.io", "apiregistration.k8s.io"}, of.Group) ||
			len(scheme.Scheme.VersionsForGroupKind(of.GroupKind())) > 0 && slices.Contains(schemeVersions(of.Group), of.Version)
		if served || defined[of.GroupKind()] {
			continue
		}
		if kube.IsDefinition(obj.Unstructured) {
			c.about(obj, "is of %s, which no cluster serves since Kubernetes 1.22: write it as apiextensions.k8s.io/v1", obj.GetAPIVersion())
			continue
		}
		known := slices.Collect(maps.Keys(scheme.Scheme.KnownTypes(of.GroupVersion())))
		c.about(obj, "is of a kind that no cluster has: %s has no %s, and no CustomResourceDefinition of the manifests defines it%s",
			obj.GetAPIVersion(), of.Kind, cmp.Or(words.Suggestion(of.Kind, known), ": add what defines it and what handles it, or leave it out"))
	}
}

// schemeVersions are the versions of a group that the harness's client knows. A kind that it knows by an older one may
// have become stable since.
func schemeVersions(group string) []string {
	return plain.Map(scheme.Scheme.PrioritizedVersionsForGroup(group), func(of schema.GroupVersion) string { return of.Version })
}

// namespaces refuses objects in a namespace that nothing makes, and those that leave theirs to kubectl.
func (c *checks) namespaces() {
	made := map[string]bool{"default": true, "kube-system": true, "kube-public": true, "kube-node-lease": true}
	for _, obj := range c.of("Namespace") {
		made[obj.GetName()] = true
	}
	objs := plain.Map(c.all, func(obj placed) *unstructured.Unstructured { return obj.Unstructured })
	for _, obj := range c.all {
		namespaced, _ := kube.Namespaced(obj.Unstructured, objs)
		switch in := obj.GetNamespace(); {
		case in == "" && namespaced:
			c.about(obj, "has no namespace: write metadata.namespace, or namespace in the kustomization")
		case in != "" && !made[in]:
			made[in] = true // it is told of once
			c.about(obj, "is in the namespace %s, which no manifest makes: add the Namespace", in)
		}
	}
}

// scope refuses custom resources that are in no namespace.
func (c *checks) scope() {
	w, err := c.Handles()
	if err != nil {
		return // Check tells of it
	}
	defined := plain.Map(c.of("CustomResourceDefinition"), func(obj placed) *unstructured.Unstructured { return obj.Unstructured })
	if crd := w.CRD(); crd != nil {
		defined = append(defined, crd)
	}
	if namespaced, known := kube.Namespaced(w.New("", w.Name, w.Smallest()), defined); known && !namespaced {
		c.fail(c.errorAt([]any{"workload"}, "workload: a %s is in no namespace, and a run makes each custom resource in one of its own: it can drive none that is cluster-scoped", w.Resource.Kind))
	}
}

// accounts refuses pods of a service account that nothing makes: none of them would be created.
func (c *checks) accounts() {
	made := func(namespace, name string) bool {
		return slices.ContainsFunc(c.of("ServiceAccount"), func(obj placed) bool {
			return obj.GetNamespace() == namespace && obj.GetName() == name
		})
	}
	for _, obj := range c.all {
		for _, pod := range install.PodsIn(obj.Object) {
			if name := pod.Spec.ServiceAccountName; obj.GetNamespace() != "" && name != "" && name != "default" && !made(obj.GetNamespace(), name) {
				c.about(obj, "runs as the ServiceAccount %s/%s, which no manifest makes: add the ServiceAccount", obj.GetNamespace(), name)
			}
		}
	}
}

// pulls refuses pods that pull an image each time which no registry has.
func (c *checks) pulls(catalogue *images.Catalogue) {
	for _, obj := range c.all {
		for _, container := range containersIn(obj.Unstructured) {
			never := func(image images.Image) bool { return image.NeverPulled && image.Reference == container.Image }
			if container.ImagePullPolicy == corev1.PullAlways && slices.ContainsFunc(catalogue.Images, never) {
				c.about(obj, "pulls %s each time (imagePullPolicy: Always), and no registry has it: leave the field out, or say IfNotPresent", container.Image)
			}
		}
	}
}

// containersIn are those of the pods that an object is, or is a template of.
func containersIn(obj *unstructured.Unstructured) []corev1.Container {
	return plain.Flat(install.PodsIn(obj.Object), func(pod corev1.Pod) []corev1.Container {
		return slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	})
}

// levels refuses pods that the security level of their own namespace forbids.
func (c *checks) levels() {
	levels := map[string]string{}
	for _, obj := range c.of("Namespace") {
		levels[obj.GetName()] = obj.GetLabels()["pod-security.kubernetes.io/enforce"]
	}
	for _, obj := range c.all {
		level := levels[obj.GetNamespace()]
		if level == "" {
			continue
		}
		forbidden, err := install.Forbidden(obj.Unstructured, level)
		if err != nil {
			c.about(obj, "cannot be held against the level %q of its namespace: %w", level, err)
		}
		for _, detail := range forbidden {
			c.about(obj, "has pods that the level %s of its namespace forbids: %s", level, detail)
		}
	}
}

// rights refuses a style none of whose service accounts may see custom resources, or write what it makes for them. Of a
// role that the manifests do not bring, nobody knows what it allows.
func (c *checks) rights() {
	held, err := c.Rights()
	if err != nil || len(held.Unknown) > 0 || c.Control != "" {
		c.fail(err)
		return
	}
	w, err := c.Handles()
	if err != nil {
		return // Check tells of it
	}
	where := []any{"install"}
	if of := w.GVR(); !held.May(of.GroupResource(), "watch", "list") {
		c.fail(c.errorAt(where, "no service account may list or watch %s.%s, so that the operator would see no custom resource%s", of.Resource, of.Group, groupsOf(held)))
	}
	if of := w.MainGVR(); !held.May(of.GroupResource(), "create", "patch", "update") {
		c.fail(c.errorAt(where, "no service account may create, update or patch %s, which the operator makes for a custom resource", of.GroupResource()))
	}
}

// groupsOf says which API groups with a dot there are rights on, where one of them may be meant.
func groupsOf(held install.Rights) string {
	var groups []string
	for _, grant := range held.Grants {
		for _, group := range grant.Groups {
			if strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") && !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
		}
	}
	if len(groups) == 0 {
		return ""
	}
	return "; there are rights on " + strings.Join(groups, ", ")
}
