package images

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"operatorbench/e2e/environment/engine"
)

// buildOwn builds an image of a style's own into the cache, from the folder that the style names: no program of a clone
// is needed for that.
func (s *Store) buildOwn(ctx context.Context, st state) error {
	started := time.Now()
	labels := map[string]string{labelName: st.image.Name} // no key: what is the same program is to be the same image
	build := s.buildGo
	if st.image.own.Dockerfile != "" {
		build = s.buildDockerfile
	}
	image, err := build(ctx, st.image, labels)
	if err == nil {
		err = s.save(st, fromBuild, image)
	}
	if err != nil {
		return fmt.Errorf("build the image %s: %w", st.image.Name, err)
	}
	s.progress.say("built in %s", time.Since(started).Round(time.Second))
	return nil
}

// buildDockerfile lets the engine build a folder. It keeps its layers, as of every build of its own, and not the image.
func (s *Store) buildDockerfile(ctx context.Context, image Image, labels map[string]string) (v1.Image, error) {
	if s.engine == nil {
		return nil, errors.New("a Dockerfile is built by a container engine, and there is none")
	}
	id := filepath.Join(s.work(), image.Name+builtEnding)
	args := []string{"build", "--iidfile", id}
	for name, value := range labels {
		args = append(args, "--label", name+"="+value)
	}
	err := s.logged("dockerfile-"+image.Name, func(log io.Writer) error {
		s.progress.say("%s builds %s", s.engine.Name(), image.own.Dockerfile)
		return s.engine.Follow(ctx, log, append(args, image.own.Dockerfile)...)
	})
	if err != nil {
		return nil, errors.Join(err, asksSecret(image))
	}
	text, err := os.ReadFile(id)
	if err != nil {
		return nil, fmt.Errorf("read which image %s has built: %w", s.engine.Name(), err)
	}
	built := strings.TrimSpace(string(text))
	defer s.drop(context.WithoutCancel(ctx), built) // also where it cannot be saved
	return s.saved(ctx, built)
}

// builtEnding ends the names of the working folder's files that say which image an engine has built.
const builtEnding = ".id"

// drop lets the engine forget an image that it has built.
func (s *Store) drop(ctx context.Context, built string) {
	if _, err := s.engine.Run(ctx, "image", "rm", built); err != nil {
		s.progress.say("%s keeps the image %s: %v", s.engine.Name(), built, err)
	}
}

// dropKilled is drop of what a killed run has let the engine build, and not taken from it.
func (s *Store) dropKilled(ctx context.Context) {
	if s.engine == nil {
		return
	}
	work := os.DirFS(s.work())
	files, _ := fs.Glob(work, "*"+builtEnding) // the pattern is valid
	for _, file := range files {
		if text, err := fs.ReadFile(work, file); err == nil && len(text) > 0 {
			s.drop(ctx, strings.TrimSpace(string(text)))
		}
	}
}

// secretMount is how a step of a Dockerfile asks for what a build may read and an image does not keep.
var secretMount = regexp.MustCompile(`(?m)^.*--mount=\S*type=(secret|ssh)\b`)

// asksSecret says of a Dockerfile that could not be built that it asks for what no build here is given; nil: it does
// not.
func asksSecret(image Image) error {
	file := filepath.Join(image.own.Dockerfile, "Dockerfile")
	text, err := os.ReadFile(file)
	if err != nil || !secretMount.Match(text) {
		return nil //nolint:nilerr // the build has said what is wrong
	}
	line := 1 + bytes.Count(text[:secretMount.FindIndex(text)[0]], []byte("\n"))
	return fmt.Errorf("%s:%d asks for a secret, and a build gets no credentials: build the image yourself, and give it with --image=%s=REFERENCE", file, line, image.Name)
}

// manager is the program of an image that is compiled from a Go package.
const manager = "manager"

// buildGo compiles a main package, and puts it alone into an image.
func (s *Store) buildGo(ctx context.Context, image Image, labels map[string]string) (v1.Image, error) {
	program := filepath.Join(s.work(), manager)
	err := s.logged("compile-"+image.Name, func(log io.Writer) error {
		s.progress.say("go compiles %s", image.own.Go)
		cmd := goCommand(ctx, image.own.Go, "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", program, ".")
		cmd.Stdout, cmd.Stderr = log, log
		return cmd.Run()
	})
	if err != nil {
		return nil, err
	}
	packages, err := goPackages(ctx, image.own.Go)
	if err != nil {
		return nil, err
	}
	labels[labelDepends] = dependenciesOf(packages)
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	err = archive.WriteHeader(&tar.Header{Name: manager, Mode: 0o755, Size: int64(len(text)), ModTime: madeAt, Format: tar.FormatPAX})
	if err == nil {
		_, err = archive.Write(text)
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		return nil, err
	}
	content, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer.Bytes())), nil })
	if err != nil {
		return nil, err
	}
	made, err := mutate.AppendLayers(empty.Image, content)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(made, &v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, Created: v1.Time{Time: madeAt},
		RootFS: v1.RootFS{Type: "layers", DiffIDs: diffIDs(made)},
		Config: v1.Config{Entrypoint: []string{"/" + manager}, User: "65532:65532", Labels: labels},
	})
}

// madeAt is the time of every file and image that is compiled, so that the same sources give the same bytes.
var madeAt = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func diffIDs(image v1.Image) []v1.Hash {
	file, err := image.ConfigFile()
	if err != nil {
		return nil // of an image in memory there always is one
	}
	return file.RootFS.DiffIDs
}

// logged hands a log of the cache to what writes to it; an error says where that is, and how it ends.
func (s *Store) logged(name string, do func(io.Writer) error) error {
	file := filepath.Join(s.cache, "logs", name+".log")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	log, err := os.Create(file)
	if err != nil {
		return err
	}
	err = do(log)
	if err = errors.Join(err, log.Close()); err == nil {
		return nil
	}
	text, _ := os.ReadFile(file)
	const shown = 15
	lines := strings.Split(strings.TrimSpace(engine.Withhold(string(text))), "\n")
	return fmt.Errorf("%w; the last lines of %s:\n  %s", err, file, strings.Join(lines[max(0, len(lines)-shown):], "\n  "))
}

// goCommand runs go in a folder, independent of the caller's settings: static programs, no flags and no workspace that
// change what is built, and no variable that may hold a secret.
func goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
		return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}, func(word string) bool { return strings.Contains(name, word) })
	})
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH, "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off",
		"GOFLAGS=-buildvcs=false", "GOWORK=off")
	return cmd
}

// goPackage is what go list says of a package.
type goPackage struct {
	Dir, ImportPath                                                          string
	Standard                                                                 bool
	Module                                                                   *goModule
	GoFiles, CgoFiles, IgnoredGoFiles, SFiles, HFiles, SysoFiles, EmbedFiles []string
}

// goModule is what it says of the module that the package is of.
type goModule struct {
	Path, Version, Dir string
	Main, Indirect     bool
	Replace            *goModule
}

// goPackages are a main package and all that it imports, but for the standard library.
func goPackages(ctx context.Context, folder string) ([]goPackage, error) {
	cmd := goCommand(ctx, folder, "list", "-e", "-deps", "-json=Dir,ImportPath,Standard,Module,GoFiles,CgoFiles,IgnoredGoFiles,SFiles,HFiles,SysoFiles,EmbedFiles", ".")
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w: %s", folder, err, strings.TrimSpace(said.String()))
	}
	var all []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var one goPackage
		if err := decoder.Decode(&one); err != nil {
			return nil, fmt.Errorf("go list in %s: %w", folder, err)
		}
		if !one.Standard {
			all = append(all, one)
		}
	}
	return all, nil
}

// dependenciesOf is the text of a label: of how many modules beside its own ones a program is made.
func dependenciesOf(packages []goPackage) string {
	modules := map[string]bool{}
	for _, p := range packages {
		if p.Module != nil && !p.Module.Main && (p.Module.Replace == nil || p.Module.Replace.Version != "") {
			modules[p.Module.Path] = !p.Module.Indirect
		}
	}
	direct := 0
	for _, is := range modules {
		if is {
			direct++
		}
	}
	return fmt.Sprintf("direct=%d all=%d", direct, len(modules))
}
