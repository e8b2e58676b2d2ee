package record

import (
	"bytes"
	"fmt"
	"io"
)

// maxLine bounds one entry: the API server itself refuses larger objects.
const maxLine = 16 << 20

// blockSize is how much is read at a time. Lines are parts of a block, not
// copies: whoever keeps an entry's raw JSON keeps its block.
const blockSize = 256 << 10

// lines reads the lines of a text.
type lines struct {
	in    io.Reader
	block []byte // that rest is part of
	end   int    // of what was read into block, and of rest
	rest  []byte // what was read, and is not yet a line that was returned
	seen  int    // bytes of rest that hold no end of a line
	err   error  // what reading ended with
}

// next returns the next line without its end. With an error the line, if any,
// had no end.
func (l *lines) next() ([]byte, error) {
	for {
		if end := bytes.IndexByte(l.rest[l.seen:], '\n'); end >= 0 {
			line := l.rest[:l.seen+end]
			l.rest, l.seen = l.rest[l.seen+end+1:], 0
			if len(line) > maxLine {
				return nil, errTooLong
			}
			return line, nil
		}
		l.seen = len(l.rest)
		switch {
		case l.seen > maxLine:
			return nil, errTooLong
		case l.err != nil:
			line := l.rest
			l.rest, l.seen = nil, 0
			return line, l.err
		}
		l.fill()
	}
}

var errTooLong = fmt.Errorf("longer than %d bytes: not an entry of a recording", maxLine)

// fill reads more behind the rest, into a new block where the old one has little
// room left: what it holds is part of lines that were returned.
func (l *lines) fill() {
	if len(l.block)-l.end < blockSize/4 {
		block := make([]byte, max(blockSize, 2*len(l.rest)))
		l.end = copy(block, l.rest)
		l.block = block
	}
	more := 0
	for empty := 0; more == 0 && l.err == nil; empty++ {
		more, l.err = l.in.Read(l.block[l.end:])
		if empty == 100 { // as package bufio does
			l.err = io.ErrNoProgress
		}
	}
	from := l.end - len(l.rest)
	l.end += more
	l.rest = l.block[from:l.end]
}
