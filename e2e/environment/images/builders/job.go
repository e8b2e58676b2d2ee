package builders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Job is a command whose whole output goes to a log file.
type Job struct {
	What string // for people: "compile kubernetes"
	Log  string // file
	Dir  string
	Env  []string // added to this process's environment
	Args []string
	// Status, where set, is asked every few seconds for a progress line; it gets
	// the number of lines that the command has written.
	Status func(lines int)
	// CPU, where set, is told how long a command that succeeded took, and how much
	// of the processors' time it and its children used.
	CPU func(wall, used time.Duration)
}

// statusEvery is how often a long job is reported.
const statusEvery = 15 * time.Second

// Run runs the job and waits. The error has the log's last lines and its path.
func (j Job) Run(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(j.Log), 0o755); err != nil {
		return fmt.Errorf("%s: make the folder of its log: %w", j.What, err)
	}
	log, err := os.Create(j.Log)
	if err != nil {
		return fmt.Errorf("%s: write its log: %w", j.What, err)
	}
	defer func() { _ = log.Close() }() // a log that is cut short is still a log
	_, _ = fmt.Fprintf(log, "# in %s\n# %s %s\n", j.Dir, strings.Join(j.Env, " "), strings.Join(j.Args, " "))
	cmd := exec.CommandContext(ctx, j.Args[0], j.Args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = j.Dir, log, log
	cmd.Env = append(os.Environ(), j.Env...)
	stop, started := j.report(), time.Now()
	err = cmd.Run()
	stop()
	switch {
	case err == nil:
		if j.CPU != nil {
			j.CPU(time.Since(started), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: stopped: %w (log: %s)", j.What, context.Cause(ctx), j.Log)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: the program %s is not in PATH: install it: %w", j.What, j.Args[0], err)
	default:
		return fmt.Errorf("%s: %s failed: %w; the last lines of %s:\n%s", j.What, j.Args[0], err, j.Log, lastLines(j.Log, 15))
	}
}

// report calls Status at intervals until the returned function is called.
func (j Job) report() (stop func()) {
	if j.Status == nil {
		return func() {}
	}
	done := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() {
		ticker := time.NewTicker(statusEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				text, _ := os.ReadFile(j.Log) // of which the first two lines are this package's
				j.Status(max(0, bytes.Count(text, []byte("\n"))-2))
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		reporting.Wait()
	}
}

// lastLines returns the last n lines of a file, each indented.
func lastLines(file string, n int) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Sprintf("  (it cannot be read: %v)", err)
	}
	lines := strings.Split(strings.TrimRight(string(raw), "\n"), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-n):], "\n  ")
}
