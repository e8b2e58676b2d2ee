//go:build cluster

package selftest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/audit"
	"operatorbench/e2e/record/inventory"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/record/usage"
	"operatorbench/e2e/selftest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/timeline"
)

const (
	window   = 3 * time.Second  // of quiescence, as in the correctness matrix
	patience = 20 * time.Second // what takes a busy machine so long is not worth waiting for
	within   = 3 * time.Minute  // an installation, or a removal
)

// environment is one cluster and one recording for all trials.
type environment struct {
	run     string
	file    string // the recording
	kube    *kube.Client
	driver  *drive.Driver
	styles  map[string]*styles.Style // by name
	byName  map[string]scenarios.Scenario
	folders string
}

func newEnvironment(t *testing.T, trials []selftest.Trial) *environment {
	t.Helper()
	b := &environment{run: cluster.NewRunID(), styles: map[string]*styles.Style{}, byName: map[string]scenarios.Scenario{}, folders: t.TempDir()}
	all, err := scenarios.All(judge.OracleNames())
	require.NoError(t, err)
	for _, s := range all {
		b.byName[s.Name] = s
	}
	header := record.Header{Run: b.run, Program: "operatorbench", Reference: reference(t)}
	for _, trial := range trials {
		folder, err := trial.Write("style", b.folders, b.prefix(trial))
		require.NoError(t, err)
		b.styles[trial.Style()], err = styles.Load(folder)
		require.NoError(t, err)
		header.Styles = append(header.Styles, recorded(b.styles[trial.Style()]))
	}
	b.kube, err = shared.Client()
	require.NoError(t, err)
	b.open(t, header)
	b.audit(t)
	sampler, err := usage.Open(context.WithoutCancel(t.Context()), b.kube.Typed.Discovery().RESTClient(), b.driver.Recorder, usage.Interval, b.operators)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, sampler.Stop()) })
	ports := map[string]int{}
	for _, trial := range trials {
		if slices.Contains(b.byName[trial.Case.Scenario].Expect, timeline.Growth) {
			maps.Copy(ports, b.styles[trial.Style()].MetricsPorts())
		}
	}
	sampler.Ask(ports)
	b.define(t)
	return b
}

// operators are the namespaces of all trials' operators.
func (b *environment) operators() []string {
	var list []string
	for _, operator := range b.styles {
		list = append(list, recorded(operator).Namespaces...)
	}
	return list
}

// prefix is that of the namespaces that the driver makes for a trial.
func (b *environment) prefix(trial selftest.Trial) string {
	return fmt.Sprintf("services-%s-%s-1-", b.run, trial.Style())
}

func reference(t *testing.T) []byte {
	t.Helper()
	w := workloadtest.Default(t)
	child, err := w.Child(w.New("services", w.Name, 1))
	require.NoError(t, err)
	text, err := child.MarshalJSON()
	require.NoError(t, err)
	return text
}

// recorded is what judging must know of a style.
func recorded(s *styles.Style) record.Style {
	r := record.Style{Style: s.Style}
	for _, c := range s.Components {
		r.Namespaces = append(r.Namespaces, c.Namespace)
	}
	return r
}

// open begins the recording, in the folder of results.
func (b *environment) open(t *testing.T, header record.Header) {
	t.Helper()
	root, err := images.FindRoot(".")
	require.NoError(t, err)
	folder := filepath.Join(root, "results", "selftest-"+time.Now().Format("20060102-150405"))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	b.file = filepath.Join(folder, "recording.jsonl")
	file, err := os.OpenFile(b.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	recorder, err := record.NewRecorder(file, header)
	require.NoError(t, err)
	live, err := judge.NewLive(recorder)
	require.NoError(t, err)
	t.Cleanup(live.Stop)
	b.driver = &drive.Driver{
		Run: b.run, Client: b.kube.Dynamic, Namespaces: b, Workload: workloadtest.Default(t), Recorder: recorder, Judge: live, Observer: silent{}, Dial: b.kube.Dial, Window: window,
		Matrix: drive.Matrix{Window: window, Patience: patience, Overlap: 3},
	}
}

// audit records the API server's audit log.
func (b *environment) audit(t *testing.T) {
	t.Helper()
	log, err := shared.AuditLog(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
	follower := audit.Follow(context.WithoutCancel(t.Context()), log, b.driver.Recorder)
	t.Cleanup(func() { assert.NoError(t, follower.Stop()) })
}

// define makes the custom resource's definition, and returns when the garbage
// collector knows it.
func (b *environment) define(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	w := workloadtest.Default(t)
	probe := b.namespace("services-" + b.run + "-probe")
	require.NoError(t, b.kube.Apply(ctx, b.owner(), []*unstructured.Unstructured{w.CRD(), probe}))
	require.NoError(t, install.ProveGarbageCollection(ctx, install.Cluster{Kube: b.kube, Run: b.run}, w, probe.GetName()))
}

func (b *environment) owner() kube.Owner { return kube.Owner{Run: b.run} }

func (b *environment) namespace(name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	object.SetName(name)
	return object
}

// drive installs a trial's operator, drives its scenario and removes all of it.
func (b *environment) drive(ctx context.Context, trial selftest.Trial) (err error) {
	style := b.styles[trial.Style()]
	target := install.Cluster{Kube: b.kube, Run: b.run}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if err := style.Install(ctx, target); err != nil {
		return err
	}
	node, err := shared.Node()
	if err != nil {
		return err
	}
	installed := func(ctx context.Context) ([]*unstructured.Unstructured, error) {
		return install.Find(ctx, target, style.Name)
	}
	driven := drive.Style{
		Style:  recorded(style),
		Faults: &fault.Injector{Kube: b.kube.Typed, Dynamic: b.kube.Dynamic, Owner: b.owner(), Style: style.Style, Workload: b.driver.Workload, Node: node, Installed: installed},
	}
	if err := b.inspected(style, &driven); err != nil {
		return err
	}
	times := slices.Repeat([]scenarios.Scenario{b.byName[trial.Case.Scenario]}, max(trial.Case.Times, 1))
	leave, err := b.driver.Drive(ctx, driven, drive.Plan{Round: 1, Wave: 1, Scenarios: times})
	return errors.Join(err, style.Uninstall(ctx, target), leave(ctx))
}

// inspected adds what looks at the end for what a style left, and for secrets in its logs.
func (b *environment) inspected(style *styles.Style, driven *drive.Style) error {
	client, err := metadata.NewForConfig(b.kube.Config)
	if err != nil {
		return err
	}
	held, err := style.Rights()
	if err != nil {
		return err
	}
	driven.Inventory = &inventory.Taker{Metadata: client, Discovery: b.kube.Typed.Discovery(), Writes: func(r schema.GroupResource) bool {
		return held.May(r, spec.WriteVerbs()...)
	}, Custom: b.driver.Workload.GVR().GroupResource()}
	driven.Logs = &leak.Searcher{Kube: b.kube.Typed, Owner: b.owner(), Components: recorded(style).Components}
	return nil
}

// Make, Delete and Remove make environment the driver's drive.Namespaces.
func (b *environment) Make(ctx context.Context, name string) error {
	return b.kube.Apply(ctx, b.owner(), []*unstructured.Unstructured{b.namespace(name)})
}

// Delete begins a removal.
func (b *environment) Delete(ctx context.Context, name string) error {
	return b.kube.Typed.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
}

func (b *environment) Remove(ctx context.Context, name string) error {
	return b.kube.Delete(ctx, b.owner(), []*unstructured.Unstructured{b.namespace(name)})
}

// silent is an Observer that tells nobody.
type silent struct{}

func (silent) Began(record.Sample)             {}
func (silent) Ended(record.Sample, record.End) {}
func (silent) Held(record.Held)                {}

// alone reports whether a trial changes what all custom resources of the cluster
// share: their definition, the node's images, or the API server.
func (b *environment) alone(trial selftest.Trial) bool {
	return slices.ContainsFunc(b.byName[trial.Case.Scenario].Steps, func(s scenarios.Step) bool {
		return s.Fault != nil && slices.Contains([]string{spec.FaultDefinition, spec.FaultRemoveImage, spec.FaultRestart}, s.Fault.Kind)
	})
}
