package run

import (
	"fmt"
	"sync"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/timeline"
)

// live judges a recording while it is written, each sample once, so that the driver knows when to go on, a person sees
// the last latency, and looks and reports need not read the recording. Nobody who records waits for it; what it is asked
// covers all that was recorded before.
type live struct {
	recorder *record.Recorder
	follower *record.Follower

	mu      sync.Mutex
	judging *judge.Judging
	meter   *result.Meter
	done    map[string]*judge.Result // samples that have ended, by place, until somebody takes them
	last    *result.Recording        // what soFar returned; nil: entries came since
	err     error                    // why nothing is judged any more
}

// newLive judges a recording that has just begun. stop is to be called at its end.
func newLive(recorder *record.Recorder) (*live, error) {
	header := recorder.Header()
	l := &live{recorder: recorder, judging: judge.NewJudging(), meter: result.NewMeter(), done: map[string]*judge.Result{}}
	if err := l.add(record.Entry{Kind: record.KindHeader, Header: &header}); err != nil {
		return nil, err
	}
	l.follower = recorder.Follow(l.add)
	return l, nil
}

// stop returns when all that was recorded is judged. What is open then has no end.
func (l *live) stop() {
	l.follower.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last = nil; l.err == nil {
		l.err = l.judging.End()
	}
}

// add takes a further entry. What cannot be judged ends the run: no sample would be known to have settled any more.
func (l *live) add(e record.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ended, err := l.judging.Add(e)
	if err != nil {
		l.err = fmt.Errorf("judge it while it is written: %w", err)
		return l.err
	}
	l.meter.Add(e)
	l.last = nil
	if ended != nil {
		l.done[ended.Namespace] = ended
	}
	return nil
}

// soFar is what is known of all that was recorded. Nobody is to change it.
func (l *live) soFar() (result.Recording, error) {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		one := l.meter.Recording(nil, l.judging.SoFar())
		l.last = &one
	}
	return *l.last, l.err
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
	timeline := l.judging.Open(place)
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
	if timeline := l.judging.Open(place); timeline != nil {
		return timeline.LastEvent()
	}
	return 0
}

// take returns the sample of a place that ended last, once; nil: none.
func (l *live) take(place string) *judge.Result {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	ended := l.done[place]
	delete(l.done, place)
	return ended
}
