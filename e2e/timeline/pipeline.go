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
	// BatchSize and BatchBytes bound what is read, and given back, at once.
	BatchSize  = 128
	BatchBytes = 1 << 20
	inFlight   = 16 // batches that wait to be judged, at most
)

// batch is a run of entries, and the error that the recording ended with.
type batch struct {
	reads []Reading
	bytes int
	err   error
	ready chan struct{} // closed when all are read
}

// batches makes batches, of the memory of those that are done.
type batches struct{ done sync.Pool }

func (p *batches) next() *batch {
	b := &batch{ready: make(chan struct{})}
	if used, ok := p.done.Get().(*batch); ok {
		b.reads = used.reads[:0]
	} else {
		b.reads = make([]Reading, 0, BatchSize)
	}
	return b
}

func (p *batches) give(b *batch) {
	clear(b.reads)
	p.done.Put(b)
}

// Read yields the entries in their order, read. It calls entries in
// another goroutine. What a Reading holds of the audit log is gone with the next one.
func Read(entries iter.Seq2[record.Line, error]) iter.Seq2[*Reading, error] {
	return func(yield func(*Reading, error) bool) {
		work, ordered := make(chan *batch, inFlight), make(chan *batch, inFlight)
		ahead := semaphore.NewWeighted(mostAhead)
		ctx, stop := context.WithCancel(context.Background())
		var memory batches
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() {
			defer close(work)
			defer close(ordered)
			share(entries, &memory, func(b *batch) bool {
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
			memory.give(b)
		}
	}
}

// share cuts entries into batches, until hand refuses one.
func share(entries iter.Seq2[record.Line, error], memory *batches, hand func(*batch) bool) {
	follow := reader{effort: &effort{}}
	next := memory.next()
	for e, err := range entries {
		if err != nil {
			next.err = err
			break
		}
		next.reads = next.reads[:len(next.reads)+1]
		follow.begin(&next.reads[len(next.reads)-1], e)
		next.bytes += Weight(&e.Entry) + e.Unparsed()
		if e.Watch != nil {
			next.bytes += len(e.Watch.Object)
		}
		if len(next.reads) == BatchSize || next.bytes >= BatchBytes {
			if !hand(next) {
				return
			}
			next = memory.next()
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
