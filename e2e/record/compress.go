package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FileName is the recording's name in a results folder; compressed, .gz follows,
// and .zst where it was packed (Pack).
const FileName = "recording.jsonl"

// Find returns the recording in a results folder, compressed or not. Where
// both are there, as after a crash in Compress, it is the one that holds more.
func Find(dir string) (string, error) {
	plain := filepath.Join(dir, FileName)
	compressed := plain + ".gz"
	info, err := os.Stat(plain)
	switch {
	case err == nil && holdsMore(compressed, info.Size()):
		return compressed, nil
	case err == nil:
		return plain, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("find the recording: %w", err)
	}
	for _, name := range []string{compressed, plain + packedSuffix} {
		switch _, err := os.Stat(name); {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("find the recording: %w", err)
		}
	}
	return "", fmt.Errorf("find the recording: %s holds neither %[2]s nor %[2]s.gz or %[2]s%[3]s: %[4]w", dir, FileName, packedSuffix, fs.ErrNotExist)
}

// holdsMore tells whether a compressed file is there, is whole, and holds more
// than so many bytes.
func holdsMore(name string, size int64) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := gzip.NewReader(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		return false
	}
	n, err := io.Copy(io.Discard, text)
	return err == nil && n > size
}

// Compress puts a recording that has ended into a file compressed by gzip,
// named name.gz, and removes the original. The original goes only when the copy
// is on disk under its name and has been read back, byte by byte the same: a
// crash or an error at any moment leaves a whole recording, which Find finds.
func Compress(name string) (string, error) {
	compressed := name + ".gz"
	partial := compressed + ".partial"
	if err := compress(name, partial, compressed); err != nil {
		return "", errors.Join(fmt.Errorf("compress the recording %s, which is kept as it is: %w", name, err), removeIfThere(partial))
	}
	if err := os.Remove(name); err != nil {
		return "", fmt.Errorf("the recording was compressed to %s, but the original stays: %w", compressed, err)
	}
	return compressed, nil
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func compress(name, partial, compressed string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := writeCompressed(partial, in); err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := sameCompressed(in, partial); err != nil {
		return err
	}
	if err := os.Rename(partial, compressed); err != nil {
		return err
	}
	return syncDir(filepath.Dir(compressed))
}

// writeCompressed returns when the copy is on disk.
func writeCompressed(name string, in io.Reader) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	text := gzip.NewWriter(file)
	_, err = io.Copy(text, in)
	return errors.Join(err, text.Close(), file.Sync(), file.Close())
}

// sameCompressed is an error unless the compressed file holds exactly what in holds.
func sameCompressed(in io.Reader, compressed string) error {
	file, err := os.Open(compressed)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := gzip.NewReader(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		return fmt.Errorf("read the copy back: %w", err)
	}
	return same(in, text)
}

// same is an error unless text, which was compressed, is exactly what in is.
func same(in, text io.Reader) error {
	want, got := make([]byte, 64<<10), make([]byte, 64<<10)
	for at := 0; ; {
		n, errIn := io.ReadFull(in, want)
		m, errCopy := io.ReadFull(text, got)
		if !bytes.Equal(want[:n], got[:m]) {
			return fmt.Errorf("read the copy back: it differs from the original after byte %d: is the recording still being written?", at)
		}
		at += n
		switch {
		case ended(errIn) && ended(errCopy):
			if _, err := text.Read(got[:1]); !errors.Is(err, io.EOF) {
				return fmt.Errorf("read the copy back: %w", err)
			}
			return nil
		case errIn != nil && !ended(errIn):
			return errIn
		case errCopy != nil && !ended(errCopy):
			return fmt.Errorf("read the copy back: %w", errCopy)
		}
	}
}

// ended tells whether io.ReadFull came to the end, or perhaps, with the same
// error, to where a compressed stream is cut off.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// syncDir makes a rename in a directory last.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
