package published

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"operatorbench/e2e/record"
)

// Repository is a clone, in which git finds commits.
type Repository struct{ Root string }

// git runs a command of git in the clone; what it prints goes to out.
func (r Repository) git(ctx context.Context, out io.Writer, args ...string) error {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.Root}, args...)...)
	cmd.Stdout, cmd.Stderr = out, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return nil
}

// committed returns the commit of HEAD if it has a file as it is in the tree.
func (r Repository) committed(ctx context.Context, file string) (string, error) {
	var head, there, here strings.Builder
	if err := r.git(ctx, &head, "rev-parse", "HEAD"); err != nil {
		return "", err
	}
	if err := r.git(ctx, &there, "rev-parse", "HEAD:"+file); err != nil {
		return "", fmt.Errorf("it is not committed; commit it first: %w", err)
	}
	if err := r.git(ctx, &here, "hash-object", "--no-filters", "--", file); err != nil {
		return "", err
	}
	if there.String() != here.String() {
		return "", errors.New("it differs from what is committed; commit it first")
	}
	return strings.TrimSpace(head.String()), nil
}

// fetched makes a commit available that a shallow clone does not have.
func (r Repository) fetched(ctx context.Context, commit string) error {
	if r.git(ctx, io.Discard, "cat-file", "-e", commit+"^{commit}") == nil {
		return nil
	}
	if err := r.git(ctx, io.Discard, "fetch", "--depth=1", "--no-tags", "origin", commit); err != nil {
		return fmt.Errorf("this clone does not have commit %s, and its remote origin does not give it: %w; a clone with its whole history has it (git fetch --unshallow)", commit, err)
	}
	return nil
}

// Get writes the recording of a published run, and its environment, into a folder, and
// checks the recording by its checksum. A folder that has the recording stays as it is.
func (r Repository) Get(ctx context.Context, one Recording, folder string) error {
	name := filepath.Join(folder, record.CompressedName)
	if got, _, err := sum(name); err == nil && got == one.SHA256 {
		return nil
	}
	err := r.fetched(ctx, one.Commit)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = record.Replace(name, func(out io.Writer) error { return r.copy(ctx, one, out) })
	}
	if err != nil {
		return fmt.Errorf("get the recording of run %s: %w", one.Run, err)
	}
	environment, err := record.ReadEnvironment(filepath.Join(r.Root, filepath.FromSlash(one.Folder)))
	if err != nil {
		return fmt.Errorf("get the environment of run %s: %w", one.Run, err)
	}
	return environment.Write(folder)
}

// copy is an error unless the files are what the lock says.
func (r Repository) copy(ctx context.Context, one Recording, out io.Writer) error {
	all := sha256.New()
	for _, file := range one.Files {
		if err := r.git(ctx, io.MultiWriter(out, all), "cat-file", "blob", one.Commit+":"+file); err != nil {
			return err
		}
	}
	if got := hex.EncodeToString(all.Sum(nil)); got != one.SHA256 {
		return fmt.Errorf("commit %s has a recording with SHA-256 %s, %s says %s", one.Commit, got, LockFile, one.SHA256)
	}
	return nil
}

// sum returns the SHA-256 of a file, in hexadecimal, and its length in bytes.
func sum(name string) (string, int64, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	all := sha256.New()
	length, err := io.Copy(all, file)
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(all.Sum(nil)), length, nil
}
