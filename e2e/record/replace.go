package record

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// Replace writes a file beside the one of that name, and then puts it in its
// place: whoever reads it finds the old or the new one whole, also after a crash.
func Replace(name string, write func(io.Writer) error) (err error) {
	if err := replaceable(name); err != nil {
		return err
	}
	file, err := unfinished.create(name + "." + rand.Text())
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close() // closed already, or of no use any more
			err = errors.Join(fmt.Errorf("write %s: %w", name, err), unfinished.end(file, os.Remove))
		}
	}()
	buffered := bufio.NewWriter(file)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return unfinished.end(file, func(whole string) error { return os.Rename(whole, name) })
}

// unfinished are the files that are being written, by their names, which are nobody's.
var unfinished = &writing{names: map[string]bool{}}

type writing struct {
	mu    sync.Mutex
	names map[string]bool
}

func (w *writing) create(name string) (*os.File, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // less what the umask takes
	if err == nil {
		w.names[name] = true
	}
	return file, err
}

// end does what takes away a file's name.
func (w *writing) end(file *os.File, do func(name string) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := do(file.Name())
	if err == nil {
		delete(w.names, file.Name())
	}
	return err
}

// Abandon removes what Replace has not put in its place yet, and ends the program: nothing half written stays.
func Abandon(exit func()) {
	unfinished.mu.Lock()
	defer unfinished.mu.Unlock() // of a test
	for name := range unfinished.names {
		_ = os.Remove(name) // the program ends
	}
	clear(unfinished.names)
	exit()
}

// replaceable returns an error where a name is that of a device, a pipe or a folder, or of a file that a process has
// open, such as /dev/stdout: the name would then be that of a new file, for everybody.
func replaceable(name string) error {
	to, err := os.Readlink(name)
	opened := err == nil && strings.HasPrefix(to, "/proc/")
	if info, err := os.Stat(name); opened || err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is no regular file, and only such a one is replaced: name a file, or one that is not there yet", name)
	}
	return nil
}
