package record

import (
	"fmt"
	"slices"
	"sync"
)

// Follower hears a recording while it is written: every entry, in the recording's order, in a goroutine of its own.
// However long it takes over an entry, Record does not wait for it.
type Follower struct {
	recorder *Recorder
	hear     func(Entry) error
	ended    chan struct{}

	mu       sync.Mutex
	changed  sync.Cond // of what follows
	waiting  []Entry   // recorded, and not heard yet
	recorded int       // since it began to follow
	heard    int
	stopped  bool // nothing more comes
	failed   bool // nothing more is heard
}

// Follow calls hear with every further entry, until Stop. Its error ends the
// recording: it is for one without whom recording is of no use.
func (r *Recorder) Follow(hear func(Entry) error) *Follower {
	f := &Follower{recorder: r, hear: hear, ended: make(chan struct{})}
	f.changed.L = &f.mu
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers = append(r.followers, f)
	go f.run()
	return f
}

// Listen is Follow for one who takes every entry as it comes.
func (r *Recorder) Listen(hear func(Entry)) (stop func()) {
	return r.Follow(func(e Entry) error { hear(e); return nil }).Stop
}

// CatchUp returns when all who follow have heard what was recorded before it was
// called: what they know then covers that. None of them may call it while it hears.
func (r *Recorder) CatchUp() {
	r.mu.Lock()
	followers := slices.Clone(r.followers)
	r.mu.Unlock()
	for _, f := range followers {
		f.CatchUp()
	}
}

// CatchUp is Recorder.CatchUp for this one alone.
func (f *Follower) CatchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for last := f.recorded; f.heard < last && !f.failed; {
		f.changed.Wait()
	}
}

// Stop returns when the follower has heard everything that was recorded before.
// It hears nothing further. It must not be called while it hears.
func (f *Follower) Stop() {
	f.recorder.mu.Lock()
	f.recorder.followers = slices.DeleteFunc(f.recorder.followers, func(other *Follower) bool { return other == f })
	f.recorder.mu.Unlock()
	f.mu.Lock()
	f.stopped = true
	f.mu.Unlock()
	f.changed.Broadcast()
	<-f.ended
}

// add hands it an entry. The recorder's lock is held, which keeps the order.
func (f *Follower) add(e Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recorded++; !f.failed {
		f.waiting = append(f.waiting, e)
		f.changed.Broadcast()
	}
}

func (f *Follower) run() {
	defer close(f.ended)
	for {
		entries := f.next()
		if len(entries) == 0 {
			return
		}
		for _, e := range entries {
			if err := f.hear(e); err != nil {
				f.fail(err)
				return
			}
			f.mu.Lock()
			f.heard++
			f.mu.Unlock()
			f.changed.Broadcast()
		}
	}
}

// next waits for entries; none: nothing more comes.
func (f *Follower) next() []Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.waiting) == 0 && !f.stopped {
		f.changed.Wait()
	}
	entries := f.waiting
	f.waiting = nil
	return entries
}

// fail ends the recording.
func (f *Follower) fail(err error) {
	f.recorder.mu.Lock()
	_ = f.recorder.fail(fmt.Errorf("the recording ends (what was recorded before is kept): %w", err))
	f.recorder.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed, f.waiting = true, nil
	f.changed.Broadcast()
}
