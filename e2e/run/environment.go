package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/fakenodes"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

const (
	createWithin = 5 * time.Minute
	removeWithin = 5 * time.Minute  // of a style: argo's hundreds of pods go slowly
	logsWithin   = 30 * time.Second // in all: however many styles fail
	syncEvery    = time.Second      // what a machine that loses power loses of the recording
)

// environment is the test environment: the images, the cluster, and what watches it.
type environment struct {
	*recording
	engine     *engine.Engine
	store      *images.Store
	provider   cluster.Provider
	kind       *cluster.Kind // the provider, if the cluster is the run's own; nil: it is not, or there is none yet
	kube       *kube.Client
	collector  func() error // awaits that the garbage collector knows the custom resource
	observers  observers
	remaining  []*participant                     // that could not be removed
	collecting time.Duration                      // that collecting logs has taken
	terminal   func() (io.ReadWriteCloser, error) // where a person is asked
	leavings   atomic.Pointer[string]             // see Left
	listed     time.Duration                      // how long a node may take to list an image that it has
}

// cluster makes the cluster or connects to it.
func (e *environment) cluster(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, createWithin)
	defer cancel()
	if existing := e.existing(); existing != nil {
		e.provider = existing
	} else {
		kind, err := cluster.NewKind(cluster.KindOptions{
			Run: e.id, Engine: e.engine.Name(), NodeImage: node, Keep: e.options.Keep, Many: e.many(),
			FailureLogs: e.results("logs"), Progress: e.kindProgress,
		})
		if err != nil {
			return err
		}
		e.provider, e.kind = kind, kind
		e.leaves(fmt.Sprintf("its reaper, a process of its own, now deletes the cluster %s; that takes seconds; `opbench clean` removes what it leaves", cluster.Name(e.id)))
	}
	config, err := e.provider.Create(ctx)
	if err != nil {
		return err
	}
	return e.connect(config)
}

// namespaces makes the driver's namespaces as this run's own.
type namespaces struct {
	client *kube.Client
	owner  kube.Owner
}

func (n namespaces) Make(ctx context.Context, name string) error {
	return n.client.Apply(ctx, n.owner, []*unstructured.Unstructured{namespace(name)})
}

func (n namespaces) Delete(ctx context.Context, name string) error {
	return n.client.Typed.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
}

func (n namespaces) Remove(ctx context.Context, name string) error {
	return n.client.Delete(ctx, n.owner, []*unstructured.Unstructured{namespace(name)})
}

func (e *environment) connect(config *rest.Config) error {
	client, err := kube.New(config)
	if err != nil {
		return err
	}
	e.kube = client
	version, err := client.Typed.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("ask the cluster for its version: %w", err)
	}
	e.facts.Kubernetes = version.GitVersion
	return nil
}

// definition applies the custom resource definition, and begins the proof that the garbage collector knows it. The
// proof takes up to 30 s, in which the images are loaded and the floor is
// measured: no style is needed for either. Drive awaits it. For a definition that the operator brings, see brought.
func (e *environment) definition(ctx context.Context) error {
	if !e.own() {
		e.leaves("what the run has made is still in the existing cluster; this removes it:\n  " + e.cleanCommand())
	}
	probe := namespace(e.probeNamespace())
	if err := e.kube.Apply(ctx, kube.Owner{Run: e.id}, append(e.defined(), probe)); err != nil {
		return err
	}
	if len(e.defined()) == 0 {
		if e.workload.Smallest() > 0 {
			e.remark(fmt.Sprintf("it is not proven that the garbage collector knows %s, which the operator defines: the smallest %s has pods; for half a minute after each installation what is owned may go later",
				e.workload.GVR().GroupResource(), e.workload.Resource.Kind))
		}
		e.collector = func() error { return nil }
		return nil
	}
	if err := e.firstWrite(ctx); err != nil {
		return err
	}
	proven := make(chan error, 1)
	go func() { proven <- e.collects(ctx) }()
	e.collector = sync.OnceValue(func() error {
		return e.stage("garbage collector", func() error { return <-proven })
	})
	return nil
}

// defined is the definition that the harness applies; none: the operator brings it.
func (e *environment) defined() []*unstructured.Unstructured {
	if crd := e.workload.CRD(); crd != nil {
		return []*unstructured.Unstructured{crd}
	}
	return nil
}

// collects returns when the garbage collector knows the custom resource.
func (e *environment) collects(ctx context.Context) error {
	return install.ProveGarbageCollection(ctx, install.Cluster{Kube: e.kube, Run: e.id}, e.workload, e.probeNamespace())
}

// brought does for a definition that has come with an operator what definition does for the harness's. The operator is
// there: what it would start pods for is left out. An error has the end of the operator's logs: its webhook may have
// refused.
func (e *environment) brought(ctx context.Context, operator *styles.Style) error {
	if len(e.defined()) > 0 {
		return nil
	}
	err := e.firstWrite(ctx)
	if err == nil && e.workload.Smallest() == 0 {
		return e.collects(ctx)
	}
	if err == nil || operator == nil {
		return err
	}
	for _, component := range operator.Components {
		err = e.kube.WithLogs(ctx, err, component.Namespace, component.Selector)
	}
	return err
}

// firstWrite makes a custom resource and deletes it, or only tries to make it where an operator would start pods for
// it. The API server answers the first write to a new definition only after about 2 s, while it sets up its storage;
// that would be measured as the floor's.
func (e *environment) firstWrite(ctx context.Context) error {
	cr := e.workload.New(e.probeNamespace(), "first", e.workload.Smallest())
	client := e.kube.Dynamic.Resource(e.workload.GVR()).Namespace(cr.GetNamespace())
	var options metav1.CreateOptions
	if len(e.defined()) == 0 && e.workload.Smallest() > 0 {
		options.DryRun = []string{metav1.DryRunAll}
	}
	create := func() error { _, err := client.Create(ctx, cr, options); return err }
	if err := e.answered(ctx, create); err != nil {
		return fmt.Errorf("create the first %s %s/%s: %w", cr.GetKind(), cr.GetNamespace(), cr.GetName(), err)
	}
	if len(options.DryRun) > 0 {
		return nil
	}
	if err := e.answered(ctx, func() error { return client.Delete(ctx, cr.GetName(), metav1.DeleteOptions{}) }); err != nil {
		return fmt.Errorf("delete the first %s %s/%s: %w", cr.GetKind(), cr.GetNamespace(), cr.GetName(), err)
	}
	return nil
}

// answered makes a request, and again each second while no webhook of the operator answers: its pods may be ready
// before the node leads to them.
func (e *environment) answered(ctx context.Context, request func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, createWithin, true, func(context.Context) (bool, error) {
		last = request()
		return !e.workload.Admission || !apierrors.IsInternalError(last), nil
	})
	if last != nil {
		return last
	}
	return err
}

func namespace(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	object.SetName(name)
	return object
}

func (j *job) probeNamespace() string { return "services-" + j.id + "-probe" }

// announce names, before the cluster is asked for anything, all that this run makes in an existing one.
func (e *environment) announce() error {
	e.say("this run makes, in the existing cluster, nothing but:")
	for _, crd := range e.defined() {
		e.say("  %s", kube.Describe(crd))
	}
	e.say("  namespaces services-%s-* for custom resources", e.id)
	faults := plain.Flat(e.scenarios, scenarios.Scenario.Faults)
	for _, policy := range []struct{ fault, of string }{
		{spec.FaultRefuse, "ValidatingAdmissionPolicies operatorbench-services-%s-*, and their bindings, that for a while refuse writes"},
		{spec.FaultRefuseUpdates, "ValidatingAdmissionPolicies operatorbench-services-%s-*, and their bindings, that for a while refuse updates"},
		{spec.FaultMutate, "MutatingAdmissionPolicies operatorbench-services-%s-*, and their bindings, that for a while add to what is written"},
	} {
		if slices.ContainsFunc(faults, func(f *scenarios.Fault) bool { return f.Kind == policy.fault }) {
			e.say("  "+policy.of+" in one of these namespaces", e.id)
		}
	}
	for _, p := range e.operated() {
		style := p.operator
		footprint, err := style.Plan()
		if err != nil {
			return err
		}
		reach, err := style.Reach()
		if err != nil {
			return err
		}
		e.say("  %s: namespaces %s; %s", p.label(), strings.Join(footprint.Namespaces, ", "), strings.Join(footprint.ClusterScoped, ", "))
		for _, each := range reach {
			e.say("    beware: %s", each)
		}
	}
	e.say("all of it carries the label %s=%s and is removed at the end", kube.LabelRun, e.id)
	return nil
}

// refuseForeign fails if an existing cluster has anything that this run or one of its styles would make. Install
// refuses too, but by then the definition and the floor's namespaces are there, and other styles may have been driven.
// It comes before the images: nobody is to load any for a run that is refused.
func (e *environment) refuseForeign(ctx context.Context) error {
	if e.own() {
		return nil
	}
	objects := e.defined()
	for _, p := range e.operated() {
		brought, err := p.operator.Objects()
		if err != nil {
			return err
		}
		objects = append(objects, brought...)
	}
	return e.kube.RefuseForeign(ctx, kube.Owner{Run: e.id}, objects)
}

// largeRecording is the size in bytes from which a recording is compressed.
const largeRecording = 8 << 20

// teardown removes from an existing cluster what this run made, and deletes a cluster of its own.
func (e *environment) teardown(ctx context.Context) error {
	var removed error
	if e.Left() != "" && !e.own() { // else nothing was made
		removed = e.sweep(ctx)
	}
	err := errors.Join(removed, e.provider.Delete(ctx))
	if err == nil {
		e.leaves("")
	}
	return err
}

// sweep removes all that this run has made in an existing cluster.
func (e *environment) sweep(ctx context.Context) error {
	if err := e.kube.Sweep(ctx, e.id, e.note); err != nil {
		return fmt.Errorf("remove what the run has made in the existing cluster: %w\nthis tries again:\n  %s", err, e.cleanCommand())
	}
	return nil
}

// Left says what the run leaves if it is not closed, and what removes that; "": nothing. It may be called at any time.
func (e *environment) Left() string {
	if left := e.leavings.Load(); left != nil {
		return *left
	}
	return ""
}

// leaves sets what Left says.
func (e *environment) leaves(what string) { e.leavings.Store(&what) }

// fakeNodes is how many the loads need that need the most.
func (j *job) fakeNodes() (most int) {
	for _, load := range j.loads() {
		most = max(most, load.Load.Nodes)
	}
	return most
}

// many reports whether a load has so many custom resources that what the cluster's own controllers do would last as
// long.
func (j *job) many() bool {
	return slices.ContainsFunc(j.loads(), func(s scenarios.Scenario) bool { return s.Load.Growth != nil || s.Load.Nodes > 0 })
}

// addNodes adds the fake nodes.
func (e *environment) addNodes(ctx context.Context) error {
	if e.fakeNodes() == 0 {
		return nil
	}
	return e.stage("fake nodes", func() error {
		return fakenodes.Install(ctx, e.kube, kube.Owner{Run: e.id}, e.fakeNodes(), scenarios.PodsOfNode)
	})
}
