package record

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// FileName is the recording's name in a results folder; CompressedName is that of a compressed one.
const (
	FileName       = "recording.jsonl"
	CompressedName = FileName + ".zst"
)

// window is how far back, in bytes, the compression finds what repeats: the same
// objects are recorded again and again, with few differences.
const window = 8 << 20

// Find returns the recording in a results folder, compressed or not: the original where both are there, as after a
// crash in Compress.
func Find(dir string) (string, error) {
	for _, name := range []string{FileName, CompressedName} {
		at := filepath.Join(dir, name)
		if _, err := os.Stat(at); err == nil {
			return at, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("find the recording: %w", err)
		}
	}
	return "", fmt.Errorf("find the recording: %s holds neither %s nor %s: %w", dir, FileName, CompressedName, fs.ErrNotExist)
}

// checksum returns the SHA-256 of a recording's text.
func checksum(name string) (sum [sha256.Size]byte, err error) {
	in, err := Open(name)
	if err != nil {
		return sum, err
	}
	defer in.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, in)
	return [sha256.Size]byte(hash.Sum(nil)), err
}

// Compress puts a recording that has ended into a file that Zstandard compressed, named name.zst, and removes the
// original. The original goes only when the copy is on disk under its name and has been read back to the same checksum:
// a crash or an error at any moment leaves a whole recording, which Find finds.
func Compress(name string) (string, error) {
	compressed := name + ".zst"
	if err := CompressTo(name, compressed); err != nil {
		return "", fmt.Errorf("%w; %s is kept as it is", err, name)
	}
	if err := os.Remove(name); err != nil {
		return "", fmt.Errorf("the recording was compressed to %s, but the original stays: %w", compressed, err)
	}
	return compressed, nil
}

// CompressTo is Compress into any file; the original, which may be compressed, stays.
func CompressTo(name, compressed string) error {
	partial := compressed + ".partial"
	err := compress(name, partial)
	if err == nil {
		err = os.Rename(partial, compressed)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("compress the recording %s: %w", name, err), removeIfThere(partial))
	}
	return syncDir(filepath.Dir(compressed))
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// compress returns when the copy is on disk and holds what the original holds.
func compress(name, partial string) error {
	in, err := Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	written := sha256.New()
	if err := writeCompressed(partial, io.TeeReader(in, written)); err != nil {
		return err
	}
	got, err := checksum(partial)
	if err == nil && got != [sha256.Size]byte(written.Sum(nil)) {
		err = errors.New("it differs from what was written: is the disk sound?")
	}
	if err != nil {
		return fmt.Errorf("read the copy back: %w", err)
	}
	return nil
}

func writeCompressed(name string, in io.Reader) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	text, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = io.Copy(text, in)
	return errors.Join(err, text.Close(), file.Sync(), file.Close())
}

// Open opens a recording's text, whether it is compressed or not, by its first bytes.
func Open(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	in, err := decompressed(name, file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{in, file}, nil
}

// Frames of Zstandard begin with zstdMagic, or, if a reader is to skip them, with skipMagic: RFC 8878, sections 3.1.1
// and 3.1.2. (Until 2026-11 the first part of a published recording began with such a frame.)
const (
	zstdMagic = "\x28\xb5\x2f\xfd"
	skipMagic = "\x5b\x2a\x4d\x18"
)

// decompressed decompresses what is compressed, by its first bytes, or should be by its name.
func decompressed(name string, file io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	magic, err := in.Peek(len(zstdMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read the recording: %w", err)
	case string(magic) == zstdMagic || string(magic) == skipMagic || len(magic) > 0 && filepath.Ext(name) == ".zst":
	default:
		return in, nil
	}
	// With one decoder nothing runs beside the reader, so that nothing need be closed.
	text, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(4*window))
	if err != nil {
		return nil, fmt.Errorf("decompress the recording: %w", err)
	}
	return text, nil
}

// syncDir makes a rename in a directory last.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
