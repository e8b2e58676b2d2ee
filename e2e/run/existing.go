package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"operatorbench/e2e/environment/cluster"
)

// existing is the cluster that a person has named; nil: the run makes its own.
func (s *Session) existing() *cluster.Existing {
	if s.options.Cluster != cluster.ExistingName {
		return nil
	}
	return &cluster.Existing{Kubeconfig: s.options.Kubeconfig, Context: s.options.Context}
}

// cleanCommand removes what a run that was killed left in its existing cluster.
func (s *Session) cleanCommand() string {
	return fmt.Sprintf("go run ./e2e/cmd/opbench clean %s --run=%s", s.existing().Flags(), s.id)
}

// agree tells which existing cluster is meant, and returns when a person has
// agreed that it is used. Nothing has been made by then.
func (s *Session) agree(ctx context.Context) error {
	if s.existing() == nil {
		return nil
	}
	target, err := s.existing().Target()
	if err != nil {
		return err
	}
	s.say("this run uses the existing cluster %s", target)
	s.say("should the run be killed, this removes what it left there:\n  %s", s.cleanCommand())
	if s.options.Yes {
		return nil
	}
	terminal, err := s.terminal()
	if err != nil {
		return fmt.Errorf("use the existing cluster %s? There is no terminal to ask at (%w): agree with --yes", target, err)
	}
	defer terminal.Close()
	answer, err := ask(ctx, terminal, fmt.Sprintf("Install operators, and make and delete custom resources, in %s? [y/N] ", target))
	if err != nil {
		return fmt.Errorf("use the existing cluster %s? %w", target, err)
	}
	if answer := strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return fmt.Errorf("the existing cluster %s is not used: the answer was no; nothing was made", target)
	}
	return nil
}

// openTerminal opens the terminal that the program was started from, if any:
// under go test, standard input is none.
func openTerminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// ask puts a question, and returns the line that is the answer.
func ask(ctx context.Context, terminal io.ReadWriter, question string) (string, error) {
	if _, err := io.WriteString(terminal, question); err != nil {
		return "", fmt.Errorf("ask at the terminal: %w", err)
	}
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		line, err := bufio.NewReader(terminal).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil // no answer is one, too
		}
		replies <- reply{line, err}
	}()
	select {
	case r := <-replies:
		return r.line, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("no answer came: %w", context.Cause(ctx))
	}
}

// sweep removes all that this run has made in an existing cluster.
func (s *Session) sweep(ctx context.Context) error {
	if err := s.kube.Sweep(ctx, s.id, s.note); err != nil {
		return fmt.Errorf("remove what the run has made in the existing cluster: %w\nthis tries again:\n  %s", err, s.cleanCommand())
	}
	return nil
}

// Left says what the run leaves if it is not closed, and what removes that; "":
// nothing. It may be called at any time.
func (s *Session) Left() string {
	if left := s.leavings.Load(); left != nil {
		return *left
	}
	return ""
}

// leaves sets what Left says.
func (s *Session) leaves(what string) { s.leavings.Store(&what) }

// What is done after driving has ended, at go test's deadline too.
const (
	mendWithin     = 5 * time.Second  // until what was broken on purpose is given back: see package drive
	logsWhenOver   = 5 * time.Second  // of the style that took too long
	reportsWithin  = 15 * time.Second // until the recording is judged and the reports are written: 139 MB take 2 s
	removalWithin  = 20 * time.Second // of a kind cluster: it takes 4 s, and its reaper goes on by itself
	sweepWithin    = 3 * time.Minute  // of an existing cluster, with a style in it
	teardownWithin = 5 * time.Minute  // of either, where no deadline is near
)

// Reserve is the time before go test's -timeout that is kept for what comes
// after driving. It depends on the cluster: of one of its own a run removes the
// node, of an existing one each object, with those that finalizers hold.
func (s *Session) Reserve() time.Duration {
	removal := removalWithin
	if !s.can(cluster.RemoveWhole) {
		removal = sweepWithin
	}
	return mendWithin + logsWhenOver + removal + reportsWithin
}

// teardownTime is what Close has for the cluster.
func (s *Session) teardownTime() time.Duration {
	if s.deadline.IsZero() {
		return teardownWithin
	}
	return min(teardownWithin, max(time.Until(s.deadline)-reportsWithin, time.Second))
}
