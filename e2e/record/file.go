package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
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

// Read yields the entries of a recording. An error is the last thing that it
// yields, and names the line. Raw JSON in an entry (a watch event's object) is
// not looked into, and is part of a larger block that was read: whoever keeps
// it for long copies it.
func Read(in io.Reader) iter.Seq2[Entry, error] {
	return read(in, nil)
}

func read(in io.Reader, pool *Pool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		text, parser := &lines{in: in, pool: pool}, &parser{}
		for number := 1; ; number++ {
			line, err := text.next()
			switch {
			case err == nil:
			case errors.Is(err, io.EOF) && len(line) == 0:
				if number == 1 {
					yield(Entry{}, errors.New("the recording is empty"))
				}
				return
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				last(line, number, err, yield)
				return
			default:
				yield(Entry{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			e, err := parser.line(line, number == 1)
			if err != nil {
				yield(Entry{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// last yields a last line that has no end: it counts if it is whole all the
// same. In compressed text more may be missing than the end of a line.
func last(line []byte, number int, end error, yield func(Entry, error) bool) {
	e, err := parse(line, number == 1)
	switch {
	case err == nil:
		if yield(e, nil) && !errors.Is(end, io.EOF) {
			yield(Entry{}, fmt.Errorf("line %d: %w", number+1, ErrTruncated))
		}
	case number > 1:
		yield(Entry{}, fmt.Errorf("line %d: %w", number, ErrTruncated))
	case bytes.HasPrefix(line, []byte(beginning)) || strings.HasPrefix(beginning, string(line)):
		yield(Entry{}, fmt.Errorf("line %d: %w", number, errNothing))
	default:
		yield(Entry{}, fmt.Errorf("line %d: %w", number, err))
	}
}

// ReadFile is Read for a file, which may be compressed by gzip, or packed (Pack)
// in several parts of which it is the first; errors name it.
func ReadFile(name string) iter.Seq2[Entry, error] { return readFile(name, nil) }

func readFile(name string, pool *Pool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in, err := Open(name)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer in.Close()
		for entry, err := range read(in, pool) {
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			if !yield(entry, err) {
				return
			}
		}
	}
}

// zstdMagic is what Zstandard's frames begin with: RFC 8878, section 3.1.1.
const zstdMagic = "\x28\xb5\x2f\xfd"

// uncompressed decompresses what is compressed, by the file's first bytes, or should
// be by its name.
func uncompressed(name string, file io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	magic, err := in.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	if string(magic) == zstdMagic || len(magic) > 0 && strings.HasSuffix(name, packedSuffix) {
		return unpacked(in)
	}
	compressed := strings.HasPrefix(string(magic), "\x1f\x8b")
	if len(magic) < 2 || !compressed && !strings.HasSuffix(name, ".gz") {
		return in, nil
	}
	text, err := gzip.NewReader(in)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errNothing
	case err != nil:
		return nil, fmt.Errorf("decompress the recording: %w", err)
	}
	return text, nil
}
