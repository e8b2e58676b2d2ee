package record

import (
	"bufio"
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
	CompressedName = FileName + compression
)

// compression ends the names of compressed files.
const compression = ".zst"

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

// Compress puts a recording that has ended into a file that Zstandard compressed, named name.zst, and removes the
// original. The original goes only when the copy is on disk under its name: a crash or an error at any moment leaves a
// whole recording, which Find finds.
func Compress(name string) (string, error) {
	compressed := name + compression
	if err := CompressTo(name, compressed); err != nil {
		return "", fmt.Errorf("%w; %s is kept as it is", err, name)
	}
	if err := os.Remove(name); err != nil {
		return "", fmt.Errorf("the recording was compressed to %s, but the original stays: %w", compressed, err)
	}
	return compressed, nil
}

// Compressor returns what compresses a file that stays in the repository: as well as it can.
func Compressor(to io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
}

// CompressTo is Compress into any file; the original, which may be compressed, stays. Whoever reads the copy checks it:
// the frames of Zstandard have checksums.
func CompressTo(name, compressed string) error {
	in, err := Open(name)
	if err != nil {
		return fmt.Errorf("compress the recording %s: %w", name, err)
	}
	defer in.Close()
	err = Replace(compressed, func(out io.Writer) error {
		text, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		if _, err := io.Copy(text, in); err != nil {
			return err // closing would say it again
		}
		return text.Close()
	})
	if err != nil {
		return fmt.Errorf("compress the recording %s: %w", name, err)
	}
	return nil
}

// Open opens a file's text, whether it is compressed or not, by its first bytes.
func Open(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err // which names it
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

// zstdMagic begins the frames of Zstandard: RFC 8878, section 3.1.1.
const zstdMagic = "\x28\xb5\x2f\xfd"

// decompressed decompresses what is compressed, by its first bytes, or should be by its name.
func decompressed(name string, file io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	magic, err := in.Peek(len(zstdMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read: %w", err)
	case string(magic) == zstdMagic || len(magic) > 0 && filepath.Ext(name) == compression:
	default:
		return in, nil
	}
	// With one decoder nothing runs beside the reader, so that nothing need be closed.
	text, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(4*window))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return text, nil
}
