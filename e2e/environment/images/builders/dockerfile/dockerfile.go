// Package dockerfile lets the container engine build a folder with a Dockerfile,
// and takes the image from there. What the Dockerfile pins is its author's business.
package dockerfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"operatorbench/e2e/environment/images/builders"
)

// In is a folder that has a Dockerfile, as an absolute path.
func In(folder string) (string, error) {
	file := filepath.Join(folder, "Dockerfile")
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("dockerfile: there is no file %s; expected a folder with a Dockerfile", file)
	}
	return filepath.Abs(folder)
}

// Part is a whole image, built from the Dockerfile in Folder.
type Part struct {
	builders.Tools

	Folder string
	Image  string                 // its name
	Key    func() (string, error) // of the image, for its label
}

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "Dockerfiles" }

// AddTo implements builders.Part.
func (p Part) AddTo(key *builders.Key) error { return addContext(key, p.Folder) }

// Costs implements builders.Part: nobody knows them.
func (p Part) Costs() ([]builders.Cost, error) { return nil, nil }

// Needs implements builders.Part.
func (p Part) Needs(context.Context) error {
	if p.Engine == nil {
		return errors.New("a Dockerfile is built by a container engine, and there is none")
	}
	return nil
}

// Fetch implements builders.Part: the engine gets what it needs when it builds.
func (p Part) Fetch(context.Context) error { return nil }

// Build implements builders.Part. The engine keeps its layers, as of every build of
// its own, and not the image.
func (p Part) Build(ctx context.Context, work string) (builders.Made, error) {
	var made builders.Made
	if err := p.Needs(ctx); err != nil {
		return made, err
	}
	key, err := p.Key()
	if err != nil {
		return made, err
	}
	idFile := filepath.Join(work, "id")
	job := builders.Job{
		What: "build " + filepath.Join(p.Folder, "Dockerfile"), Log: p.Log("dockerfile-" + p.Image), Dir: p.Folder,
		Args: []string{
			p.Engine.Name(), "build", "--iidfile", idFile,
			"--label", builders.LabelName + "=" + p.Image, "--label", builders.LabelRecipe + "=" + key, ".",
		},
	}
	p.Progress.Say("%s builds %s (log: %s)", p.Engine.Name(), p.Folder, job.Log)
	if err := job.Run(ctx); err != nil {
		return made, err
	}
	id, err := os.ReadFile(idFile)
	if err != nil {
		return made, fmt.Errorf("read which image %s has built: %w", p.Engine.Name(), err)
	}
	built := strings.TrimSpace(string(id))
	file := filepath.Join(work, "built.tar")
	if err := p.saved(ctx, built, file); err != nil {
		return made, err
	}
	if _, err := p.Engine.Run(ctx, "image", "rm", built); err != nil {
		p.Progress.Say("%s keeps the image %s: %v", p.Engine.Name(), built, err)
	}
	made.Whole, err = tarball.ImageFromPath(file, nil)
	return made, err
}

// saved writes an image of the engine to a file.
func (p Part) saved(ctx context.Context, image, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(p.Engine.Pipe(ctx, nil, out, "save", image), out.Close())
}

// addContext adds what a Dockerfile's folder holds: all files, whether they can be
// executed, and where symbolic links lead. The folder of a Git repository in it, .git, is left out:
// it changes with every commit of the same files.
func addContext(key *builders.Key, folder string) error {
	err := filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		key.Files["context/"+filepath.ToSlash(name)], err = fingerprint(at, d)
		return err
	})
	if err != nil {
		return fmt.Errorf("hash the folder of the Dockerfile: %w", err)
	}
	return nil
}

// fingerprint is the hash of a file's content and whether it can be executed, or
// where a symbolic link leads.
func fingerprint(file string, d fs.DirEntry) (string, error) {
	if d.Type()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(file)
		return "-> " + target, err
	}
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() {
		return d.Type().String(), err
	}
	opened, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = opened.Close() }() // only read
	sum := sha256.New()
	_, err = io.Copy(sum, opened)
	return fmt.Sprintf("%x %t", sum.Sum(nil), info.Mode()&0o111 != 0), err
}
