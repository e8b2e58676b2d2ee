package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
)

const (
	// maxLine bounds a line; the API server's own are of one or two kilobytes.
	maxLine = 1 << 20
	// catchUpWithin bounds CatchUp.
	catchUpWithin = 30 * time.Second
)

// Follower records a log while it is being written.
type Follower struct {
	recorder *record.Recorder
	log      io.ReadCloser
	release  func() bool   // of the context
	ended    chan struct{} // closed when nothing more is read; then err is set
	err      error

	long map[string]bool // audit ids of long requests that are recorded and not complete

	stopped atomic.Bool
	mark    atomic.Pointer[mark] // of the last CatchUp; nil: its line was read
}

// mark is a request whose line is waited for.
type mark struct {
	id   string        // audit id
	read chan struct{} // closed when its line was read
}

// Follow records every line of the log, which is one audit.k8s.io/v1 Event in JSON each, in order, until Stop is called
// or ctx ends; either closes the log. A long request, such as a watch, is one entry, as of its start; that of a pod is
// another when it ends. A line that cannot be read, and the log's end before that, are a gap in the recording.
func Follow(ctx context.Context, log io.ReadCloser, recorder *record.Recorder) *Follower {
	f := &Follower{recorder: recorder, log: log, ended: make(chan struct{}), long: map[string]bool{}}
	f.release = context.AfterFunc(ctx, func() { _ = f.stop() }) // Stop says it again
	go func() {
		defer close(f.ended)
		f.err = f.follow()
	}()
	return f
}

// Stop ends the recording of the log at what was read so far (see CatchUp), and says what is missing of it.
func (f *Follower) Stop() error {
	f.release()
	closed := f.stop()
	<-f.ended
	return errors.Join(f.err, closed)
}

func (f *Follower) stop() error {
	f.stopped.Store(true)
	return f.log.Close()
}

// CatchUp returns when everything that the API server had answered before the call is recorded. It makes a request of
// its own, with a known audit id, and waits for its line: as the API server writes a line before it completes the
// answer, and lines are read in order, that is exact. The request itself is left out of the recording.
// One call at a time.
func (f *Follower) CatchUp(ctx context.Context, api rest.Interface) error {
	ctx, cancel := context.WithTimeoutCause(ctx, catchUpWithin, fmt.Errorf("not within %s", catchUpWithin))
	defer cancel()
	m := &mark{"operatorbench-" + rand.Text(), make(chan struct{})}
	f.mark.Store(m)
	err := api.Get().AbsPath("/api/v1/namespaces/default").SetHeader("Audit-ID", m.id).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("mark the audit log by a request (get namespace default): %w", err)
	}
	select {
	case <-m.read:
		return nil
	case <-f.ended:
		return errors.Join(errors.New("wait for the audit log to catch up: it is not read any more"), f.err)
	case <-ctx.Done():
		return fmt.Errorf("wait for the line of request %s in the audit log: %w; the API server must audit the harness's own requests, and write the log in mode blocking", m.id, context.Cause(ctx))
	}
}

// follow reads lines until there are no more. Its error sums up what the gaps in the recording say.
func (f *Follower) follow() error {
	lines := bufio.NewReaderSize(f.log, 64<<10)
	heard := f.recorder.Now()
	bad, first := 0, error(nil)
	unread := func(err error) {
		if bad++; bad == 1 {
			first = err
		}
		f.gap(heard, err.Error())
	}
	for {
		line, err := readLine(lines)
		if err != nil && !errors.Is(err, errTooLong) {
			return errors.Join(sum(bad, first), f.end(heard, line, err))
		}
		if err == nil {
			err = f.take(line)
		}
		if err != nil {
			if broken := f.recorder.Err(); broken != nil {
				return broken
			}
			unread(err)
		}
		heard = f.recorder.Now()
	}
}

func sum(bad int, first error) error {
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%d lines of the audit log could not be read; the first: %w", bad, first)
}

// end says why there are no more lines; nil: because nobody wants them.
func (f *Follower) end(heard time.Duration, cut []byte, reason error) error {
	if f.stopped.Load() {
		return nil
	}
	if len(cut) > 0 {
		reason = fmt.Errorf("%w, %d bytes into a line", reason, len(cut))
	}
	err := fmt.Errorf("the audit log ended before the recording: %w", reason)
	f.gap(heard, err.Error())
	return err
}

func (f *Follower) gap(from time.Duration, reason string) {
	// Recorder.Err has the error of a recording that failed.
	_ = f.recorder.Record(record.Entry{Time: f.recorder.Now(), Kind: record.KindGap, Gap: &record.Gap{
		From: from, Resource: record.AuditLog, Reason: reason,
	}})
}

// take records a line, unless it says again what another has said.
func (f *Follower) take(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	now := f.recorder.Now()
	e, err := parse(line)
	if err != nil {
		return err
	}
	a := e.entry()
	switch e.Stage {
	case started:
		f.long[e.AuditID], a.Open = true, a.Pod != ""
	case complete, panicked:
		if f.long[e.AuditID] {
			delete(f.long, e.AuditID)
			if a.Pod == "" {
				return nil
			}
			return f.recorder.Record(record.Entry{Time: now, Kind: record.KindClosed, Closed: a})
		}
	default:
		return nil // RequestReceived: the answer's line follows
	}
	if m := f.mark.Load(); m != nil && m.id == e.AuditID {
		f.mark.Store(nil)
		close(m.read)
		return nil
	}
	return f.recorder.Record(record.Entry{Time: now, Kind: record.KindAudit, Audit: a})
}

var errTooLong = fmt.Errorf("a line is longer than %d bytes", maxLine)

// readLine returns the next line, without its end. Of a line that is too long it reads all and keeps nothing. At the
// end of the log, it returns what there is of a line, with the error.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return line, err
		case tooLong:
			return nil, errTooLong
		default:
			return line[:len(line)-1], nil
		}
	}
}
