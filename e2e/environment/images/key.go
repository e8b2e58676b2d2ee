package images

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ResultsMark is the text of a file .gitignore that makes a folder one of results: neither Git nor a hash sees what is
// in it.
const ResultsMark = "# Written by operatorbench, whose results are here.\n*\n"

// planOwn says of an image of a style's own what it is made from. It reads files alone; equal keys are equal images,
// wherever the files are.
func planOwn(ctx context.Context, image Image) (planned, error) {
	files := map[string]string{"image": image.Name + " " + image.Reference}
	var err error
	if image.own.Dockerfile != "" {
		err = addContext(files, image.own.Dockerfile)
	} else {
		err = addPackages(ctx, files, image.own.Go)
	}
	if err != nil {
		return planned{}, fmt.Errorf("image %s: %w", image.Name, err)
	}
	text, err := json.Marshal(files) // keys are sorted
	key := fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	return planned{Name: image.Name, Key: key, Folder: filepath.Join("images", image.Name, fromBuild+"-"+key)}, err
}

// addContext adds what a Dockerfile's folder holds: all files, whether they can be executed, and where symbolic links
// lead. The folder of a Git repository, .git, is left out, since it changes with every commit of the same files, and so
// are results.
func addContext(files map[string]string, folder string) error {
	folder, err := filepath.EvalSymlinks(folder) // a link to a folder is that folder, as for the engine
	if err != nil {
		return fmt.Errorf("hash the folder of the Dockerfile: %w", err)
	}
	err = filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if text, err := os.ReadFile(filepath.Join(at, ".gitignore")); d.IsDir() && err == nil && string(text) == ResultsMark {
			return fs.SkipDir
		}
		switch {
		case d.Name() == ".git" && d.IsDir():
			return fs.SkipDir
		case d.Name() == ".git", d.IsDir():
			return nil // of a worktree it is a file
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		files["context/"+filepath.ToSlash(name)], err = fingerprint(at, d.Type())
		return err
	})
	if err != nil {
		return fmt.Errorf("hash the folder of the Dockerfile: %w", err)
	}
	return nil
}

// addPackages adds what a main package is compiled from: the files of its packages, as far as they are in its module,
// beside it or vendored; what go.sum pins by hash stands for the others.
func addPackages(ctx context.Context, files map[string]string, folder string) error {
	packages, err := goPackages(ctx, folder)
	if err != nil {
		return err
	}
	compiler, err := goCommand(ctx, folder, "env", "GOVERSION", "GOEXPERIMENT", "GOARCH").Output()
	if err != nil {
		return fmt.Errorf("ask which Go compiles %s: %w", folder, err)
	}
	files["compiler"] = string(compiler)
	var root string
	for _, p := range packages {
		if p.Module != nil && p.Module.Main {
			root = p.Module.Dir
		}
	}
	for _, name := range []string{"go.mod", "go.sum", filepath.Join("vendor", "modules.txt")} {
		if err := addFile(files, name, filepath.Join(root, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, p := range packages {
		inside := strings.HasPrefix(p.Dir, root+string(filepath.Separator)) || p.Dir == root
		beside := p.Module != nil && p.Module.Replace != nil && p.Module.Replace.Version == ""
		if p.Dir == "" || !inside && !beside {
			continue
		}
		for _, list := range [][]string{p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.SFiles, p.HFiles, p.SysoFiles, p.EmbedFiles} {
			for _, name := range list {
				if strings.HasSuffix(name, "_test.go") {
					continue
				}
				if err := addFile(files, p.ImportPath+"/"+filepath.ToSlash(name), filepath.Join(p.Dir, name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func addFile(files map[string]string, name, at string) error {
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	files[name], err = fingerprint(at, info.Mode().Type())
	return err
}

// fingerprint is the hash of a file's content and whether it can be executed, or where a symbolic link leads.
func fingerprint(file string, kind fs.FileMode) (string, error) {
	if kind&fs.ModeSymlink != 0 {
		target, err := os.Readlink(file)
		return "-> " + target, err
	}
	if !kind.IsRegular() {
		return kind.String(), nil
	}
	opened, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = opened.Close() }() // only read
	info, err := opened.Stat()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, opened)
	return fmt.Sprintf("%x %t", sum.Sum(nil), info.Mode()&0o111 != 0), err
}
