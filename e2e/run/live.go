package run

import (
	"fmt"
	"sync"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

// live judges a recording while it is written, so that the driver knows when
// to go on and a person sees the last latency. Nobody who records waits for it;
// what it is asked covers all that was recorded before.
type live struct {
	recorder *record.Recorder
	follower *record.Follower

	mu       sync.Mutex
	splitter *timeline.Splitter
	done     map[string]*timeline.Timeline // samples that have ended, by place, until somebody takes them
}

// newLive judges a recording that has just begun. stop is to be called at its end.
func newLive(recorder *record.Recorder) (*live, error) {
	header := recorder.Header()
	l := &live{recorder: recorder, splitter: timeline.NewSplitter(), done: map[string]*timeline.Timeline{}}
	if err := l.add(record.Entry{Kind: record.KindHeader, Header: &header}); err != nil {
		return nil, err
	}
	l.follower = recorder.Follow(l.add)
	return l, nil
}

// stop returns when all that was recorded is judged.
func (l *live) stop() { l.follower.Stop() }

// add looks at a further entry. What it cannot judge ends the run: no sample
// would be known to have settled any more.
func (l *live) add(e record.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ended, err := l.splitter.Add(e)
	if err != nil {
		return fmt.Errorf("judge it while it is written: %w", err)
	}
	if ended != nil {
		l.done[ended.Sample.Place()] = ended
	}
	return nil
}

// Missing says what the open sample of a place still waits for.
func (l *live) Missing(place string) string {
	return l.lacking(place, (*timeline.Timeline).Missing)
}

// Lacks says what it lacks for a point of the reconcile.
func (l *live) Lacks(place, point string) string {
	return l.lacking(place, func(t *timeline.Timeline) string { return t.Lacks(point) })
}

func (l *live) lacking(place string, of func(*timeline.Timeline) string) string {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	timeline := l.splitter.Open(place)
	if timeline == nil {
		return "no sample is open"
	}
	return of(timeline)
}

// LastEvent is when something last happened to an object of the open sample.
func (l *live) LastEvent(place string) time.Duration {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	if timeline := l.splitter.Open(place); timeline != nil {
		return timeline.LastEvent()
	}
	return 0
}

// take returns the sample of a place that ended last, once; nil: none.
func (l *live) take(place string) *timeline.Timeline {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	timeline := l.done[place]
	delete(l.done, place)
	return timeline
}
