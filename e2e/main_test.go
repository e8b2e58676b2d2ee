// Package e2e_test is the suite: every operator style, put through the same
// scenarios on a real cluster. It wires, and does nothing else.
//
//	go test ./e2e -v -timeout 60m -args --operator=argo,native --rounds=3
package e2e_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/interrupt"
	"operatorbench/e2e/run"
)

// What TestMain hands to the tests. The context of driving ends with Ctrl-C,
// SIGTERM or SIGHUP, and in time before -timeout.
var (
	options run.Options
	driving context.Context //nolint:containedctx // TestMain has no other way to hand it on
	session *run.Session
	driven  error // why not all was driven; nil if it was
)

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	klog.SetLogger(logr.Discard()) // what client-go says of watches that break is in the recording: gaps
	status, err := suite(m, time.Now())
	if err != nil {
		fmt.Fprintln(os.Stderr, "operatorbench:", err)
	}
	os.Exit(status)
}

// suite returns 0 only if every test passed and nothing was left behind, and 2
// where nothing was tried: a wrong command line, or images that are missing.
func suite(m *testing.M, began time.Time) (status int, err error) {
	options.Register(flag.CommandLine)
	if slices.ContainsFunc(os.Args[1:], isHelp) {
		run.Usage(os.Stdout)
		return 2, nil // go test hides what a passing package prints
	}
	flag.CommandLine.Usage = func() { fmt.Fprintln(os.Stderr, "go test ./e2e -args --help explains every flag") }
	flag.Parse()
	if err := run.NoEmpty(flag.CommandLine); err != nil {
		return 2, err
	}
	flag.Visit(func(f *flag.Flag) { options.ImagesAsked = options.ImagesAsked || f.Name == "images" })
	root, err := images.FindRoot(".")
	if err != nil {
		return 2, err
	}
	deadline, err := ends(began)
	if err != nil {
		return 2, err
	}
	var out io.Writer = os.Stdout
	if !testing.Verbose() {
		out = run.Screen(os.Stdout) // of a test that passes, go test would show nothing
	}
	if session, err = run.Load(context.Background(), options, root, deadline, out); err != nil {
		return 2, err
	}
	session.Keep(run.Selected(flag.Lookup("test.run").Value.String()))
	if flag.Lookup("test.list").Value.String() != "" {
		return closed(m.Run(), nil) // which drives nothing
	}
	return live(m, deadline)
}

// ends is when go test's -timeout ends a test binary that began at began; zero where it has none. Setting up counts: go
// test's own watch covers it.
func ends(began time.Time) (time.Time, error) {
	limit, err := time.ParseDuration(flag.Lookup("test.timeout").Value.String())
	if err != nil || limit <= 0 {
		return time.Time{}, err
	}
	return began.Add(limit), nil
}

// live opens the test environment, runs the tests and closes it, whatever happens.
func live(m *testing.M, deadline time.Time) (status int, err error) {
	ctx, stop := interrupt.Gently(context.Background(), os.Stderr, os.Exit)
	defer stop()
	interrupt.Leaves(ctx, session.Left)
	until, cancel := limited(ctx, deadline)
	defer cancel()
	defer func() { status, err = closed(status, err) }()
	driving = until //nolint:fatcontext // it is set once
	if err := session.Open(until); err != nil {
		return 2, err
	}
	status = m.Run()
	return status, driven // said last, where people look
}

// closed closes the session, and adds what is wrong with that to how the suite ended.
func closed(status int, err error) (int, error) {
	if problem := session.Close(context.Background()); problem != nil {
		return max(status, 1), errors.Join(err, problem)
	}
	return status, err
}

// limited ends early enough before the deadline for the teardown; a zero deadline
// is none.
func limited(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-session.Reserve()))
}

func isHelp(arg string) bool {
	return slices.Contains([]string{"-h", "--h", "-help", "--help"}, arg)
}
