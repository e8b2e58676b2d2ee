// Package kindnode makes the kind node: what kind's own Dockerfile does to a system,
// read from kind's module, and the control plane's images, which the node's own
// containerd imports in a container that is then committed.
package kindnode

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/mod/modfile"

	"operatorbench/e2e/environment/images/builders"
	"operatorbench/e2e/environment/images/builders/golang"
)

// Module is kind's.
const Module = "sigs.k8s.io/kind"

// bootTimeout is how long containerd may take to start in the node that is
// being made.
const bootTimeout = 60 * time.Second

// Part is what makes a system a kind node.
type Part struct {
	builders.Tools

	Programs   golang.Part // compiles ctr
	Pause      string      // the reference of the image for pod sandboxes
	Entrypoint []string
}

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "kind" }

// AddTo implements builders.Part: the version that the repository's go.mod requires.
func (p Part) AddTo(key *builders.Key) error {
	raw, err := os.ReadFile(filepath.Join(p.Root, "go.mod"))
	if err != nil {
		return err
	}
	parsed, err := modfile.ParseLax("go.mod", raw, nil)
	if err != nil {
		return err
	}
	for _, required := range parsed.Require {
		if required.Mod.Path == Module {
			key.Kind = required.Mod.Version
		}
	}
	return nil
}

// Costs implements builders.Part: what it takes to import and to commit.
func (p Part) Costs() ([]builders.Cost, error) {
	return []builders.Cost{{Step: "loading the node", Time: 75 * time.Second}}, nil
}

// Needs implements builders.Part: an engine, of which the node's own build speaks.
func (p Part) Needs(context.Context) error { return nil }

// Fetch implements builders.Part: the suite itself has kind's module.
func (p Part) Fetch(context.Context) error { return nil }

// Build implements builders.Part: kind's own files, among them its default
// StorageClass, and two that are computed.
func (p Part) Build(ctx context.Context, work string) (builders.Made, error) {
	module, err := golang.ModuleFolder(ctx, p.Root, Module)
	if err != nil {
		return builders.Made{}, err
	}
	entries, err := kindFiles(filepath.Join(module, "images", "base", "files"))
	if err != nil {
		return builders.Made{}, fmt.Errorf("read the files of kind's base image: %w", err)
	}
	if err := p.setSandboxImage(entries); err != nil {
		return builders.Made{}, err
	}
	storage, err := kindStorage(filepath.Join(module, "pkg", "build", "nodeimage", "const_storage.go"))
	if err != nil {
		return builders.Made{}, err
	}
	spec, err := p.runtimeSpec(ctx, work)
	if err != nil {
		return builders.Made{}, err
	}
	return builders.Made{Entries: append(entries,
		builders.Entry{Name: "kind/manifests/default-storage.yaml", Mode: 0o644, Data: storage},
		builders.Entry{Name: "etc/containerd/cri-base.json", Mode: 0o644, Data: spec},
	)}, nil
}

// setSandboxImage makes containerd use the pause image that the node holds.
func (p Part) setSandboxImage(entries []builders.Entry) error {
	const file = "etc/containerd/config.toml"
	for i, e := range entries {
		if e.Name != file {
			continue
		}
		raw, err := os.ReadFile(e.Source)
		if err == nil {
			entries[i].Source = ""
			entries[i].Data, err = withSandboxImage(raw, p.Pause)
		}
		return err
	}
	return fmt.Errorf("kind's base image has no %s", file)
}

// kindFiles are all files below dir, with the modes of kind's Dockerfile.
func kindFiles(dir string) ([]builders.Entry, error) {
	var entries []builders.Entry
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		e := builders.Entry{Name: filepath.ToSlash(relative), Mode: 0o644, Source: at}
		if strings.HasPrefix(e.Name, "usr/local/bin/") || strings.HasPrefix(e.Name, "kind/bin/") {
			e.Mode = 0o755
		}
		entries = append(entries, e)
		return nil
	})
	return entries, err
}

// kindStorage is the manifest of kind's default StorageClass, a constant of the
// program that builds kind's own nodes.
func kindStorage(file string) ([]byte, error) {
	const constantName = "defaultStorageManifest"
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read kind's default StorageClass: %w", err)
	}
	pkg, err := new(types.Config).Check("nodeimage", files, []*ast.File{parsed}, nil)
	if err != nil {
		return nil, fmt.Errorf("read kind's default StorageClass: %w", err)
	}
	found, ok := pkg.Scope().Lookup(constantName).(*types.Const)
	if !ok || found.Val().Kind() != constant.String {
		return nil, fmt.Errorf("read kind's default StorageClass: %s has no text %s: see where kind has it now", file, constantName)
	}
	return []byte(constant.StringVal(found.Val())), nil
}

var sandboxImage = regexp.MustCompile(`(?m)^(\s*sandbox_image\s*=\s*)"[^"]*"`)

// withSandboxImage makes containerd use the pause image that the node holds.
func withSandboxImage(config []byte, ref string) ([]byte, error) {
	if !sandboxImage.Match(config) {
		return nil, errors.New("kind's containerd configuration has no sandbox_image")
	}
	return sandboxImage.ReplaceAll(config, []byte(`${1}"`+ref+`"`)), nil
}

// runtimeSpec is what kind's Dockerfile makes with ctr and jq: containerd's
// default specification without resource limits and with kind's hook.
func (p Part) runtimeSpec(ctx context.Context, work string) ([]byte, error) {
	ctr, err := p.Programs.Program(ctx, golang.Binary{Recipe: "containerd", Name: "ctr"}, work)
	if err != nil {
		return nil, err
	}
	raw, err := exec.CommandContext(ctx, ctr, "oci", "spec").Output()
	if err != nil {
		return nil, fmt.Errorf("%s oci spec: %w", ctr, err)
	}
	return editSpec(raw)
}

func editSpec(raw []byte) ([]byte, error) {
	var spec map[string]any
	if err := json.Unmarshal(raw, &spec); err != nil {
		return nil, fmt.Errorf("read what `ctr oci spec` prints: %w", err)
	}
	process, ok := spec["process"].(map[string]any)
	if !ok {
		return nil, errors.New("`ctr oci spec` prints no process")
	}
	delete(process, "rlimits")
	spec["hooks"] = map[string]any{
		"createContainer": []any{map[string]any{"path": "/kind/bin/mount-product-files.sh"}},
	}
	return json.MarshalIndent(spec, "", "  ")
}

// Commit leaves the node in the engine as ref: the image base, with the images
// inside it imported.
func (p Part) Commit(ctx context.Context, base v1.Image, inside map[string]v1.Image, ref string) error {
	if err := p.removeLeftover(ctx); err != nil {
		return err
	}
	baseRef := baseOf(p.CacheID)
	p.Progress.Say("hand the node without the control plane's images to %s", p.Engine.Name())
	defer func() {
		// Only the name goes: the committed image stands on these layers.
		_, _ = p.Engine.Run(context.WithoutCancel(ctx), "rmi", baseRef) // may not exist
	}()
	if err := p.send(ctx, map[string]v1.Image{baseRef: base}, "load"); err != nil {
		return err
	}
	return p.preload(ctx, baseRef, ref, inside)
}

// send writes an archive of images to a command of the engine.
func (p Part) send(ctx context.Context, images map[string]v1.Image, command ...string) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(builders.WriteArchive(ctx, w, images)) }()
	err := p.Engine.Pipe(ctx, r, nil, command...)
	_ = r.Close() // ends the writer where the command stopped reading
	return err
}

// preload starts the node's containerd in a container of image base, imports
// the parts, and commits the container as ref.
func (p Part) preload(ctx context.Context, base, ref string, parts map[string]v1.Image) error {
	// Nobody else's container has the name: not even where builds in containers, each with its own process ids, share
	// an engine.
	container := "operatorbench-node-build-" + strings.ToLower(rand.Text())
	_, err := p.Engine.Run(ctx, "run", "--detach", "--name", container, "--label", label+"="+p.CacheID,
		"--security-opt", "seccomp=unconfined", "--entrypoint", "/usr/local/bin/containerd", base)
	defer func() {
		_, _ = p.Engine.Run(context.WithoutCancel(ctx), "rm", "--force", "--volumes", container) // may not exist
	}()
	if err != nil {
		return fmt.Errorf("start containerd in the new node: %w", err)
	}
	if err := p.awaitContainerd(ctx, container); err != nil {
		return err
	}
	p.Progress.Say("import the control plane's %d images into the node", len(parts))
	err = p.send(ctx, parts, "exec", "--interactive", container, "ctr", "--namespace=k8s.io", "images", "import",
		"--label=io.cri-containerd.pinned=pinned", "--all-platforms", "--no-unpack", "--digests", "-")
	if err != nil {
		return fmt.Errorf("import the control plane's images into the new node: %w", err)
	}
	return p.commit(ctx, container, ref)
}

// awaitContainerd follows the container's log until containerd says that it
// serves.
func (p Part) awaitContainerd(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, bootTimeout,
		fmt.Errorf("containerd in the new node did not start within %s", bootTimeout))
	defer cancel()
	r, w := io.Pipe()
	go func() {
		// Standard error is where containerd logs; the engine repeats it on its own.
		w.CloseWithError(p.Engine.Follow(ctx, w, "logs", "--follow", container))
	}()
	defer func() { _ = r.Close() }()
	last := ""
	for lines := bufio.NewScanner(r); lines.Scan(); {
		last = lines.Text()
		if strings.Contains(last, "containerd successfully booted") {
			return nil
		}
	}
	return fmt.Errorf("containerd in the new node ended before it served; it last said: %s", last)
}

// commit stops containerd, so that its database is whole, and makes an image of
// the container.
func (p Part) commit(ctx context.Context, container, ref string) error {
	if _, err := p.Engine.Run(ctx, "kill", "--signal", "TERM", container); err != nil {
		return err
	}
	if _, err := p.Engine.Run(ctx, "wait", container); err != nil {
		return err
	}
	entrypoint, err := json.Marshal(p.Entrypoint)
	if err != nil {
		return err
	}
	p.Progress.Say("commit the node as %s", ref)
	// `run --entrypoint` is part of what is committed, so the real one is restored.
	_, err = p.Engine.Run(ctx, "commit", "--change", "ENTRYPOINT "+string(entrypoint), "--change", "CMD []", container, ref)
	return err
}
