package run

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/terminal"
)

// console tells a person what the run does, and keeps what the results say of it: how long its stages took, and notes.
type console struct {
	out      io.Writer
	progress *terminal.Progress // nil until the run is opened
	stages   []record.Stage
	notes    []string
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

// say prints a line for the person who runs this.
func (c *console) say(format string, args ...any) {
	if c.progress != nil {
		c.progress.Clear()
	}
	fmt.Fprintln(c.out, plain.Text(fmt.Sprintf(format, args...)))
}

// note is for what is only of interest while it lasts.
func (c *console) note(format string, args ...any) { c.progress.Note(fmt.Sprintf(format, args...)) }

// remark says something that belongs into the results, too.
func (c *console) remark(note string) {
	c.say("%s", note)
	c.keep("%s", note)
}

// keep is for the results alone.
func (c *console) keep(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// stage runs one part of the run, and keeps and prints how long it took.
func (c *console) stage(name string, do func() error) error {
	c.note("%s", name)
	began := time.Now()
	err := do()
	took := time.Since(began)
	c.took(name, took)
	outcome := ""
	if err != nil {
		outcome = "  FAILED"
	}
	c.say("%-24s %6.1f s%s", name, took.Seconds(), outcome)
	return err
}

// took adds to how long a part of the run has taken.
func (c *console) took(name string, time time.Duration) {
	i := slices.IndexFunc(c.stages, func(stage record.Stage) bool { return stage.Name == name })
	if i < 0 {
		i = len(c.stages)
		c.stages = append(c.stages, record.Stage{Name: name})
	}
	c.stages[i].Seconds += time.Seconds()
	c.stages[i].Times++
}

// kindProgress shows steps while they last; what has several lines is kept.
func (c *console) kindProgress(step string) {
	if strings.Contains(step, "\n") {
		c.say("%s", step)
		return
	}
	c.note("cluster: %s", step)
}
