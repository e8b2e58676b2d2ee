package builders

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Progress writes what is being done, how far and for how long.
type Progress struct {
	*written

	step string // "[2/9] argo-events"
}

// written is what all steps have in common: some are taken side by side.
type written struct {
	out     io.Writer
	started time.Time

	mutex sync.Mutex
	costs []string
	used  time.Duration // by all that was compiled
}

// NewProgress is the progress of no step yet, written to out.
func NewProgress(out io.Writer) *Progress {
	return &Progress{written: &written{out: out, started: time.Now()}}
}

// At is the progress of a step, the k-th of n, which its lines begin with.
func (p *Progress) At(k, n int, name string) *Progress {
	return &Progress{written: p.written, step: fmt.Sprintf("[%d/%d] %s: ", k, n, name)}
}

// Say writes one line: the time since the beginning, the step, the text.
func (p *Progress) Say(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	elapsed := time.Since(p.started).Round(time.Second)
	// A report that cannot be written is no reason to stop the work.
	_, _ = fmt.Fprintf(p.out, "images %4.0fs %s%s\n", elapsed.Seconds(), p.step, fmt.Sprintf(format, args...))
}

// Compiled returns what says how long compiling took, and how much of the
// processors' time, once it is done.
func (p *Progress) Compiled(what string) func(wall, used time.Duration) {
	return func(wall, used time.Duration) {
		p.mutex.Lock()
		p.costs = append(p.costs, fmt.Sprintf("%s %s", what, used.Round(time.Second)))
		p.used += used
		p.mutex.Unlock()
		p.Say("compile %s: done in %s (CPU time %s)", what, wall.Round(time.Second), used.Round(time.Second))
	}
}

// Total says where the time went.
func (p *Progress) Total() {
	p.mutex.Lock()
	costs, used := p.costs, p.used
	p.costs, p.used = nil, 0
	p.mutex.Unlock()
	if len(costs) > 1 {
		p.Say("CPU time of compiling %s: %s", used.Round(time.Second), strings.Join(costs, ", "))
	}
}
