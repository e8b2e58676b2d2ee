package record

import (
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

// parts is a file, or all parts of a packed one, read as one.
type parts struct {
	io.Reader
	files []*os.File
}

// openParts opens a file; of a packed recording all parts.
func openParts(name string) (*parts, error) {
	first, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	all := &parts{files: []*os.File{first}}
	readers := []io.Reader{first}
	for strings.HasSuffix(name, packedSuffix) {
		next, err := os.Open(partName(name, len(all.files)+1))
		if errors.Is(err, fs.ErrNotExist) {
			if err := wholeSet(name, len(all.files)); err != nil {
				return nil, errors.Join(err, all.Close())
			}
			break
		}
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.files, readers = append(all.files, next), append(readers, next)
	}
	all.Reader = io.MultiReader(readers...)
	return all, nil
}

// wholeSet is an error where there is a part beyond one that is missing.
func wholeSet(name string, there int) error {
	others, err := filepath.Glob(escapeGlob(name) + ".[1-9]*")
	if err != nil {
		return err
	}
	for _, other := range others {
		if n, err := strconv.Atoi(strings.TrimPrefix(other, name+".")); err == nil && n > there {
			return fmt.Errorf("%s is there, but not %s before it: all parts of a recording belong in one folder", other, partName(name, there+1))
		}
	}
	return nil
}

// escapeGlob lets a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Close closes all parts.
func (p *parts) Close() error {
	var problems []error
	for _, file := range p.files {
		problems = append(problems, file.Close())
	}
	return errors.Join(problems...)
}
