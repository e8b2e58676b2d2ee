package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/interrupt"
	job "operatorbench/e2e/run"
)

// runRun is the suite without go test: the same flags, the same results. With a
// base, the gate judges what was recorded.
func runRun(ctx context.Context, args []string, stdout, _ io.Writer) (err error) {
	var options job.Options
	flags := flag.NewFlagSet("opbench run", flag.ContinueOnError)
	options.Register(flags)
	if err := parseRun(flags, args); err != nil {
		return invalid(compares(args), err)
	}
	options.ImagesAsked = true // there is no deadline that fetching them could miss
	options.Link = jobLink(os.Getenv)
	session, err := driven(ctx, options, stdout)
	switch {
	case errors.Is(err, job.ErrUnchanged):
		_, err := fmt.Fprintf(stdout, "%v\n", err)
		return err
	case err != nil || options.Base == "":
		return invalid(options.Base != "", err)
	}
	return judgeGate(ctx, session.Folder(), stdout)
}

// driven is a run that was driven to its end.
func driven(ctx context.Context, options job.Options, stdout io.Writer) (*job.Session, error) {
	root, here, err := findHome()
	if err != nil {
		return nil, err
	}
	options.Here = here
	session, err := job.Load(ctx, options, root, time.Time{}, stdout)
	if err != nil {
		return nil, err
	}
	if options.Base != "" && !session.Drivable() {
		return session, session.RecordLost(ctx)
	}
	return session, drive(ctx, session)
}

// compares reports whether a command line asks for a comparison with a base, even
// if the rest of it is wrong: no mistake may have the status of a verdict.
func compares(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return name == "base" && strings.HasPrefix(arg, "-")
	})
}

// invalid gives what went wrong before a comparison its status.
func invalid(comparison bool, err error) error {
	if !comparison || err == nil {
		return err
	}
	return &gateError{err, gate.StatusInvalid}
}

// jobLink leads to the run on GitHub Actions that this is; "" elsewhere.
func jobLink(env func(string) string) string {
	server, repository, id := env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY"), env("GITHUB_RUN_ID")
	if server == "" || repository == "" || id == "" {
		return ""
	}
	return server + "/" + repository + "/actions/runs/" + id
}

// drive performs a run from its beginning to its end, and says what was not as expected.
func drive(ctx context.Context, session *job.Session) error {
	if err := perform(ctx, session); err != nil || ctx.Err() != nil {
		return errors.Join(err, session.SoFar())
	}
	return session.Wrong()
}

// perform performs a run from its beginning to its end.
func perform(ctx context.Context, session *job.Session) (err error) {
	interrupt.Leaves(ctx, session.Left)
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	if err := session.Open(ctx); err != nil {
		return err
	}
	return session.Drive(ctx)
}

// judgeGate says what the gate says of a run with a base, and adds it to the summary of a GitHub Actions job.
func judgeGate(ctx context.Context, folder string, stdout io.Writer) error {
	gated := runGate(ctx, []string{folder}, stdout, io.Discard)
	text, err := os.ReadFile(filepath.Join(folder, gateMarkdown))
	if err != nil {
		return gated // it says why there is none
	}
	return errors.Join(gated, job.AppendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	}))
}
