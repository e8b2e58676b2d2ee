package record

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Replace writes a file beside the one of that name, and then puts it in its
// place: whoever reads it finds the old or the new one whole, also after a crash.
func Replace(name string, write func(io.Writer) error) (err error) {
	if err := replaceable(name); err != nil {
		return err
	}
	file, err := os.OpenFile(name+"."+rand.Text(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // less what the umask takes
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close() // closed already, or of no use any more
			err = errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(file.Name()))
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
	return os.Rename(file.Name(), name)
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
