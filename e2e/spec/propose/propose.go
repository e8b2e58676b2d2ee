// Package propose writes the first form of a style and its workload from what an operator's repository has: manifests,
// a definition, roles. Each guess stands with its evidence, and what is still to be said is marked TODO.
package propose

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/api/pkg/util"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
)

//go:embed style.yaml.tmpl
var styleText string

//go:embed workload.yaml.tmpl
var workloadText string

// Sources are what the proposal is made from.
type Sources struct {
	Name      string                       // of the style: its folder's
	Manifests []string                     // the kustomization or the files of YAML, relative to the style's folder manifests
	Objects   []*unstructured.Unstructured // of the manifests
	// Definitions are the CustomResourceDefinitions of a file of their own; none: the manifests have them.
	Definitions []*unstructured.Unstructured
	Samples     []*unstructured.Unstructured // custom resources that were found in the repository; one is the template
	// Build is what in the repository the operator's image is built from, as style.yaml says it, such as dockerfile: ..;
	// "": nothing was found.
	Build string
	Kind  string // of the custom resource, where there are several; empty: there is one
	// Learned is what a run has shown; nil: there was none.
	Learned *Learned
}

// Learned is what a run of the operator has shown.
type Learned struct {
	Children []Child
	Ready    []Part // of an expression
}

// Child is a kind of object that the operator made for custom resources.
type Child struct {
	Resource, Kind string
	Template       bool // it makes pods of a template
	Why            string
}

// Part is a part of an expression, which was true once custom resources were ready.
type Part struct{ Text, Why string }

// Line is a child as workload.yaml says it.
func (c Child) Line(main string) string {
	id := strings.ToLower(c.Kind)
	if c.Kind == spec.Unsaid {
		id, _, _ = strings.Cut(c.Resource, ".")
	}
	text := fmt.Sprintf("{id: %s, resource: %s, kind: %s", id, c.Resource, c.Kind)
	switch {
	case c.Resource != main:
	case c.Template:
		text += ", main: true, scale: spec.replicas"
	default:
		text += ", main: true, many: true"
	}
	return text + "}"
}

// learn takes the children and the expression from what a run has shown.
func (p *proposal) learn() {
	if p.Learned == nil {
		return
	}
	runs := slices.IndexFunc(p.Learned.Children, func(c Child) bool { return c.Template })
	if runs < 0 {
		runs = slices.IndexFunc(p.Learned.Children, func(c Child) bool { return c.Resource == spec.Pods })
	}
	if runs < 0 {
		p.todo("workload.yaml, children: which of them runs the pods; none that the operator made is a Deployment, a StatefulSet or a pod")
	} else {
		p.Main.Resource = p.Learned.Children[runs].Resource
	}
	if len(p.Learned.Ready) > 0 {
		p.todo("workload.yaml, phases.ready: take out what is true by chance: the run has shown too little to tell")
	}
}

// Proposal are the files of a style's folder, by name.
type Proposal struct {
	Files map[string][]byte
	Open  []string // what is still to be said, a sentence each
}

// proposal is what the templates print.
type proposal struct {
	Sources
	Resource  spec.CustomResource
	Brings    bool // the manifests have the definition
	defined   *unstructured.Unstructured
	Scales    bool // the definition has a scale subresource
	Knob      guess
	Min, Max  int
	Main      Child
	Status    []guess
	Ready     guess
	Admission string // which webhook decides on each write of a custom resource; "": none
	Fields    []string
	Workloads []workload
	Images    []image
	Renamed   []types.Image // in the kustomization, as the style calls them
	built     bool          // one of its images is built here
	Lacks     []string      // verbs that a role lacks
	open      []string
	// made are objects that the manifests lack: what stands for a ClusterServiceVersion, or their namespace.
	made      []*unstructured.Unstructured
	namespace string
}

// guess is a value with its evidence.
type guess struct{ Name, Value, Why string }

type workload struct{ Name, Kind, Namespace, Selector string }

type image struct{ Name, Reference, Build string }

// Of proposes a style and its workload.
func Of(s Sources) (*Proposal, error) {
	p := &proposal{Sources: s}
	if err := errors.Join(p.unbundle(), p.house()); err != nil {
		return nil, err
	}
	crd, err := p.definition()
	if err != nil {
		return nil, err
	}
	version, err := p.resource(crd)
	if err != nil {
		return nil, err
	}
	p.knob(version)
	p.status(version)
	if err := cmp.Or(p.admission(), p.operator(), p.children()); err != nil {
		return nil, err
	}
	p.learn()
	files := map[string][]byte{}
	if err := p.manifests(files); err != nil {
		return nil, err
	}
	if files["cr.yaml"], err = p.template(version); err != nil {
		return nil, err
	}
	if !p.Brings {
		if files["crd.yaml"], err = yaml.Marshal(p.defined.Object); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"style.yaml": styleText, "workload.yaml": workloadText} {
		t, err := template.New(name).Funcs(template.FuncMap{"join": strings.Join}).Parse(text)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, p); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
		files[name] = out.Bytes()
	}
	return &Proposal{Files: files, Open: p.open}, nil
}

// runsOperators are the kinds that run an operator.
var runsOperators = []string{"Deployment", "StatefulSet", "DaemonSet"}

// house makes a namespace for manifests that leave it to kubectl, as published ones often do.
func (p *proposal) house() error {
	housed := slices.ContainsFunc(p.Objects, func(o *unstructured.Unstructured) bool { return o.GetNamespace() != "" })
	for _, o := range p.Objects {
		switch {
		case p.namespace != "" || o.GetNamespace() != "" || !slices.Contains(runsOperators, o.GetKind()):
		case housed:
			p.todo("manifests: the namespace of %s %s, which names none, while others name one: say it in manifests/kustomization.yaml (namespace: NAME) and in style.yaml", o.GetKind(), o.GetName())
		default:
			namespace, err := p.accountAt(o)
			p.namespace = cmp.Or(namespace, o.GetName())
			for _, o := range p.Objects { // as the kustomization sets it
				if o.GetKind() == "Role" || o.GetKind() == "RoleBinding" {
					o.SetNamespace(p.namespace)
				}
			}
			return errors.Join(err, p.make("v1", "Namespace", p.namespace, &corev1.Namespace{}))
		}
	}
	return nil
}

// accountAt is the namespace in which bindings look for the account of what runs an operator; "": they leave it to
// kubectl, too, for which default stands. kustomize follows no other.
func (p *proposal) accountAt(workload *unstructured.Unstructured) (string, error) {
	account, _, _ := unstructured.NestedString(workload.Object, "spec", "template", "spec", "serviceAccountName")
	for _, o := range p.Objects {
		if o.GetKind() != "ClusterRoleBinding" && o.GetKind() != "RoleBinding" {
			continue
		}
		var b rbacv1.RoleBinding // but for their kind, they are alike
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &b); err != nil {
			return "", fmt.Errorf("read %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		for _, subject := range b.Subjects {
			if subject.Kind == rbacv1.ServiceAccountKind && subject.Name == account && subject.Namespace != metav1.NamespaceDefault && subject.Namespace != "" {
				return subject.Namespace, nil
			}
		}
	}
	return "", nil
}

// manifests writes the kustomization, and what the manifests lack.
func (p *proposal) manifests(files map[string][]byte) (err error) {
	list := map[string]any{"resources": p.Manifests}
	if len(p.made) > 0 {
		file := "operator.yaml"
		if len(p.made) == 1 {
			file = "namespace.yaml"
		}
		if files["manifests/"+file], err = documents(p.made); err != nil {
			return err
		}
		list["resources"], list["namespace"] = append([]string{file}, p.Manifests...), p.namespace
	}
	if len(p.Renamed) > 0 {
		list["images"] = p.Renamed
	}
	files["manifests/kustomization.yaml"], err = yaml.Marshal(list)
	return err
}

// definition finds the CustomResourceDefinition, in a file of its own or among the manifests.
func (p *proposal) definition() (*apiextensionsv1.CustomResourceDefinition, error) {
	brought := plain.Where(p.Objects, kube.IsDefinition)
	where, list := "the manifests define", brought
	if len(p.Definitions) > 0 {
		where, list = "the file of --crd defines", p.Definitions
	}
	var others []string
	for _, o := range list {
		if kind := kube.Defines(o).Kind; p.Kind == kind || p.Kind == "" && len(list) == 1 {
			p.defined = o
		} else {
			others = append(others, kind)
		}
	}
	slices.Sort(others)
	switch {
	case len(list) == 0:
		return nil, errors.New("the manifests have no CustomResourceDefinition: name its file with --crd=FILE")
	case p.defined == nil && p.Kind != "":
		return nil, fmt.Errorf("%s no %s, but %s", where, p.Kind, strings.Join(others, ", "))
	case p.defined == nil:
		return nil, fmt.Errorf("%s several custom resources: choose one with --kind=KIND (%s)", where, strings.Join(others, ", "))
	}
	p.Brings = slices.ContainsFunc(brought, func(o *unstructured.Unstructured) bool { return kube.Defines(o) == kube.Defines(p.defined) })
	if !p.Brings && len(others) > 0 {
		p.todo("manifests: the definitions of %s, which %s, too, if the operator needs them", strings.Join(others, ", "), where)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(p.defined.Object, &crd); err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", p.defined.GetName(), err)
	}
	if crd.Spec.Scope == apiextensionsv1.ClusterScoped {
		return nil, fmt.Errorf("a %s is in no namespace, and a run makes each custom resource in one of its own: it can drive none that is cluster-scoped", crd.Spec.Names.Kind)
	}
	return &crd, nil
}

// resource names the custom resource by the version that is stored.
func (p *proposal) resource(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinitionVersion, error) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if !v.Storage || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		p.Resource = spec.CustomResource{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind, Plural: crd.Spec.Names.Plural}
		return v, nil
	}
	return nil, fmt.Errorf("the definition %s has no version that is stored, with a schema", crd.Name)
}

// Conditions reports whether the status has conditions.
func (p *proposal) Conditions() bool { return slices.Contains(p.Fields, spec.StatusConditions) }

// Unbuilt is what in the repository builds the operator's image, where a registry has it; "": nothing, or the style
// builds it.
func (p *proposal) Unbuilt() string {
	if slices.ContainsFunc(p.Images, func(i image) bool { return i.Build != "" }) {
		return ""
	}
	return p.Build
}

func (p *proposal) todo(format string, args ...any) {
	p.open = append(p.open, fmt.Sprintf(format, args...))
}

// property follows keys in a schema; nil: there is none.
func property(at *apiextensionsv1.JSONSchemaProps, keys ...string) *apiextensionsv1.JSONSchemaProps {
	for _, key := range keys {
		next, there := at.Properties[key]
		if !there {
			return nil
		}
		at = &next
	}
	return at
}

// knob guesses the field that says how many pods run.
func (p *proposal) knob(v *apiextensionsv1.CustomResourceDefinitionVersion) {
	root := v.Schema.OpenAPIV3Schema
	candidates := []guess{}
	if v.Subresources != nil && v.Subresources.Scale != nil {
		candidates = append(candidates, guess{Value: strings.TrimPrefix(v.Subresources.Scale.SpecReplicasPath, "."), Why: "the path of the scale subresource"})
	}
	for _, name := range countNames {
		candidates = append(candidates, guess{Value: "spec." + name, Why: "a whole number of that name"})
	}
	is := func(g guess) *apiextensionsv1.JSONSchemaProps { return property(root, spec.Fields(g.Value)...) }
	candidates = slices.DeleteFunc(candidates, func(g guess) bool { return is(g) == nil || is(g).Type != "integer" })
	if len(candidates) == 0 {
		deeper := countsIn(property(root, "spec"), "spec")
		slices.SortStableFunc(deeper, func(a, b string) int { return cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")) })
		if len(deeper) > 1 {
			p.todo("workload.yaml: which of these says how many pods run: %s", strings.Join(deeper, ", "))
		}
		candidates = plain.Map(deeper, func(path string) guess { return guess{Value: path, Why: "a whole number of such a name"} })
	}
	p.Max = 5
	if len(candidates) == 0 {
		p.Knob = guess{Value: "spec." + spec.Unsaid, Why: "no field of the definition looks like a number of pods"}
		p.todo("workload.yaml: the knob that scales: which field of the spec says how many pods run")
		return
	}
	p.Knob = candidates[0]
	if least := is(p.Knob).Minimum; least != nil {
		p.Min = int(*least)
	}
	if most := is(p.Knob).Maximum; most != nil {
		p.Max = int(*most)
	} else {
		p.Max = max(p.Max, p.Min+2) // three sizes
	}
}

// countNames are what fields are called that say how many pods run.
var countNames = []string{"replicas", "size", "instances", "members", "nodes", "count"}

// countsIn lists the whole numbers that a schema has below itself, but for those of a list, whose name is or ends so, such
// as clusterSize and numberOfInstances.
func countsIn(s *apiextensionsv1.JSONSchemaProps, path string) (list []string) {
	if s == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		is := s.Properties[key]
		if is.Type == "integer" && slices.ContainsFunc(countNames, func(name string) bool { return strings.HasSuffix(strings.ToLower(key), name) }) {
			list = append(list, path+"."+key)
		}
		list = append(list, countsIn(&is, path+"."+key)...)
	}
	return list
}

// status guesses where the status has what operators write.
func (p *proposal) status(v *apiextensionsv1.CustomResourceDefinitionVersion) {
	root := v.Schema.OpenAPIV3Schema
	add := func(field, path, why string) {
		if property(root, spec.Fields(path)...) != nil {
			p.Status, p.Fields = append(p.Status, guess{field, path, why}), append(p.Fields, field)
		}
	}
	add(spec.StatusObservedGeneration, "status.observedGeneration", "the definition has it")
	if s := v.Subresources; s != nil && s.Scale != nil {
		p.Scales = true
		add(spec.StatusReplicas, strings.TrimPrefix(s.Scale.StatusReplicasPath, "."), "the path of the scale subresource")
		if s.Scale.LabelSelectorPath != nil {
			add(spec.StatusSelector, strings.TrimPrefix(*s.Scale.LabelSelectorPath, "."), "the path of the scale subresource")
		}
	}
	add(spec.StatusConditions, "status.conditions", "the definition has it")
	if slices.Contains(p.Fields, spec.StatusObservedGeneration) {
		p.Ready = guess{Value: "cr.status.observedGeneration == cr.metadata.generation", Why: "the status is of the newest generation"}
	}
	if p.Conditions() && (p.Learned == nil || len(p.Learned.Ready) == 0) {
		p.todo("workload.yaml, phases.ready: which condition says that the custom resource is ready")
	}
}

// admission finds a webhook without whose answer no custom resource is written.
func (p *proposal) admission() error {
	for _, o := range p.Objects {
		if !slices.Contains([]string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}, o.GetKind()) {
			continue
		}
		var list admissionv1.ValidatingWebhookConfiguration // but for their kind, they are alike in what is read
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &list); err != nil {
			return fmt.Errorf("read %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		for _, hook := range list.Webhooks {
			decides := slices.ContainsFunc(hook.Rules, func(r admissionv1.RuleWithOperations) bool {
				return among(p.Resource.Group, r.APIGroups) && among(p.Resource.Plural, r.Resources)
			})
			if decides && (hook.FailurePolicy == nil || *hook.FailurePolicy == admissionv1.Fail) {
				p.Admission = fmt.Sprintf("%s %s decides on each write of one", o.GetKind(), o.GetName())
			}
		}
	}
	return nil
}

// among reports whether a list of a rule, in which * stands for all, has a name.
func among(name string, list []string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// operator takes what runs the operator from the manifests.
func (p *proposal) operator() error {
	seen := map[string]bool{}
	for _, o := range p.Objects {
		if !slices.Contains(runsOperators, o.GetKind()) {
			continue
		}
		var w appsv1.Deployment // but for their kind, they are alike in what is read
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &w); err != nil {
			return fmt.Errorf("read %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		selector := metav1.FormatLabelSelector(w.Spec.Selector)
		p.Workloads = append(p.Workloads, workload{o.GetName(), o.GetKind(), cmp.Or(o.GetNamespace(), p.namespace, spec.Unsaid), selector})
		main := w.Spec.Template.Annotations["kubectl.kubernetes.io/default-container"] // which Kubebuilder says beside a proxy
		own := w.Spec.Template.Spec.Containers
		if i := slices.IndexFunc(own, func(c corev1.Container) bool { return c.Name == main }); i > 0 {
			own = slices.Concat(own[i:], own[:i])
		}
		for i, c := range slices.Concat(own, w.Spec.Template.Spec.InitContainers) {
			if !seen[c.Image] {
				seen[c.Image] = true
				p.Images = append(p.Images, p.image(name(c.Name, len(p.Images)), c.Image, i < len(own)))
			}
		}
	}
	if len(p.Workloads) == 0 {
		return errors.New("the manifests have no Deployment, StatefulSet or DaemonSet: nothing in them runs an operator")
	}
	return nil
}

// image is one of the operator's. What the manifests call controller:latest, as Kubebuilder does, is no image of a
// registry: the first such of a container that does more than initialize is built, under a name that no node pulls. Of
// others without a registry, it is Docker Hub.
func (p *proposal) image(name, reference string, own bool) image {
	short, tag, digest := util.SplitImageName(reference)
	first, _, deep := strings.Cut(short, "/")
	switch {
	case deep && strings.ContainsAny(first, ".:"), first == "localhost":
		return image{Name: name, Reference: reference}
	case !deep && p.Build != "" && own && !p.built:
		p.built = true
		renamed := types.Image{Name: short, NewName: "operatorbench.local/" + p.Name + "-" + short, NewTag: "dev"}
		p.Renamed = append(p.Renamed, renamed)
		return image{name, renamed.NewName + ":" + renamed.NewTag, p.Build}
	case !deep:
		short = "library/" + short
	}
	renamed := types.Image{Name: strings.TrimPrefix(short, "library/"), NewName: "docker.io/" + short, NewTag: cmp.Or(tag, "latest")}
	is := renamed.NewName + ":" + renamed.NewTag
	if digest != "" {
		renamed.NewTag, renamed.Digest = "", digest
		is = renamed.NewName + "@" + digest
	}
	p.Renamed = append(p.Renamed, renamed)
	return image{Name: name, Reference: is}
}

// name is a name of an image that no other has.
func name(container string, n int) string {
	if n == 0 {
		return "operator"
	}
	return fmt.Sprintf("%s-%d", container, n)
}

// children guesses the main child by what the operator's roles may create, and names verbs that its informers would
// lack.
func (p *proposal) children() error {
	rights, err := install.RightsOf(p.Objects)
	if err != nil {
		return err
	}
	kinds := []Child{{"statefulsets.v1.apps", "StatefulSet", true, ""}, {"deployments.v1.apps", "Deployment", true, ""}, {spec.Pods, "Pod", false, ""}}
	for _, kind := range kinds {
		resource := workloads.GVR(kind.Resource).GroupResource()
		switch {
		case !rights.May(resource, "create"):
		case p.Main.Kind == "":
			p.Main, p.Main.Why = kind, "a role lets the operator create "+resource.Resource
		default:
			p.todo("workload.yaml, children: the roles let the operator create %s, too: is it these that run the pods", resource.Resource)
		}
	}
	if p.Main.Kind == "" {
		p.Main, p.Main.Why = kinds[1], spec.Unsaid+": no role lets the operator create a Deployment, a StatefulSet or pods"
		p.todo("workload.yaml, children: which kind runs the pods; no role names one")
	}
	if !p.Main.Template { // what it makes has no rollout that could be awaited
		p.Ready = guess{
			Value: strings.TrimPrefix(p.Ready.Value+" && pod.size() == knob.size && pod.all(one, one.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True'))", " && "),
			Why:   strings.TrimPrefix(p.Ready.Why+", and all pods are ready", ", and "),
		}
	}
	custom := schema.GroupResource{Group: p.Resource.Group, Resource: p.Resource.Plural}
	if confined := rights.Confined(custom); confined != "" {
		p.todo("manifests: %s", confined)
	}
	for _, watched := range []schema.GroupResource{custom, workloads.GVR(p.Main.Resource).GroupResource()} {
		if lacks := rights.InformerLacks(watched); lacks != "" {
			p.Lacks = append(p.Lacks, lacks)
		}
	}
	return nil
}

// template is one custom resource: a sample of the repository, or what the schema requires.
func (p *proposal) template(v *apiextensionsv1.CustomResourceDefinitionVersion) ([]byte, error) {
	var shortest []byte // which asks for the least of the cluster
	for _, sample := range p.Samples {
		if sample.GetKind() == p.Resource.Kind && sample.GetAPIVersion() == p.Resource.APIVersion() {
			one := sample.DeepCopy()
			unstructured.RemoveNestedField(one.Object, "status")
			unstructured.RemoveNestedField(one.Object, "metadata", "namespace")
			p.sized(one)
			text, err := yaml.Marshal(one.Object)
			if err != nil {
				return nil, err
			}
			if shortest == nil || len(text) < len(shortest) {
				shortest = text
			}
		}
	}
	if shortest != nil {
		return shortest, nil
	}
	p.todo("cr.yaml: what a custom resource needs beside the fields that its definition requires; no sample of it was found")
	one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": p.Resource.APIVersion(), "kind": p.Resource.Kind}}
	one.SetName("example")
	if required := required(property(v.Schema.OpenAPIV3Schema, "spec")); required != nil {
		one.Object["spec"] = required
	}
	p.sized(one)
	return yaml.Marshal(one.Object)
}

// sized sees that the template asks for a number of pods.
func (p *proposal) sized(one *unstructured.Unstructured) {
	fields := spec.Fields(p.Knob.Value)
	if _, found, err := unstructured.NestedInt64(one.Object, fields...); err != nil || !found {
		_ = unstructured.SetNestedField(one.Object, int64(max(1, p.Min)), fields...) // else `opbench check` says what is wrong
	}
}

// required is the least that a schema takes.
func required(s *apiextensionsv1.JSONSchemaProps) any {
	if s == nil {
		return nil
	}
	switch s.Type {
	case "object":
		fields := map[string]any{}
		for _, key := range s.Required {
			fields[key] = required(property(s, key))
		}
		return fields
	case "integer", "number":
		if s.Minimum != nil {
			return int64(*s.Minimum)
		}
		return int64(1)
	case "boolean":
		return false
	case "array":
		return []any{}
	}
	if len(s.Enum) > 0 {
		return strings.Trim(string(s.Enum[0].Raw), `"`)
	}
	return spec.Unsaid
}

// SamplesIn lists the folders in which a repository keeps samples of its custom resources: those that are called so, and
// those in them.
func SamplesIn(root string) (list []string) {
	named := regexp.MustCompile(`(^|/)(examples?|samples?)(/|$)`)
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // what cannot be read has none
		case !entry.IsDir():
			return nil
		case path != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, entry.Name())):
			return fs.SkipDir
		}
		if below, err := filepath.Rel(root, path); err == nil && named.MatchString(filepath.ToSlash(below)) {
			list = append(list, path)
		}
		return nil
	})
	return list
}
