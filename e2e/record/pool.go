package record

import (
	"iter"
	"sync"
)

// Pool lets whoever reads a long recording in order give memory back as it
// goes: with Done the raw JSON of entries is given up, and the blocks that it
// lies in are read into again. The zero Pool is ready for one reading.
type Pool struct {
	mu   sync.Mutex
	free [][]byte
	full []fullBlock // in the order in which they were read
}

// mostKept is how large a block that is read into again may be.
const mostKept = 4 * blockSize

// fullBlock is a block, and how many entries precede the first that has nothing in it.
type fullBlock struct {
	block   []byte
	entries int
}

// ReadFile is like the function ReadFile, but reuses memory, and leaves it to
// others to parse the lines of which there are most.
func (p *Pool) ReadFile(name string) iter.Seq2[Line, error] { return readFile(name, p) }

// Done says that the raw JSON in so many entries, from the recording's first
// on, will not be looked at any more. It is safe for concurrent use.
func (p *Pool) Done(entries int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.full) > 0 && p.full[0].entries <= entries {
		if block := p.full[0].block; len(block) <= mostKept { // a larger one was for a single line
			p.free = append(p.free, block)
		}
		p.full = p.full[1:]
	}
}

// take returns a block of at least a size.
func (p *Pool) take(size int) []byte {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if n := len(p.free); n > 0 && len(p.free[n-1]) >= size {
			block := p.free[n-1]
			p.free = p.free[:n-1]
			return block
		}
	}
	return make([]byte, max(blockSize, size))
}

// leave tells that reading went on to another block after so many entries.
func (p *Pool) leave(block []byte, entries int) {
	if p == nil || len(block) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = append(p.full, fullBlock{block, entries})
}
