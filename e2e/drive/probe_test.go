package drive_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
)

// store is a server that keeps one word, unless it forgets: SET WORD, GET. It ends each connection.
func store(t *testing.T, forgets bool) drive.Dialer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	go func() {
		kept := ""
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			text := make([]byte, 64)
			n, _ := connection.Read(text)
			said := string(text[:n])
			if word, is := strings.CutPrefix(said, "SET "); is && !forgets {
				kept = word
			}
			if strings.HasPrefix(said, "SET ") {
				_, _ = io.WriteString(connection, "done")
			} else {
				_, _ = io.WriteString(connection, "word: "+kept)
			}
			_ = connection.Close()
		}
	}()
	return func(ctx context.Context, _, _ string, _ int) (io.ReadWriteCloser, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", listener.Addr().String())
	}
}

// The managed system is asked all along where a scenario expects answers, and written to and read where its steps say so.
func TestTheManagedSystemIsAsked(t *testing.T) {
	ask := spec.ProbeRequest{Port: 1, Send: "GET", Expect: "^word"}
	for name, test := range map[string]struct {
		dial    drive.Dialer
		ready   string
		classes []string // of the answers to read, ask and write; "" for those that are as expected
	}{
		"it answers":        {store(t, false), "True", []string{"", "", ""}},
		"it forgets":        {store(t, true), "True", []string{record.ProbeWrong, "", ""}},
		"no pod is ready":   {store(t, false), "False", []string{record.ProbeNoPod, record.ProbeNoPod, record.ProbeNoPod}},
		"nothing is said":   {func(context.Context, string, string, int) (io.ReadWriteCloser, error) { return silent{}, nil }, "True", []string{record.ProbeRefused, record.ProbeRefused, record.ProbeRefused}},
		"the pod is gone":   {refusing(apierrors.NewNotFound(workloads.GVR(spec.Pods).GroupResource(), "mine")), "True", []string{record.ProbeRefused, record.ProbeRefused, record.ProbeRefused}},
		"the API is busy":   {refusing(apierrors.NewTooManyRequests("later", 1)), "True", []string{record.ProbeUnasked, record.ProbeUnasked, record.ProbeUnasked}},
		"the API is broken": {refusing(&net.OpError{Op: "dial", Err: io.EOF}), "True", []string{record.ProbeUnasked, record.ProbeUnasked, record.ProbeUnasked}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, style := newMatrixStage(t)
			s.Workload = workloadtest.Queue(t)
			s.Workload.Probe = &spec.Probe{
				Ask: ask, Write: &spec.ProbeRequest{Port: 1, Send: "SET kept", Expect: "done"}, Read: &spec.ProbeRequest{Port: 1, Send: "GET", Expect: "kept"}, Kept: true,
			}
			s.Dial = test.dial
			s.pods(t, test.ready)
			style.Child.OwnerReference = true
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			asked, vain := false, false
			stop := s.Recorder.Listen(func(e record.Entry) {
				if e.Kind == record.KindProbe {
					asked = asked || e.Probe.What == spec.ProbeAsk
					vain = vain || e.Probe.What != spec.ProbeAsk && !e.Probe.OK
				}
				if asked && vain { // it would be asked again for minutes
					cancel()
				}
			})
			defer stop()
			asking := scenarios.Scenario{
				Name: "asking", Group: spec.GroupLevel, Given: &scenarios.Spec{Size: 1}, Expect: []string{spec.OracleServes},
				Steps: []scenarios.Step{{Probe: spec.ProbeWrite}, {Probe: spec.ProbeRead}},
			}
			_ = s.drive(ctx, style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{asking}})
			last := map[string]string{}
			for e := range s.recorded(t) {
				if e.Kind != record.KindProbe {
					continue
				}
				assert.LessOrEqual(t, e.Probe.From, e.Time)
				assert.Equal(t, e.Probe.Class == "", e.Probe.OK)
				assert.Equal(t, e.Probe.Class == "", e.Probe.Error == "", e.Probe.Error)
				assert.Equal(t, test.ready == "True", e.Probe.Pod == "mine", e.Probe.Pod)
				last[e.Probe.What] = e.Probe.Class
			}
			want := map[string]string{spec.ProbeRead: test.classes[0], spec.ProbeAsk: test.classes[1], spec.ProbeWrite: test.classes[2]}
			if test.classes[2] != "" {
				delete(want, spec.ProbeRead) // it comes to nothing before
			}
			assert.Equal(t, want, last, fmt.Sprint(s.ends))
		})
	}
}

// silent is a connection at whose end nothing was said.
type silent struct{}

func (silent) Read([]byte) (int, error)       { return 0, io.EOF }
func (silent) Write(text []byte) (int, error) { return len(text), nil }
func (silent) Close() error                   { return nil }

func refusing(err error) drive.Dialer {
	return func(context.Context, string, string, int) (io.ReadWriteCloser, error) {
		return nil, fmt.Errorf("open it: %w", err)
	}
}

// owned returns what puts an object that has an owner into a cluster. Its name is its uid; ready is its condition Ready.
func owned(t *testing.T, fake *dynamicfake.FakeDynamicClient, ready string) (add func(resource, kind, namespace, name string, owner types.UID)) {
	t.Helper()
	return func(resource, kind, namespace, name string, owner types.UID) {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "status": map[string]any{
			"conditions": []any{map[string]any{"type": "Ready", "status": ready}},
		}}}
		o.SetNamespace(namespace)
		o.SetName(name)
		o.SetUID(types.UID(name))
		o.SetOwnerReferences([]metav1.OwnerReference{{Kind: "any", Name: string(owner), UID: owner, Controller: new(true)}})
		require.NoError(t, fake.Tracker().Create(workloads.GVR(resource), o, namespace))
	}
}

// pods makes the cluster that of an operator that makes a StatefulSet for each custom resource, which has a pod.
func (s *stage) pods(t *testing.T, ready string) {
	t.Helper()
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	add := owned(t, fake, ready)
	fake.PrependReactor("create", s.Workload.Resource.Plural, func(action clienttesting.Action) (bool, runtime.Object, error) {
		cr := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		cr.SetUID("present")
		add(s.Workload.Main().Resource, s.Workload.Main().Kind, cr.GetNamespace(), "child", "present")
		add(spec.Pods, "Pod", cr.GetNamespace(), "another", "other")
		add(spec.Pods, "Pod", cr.GetNamespace(), "mine", "child")
		return false, nil, nil
	})
}
