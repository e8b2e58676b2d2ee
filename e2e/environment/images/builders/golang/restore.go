package golang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Restore names files that a module's zip lacks and its build needs.
type Restore struct {
	Module string         `yaml:"module"`
	Files  []RestoredFile `yaml:"files"`
}

// RestoredFile is put into the copy of a module at Path: a copy of the module's
// file CopyOf, or Text.
type RestoredFile struct {
	Path   string `yaml:"path"`
	CopyOf string `yaml:"copyOf,omitempty"`
	Text   string `yaml:"text,omitempty"`
}

// restore copies a recipe into work, with a copy of the module whose zip lacks
// files, and these files put into it. go.sum has vouched for the module when it
// was fetched.
func (p Part) restore(ctx context.Context, name, work string) (string, error) {
	recipe, r := p.source(name), p.Recipes[name].Restore
	from, err := ModuleFolder(ctx, recipe, r.Module)
	if err != nil {
		return "", err
	}
	to := filepath.Join(work, "source")
	module := filepath.Join(to, "module")
	if err := os.CopyFS(module, os.DirFS(from)); err != nil {
		return "", fmt.Errorf("copy the module %s: %w", r.Module, err)
	}
	for _, file := range r.Files {
		content := []byte(file.Text)
		if file.CopyOf != "" {
			if content, err = os.ReadFile(filepath.Join(module, file.CopyOf)); err != nil {
				return "", fmt.Errorf("restore %s of the module %s: %w", file.Path, r.Module, err)
			}
		}
		target := filepath.Join(module, file.Path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return "", err
		}
	}
	return to, copyGoMod(recipe, to, fmt.Sprintf("\nreplace %s => ./module\n", r.Module))
}

// copyGoMod copies go.mod, with a line added, and go.sum.
func copyGoMod(from, to, line string) error {
	for file, added := range map[string]string{"go.mod": line, "go.sum": ""} {
		raw, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, file), append(raw, added...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ModuleFolder fetches a module that the go.mod in dir requires and returns where
// it is in the module cache.
func ModuleFolder(ctx context.Context, dir, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env()...)
	raw, err := cmd.Output()
	var found struct{ Dir, Error string }
	if decodeErr := json.Unmarshal(raw, &found); decodeErr == nil && found.Error != "" {
		err = errors.New(found.Error)
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("fetch the module %s that %s requires: %w", module, dir, err)
	}
	return found.Dir, nil
}
