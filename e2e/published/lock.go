// Package published finds the recordings of published runs. A run's folder in the tree has what a report is computed
// from; its recording is a file of an earlier commit of this repository, which the lock names.
package published

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/schema"
)

// LockFile is the lock's path in the repository.
const LockFile = "docs/results/recordings.lock.yaml"

// Recording is where the recording of a published run is.
type Recording struct {
	Run string `json:"run"`
	// Folder is the run's, in the tree.
	Folder string `json:"folder"`
	// Commit has the recording as Files, relative to the repository's root: one after the other they are it.
	Commit string   `json:"commit"`
	Files  []string `json:"files"`
	Bytes  int64    `json:"bytes"`  // of all files
	SHA256 string   `json:"sha256"` // of all files, in hexadecimal
}

// Lock names the recordings of all published runs.
type Lock struct {
	Recordings []Recording `json:"recordings"`
}

// Read reads the lock of a repository.
func Read(root string) (*Lock, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(LockFile)))
	if err != nil {
		return nil, fmt.Errorf("read the lock of recordings: %w", err)
	}
	l := &Lock{}
	if err := yaml.UnmarshalStrict(text, l); err != nil {
		return nil, fmt.Errorf("read the lock of recordings: %s: %w", LockFile, err)
	}
	for _, r := range l.Recordings {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("read the lock of recordings: %s: run %q: %w", LockFile, r.Run, err)
		}
	}
	return l, nil
}

// check is an error where an entry could lead out of the repository, or to nothing.
func (r Recording) check() error {
	switch err := spec.CheckRun(r.Run); {
	case err != nil:
		return err
	case !isHex(r.Commit, 40) || !isHex(r.SHA256, 64) || r.Bytes <= 0 || len(r.Files) == 0:
		return errors.New("expected commit (40 digits), files, bytes and sha256 (64 digits)")
	case !filepath.IsLocal(filepath.FromSlash(r.Folder)):
		return fmt.Errorf("folder %q: expected a path in the repository", r.Folder)
	}
	for _, file := range r.Files {
		if !filepath.IsLocal(filepath.FromSlash(file)) || strings.ContainsAny(file, ":\n") {
			return fmt.Errorf("file %q: expected a path in the repository", file)
		}
	}
	return nil
}

func isHex(text string, length int) bool {
	return len(text) == length && strings.Trim(text, "0123456789abcdef") == ""
}

// Write writes the lock, ordered by folder.
func (l *Lock) Write(root string) error {
	slices.SortFunc(l.Recordings, func(a, b Recording) int { return strings.Compare(a.Folder, b.Folder) })
	text, err := yaml.Marshal(l)
	if err != nil {
		return err
	}
	head := "# Where the recordings of docs/results are: files of earlier commits. `opbench recordings get RUN` brings one;\n" +
		"# `opbench recordings lock` writes this file.\n"
	return record.Replace(filepath.Join(root, filepath.FromSlash(LockFile)), func(to io.Writer) error {
		_, err := to.Write(append([]byte(head), text...))
		return err
	})
}

// Find returns the recordings of runs, named by their ids or their folders; of no name, all.
func (l *Lock) Find(names ...string) ([]Recording, error) {
	if len(names) == 0 {
		return l.Recordings, nil
	}
	var found []Recording
	for _, name := range names {
		clean := filepath.ToSlash(filepath.Clean(name))
		i := slices.IndexFunc(l.Recordings, func(r Recording) bool { return r.Run == name || r.Folder == clean })
		if i < 0 {
			runs := plain.Map(l.Recordings, func(r Recording) string { return r.Run })
			return nil, fmt.Errorf("%s has no run %s: there are %s%s", LockFile, name, plain.List(runs), schema.Suggestion(name, runs))
		}
		found = append(found, l.Recordings[i])
	}
	return found, nil
}

// Add locks the recordings of published runs that are committed as they are in the tree, and drops those of runs that
// are published no more. It returns the files of the former, which can go once the lock is written.
func (l *Lock) Add(ctx context.Context, in Repository) ([]string, error) {
	l.Recordings = slices.DeleteFunc(l.Recordings, func(r Recording) bool {
		_, err := os.Stat(filepath.Join(in.Root, filepath.FromSlash(r.Folder)))
		return errors.Is(err, fs.ErrNotExist)
	})
	var files []string
	err := filepath.WalkDir(filepath.Join(in.Root, "docs", "results"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != record.CompressedName {
			return err
		}
		files = append(files, name)
		return l.add(ctx, in, name)
	})
	return files, err
}

func (l *Lock) add(ctx context.Context, in Repository, name string) error {
	file, err := filepath.Rel(in.Root, name)
	if err != nil {
		return err
	}
	r := Recording{Folder: filepath.ToSlash(filepath.Dir(file)), Files: []string{filepath.ToSlash(file)}}
	environment, err := record.ReadEnvironment(filepath.Dir(name))
	if err != nil {
		return err
	}
	r.Run = environment.Run
	if r.Commit, err = in.committed(ctx, r.Files[0]); err != nil {
		return fmt.Errorf("lock the recording %s: %w", file, err)
	}
	if r.SHA256, r.Bytes, err = sum(name); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("lock the recording %s: %w", file, err)
	}
	for _, other := range l.Recordings { // whose recording would be in the tree and the lock no more
		if other.Run == r.Run && other.Folder != r.Folder {
			return fmt.Errorf("lock the recording %s: run %s is published in %s too; remove one of the two", file, r.Run, other.Folder)
		}
	}
	l.Recordings = append(slices.DeleteFunc(l.Recordings, func(other Recording) bool { return other.Run == r.Run }), r)
	return nil
}
