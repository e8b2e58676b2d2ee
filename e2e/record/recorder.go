package record

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Recorder appends entries to a recording as they happen. It is safe for concurrent use. Every entry is one write, so
// that a killed process loses nothing that it had recorded.
type Recorder struct {
	began time.Time // carries the monotonic clock that all times are read from

	header Header        // that was written
	failed chan struct{} // closed with the error that ends the recording

	mu        sync.Mutex
	out       io.Writer
	err       error
	followers []*Follower
}

// NewRecorder begins a recording on out by writing its header. The header's schema and beginning are filled in.
func NewRecorder(out io.Writer, header Header) (*Recorder, error) {
	r := &Recorder{began: time.Now(), out: out, failed: make(chan struct{})}
	header.Schema, header.Began = Schema, r.began.UTC()
	r.header = header
	return r, r.Record(Entry{Kind: KindHeader, Header: &header})
}

// Header is what the recording begins with.
func (r *Recorder) Header() Header { return r.header }

// Now returns the time since the recording began, on the monotonic clock.
func (r *Recorder) Now() time.Duration { return time.Since(r.began) }

// Record appends an entry, and waits for nobody who follows. After an error (a full disk, say) nothing more is written
// and every further call returns that error: a recording never has a hole that nobody knows of.
func (r *Recorder) Record(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record a %s entry: %w", e.Kind, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if _, err := r.out.Write(append(line, '\n')); err != nil {
		return r.fail(fmt.Errorf("append to the recording (what was recorded before is kept): %w", err))
	}
	for _, f := range r.followers {
		f.add(e)
	}
	return nil
}

// fail ends the recording with its first error, which is returned. The lock is held.
func (r *Recorder) fail(err error) error {
	if r.err == nil {
		r.err = err
		close(r.failed)
	}
	return r.err
}

// Failed is closed when the recording has ended by an error; Err says which.
func (r *Recorder) Failed() <-chan struct{} { return r.failed }

// Err returns the error that ended the recording, nil while it goes on.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
