package record_test

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

// slowDisk is a file whose Sync takes as long as the test wants.
type slowDisk struct {
	began  chan struct{} // a Sync has begun
	finish chan error    // lets it end
	synced atomic.Int64
}

func (d *slowDisk) Sync() error {
	d.began <- struct{}{}
	d.synced.Add(1)
	return <-d.finish
}

func TestWhoRecordsDoesNotWaitForTheDisk(t *testing.T) {
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	disk := &slowDisk{began: make(chan struct{}), finish: make(chan error)}
	syncing := recorder.KeepSynced(disk, time.Millisecond)
	<-disk.began
	recorded := make(chan error)
	go func() { // while the disk takes its time
		for range 1000 {
			if err := recorder.Record(watchEntry("a")); err != nil {
				recorded <- err
			}
		}
		recorded <- recorder.Record(watchEntry("b"))
	}()
	select {
	case err := <-recorded:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("Record waits for Sync")
	}
	disk.finish <- nil
	go func() {
		for range disk.began {
			disk.finish <- nil
		}
	}()
	require.NoError(t, syncing.Stop())
	close(disk.began)
}

// At the end of a block all of it is on disk, whatever the pace.
func TestSyncNow(t *testing.T) {
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	disk := &slowDisk{began: make(chan struct{}, 9), finish: make(chan error, 9)}
	for range 9 {
		disk.finish <- nil
	}
	syncing := recorder.KeepSynced(disk, time.Hour)
	syncing.Now()
	assert.EqualValues(t, 1, disk.synced.Load())
	require.NoError(t, syncing.Stop())
	assert.EqualValues(t, 2, disk.synced.Load(), "once more at the end")
	require.NoError(t, syncing.Stop())
	assert.EqualValues(t, 2, disk.synced.Load())
}

// A disk that fails ends the recording as one that is full does.
func TestThatItCannotSyncIsAnErrorOfTheRecording(t *testing.T) {
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	broken := errors.New("input/output error")
	disk := &slowDisk{began: make(chan struct{}, 1), finish: make(chan error, 1)}
	disk.finish <- broken
	syncing := recorder.KeepSynced(disk, time.Hour)
	syncing.Now()
	<-recorder.Failed()
	require.ErrorIs(t, recorder.Record(watchEntry("a")), broken)
	require.ErrorContains(t, recorder.Err(), "write the recording to disk: input/output error")
	require.NoError(t, syncing.Stop(), "whoever recorded has learnt of it")
}
