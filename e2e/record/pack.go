package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// window is how far back, in bytes, what repeats is found: the same objects are
// recorded again and again, with few differences.
const window = 8 << 20

// Pack writes a recording, compressed or not, into a folder for keeps: by
// Zstandard, which makes it half as large as gzip does, in parts of at most so
// many bytes. The first part has the number and checksums of all: whoever opens
// the recording learns which part is missing or damaged. Pack returns their names,
// of which the first stands for all, and has read them back: they hold what the
// recording holds, byte by byte.
func Pack(name, folder string, most int64) ([]string, error) {
	packed, err := os.CreateTemp(folder, ".packing-*")
	if err != nil {
		return nil, fmt.Errorf("pack the recording %s: %w", name, err)
	}
	var names []string
	if err = pack(name, packed); err == nil {
		names, err = writeParts(packed, filepath.Join(folder, FileName+packedSuffix), most)
	}
	err = errors.Join(err, packed.Close(), os.Remove(packed.Name()))
	if err == nil {
		err = samePacked(name, names[0])
	}
	if err != nil {
		for _, part := range names {
			err = errors.Join(err, removeIfThere(part))
		}
		return nil, fmt.Errorf("pack the recording %s: %w", name, err)
	}
	return names, nil
}

func pack(name string, out io.Writer) error {
	in, err := Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	_, err = io.Copy(text, in)
	return errors.Join(err, text.Close())
}

func samePacked(name, packed string) error {
	in, err := Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := Open(packed)
	if err != nil {
		return fmt.Errorf("read the copy back: %w", err)
	}
	defer text.Close()
	return same(in, text)
}

// Open opens a recording's text, whether it is compressed, packed or neither.
func Open(name string) (io.ReadCloser, error) {
	file, err := openParts(name)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	in, err := uncompressed(name, file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{in, file}, nil
}

// unpacked reads what Pack wrote.
func unpacked(in *bufio.Reader) (io.Reader, error) {
	// With one decoder nothing runs beside the reader, so that nothing need be closed.
	text, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(4*window))
	if err != nil {
		return nil, fmt.Errorf("decompress the recording: %w", err)
	}
	return text, nil
}
