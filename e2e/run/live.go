package run

import (
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
)

// live judges a recording while it is written, and adds up what else looks and reports read of it.
type live struct {
	*judge.Live
	meter *result.Meter
	last  result.Recording // what soFar returned
}

// newLive judges a recording that has just begun. Stop is to be called at its end.
func newLive(recorder *record.Recorder) (*live, error) {
	l := &live{meter: result.NewMeter()}
	var err error
	l.Live, err = judge.NewLive(recorder, l.meter.Add)
	return l, err
}

// soFar is what is known of all that was recorded. Nobody is to change it.
func (l *live) soFar() (one result.Recording, err error) {
	err = l.Look(func(soFar *judge.Judgement) {
		if l.last.Judgement != soFar {
			l.last = l.meter.Recording(nil, soFar)
		}
		one = l.last
	})
	return one, err
}
