package timeline

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"operatorbench/e2e/record"
)

// Most of the work of judging is to read objects, for which no event needs another: it is shared out to all processors,
// in batches that are handed on in the recording's order. What waits to be judged is bounded by mostAhead, too.
const (
	// What is read at once is bounded by number and by size.
	batchSize  = 128
	batchBytes = 1 << 20
	inFlight   = 16 // batches that wait to be judged, at most
)

// batch is a run of entries, and the error that the recording ended with.
type batch struct {
	reads []Reading
	bytes int
	err   error
	ready chan struct{} // closed when all are read
}

func newBatch() *batch {
	return &batch{reads: make([]Reading, 0, batchSize), ready: make(chan struct{})}
}

// Read yields the entries in their order, read. It calls entries in another goroutine.
func Read(entries iter.Seq2[record.Line, error]) iter.Seq2[*Reading, error] {
	return func(yield func(*Reading, error) bool) {
		work, ordered := make(chan *batch, inFlight), make(chan *batch, inFlight)
		ahead := semaphore.NewWeighted(mostAhead)
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() {
			defer close(work)
			defer close(ordered)
			share(entries, func(b *batch) bool {
				if ahead.Acquire(ctx, b.weight()) != nil {
					return false
				}
				select {
				case <-ctx.Done():
					return false
				case ordered <- b:
					work <- b
					return true
				}
			})
		})
		for range runtime.GOMAXPROCS(0) {
			running.Go(func() {
				var parser record.Parser
				for b := range work {
					b.read(&parser)
				}
			})
		}
		for b := range ordered {
			<-b.ready
			if !b.yield(yield) {
				return
			}
			ahead.Release(b.weight())
		}
	}
}

// share cuts entries into batches, until hand refuses one.
func share(entries iter.Seq2[record.Line, error], hand func(*batch) bool) {
	follow := reader{effort: &effort{}}
	next := newBatch()
	for e, err := range entries {
		if err != nil {
			next.err = err
			break
		}
		next.reads = next.reads[:len(next.reads)+1]
		r := &next.reads[len(next.reads)-1]
		follow.begin(r, e)
		next.bytes += r.held
		if len(next.reads) == batchSize || next.bytes >= batchBytes {
			if !hand(next) {
				return
			}
			next = newBatch()
		}
	}
	hand(next)
}

// weight is what the batch takes of mostAhead.
func (b *batch) weight() int64 { return int64(min(b.bytes, mostAhead)) }

func (b *batch) read(parser *record.Parser) {
	defer close(b.ready)
	for i := range b.reads {
		b.reads[i].read(parser)
	}
}

func (b *batch) yield(yield func(*Reading, error) bool) bool {
	for i := range b.reads {
		if r := &b.reads[i]; !yield(r, r.broken) {
			return false
		}
	}
	return b.err == nil || yield(nil, b.err)
}
