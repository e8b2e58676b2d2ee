package run

import (
	"sync"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// live judges a recording while it is written, so that the driver knows when
// to go on and a person sees the last latency.
type live struct {
	mu       sync.Mutex
	splitter *judge.Splitter
	last     *judge.Timeline // the sample that ended last
	err      error
}

// newLive begins with the header, which is written before anything can listen.
func newLive(header record.Header) *live {
	header.Schema = record.Schema
	l := &live{splitter: judge.NewSplitter()}
	l.add(record.Entry{Kind: record.KindHeader, Header: &header})
	return l
}

func (l *live) add(e record.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	ended, err := l.splitter.Add(e)
	l.err = err
	if ended != nil {
		l.last = ended
	}
}

// Missing says what the open sample of a namespace still waits for.
func (l *live) Missing(namespace string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return "the judge stopped: " + l.err.Error()
	}
	timeline := l.splitter.Open(namespace)
	if timeline == nil {
		return "no sample is open"
	}
	return timeline.Missing()
}

// ended returns the sample that ended last.
func (l *live) ended() *judge.Timeline {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}
