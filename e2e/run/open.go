package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/record"
	"operatorbench/e2e/terminal"
	"operatorbench/fixtures/workloads/memcached"
)

const (
	createWithin = 5 * time.Minute
	removeWithin = 5 * time.Minute  // of a style: argo's hundreds of pods go slowly
	logsWithin   = 30 * time.Second // in all: however many styles fail
	syncEvery    = time.Second      // what a machine that loses power loses of the recording
)

// Open brings up the test environment: images, results folder, cluster, custom resource
// definition. Whatever happens after it, Close is to be called.
func (s *Session) Open(ctx context.Context) error {
	s.progress = terminal.NewProgress(Screen(s.out))
	s.say("run %s: styles %s; scenarios %s; seed %d", s.id, strings.Join(s.Styles(), ", "), few(s.Scenarios(), "of them"), s.options.Seed)
	if host, err := readHost(os.DirFS("/")); err == nil { // else nothing is known beforehand
		s.history = readHistory(s.root, host)
	}
	if _, err := s.newPlan(); err != nil {
		return err // what does not fit is said at once
	}
	s.say("%s", s.foretell())
	if err := s.agree(ctx); err != nil {
		return err
	}
	var node string // checked before anything is written: without images there is nothing to keep
	if s.can(cluster.LoadImages) {
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
	if !s.can(cluster.LoadImages) {
		if err := s.obtainable(ctx); err != nil {
			return err
		}
	}
	if err := s.observe(ctx); err != nil {
		return err
	}
	if err := s.stage("custom resource", func() error { return s.definition(ctx) }); err != nil {
		return err
	}
	if !s.can(cluster.LoadImages) {
		return nil // it pulls by itself
	}
	if err := s.stage("load images", func() error { return s.load(ctx) }); err != nil {
		return err
	}
	return s.imageFacts(ctx)
}

// Screen is where a person can watch: out if it is a terminal. Under go test it
// is a pipe; then it is the terminal that go test was started from, if any.
func Screen(out io.Writer) io.Writer {
	if terminal.Is(out) {
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
	if s.options.Shard.Of == 0 { // of shards, who drives them all says where their results are
		if err := Latest(s.root, s.folder); err != nil {
			s.say("%v", err)
		}
	}
	file, err := os.OpenFile(s.results(record.FileName), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("begin the recording (a folder holds one run; choose another with --results): %w", err)
	}
	s.recording = file
	header := record.Header{Run: s.id, Seed: s.options.Seed, Program: "operatorbench"}
	if header.Reference, err = reference(); err != nil {
		return err
	}
	for _, scenario := range s.scenarios {
		header.Scenarios = append(header.Scenarios, record.Scenario{
			Name: scenario.Name, Group: scenario.Group, Description: scenario.Description, StandsFor: scenario.StandsFor,
		})
	}
	for _, p := range s.participants {
		style, err := p.recorded()
		if err != nil {
			return err
		}
		header.Styles = append(header.Styles, style)
	}
	s.recorder, err = record.NewRecorder(file, header)
	if err != nil {
		return err
	}
	s.synced = s.recorder.KeepSynced(file, syncEvery)
	if s.judge, err = newLive(s.recorder); err != nil {
		return err
	}
	stages := s.environment.Stages // that came before
	if s.environment, err = s.surroundings(ctx); err != nil {
		return err
	}
	s.environment.Stages = stages
	return s.environment.Write(s.folder) // what a killed run leaves
}

// reference is the Deployment that a custom resource asks for.
func reference() (json.RawMessage, error) {
	deployment, err := memcached.Deployment(memcached.New("services", "memcached", 1))
	if err != nil {
		return nil, err
	}
	return json.Marshal(deployment.Object)
}

// images sees that every image is there, and returns the node's.
func (s *Session) images(ctx context.Context) (node string, err error) {
	if s.engine, err = engine.Find(ctx, os.Getenv(engine.ProviderVariable)); err != nil {
		return "", err
	}
	var heads []*participant
	for _, p := range s.participants {
		if p.variant != gate.VariantBase && p.variant != gate.VariantAgain {
			heads = append(heads, p)
		}
	}
	if s.store, err = s.openStore(s.root, heads); err != nil {
		return "", err
	}
	if err := s.obtain(ctx, s.store, append(everyRun(), imagesOf(heads)...)); err != nil {
		return "", err
	}
	if s.base != nil {
		if err := s.baseImages(ctx); err != nil {
			return "", err
		}
	}
	return s.store.Node(ctx)
}

// openStore opens the store of a repository's images, and of those that participants bring
// along, which get theirs from it.
func (s *Session) openStore(root string, participants []*participant) (*images.Store, error) {
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return nil, err
	}
	store, err := images.Open(images.Options{
		Root: root, Cache: cache, Source: images.Source(s.options.Images), Own: ownOf(participants), Engine: s.engine, Archive: os.Getenv(images.ArchiveVariable), Progress: s.out,
	})
	if err != nil {
		return nil, err
	}
	for _, p := range participants {
		p.store = store
	}
	return store, nil
}

// ownOf are the images that participants bring along.
func ownOf(participants []*participant) []images.Image {
	var own []images.Image
	for _, p := range participants {
		if p.operator != nil {
			own = append(own, p.operator.Style().Own...)
		}
	}
	return own
}

// obtain gets images, or refuses to begin without them.
func (s *Session) obtain(ctx context.Context, store *images.Store, needed []string) error {
	needed = unique(needed)
	if s.options.ImagesAsked {
		return store.Ensure(ctx, needed...)
	}
	return present(ctx, store, needed)
}

// imagesOf are the names of the images that participants need.
func imagesOf(participants []*participant) []string {
	var names []string
	for _, p := range participants {
		if p.operator != nil {
			names = append(names, p.operator.Style().ImageNames()...)
		}
	}
	return unique(names)
}

// baseImages gets the base's images, and finds those that have another content
// under the same reference now.
func (s *Session) baseImages(ctx context.Context) (err error) {
	var old []*participant
	for _, p := range s.participants {
		if p.variant == gate.VariantBase || p.variant == gate.VariantAgain {
			old = append(old, p)
		}
	}
	if s.base.store, err = s.openStore(s.base.root, old); err != nil {
		return err
	}
	if err := s.obtain(ctx, s.base.store, imagesOf(old)); err != nil {
		return err
	}
	changed, err := s.changedImages(ctx, imagesOf(old))
	if err != nil {
		return err
	}
	for _, p := range s.participants[1:] {
		for _, name := range p.operator.Style().ImageNames() {
			if slices.Contains(changed, name) {
				p.own = append(p.own, name)
			}
		}
	}
	return nil
}

// changedImages are those of the base's images whose content is another now.
func (s *Session) changedImages(ctx context.Context, names []string) ([]string, error) {
	var changed []string
	for _, name := range names {
		if !slices.Contains(s.store.Names(), name) {
			continue
		}
		now, err := s.store.Describe(ctx, name)
		if err != nil {
			continue // no style needs it now
		}
		was, err := s.base.store.Describe(ctx, name)
		if err != nil {
			return nil, err
		}
		if was[0].Digest != now[0].Digest {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// load brings every image into the cluster. What has another content for some
// participants is loaded before each of their blocks.
func (s *Session) load(ctx context.Context) error {
	err := s.loadImages(ctx, func(w io.Writer) error {
		return s.store.Archive(ctx, w, unique(append([]string{"memcached"}, imagesOf(s.of(s.store))...))...)
	})
	if err != nil || s.base == nil {
		return err
	}
	if gone := s.onlyAtBase(); len(gone) > 0 {
		err = s.loadImages(ctx, func(w io.Writer) error { return s.base.store.Archive(ctx, w, gone...) })
	}
	return err
}

// of are the participants whose images come from a store.
func (s *Session) of(store *images.Store) []*participant {
	return slices.DeleteFunc(slices.Clone(s.participants), func(p *participant) bool { return p.store != store })
}

// onlyAtBase are the images that no style needs now.
func (s *Session) onlyAtBase() []string {
	now := imagesOf(s.of(s.store))
	return slices.DeleteFunc(imagesOf(s.of(s.base.store)), func(name string) bool { return slices.Contains(now, name) })
}

// reload brings the participant's own content of an image into the cluster.
func (s *Session) reload(ctx context.Context, p *participant) error {
	if len(p.own) == 0 {
		return nil
	}
	return s.loadImages(ctx, func(w io.Writer) error { return p.store.Archive(ctx, w, p.own...) })
}

// present refuses to begin without all images: fetching them takes longer than
// a test run has.
func present(ctx context.Context, store *images.Store, needed []string) error {
	missing, err := store.Missing(ctx, needed...)
	if err != nil || len(missing) == 0 {
		return err
	}
	var names, reasons []string
	for _, m := range missing {
		names = append(names, m.Name)
		reasons = append(reasons, fmt.Sprintf("%s (%s)", m.Name, m.Why))
	}
	build, err := store.BuildTime(names...)
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
	if existing := s.existing(); existing != nil {
		s.provider = existing
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
		s.leaves(fmt.Sprintf("its reaper, a process of its own, now deletes the cluster %s; that takes seconds; `make clean` removes what it leaves", cluster.Name(s.id)))
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

func (n namespaces) Remove(ctx context.Context, name string) error {
	return n.client.Delete(ctx, n.owner, []*unstructured.Unstructured{namespace(name)})
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
		Matrix: drive.Matrix{Window: matrixWindow, Patience: s.options.Patience, Overlap: overlap(runtime.NumCPU(), s.options.Shard)},
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
	if !s.can(cluster.RemoveWhole) {
		s.leaves("what the run has made is still in the existing cluster; this removes it:\n  " + s.cleanCommand())
	}
	probe := namespace(s.probeNamespace())
	if err := s.kube.Apply(ctx, kube.Owner{Run: s.id}, []*unstructured.Unstructured{crd, probe}); err != nil {
		return err
	}
	if err := s.firstWrite(ctx, memcached.New(probe.GetName(), "first", 0)); err != nil {
		return err
	}
	proven := make(chan error, 1)
	go func() {
		proven <- install.ProveGarbageCollection(ctx, install.Cluster{Kube: s.kube, Run: s.id}, probe.GetName())
	}()
	s.collector = sync.OnceValue(func() error {
		return s.stage("garbage collector", func() error { return <-proven })
	})
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
	if s.can(cluster.RemoveWhole) {
		return nil
	}
	s.say("this run makes, in the existing cluster, nothing but:")
	s.say("  CustomResourceDefinition %s", memcached.Resource.GroupResource())
	s.say("  namespaces services-%s-* for custom resources", s.id)
	for _, p := range s.participants[1:] {
		objects, err := p.operator.Style().Objects()
		if err != nil {
			return err
		}
		footprint := kube.Plan(s.kube.Scoped(objects))
		s.say("  %s: namespaces %s; %s", p.label(), strings.Join(footprint.Namespaces, ", "), strings.Join(footprint.ClusterScoped, ", "))
	}
	s.say("all of it carries the label %s=%s and is removed at the end", kube.LabelRun, s.id)
	return nil
}

// refuseForeign fails if an existing cluster has anything that this run or one
// of its styles would make. Install refuses too, but by then the definition and
// the floor's namespaces are there, and other styles may have been driven.
func (s *Session) refuseForeign(ctx context.Context, crd *unstructured.Unstructured) error {
	if s.can(cluster.RemoveWhole) {
		return nil
	}
	objects := []*unstructured.Unstructured{crd}
	for _, p := range s.participants[1:] {
		brought, err := p.operator.Style().Objects()
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
	ctx, cancel := context.WithTimeout(ctx, s.teardownTime())
	defer cancel()
	var problems []error
	if s.kube != nil {
		problems = append(problems, s.unobserve(ctx))
	}
	if s.provider != nil {
		problems = append(problems, s.stage("teardown", func() error { return s.teardown(ctx) }))
	}
	if s.judge != nil {
		s.judge.stop()
	}
	if s.synced != nil {
		problems = append(problems, s.synced.Stop())
	}
	if s.recording != nil {
		problems = append(problems, s.writeReports(), s.recording.Close(), s.compress())
	}
	if s.base != nil {
		problems = append(problems, s.base.remove())
		_ = os.Remove(s.folder) // if nothing came into it
	}
	return errors.Join(problems...)
}

// largeRecording is the size in bytes from which a recording is compressed.
const largeRecording = 8 << 20

// compress makes a large recording that has ended about a tenth of its size.
func (s *Session) compress() error {
	name := s.results(record.FileName)
	info, err := os.Stat(name)
	if err != nil || info.Size() < largeRecording {
		return err
	}
	_, err = record.Compress(name)
	return err
}

// teardown removes from an existing cluster what this run made, and deletes a
// cluster of its own.
func (s *Session) teardown(ctx context.Context) error {
	var removed error
	if s.Left() != "" && !s.can(cluster.RemoveWhole) { // else nothing was made
		removed = s.sweep(ctx)
	}
	err := errors.Join(removed, s.provider.Delete(ctx))
	if err == nil {
		s.leaves("")
	}
	return err
}
