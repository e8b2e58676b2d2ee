package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
)

// ErrTruncated is what a recording ends with when its last line is not whole,
// as after a kill in the middle of a write. All entries before it are good.
var ErrTruncated = errors.New("the recording's last line is cut off")

// maxLine bounds one entry: the API server itself refuses larger objects.
const maxLine = 16 << 20

// Read yields the entries of a recording. An error is the last thing that it
// yields, and names the line.
func Read(in io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := bufio.NewReaderSize(in, 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(lines)
			if errors.Is(err, io.EOF) && len(line) == 0 {
				if number == 1 {
					yield(Entry{}, errors.New("the recording is empty"))
				}
				return
			}
			whole := err == nil
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Entry{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			entry, err := parse(line, number == 1)
			switch {
			case err != nil && !whole && number > 1:
				yield(Entry{}, fmt.Errorf("line %d: %w", number, ErrTruncated))
				return
			case err != nil:
				yield(Entry{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			if !yield(entry, nil) || !whole {
				return
			}
		}
	}
}

// ReadFile is Read for a file, compressed by gzip if its name ends in .gz;
// errors name it.
func ReadFile(name string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		file, err := os.Open(name)
		if err != nil {
			yield(Entry{}, fmt.Errorf("open the recording: %w", err))
			return
		}
		defer file.Close()
		var in io.Reader = file
		if strings.HasSuffix(name, ".gz") {
			if in, err = gzip.NewReader(file); err != nil {
				yield(Entry{}, fmt.Errorf("%s: decompress the recording: %w", name, err))
				return
			}
		}
		for entry, err := range Read(in) {
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			if !yield(entry, err) {
				return
			}
		}
	}
}

// readLine returns the next line without its end. With io.EOF the line, if
// any, had no end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("longer than %d bytes: not an entry of a recording", maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return line, err
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

// parse reads one entry and checks that it holds what its kind says.
func parse(line []byte, first bool) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not an entry of a recording: %w", err)
	}
	if first != (e.Kind == KindHeader) {
		if first {
			return e, fmt.Errorf("not a recording: it begins with kind %q, expected %q", e.Kind, KindHeader)
		}
		return e, errors.New("a second header: were two recordings joined? Give them as two files")
	}
	if first && e.Header != nil && (e.Header.Schema < 1 || e.Header.Schema > Schema) {
		return e, fmt.Errorf("the recording has schema %d, this program reads schemas 1 to %d: use the version of operatorbench that wrote it, or a newer one", e.Header.Schema, Schema)
	}
	whole := map[Kind]bool{
		KindHeader: e.Header != nil, KindBegin: e.Begin != nil, KindAction: e.Action != nil,
		KindWatch: e.Watch != nil, KindGap: e.Gap != nil, KindEnd: e.End != nil,
		KindBlock: e.Block != nil, KindUsage: e.Usage != nil, KindAudit: e.Audit != nil,
	}
	set, known := whole[e.Kind]
	if !known {
		return e, fmt.Errorf("unknown kind of entry %q", e.Kind)
	}
	if !set {
		return e, fmt.Errorf("a %s entry without its %q field", e.Kind, e.Kind)
	}
	return e, nil
}
