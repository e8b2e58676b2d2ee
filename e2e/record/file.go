package record

import (
	"bufio"
	"bytes"
	"cmp"
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
		text := newLines(in)
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

// lines reads the lines of a text.
type lines struct {
	*bufio.Scanner

	cut bool // the last one has no end
}

func newLines(in io.Reader) *lines {
	l := &lines{Scanner: bufio.NewScanner(in)}
	l.Buffer(make([]byte, 256<<10), MaxLine+1)
	l.Split(func(text []byte, atEnd bool) (advance int, line []byte, err error) {
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			return end + 1, text[:end], nil
		}
		if l.cut = atEnd && len(text) > 0; l.cut {
			return len(text), text, nil
		}
		return 0, nil, nil
	})
	return l
}

// next returns the next line without its end. With an error the line, if any, had no end.
func (l *lines) next() ([]byte, error) {
	whole := l.Scan() && !l.cut
	line := bytes.Clone(l.Bytes()) // whoever keeps an entry keeps its raw JSON
	switch err := l.Err(); {
	case whole:
		return line, nil
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("longer than %d bytes: not an entry of a recording", MaxLine)
	default:
		return line, cmp.Or(err, io.EOF)
	}
}
