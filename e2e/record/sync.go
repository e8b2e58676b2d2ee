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
	// Stop syncs a last time, and returns why that failed.
	Stop func() error
}

// KeepSynced syncs the recording's file at a pace, and when Now asks for it. That
// it cannot ends the recording with an error, as one of writing does.
func (r *Recorder) KeepSynced(file File, pace time.Duration) *Syncing {
	s := &Syncing{recorder: r, file: file}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(pace)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.Now()
			case <-stop:
				return
			}
		}
	}()
	s.Stop = sync.OnceValue(func() error {
		close(stop)
		<-ended
		return s.sync()
	})
	return s
}

// Now returns when all that has been recorded is on disk, or the recording has ended by an error.
func (s *Syncing) Now() { _ = s.sync() } // it ends the recording

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
