package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// ErrTruncated is what a recording ends with when its end is missing, as after
// a kill in the middle of a write. All entries before it are good.
var ErrTruncated = errors.New("the recording's last line is cut off")

// errNothing is of a recording that has not even a header.
var errNothing = errors.New("the recording is cut off in its first line, the header: there is nothing to judge")

// beginning is what every recording begins with.
const beginning = `{"t":`

// Read yields the entries of a recording. An error is the last thing that it yields, and names the line. Raw JSON in an
// entry (a watch event's object) is not looked into.
func Read(in io.Reader) iter.Seq2[Entry, error] { return parsed(readLines(in, "")) }

// parsed parses lines one after the other.
func parsed(lines iter.Seq2[Line, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var parser Parser
		for line, err := range lines {
			if err == nil {
				err = parser.Parse(&line, nil)
			}
			if !yield(line.Entry, err) || err != nil {
				return
			}
		}
	}
}

// readLines yields the lines of a text; where it comes from begins its errors.
func readLines(in io.Reader, where string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		text := &lines{in: in}
		for number := 1; ; number++ {
			at := place{where, number}
			line, err := text.next()
			switch {
			case err == nil:
			case errors.Is(err, io.EOF) && len(line) == 0:
				if number == 1 {
					yield(Line{}, fmt.Errorf("%sthe recording is empty", where))
				}
				return
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				last(line, at, err, yield)
				return
			default:
				yield(Line{}, at.wrap(err))
				return
			}
			if kind := frequent(line); kind != "" && number > 1 {
				if !yield(Line{Entry: Entry{Kind: kind}, text: line, at: at}, nil) {
					return
				}
				continue
			}
			e, err := parse(line, number == 1)
			if err != nil {
				yield(Line{}, at.wrap(err))
				return
			}
			if !yield(Line{Entry: e}, nil) {
				return
			}
		}
	}
}

// last yields a last line that has no end: it counts if it is whole all the
// same. In compressed text more may be missing than the end of a line.
func last(line []byte, at place, end error, yield func(Line, error) bool) {
	e, err := parse(line, at.number == 1)
	switch {
	case err == nil:
		if yield(Line{Entry: e}, nil) && !errors.Is(end, io.EOF) {
			at.number++
			yield(Line{}, at.wrap(ErrTruncated))
		}
	case at.number > 1:
		yield(Line{}, at.wrap(ErrTruncated))
	case bytes.HasPrefix(line, []byte(beginning)) || strings.HasPrefix(beginning, string(line)):
		yield(Line{}, at.wrap(errNothing))
	default:
		yield(Line{}, at.wrap(err))
	}
}

// ReadFile is Read for a file, which may be compressed; errors name it.
func ReadFile(name string) iter.Seq2[Entry, error] { return parsed(ReadLines(name)) }

// ReadLines is like ReadFile, but leaves it to others to parse the most frequent lines.
func ReadLines(name string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in, err := Open(name)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer in.Close()
		readLines(in, name+": ")(yield)
	}
}

// MaxLine bounds one entry, and a line of what is published, in bytes: the API server itself refuses larger objects.
const MaxLine = 16 << 20

// blockSize is how much is read at a time. Lines are parts of a block, not
// copies: whoever keeps an entry's raw JSON keeps its block.
const blockSize = 256 << 10

// lines reads the lines of a text.
type lines struct {
	in    io.Reader
	block []byte // that rest is part of
	end   int    // of the bytes read into block, and of rest
	rest  []byte // what was read, and is not yet a line that was returned
	seen  int    // bytes of rest that hold no end of a line
	err   error  // what reading ended with
}

// next returns the next line without its end. With an error the line, if any, had no end.
func (l *lines) next() ([]byte, error) {
	for {
		if end := bytes.IndexByte(l.rest[l.seen:], '\n'); end >= 0 {
			line := l.rest[:l.seen+end]
			l.rest, l.seen = l.rest[l.seen+end+1:], 0
			if len(line) > MaxLine {
				return nil, errTooLong
			}
			return line, nil
		}
		l.seen = len(l.rest)
		switch {
		case l.seen > MaxLine:
			return nil, errTooLong
		case l.err != nil:
			line := l.rest
			l.rest, l.seen = nil, 0
			return line, l.err
		}
		l.fill()
	}
}

var errTooLong = fmt.Errorf("longer than %d bytes: not an entry of a recording", MaxLine)

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
