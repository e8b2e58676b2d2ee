package record

import (
	"fmt"
	"sync"
	"time"
)

// File is what Sync can be asked of: an *os.File.
type File interface{ Sync() error }

// Syncing sees that a recording is on disk, not only in the system's memory. It
// does so in a goroutine of its own: whoever records does not wait for the disk.
type Syncing struct {
	recorder *Recorder
	file     File
	asked    chan chan struct{} // who asks is told when it is done
	stop     chan struct{}
	ended    chan struct{}
	last     error // of the sync that Stop asks for
	once     sync.Once
}

// KeepSynced syncs the recording's file at a pace, and when Now asks for it. That
// it cannot ends the recording with an error, as one of writing does.
func (r *Recorder) KeepSynced(file File, pace time.Duration) *Syncing {
	s := &Syncing{recorder: r, file: file, asked: make(chan chan struct{}), stop: make(chan struct{}), ended: make(chan struct{})}
	go s.run(pace)
	return s
}

func (s *Syncing) run(pace time.Duration) {
	defer close(s.ended)
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = s.sync() // it ends the recording
		case done := <-s.asked:
			_ = s.sync()
			close(done)
		case <-s.stop:
			s.last = s.sync()
			return
		}
	}
}

func (s *Syncing) sync() error {
	if s.recorder.Err() != nil {
		return nil // whoever recorded has learnt of it
	}
	if err := s.file.Sync(); err != nil {
		s.recorder.mu.Lock()
		defer s.recorder.mu.Unlock()
		return s.recorder.fail(fmt.Errorf("write the recording to disk: %w", err))
	}
	return nil
}

// Now returns when all that has been recorded is on disk, or the recording has ended by an error.
func (s *Syncing) Now() {
	done := make(chan struct{})
	select {
	case s.asked <- done:
		<-done
	case <-s.ended:
	}
}

// Stop syncs a last time, and says whether that failed.
func (s *Syncing) Stop() error {
	s.once.Do(func() { close(s.stop) })
	<-s.ended
	return s.last
}
