package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/fixtures/cluster"
	"operatorbench/fixtures/engine"
	"operatorbench/fixtures/images"
	"operatorbench/fixtures/kube"
	"operatorbench/fixtures/memcached"
	"operatorbench/operators"
)

const (
	createWithin   = 5 * time.Minute
	teardownWithin = 2 * time.Minute
	logsWithin     = 30 * time.Second
)

// Open brings up the bed: images, results folder, cluster, custom resource
// definition. Whatever happens after it, Close is to be called.
func (s *Session) Open(ctx context.Context) error {
	s.progress = report.NewProgress(Screen(s.out))
	s.say("run %s: styles %s; scenarios %s; seed %d", s.id, strings.Join(s.Styles(), ", "), strings.Join(s.Scenarios(), ", "), s.options.Seed)
	var node string // checked before anything is written: without images there is nothing to keep
	if s.options.Cluster == "kind" {
		err := s.stage("images", func() (err error) {
			node, err = s.images(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	err := s.stage("cluster", func() error { return s.cluster(ctx, node) })
	if err != nil {
		return err
	}
	if err := s.stage("custom resource", func() error { return s.definition(ctx) }); err != nil {
		return err
	}
	if s.options.Cluster == "existing" {
		return nil // it pulls by itself
	}
	err = s.stage("load images", func() error {
		return s.provider.LoadImages(ctx, func(w io.Writer) error { return s.store.Archive(ctx, w, s.imageNames()...) })
	})
	if err != nil {
		return err
	}
	return s.imageFacts(ctx)
}

// Screen is where a person can watch: out if it is a terminal. Under go test it
// is a pipe; then it is the terminal that go test was started from, if any.
func Screen(out io.Writer) io.Writer {
	if report.IsTerminal(out) {
		return out
	}
	if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		return terminal // closed with the process
	}
	return out
}

// begin makes the results folder and the recording in it.
func (s *Session) begin(ctx context.Context) error {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return fmt.Errorf("make the results folder (choose another with --results): %w", err)
	}
	file, err := os.OpenFile(s.results(report.RecordingFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("begin the recording (a folder holds one run; choose another with --results): %w", err)
	}
	s.recording = file
	header := record.Header{Run: s.id, Seed: s.options.Seed, Program: "operatorbench", Styles: []record.Style{{Name: report.Floor}}}
	for _, operator := range s.styles {
		header.Styles = append(header.Styles, recorded(operator.Style()))
	}
	s.recorder, err = record.NewRecorder(file, header)
	if err != nil {
		return err
	}
	s.judge = newLive(header)
	s.recorder.Listen(s.judge.add)
	stages := s.environment.Stages // that came before
	if s.environment, err = s.surroundings(ctx); err != nil {
		return err
	}
	s.environment.Stages = stages
	return s.environment.Write(s.folder) // what a killed run leaves
}

// recorded is what a recording says of a style.
func recorded(style operators.Style) record.Style {
	r := record.Style{Name: style.Name, ChildName: style.Child.Name, Status: style.Declares.Status.Supported, Idle: style.Idle}
	for _, phase := range style.Phases {
		r.Phases = append(r.Phases, record.Phase{Name: phase.Name, Resource: phase.Resource, Event: phase.Event, Path: phase.Path, Equals: phase.Equals})
	}
	return r
}

// imageNames are the images that the styles need, by their catalogue names.
func (s *Session) imageNames() []string {
	names := []string{"memcached"}
	for _, operator := range s.styles {
		names = append(names, operator.Style().Images...)
	}
	return unique(names)
}

// images sees that every image is there, and returns the node's.
func (s *Session) images(ctx context.Context) (node string, err error) {
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return "", err
	}
	if s.engine, err = engine.Find(ctx, os.Getenv(engine.ProviderVariable)); err != nil {
		return "", err
	}
	s.store, err = images.Open(images.Options{
		Root: s.root, Cache: cache, Source: images.Source(s.options.Images), Engine: s.engine, Progress: s.out,
	})
	if err != nil {
		return "", err
	}
	needed := append([]string{"node"}, s.imageNames()...)
	if s.options.ImagesAsked {
		err = s.store.Ensure(ctx, needed...)
	} else {
		err = s.present(ctx, needed)
	}
	if err != nil {
		return "", err
	}
	return s.store.Node(ctx)
}

// present refuses to begin without all images: fetching them takes longer than
// a test run has.
func (s *Session) present(ctx context.Context, needed []string) error {
	missing, err := s.store.Missing(ctx, needed...)
	if err != nil || len(missing) == 0 {
		return err
	}
	var names, reasons []string
	for _, m := range missing {
		names = append(names, m.Name)
		reasons = append(reasons, fmt.Sprintf("%s (%s)", m.Name, m.Why))
	}
	build, err := s.store.BuildTime(names...)
	if err != nil {
		return err
	}
	return fmt.Errorf("%d of %d images are missing: %s\n`make images` gets them: it pulls what a registry has, and builds the rest from package registries, in about %v on 2 cores; with --images=auto the run itself does so first",
		len(missing), len(needed), strings.Join(reasons, ", "), max(build.Round(time.Minute), time.Minute))
}

// cluster makes the cluster or connects to it.
func (s *Session) cluster(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeout(ctx, createWithin)
	defer cancel()
	if s.options.Cluster == "existing" {
		s.provider = &cluster.Existing{Kubeconfig: s.options.Kubeconfig, Context: s.options.Context}
	} else {
		host, err := engine.DetectHost()
		if err != nil {
			return err
		}
		for _, note := range cluster.HostNotes(host) {
			s.progress.Clear()
			s.say("%s", note)
		}
		kind, err := cluster.NewKind(cluster.KindOptions{
			Run: s.id, Engine: s.engine.Name(), NodeImage: node, Host: host, Keep: s.options.Keep,
			FailureLogs: s.results("logs"), Progress: s.kindProgress,
		})
		if err != nil {
			return err
		}
		s.provider = kind
	}
	config, err := s.provider.Create(ctx)
	if err != nil {
		return err
	}
	return s.connect(config)
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

// kindProgress shows steps while they last; what has several lines is kept.
func (s *Session) kindProgress(step string) {
	if strings.Contains(step, "\n") {
		s.say("%s", step)
		return
	}
	s.note("cluster: %s", step)
}

func (s *Session) connect(config *rest.Config) error {
	client, err := kube.New(config)
	if err != nil {
		return err
	}
	s.kube = client
	version, err := client.Typed.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("ask the cluster for its version: %w", err)
	}
	s.environment.Kubernetes = version.GitVersion
	s.driver = &drive.Driver{
		Run: s.id, Client: client.Dynamic, Namespaces: namespaces{client, kube.Owner{Run: s.id}},
		Recorder: s.recorder, Judge: s.judge, Observer: s, Window: s.options.Window,
	}
	return nil
}

// definition announces what will be touched, applies the custom resource
// definition, and begins the proof that the garbage collector knows it. The
// proof takes up to 30 s, in which the images are loaded and the floor is
// measured: no style is needed for either. Drive awaits it.
func (s *Session) definition(ctx context.Context) error {
	if err := s.announce(); err != nil {
		return err
	}
	crd, err := memcached.Definition()
	if err != nil {
		return err
	}
	if err := s.refuseForeign(ctx, crd); err != nil {
		return err
	}
	probe := namespace(s.probeNamespace())
	if err := s.kube.Apply(ctx, kube.Owner{Run: s.id}, []*unstructured.Unstructured{crd, probe}); err != nil {
		return err
	}
	if err := s.firstWrite(ctx, memcached.New(probe.GetName(), "first", 0)); err != nil {
		return err
	}
	s.collector = make(chan error, 1)
	go func() {
		s.collector <- operators.ProveGarbageCollection(ctx, operators.Cluster{Kube: s.kube, Run: s.id}, probe.GetName())
	}()
	return nil
}

// firstWrite makes a custom resource and deletes it. The API server answers the
// first write to a new definition only after about 2 s, while it sets up its
// storage; that would be measured as the floor's.
func (s *Session) firstWrite(ctx context.Context, cr *unstructured.Unstructured) error {
	client := s.kube.Dynamic.Resource(memcached.Resource).Namespace(cr.GetNamespace())
	if _, err := client.Create(ctx, cr, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create the first Memcached %s/%s: %w", cr.GetNamespace(), cr.GetName(), err)
	}
	if err := client.Delete(ctx, cr.GetName(), metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("delete the first Memcached %s/%s: %w", cr.GetNamespace(), cr.GetName(), err)
	}
	return nil
}

func namespace(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	object.SetName(name)
	return object
}

func (s *Session) probeNamespace() string { return "services-" + s.id + "-probe" }

// announce names, before anything is touched, all that this run makes in an
// existing cluster.
func (s *Session) announce() error {
	if s.options.Cluster != "existing" {
		return nil
	}
	s.say("this run makes, in the existing cluster, nothing but:")
	s.say("  CustomResourceDefinition memcacheds.cache.example.com")
	s.say("  namespaces services-%s-* for custom resources", s.id)
	for _, operator := range s.styles {
		footprint, err := operator.Style().Plan()
		if err != nil {
			return err
		}
		s.say("  %s: namespaces %s; %s", operator.Style().Name, strings.Join(footprint.Namespaces, ", "), strings.Join(footprint.ClusterScoped, ", "))
	}
	s.say("all of it carries the label %s=%s and is removed at the end", kube.LabelRun, s.id)
	return nil
}

// refuseForeign fails if an existing cluster has anything that this run or one
// of its styles would make. Install refuses too, but by then the definition and
// the floor's namespaces are there, and other styles may have been driven.
func (s *Session) refuseForeign(ctx context.Context, crd *unstructured.Unstructured) error {
	if s.options.Cluster != "existing" {
		return nil
	}
	objects := []*unstructured.Unstructured{crd}
	for _, operator := range s.styles {
		brought, err := operator.Style().Objects()
		if err != nil {
			return err
		}
		objects = append(objects, brought...)
	}
	return s.kube.RefuseForeign(ctx, kube.Owner{Run: s.id}, objects)
}

// Close writes the reports and leaves nothing behind. It is to be called once,
// however the run went, with a context that has not ended.
func (s *Session) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, teardownWithin)
	defer cancel()
	var problems []error
	if s.provider != nil {
		problems = append(problems, s.stage("teardown", func() error { return s.teardown(ctx) }))
	}
	if s.recording != nil {
		problems = append(problems, s.writeReports(), s.recording.Close())
	}
	return errors.Join(problems...)
}

// teardown removes from an existing cluster what this run made, and deletes a
// cluster of its own.
func (s *Session) teardown(ctx context.Context) error {
	var removed error
	if s.kube != nil && s.options.Cluster == "existing" {
		removed = s.removeObjects(ctx)
	}
	return errors.Join(removed, s.provider.Delete(ctx))
}

func (s *Session) removeObjects(ctx context.Context) error {
	crd, err := memcached.Definition()
	if err != nil {
		return err
	}
	objects := []*unstructured.Unstructured{crd}
	for _, name := range append(s.namespaces(), s.probeNamespace()) {
		objects = append(objects, namespace(name))
	}
	return s.kube.Delete(ctx, kube.Owner{Run: s.id}, objects)
}
