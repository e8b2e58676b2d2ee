package images

import (
	"fmt"
	"io"
	"time"
)

// progress writes what is being got, as the program that builds images does.
type progress struct {
	out     io.Writer
	started time.Time
	step    string // "[2/9] argo-events: "
}

// at is the progress of the k-th of n images.
func (p progress) at(k, n int, name string) progress {
	p.step = fmt.Sprintf("[%d/%d] %s: ", k, n, name)
	return p
}

// say writes one line: the time since the beginning, the step, the text.
func (p progress) say(format string, args ...any) {
	// A report that cannot be written is no reason to stop the work.
	_, _ = fmt.Fprintf(p.out, "%s%4.0fs %s%s\n", progressMark, time.Since(p.started).Seconds(), p.step, fmt.Sprintf(format, args...))
}
