package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/scenarios"
)

// Dialer opens a TCP connection to a port of a pod; ctx ends it.
type Dialer func(ctx context.Context, namespace, pod string, port int) (io.ReadWriteCloser, error)

const (
	probePace    = 500 * time.Millisecond // from one question to the next
	probeTimeout = 2 * time.Second        // an answer that comes later is none
	longestReply = 64 << 10               // bytes
	longestHeard = 80                     // bytes of a wrong answer that are recorded, its last
	wrongEnough  = 20                     // wrong answers, one after the other: a right one is not to be expected
)

// asks begins to ask the managed system as long as the sample lasts, where its scenario expects answers.
func (s *sampleRun) asks(ctx context.Context) (stop func()) {
	if s.sample.Prepare || s.Dial == nil || s.Workload.Probe == nil || !slices.Contains(s.sample.Expect, spec.OracleServes) {
		return func() {}
	}
	on, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for turn := 0; turn == 0 || on.Err() == nil; turn++ {
			began := s.Recorder.Now()
			s.probed(ctx, spec.ProbeAsk, s.Workload.Probe.Ask, turn)
			if s.until(on, began+probePace) != nil {
				return // the sample is over, or ends by the same error
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// probe writes or reads by the workload's probe, again and again until it is answered rightly, for as long as one
// reconcile may take, or nothing but wrong answers come. Whether it was, the oracles say.
func (s *sampleRun) probe(ctx context.Context, step scenarios.Step) error {
	if s.Dial == nil {
		return errors.New("probe: nobody can open a connection to a pod")
	}
	request := s.Workload.Probe.Write
	if step.Probe == spec.ProbeRead {
		request = s.Workload.Probe.Read
	}
	bound, cancel := context.WithTimeout(ctx, s.style.bound())
	defer cancel()
	for turn, wrong := 0, 0; bound.Err() == nil && wrong < wrongEnough; turn++ {
		began := s.Recorder.Now()
		switch s.probed(bound, step.Probe, *request, turn) {
		case "":
			return nil
		case record.ProbeWrong:
			wrong++
		default:
			wrong = 0
		}
		if err := s.until(bound, began+probePace); err != nil && bound.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// probed asks once, and records what came of it; "": the answer is as expected. The turn chooses among the pods, as a
// Service would.
func (s *sampleRun) probed(ctx context.Context, what string, request spec.ProbeRequest, turn int) (class string) {
	ends, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	p := &record.Question{From: s.Recorder.Now(), What: what, Namespace: s.sample.Namespace, Name: s.sample.Name}
	pod, class, err := s.readyPod(ends, turn)
	if p.Pod = pod; err == nil {
		class, err = s.talk(ends, pod, request)
	}
	if ctx.Err() != nil {
		return record.ProbeUnasked // the sample is over
	}
	if p.OK = err == nil; err != nil {
		p.Class, p.Error = class, err.Error()
	}
	_ = s.Recorder.Record(record.Entry{Time: s.Recorder.Now(), Kind: record.KindProbe, Probe: p}) // Failed tells of an error
	return p.Class
}

// readyPod is one of the custom resource's pods that are ready.
func (s *sampleRun) readyPod(ctx context.Context, turn int) (name, class string, err error) {
	child, err := s.child(ctx)
	var pods []unstructured.Unstructured
	if err == nil {
		pods, err = s.podsOf(ctx, child)
	}
	if unasked(err) {
		return "", record.ProbeUnasked, err
	}
	pods = slices.DeleteFunc(pods, func(pod unstructured.Unstructured) bool { return !isReady(&pod) })
	if len(pods) == 0 {
		return "", record.ProbeNoPod, errors.New("no pod is ready")
	}
	return pods[turn%len(pods)].GetName(), "", nil
}

func isReady(pod *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(pod.Object, "status", "conditions")
	return pod.GetDeletionTimestamp() == nil && slices.ContainsFunc(conditions, func(one any) bool {
		c, _ := one.(map[string]any)
		return c["type"] == "Ready" && c["status"] == "True"
	})
}

// unasked reports whether an error is of asking the API server, and so says nothing of the managed system.
func unasked(err error) bool {
	var broken net.Error
	return errors.As(err, &broken) || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown && !apierrors.IsNotFound(err)
}

// talk asks a pod, and waits no longer than ctx for the answer.
func (s *sampleRun) talk(ctx context.Context, pod string, r spec.ProbeRequest) (class string, err error) {
	type answer struct {
		class string
		err   error
	}
	heard := make(chan answer, 1)
	go func() {
		class, err := s.converse(ctx, pod, r)
		heard <- answer{class, err}
	}()
	select {
	case is := <-heard:
		return is.class, is.err
	case <-ctx.Done():
		return record.ProbeTimeout, fmt.Errorf("no answer within %v", probeTimeout)
	}
}

func (s *sampleRun) converse(ctx context.Context, pod string, r spec.ProbeRequest) (class string, err error) {
	expected, err := bounds.Expression(r.Expect)
	if err != nil {
		return record.ProbeUnasked, err
	}
	connection, err := s.Dial(ctx, s.sample.Namespace, pod, r.Port)
	switch {
	case unasked(err):
		return record.ProbeUnasked, err
	case err != nil:
		return record.ProbeRefused, err
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, r.Send); err != nil {
		return record.ProbeRefused, err
	}
	var text, chunk []byte = nil, make([]byte, 4<<10)
	for err == nil && len(text) < longestReply {
		var n int
		n, err = connection.Read(chunk)
		if text = append(text, chunk[:n]...); expected.MatchString(string(text)) {
			return "", nil
		}
	}
	if len(text) == 0 {
		return record.ProbeRefused, err
	}
	return record.ProbeWrong, fmt.Errorf("expected %s, heard %q", r.Expect, text[max(0, len(text)-longestHeard):])
}
