package run

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/terminal"
)

// Session is one run: a cluster, on which the participants take turns, and one recording. Each of its parts is written
// without those above it: the console is the lowest, then the job, which says what is driven; the schedule and the
// recording rest on the job, and the test environment on the recording. The session itself installs and drives.
type Session struct {
	*schedule
	*environment
	driver     *drive.Driver
	installing time.Time // since when a block is installed
}

// newSession is a run that knows only what was asked for.
func newSession(options Options, root string, deadline time.Time, out io.Writer) *Session {
	options.Sources = options.Sources.anchored(options.here(root))
	j := &job{
		console: &console{out: out}, options: options, root: root, folder: options.ResultsFolder(root, time.Now()), id: cluster.NewRunID(),
		participants: []*participant{{cluster: options.Cluster}}, // the floor
	}
	return &Session{
		schedule:    &schedule{job: j, deadline: deadline},
		environment: &environment{recording: &recording{job: j}, terminal: openTerminal, listed: listedWithin},
	}
}

// Load reads what a run needs before any cluster exists, and refuses whatever is wrong with it. Where nothing differs
// from the base that is asked for, the error is ErrUnchanged.
func Load(ctx context.Context, options Options, root string, deadline time.Time, out io.Writer) (*Session, error) {
	if err := options.Check(); err != nil {
		return nil, err
	}
	s := newSession(options, root, deadline, out)
	if options.Base != "" {
		return s, s.compare(ctx)
	}
	found, err := s.named(operatorNames(s.here(), s.options.Operator))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.choose(found...), s.measurable()); err != nil {
		return nil, err
	}
	for _, style := range found {
		expected, err := expectedOf(style)
		if err != nil {
			return nil, err
		}
		expected = s.within(expected)
		if style.Control == spec.Harness {
			if floor := s.floor(); floor != nil {
				floor.asked, floor.expected = style, expected // it is driven as the floor anyway
			}
			continue
		}
		s.participants = append(s.participants, &participant{operator: style, asked: style, expected: expected, cluster: options.Cluster})
	}
	return s, nil
}

// Open brings up the test environment: images, results folder, cluster, custom resource
// definition. Whatever happens after it, Close is to be called.
func (s *Session) Open(ctx context.Context) error {
	s.progress = terminal.NewProgress(Screen(s.out))
	s.say("run %s: styles %s; scenarios %s; seed %d", s.id, strings.Join(s.Styles(), ", "), few(s.Scenarios(), "of them"), s.options.Seed)
	if err := s.feasible(); err != nil {
		return err
	}
	s.say("%s", s.foretell())
	if err := s.agree(ctx); err != nil {
		return err
	}
	var node string // checked before anything is written: without images there is nothing to keep
	if s.own() {
		err := s.stage("images", func() (err error) {
			node, err = s.images(ctx)
			return err
		})
		if err == nil && s.base != nil {
			err = s.dropSame()
		}
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
	s.driver = &drive.Driver{
		Run: s.id, Client: s.kube.Dynamic, Namespaces: namespaces{s.kube, kube.Owner{Run: s.id}}, Workload: s.workload,
		Recorder: s.recorder, Judge: s.judge, Observer: s, Holds: s.holds, Dial: s.kube.Dial, Window: s.options.Window,
		Matrix: drive.Matrix{Window: matrixWindow, Patience: s.options.Patience, Overlap: overlap(runtime.NumCPU(), s.options.Shard, s.workload.AtOnce)},
	}
	if err := s.refuseForeign(ctx); err != nil {
		return err
	}
	if err := s.permitted(ctx); err != nil {
		return err
	}
	if !s.own() {
		if err := errors.Join(s.nodes(ctx), s.obtainable(ctx)); err != nil {
			return err
		}
	}
	if err := s.observe(ctx); err != nil {
		return err
	}
	if err := s.stage("custom resource", func() error { return s.definition(ctx) }); err != nil {
		return err
	}
	if !s.own() {
		return nil // it pulls by itself
	}
	if err := s.stage("load images", func() error { return s.load(ctx) }); err != nil {
		return err
	}
	if err := s.addNodes(ctx); err != nil {
		return err
	}
	return s.imageFacts(ctx)
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
		s.judge.Stop()
	}
	if s.synced != nil {
		problems = append(problems, s.synced.Stop())
	}
	if s.file != nil {
		problems = append(problems, s.writeReports(), s.file.Close(), s.compress())
	}
	return errors.Join(append(problems, s.base.remove())...)
}
