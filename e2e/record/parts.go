package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// packedSuffix is of a recording that Pack made. Its second part's name ends in
// .2, and so on.
const packedSuffix = ".zst"

// partName is the name of a packed recording's part, from 1.
func partName(name string, part int) string {
	if part == 1 {
		return name
	}
	return name + "." + strconv.Itoa(part)
}

// contents is what the first part of a packed recording says of all: they are
// whole, or the recording is refused. It is JSON in a skippable frame of Zstandard
// (RFC 8878, section 3.1.2), over which every reader of that format passes.
type contents struct {
	// SHA256 are the checksums of the parts, as many as there are, in hexadecimal;
	// that of the first is of what follows this frame.
	SHA256 []string `json:"sha256"`
}

// skippable is the magic number of that frame, one of sixteen.
const skippable = 0x184D2A5B

// frameHead is its size: the magic number, and how long the rest is.
const frameHead = 8

// mostContents bounds the frame: some hundred thousand parts.
const mostContents = 8 << 20

// frame is the contents as they stand in a file.
func (c contents) frame() ([]byte, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32(nil, skippable)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text))) //nolint:gosec // below mostContents
	return append(head, text...), nil
}

// readContents reads the frame at the beginning of a first part, and returns its
// size; 0: there is none, as in recordings that were packed before there was.
func readContents(in io.Reader) (c contents, size int64, err error) {
	head := make([]byte, frameHead)
	if _, err := io.ReadFull(in, head); err != nil || binary.LittleEndian.Uint32(head) != skippable {
		return contents{}, 0, nil //nolint:nilerr // what is too short is no such frame; its reader says what it is
	}
	length := binary.LittleEndian.Uint32(head[4:])
	if length > mostContents {
		return contents{}, 0, fmt.Errorf("its list of parts has %d bytes: it is damaged", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(in, text); err != nil {
		return contents{}, 0, fmt.Errorf("its list of parts is cut off: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil || len(c.SHA256) == 0 {
		return contents{}, 0, errors.New("its list of parts is damaged")
	}
	return c, frameHead + int64(length), nil
}

// parts is a file, or all parts of a packed one, read as one. Only one of them is
// open at a time.
type parts struct {
	name     string
	at, last int // parts
	file     *os.File
}

// openParts opens a file; of a packed recording all parts, once they are found to
// be there and whole.
func openParts(name string) (*parts, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	all := &parts{name: name, at: 1, last: 1, file: file}
	if !strings.HasSuffix(name, packedSuffix) {
		return all, nil
	}
	if all.last, err = check(name, file); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, all.Close())
	}
	return all, nil
}

// check returns how many parts there are. It is an error, by name, if one of them
// is missing or damaged.
func check(name string, first io.Reader) (int, error) {
	c, size, err := readContents(first)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	there, err := contiguous(name)
	if err != nil {
		return 0, err
	}
	if size == 0 {
		return there, nil
	}
	switch listed := len(c.SHA256); {
	case there < listed:
		return 0, fmt.Errorf("%s is missing: %s says that the recording has %d parts, which belong in one folder", partName(name, there+1), name, listed)
	case there > listed:
		return 0, fmt.Errorf("%s is of another recording: %s says that there are %d parts", partName(name, listed+1), name, listed)
	}
	for i, want := range c.SHA256 {
		part := partName(name, i+1)
		skip := int64(0)
		if i == 0 {
			skip = size
		}
		got, err := checksum(part, skip)
		if err != nil {
			return 0, err
		}
		if got != want {
			return 0, fmt.Errorf("%s is damaged: its checksum is not the one that %s has of it", part, name)
		}
	}
	return there, nil
}

// contiguous counts the parts up to the first that is missing; an error, if there
// is one beyond.
func contiguous(name string) (int, error) {
	there := 1
	for {
		if _, err := os.Stat(partName(name, there+1)); errors.Is(err, fs.ErrNotExist) {
			return there, wholeSet(name, there)
		} else if err != nil {
			return 0, err
		}
		there++
	}
}

// wholeSet is an error where there is a part beyond one that is missing.
func wholeSet(name string, there int) error {
	others, err := filepath.Glob(escapeGlob(name) + ".[1-9]*")
	if err != nil {
		return err
	}
	for _, other := range others {
		if n, err := strconv.Atoi(strings.TrimPrefix(other, name+".")); err == nil && n > there {
			return fmt.Errorf("%s is missing, and %s is there: all parts of a recording belong in one folder", partName(name, there+1), other)
		}
	}
	return nil
}

// checksum is that of a file from a place on.
func checksum(name string, skip int64) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := file.Seek(skip, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// escapeGlob lets a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Read reads the part that is open, then opens the next.
func (p *parts) Read(data []byte) (int, error) {
	for {
		n, err := p.file.Read(data)
		if n > 0 || !errors.Is(err, io.EOF) || p.at == p.last {
			return n, err
		}
		next, err := os.Open(partName(p.name, p.at+1))
		if err != nil {
			return 0, err
		}
		if err := p.file.Close(); err != nil {
			return 0, errors.Join(err, next.Close())
		}
		p.at, p.file = p.at+1, next
	}
}

// Close closes the part that is open.
func (p *parts) Close() error { return p.file.Close() }

// writeParts splits a packed recording into parts of at most so many bytes, of
// which the first begins with the contents. It returns the names of those that it
// made, also with an error.
func writeParts(packed io.ReadSeeker, name string, most int64) (names []string, err error) {
	size, err := packed.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	first, count, err := layout(size, most)
	if err != nil {
		return nil, err
	}
	ends := func(i int) (from, to int64) { // of part i, from 0
		if i > 0 {
			from = first + int64(i-1)*most
		}
		return from, min(first+int64(i)*most, size)
	}
	c := contents{SHA256: make([]string, count)}
	for i := range c.SHA256 {
		sum := sha256.New()
		if err := section(sum, packed, ends, i); err != nil {
			return nil, err
		}
		c.SHA256[i] = hex.EncodeToString(sum.Sum(nil))
	}
	head, err := c.frame()
	if err != nil {
		return nil, err
	}
	for i := range count {
		part := partName(name, i+1)
		names = append(names, part)
		file, err := os.Create(part)
		if err != nil {
			return names, err
		}
		if i == 0 {
			_, err = io.Copy(file, bytes.NewReader(head))
		}
		err = errors.Join(err, section(file, packed, ends, i))
		if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
			return names, err
		}
	}
	return names, nil
}

// section copies what belongs in a part.
func section(to io.Writer, packed io.ReadSeeker, ends func(int) (from, to int64), i int) error {
	from, end := ends(i)
	if _, err := packed.Seek(from, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(to, packed, end-from)
	return err
}

// layout returns how much of a packed recording the first part has room for, and
// how many parts there are.
func layout(size, most int64) (first int64, count int, err error) {
	for count = 1; ; count++ {
		head, err := contents{SHA256: make([]string, count)}.frame()
		if err != nil {
			return 0, 0, err
		}
		first = most - int64(len(head)) - int64(count*hex.EncodedLen(sha256.Size))
		if first < 1 {
			return 0, 0, fmt.Errorf("files of %d bytes are too small for a list of %d parts: allow larger ones", most, count)
		}
		if first+int64(count-1)*most >= size {
			return first, count, nil
		}
	}
}
