// Package files reads what folders of styles hold. A style may be a stranger's: only regular files of bounded size are
// read, and only in folders of styles beside each other, wherever a symbolic link leads.
package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Most is how many bytes a file may have: as many as a request to the API server. LeaderWorkerSet's definition alone
// has 1.2 MB.
const Most = 3 << 20

// StyleFile is what makes a folder a style.
const StyleFile = "style.yaml"

// StyleOf is the folder of the style that a path is in, or is; empty: it is in none.
func StyleOf(path string) string {
	for {
		if _, err := os.Stat(filepath.Join(path, StyleFile)); err == nil {
			return path
		}
		above := filepath.Dir(path)
		if above == path {
			return ""
		}
		path = above
	}
}

// Tree is a folder, by its absolute path, in which the folders of styles are. It implements fs.ReadFileFS;
// names are those of fs.FS.
type Tree string

// RefusedError is a file that is there and is not read.
type RefusedError struct{ Path, Reason string }

// Error says why, and nothing that the file holds.
func (e *RefusedError) Error() string { return e.Path + " is not read: " + e.Reason }

// Open opens a regular file or a folder. It does not wait for who writes to a FIFO.
func (t Tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(string(t))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read
	if err := t.confine(root, name); err != nil {
		return nil, err
	}
	file, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.IsDir() && !info.Mode().IsRegular():
		err = t.refuse(name, "it is neither a regular file nor a folder")
	case info.Mode().IsRegular() && info.Size() > Most:
		err = t.refuse(name, fmt.Sprintf("it has %d bytes, expected at most %d", info.Size(), Most))
	default:
		return file, nil
	}
	_ = file.Close() // only read
	return nil, err
}

// confine refuses a name that symbolic links take out of the tree, or into a folder that is no style's.
func (t Tree) confine(root *os.Root, name string) error {
	top, err := filepath.EvalSymlinks(string(t))
	if err != nil {
		return err
	}
	at, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return nil //nolint:nilerr // opening it says what is wrong, from the tree on
	}
	inside, err := filepath.Rel(top, at)
	if err != nil {
		return err
	}
	folder := first(inside)
	if folder == first(filepath.FromSlash(name)) {
		return nil
	}
	if filepath.IsLocal(inside) {
		if _, err := root.Lstat(filepath.Join(folder, StyleFile)); err == nil {
			return nil
		}
	}
	return t.refuse(name, "a symbolic link leads out of the folders of styles in "+string(t))
}

// first is the first element of a path.
func first(path string) string {
	element, _, _ := strings.Cut(path, string(filepath.Separator))
	return element
}

func (t Tree) refuse(name, reason string) error {
	return &RefusedError{Path: filepath.Join(string(t), filepath.FromSlash(name)), Reason: reason}
}

// ReadFile implements fs.ReadFileFS.
func (t Tree) ReadFile(name string) ([]byte, error) {
	file, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(file, Most+1))
	if err == nil && len(text) > Most { // it has grown
		err = t.refuse(name, fmt.Sprintf("it has more than %d bytes", Most))
	}
	return text, err
}

// Name is what fs.FS calls a path in the tree. It is an error if the path is elsewhere.
func (t Tree) Name(path string) (string, error) {
	name, err := filepath.Rel(string(t), path)
	if err != nil || !filepath.IsLocal(name) {
		return "", &RefusedError{Path: path, Reason: "it is outside of " + string(t) + ", where the styles are"}
	}
	return filepath.ToSlash(name), nil
}

// Read reads the file at a path; see Name and ReadFile.
func (t Tree) Read(path string) ([]byte, error) {
	name, err := t.Name(path)
	if err != nil {
		return nil, err
	}
	return t.ReadFile(name)
}
