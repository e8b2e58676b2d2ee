// Package terminal shows a person who waits what a run is doing.
package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Progress shows a person what a run is doing: on a terminal in one line that is written anew, elsewhere not at all.
// What else is printed to the same terminal must be preceded by Clear. It is safe for concurrent use.
type Progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	width    func() int

	style string
	now   string // what is being done
	last  string // the last latency
	shown bool   // a line is on the terminal
}

// NewProgress writes to out; it is a terminal if out is a file that is one.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, width: func() int { return 80 }}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.terminal = true
		p.width = func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil || width < 20 {
				return 80
			}
			return width
		}
	}
	return p
}

// Is reports whether out is a terminal, and colour may be written to it.
func Is(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Began says that a sample begins.
func (p *Progress) Began(sample record.Sample) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.style != sample.Style {
		p.style, p.last = sample.Style, ""
	}
	p.now = fmt.Sprintf("round %d  %s", sample.Round, sample.Scenario)
	if sample.Prepare {
		p.now += " (given state)"
	}
	p.show(p.line())
}

// Ended says how a sample ended.
func (p *Progress) Ended(result judge.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = fmt.Sprintf("last: %s %s", result.Scenario, result.Outcome())
	for _, s := range result.Samples {
		if s.Phase != spec.PhaseReady && s.Phase != spec.PhaseChildGone {
			continue
		}
		p.last += fmt.Sprintf(", %s %s", s.Phase, plain.AtLeast(s.Value, s.Outcome == judge.Timeout))
	}
	p.show(p.line())
}

// Stop says that driving has ended.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.style, p.now, p.last = "", "", ""
	p.clear()
}

// Note shows a text while it is of interest, on a terminal only.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show(text)
}

// Clear removes the line from the terminal, to make room for other output.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) line() string {
	return strings.Join(slices.DeleteFunc([]string{p.style, p.now, p.last}, func(part string) bool { return part == "" }), "  ")
}

const eraseLine = "\r\x1b[K"

// show writes the line anew.
func (p *Progress) show(text string) {
	if !p.terminal {
		return
	}
	p.print(eraseLine + plain.Clip(plain.Line(text), p.width()-1))
	p.shown = true
}

func (p *Progress) clear() {
	if p.shown {
		p.print(eraseLine)
		p.shown = false
	}
}

// print writes; a progress line that cannot be written is not worth a failure.
func (p *Progress) print(text string) { _, _ = io.WriteString(p.out, text) }
