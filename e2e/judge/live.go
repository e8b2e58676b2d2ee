package judge

import (
	"fmt"
	"sync"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

// Live judges a recording while it is written, so that a driver knows when to go on, and nobody has to read the
// recording to know what is known so far. Nobody who records waits for it; what it is asked covers all that was
// recorded before.
type Live struct {
	recorder  *record.Recorder
	follower  *record.Follower
	observers []func(record.Entry)

	mu      sync.Mutex
	judging *Judging
	done    map[string]*Result // samples that have ended, by place, until somebody takes them
	soFar   *Judgement         // nil: entries came since somebody asked
	err     error              // why nothing is judged any more
}

// NewLive judges a recording that has just begun. Every observer is called with every entry that is judged, as Judge
// does. Stop is to be called at the recording's end.
func NewLive(recorder *record.Recorder, observers ...func(record.Entry)) (*Live, error) {
	header := recorder.Header()
	l := &Live{recorder: recorder, observers: observers, judging: NewJudging(), done: map[string]*Result{}}
	if err := l.add(record.Entry{Kind: record.KindHeader, Header: &header}); err != nil {
		return nil, err
	}
	l.follower = recorder.Follow(l.add)
	return l, nil
}

// Stop returns when all that was recorded is judged. What is open then has no end.
func (l *Live) Stop() {
	l.follower.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.soFar = nil; l.err == nil {
		l.err = l.judging.End()
	}
}

// add takes a further entry. What cannot be judged ends the run: no sample would be known to have settled any more.
func (l *Live) add(e record.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ended, err := l.judging.Add(e)
	if err != nil {
		l.err = fmt.Errorf("judge it while it is written: %w", err)
		return l.err
	}
	for _, observe := range l.observers {
		observe(e)
	}
	if l.soFar = nil; ended != nil {
		l.done[ended.Namespace] = ended
	}
	return nil
}

// Look shows what all samples that have ended were judged to, while no entry is taken; nobody is to change it. It is
// the same Judgement as long as no entry comes. The error says why nothing is judged any more.
func (l *Live) Look(look func(soFar *Judgement)) error {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.soFar == nil {
		l.soFar = l.judging.SoFar()
	}
	look(l.soFar)
	return l.err
}

// Take returns the sample of a place that ended last, once; nil: none.
func (l *Live) Take(place string) *Result {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	ended := l.done[place]
	delete(l.done, place)
	return ended
}

// Missing says what the open sample of a place still waits for.
func (l *Live) Missing(place string) string {
	return l.ask(place, (*timeline.Timeline).Missing)
}

// Lacks says what it lacks for a point of the reconcile.
func (l *Live) Lacks(place, point string) string {
	return l.ask(place, func(t *timeline.Timeline) string { return t.Lacks(point) })
}

// NoRoom says that no node has room for a pod that the open sample rightly asks for; "": it is not so.
func (l *Live) NoRoom(place string) string { return l.ask(place, (*timeline.Timeline).NoRoom) }

// LastEvent is when something last happened to an object of the open sample.
func (l *Live) LastEvent(place string) (at time.Duration) {
	l.ask(place, func(t *timeline.Timeline) string {
		at = t.LastEvent()
		return ""
	})
	return at
}

func (l *Live) ask(place string, of func(*timeline.Timeline) string) string {
	l.recorder.CatchUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.judging.splitter.Open(place); t != nil {
		return of(t)
	}
	return "no sample is open"
}
