package images

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// dataFolder is the folder of the cache for what programs have embedded.
const dataFolder = "data"

// Unpack writes files that a program has embedded into its cache, each once, and returns the folder that stands for the
// repository's where there is no clone. The files of a folder's name are below it.
func Unpack(cache string, folders map[string]fs.FS) (string, error) {
	if _, err := claimCache(cache); err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		err := fs.WalkDir(folders[name], ".", func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(folders[name], at)
			fmt.Fprintf(sum, "%s/%s %d\n%s", name, at, len(text), text)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("read what this program has embedded: %w", err)
		}
	}
	to := filepath.Join(cache, dataFolder, fmt.Sprintf("%x", sum.Sum(nil))[:16])
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	if err := unpack(to, folders); err != nil {
		return "", fmt.Errorf("write what this program has embedded: %w", err)
	}
	return to, nil
}

// unpack writes beside the folder first: nobody sees half of it.
func unpack(to string, folders map[string]fs.FS) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(filepath.Dir(to), "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }() // gone where all went well
	for name, files := range folders {
		if err := os.CopyFS(filepath.Join(beside, name), files); err != nil {
			return err
		}
	}
	if err := os.Chmod(beside, 0o755); err != nil {
		return err
	}
	if err = os.Rename(beside, to); err != nil {
		if _, there := os.Stat(to); there == nil {
			return nil // another process was quicker
		}
	}
	return err
}
