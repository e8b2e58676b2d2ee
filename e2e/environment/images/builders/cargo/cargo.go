// Package cargo makes layers of Rust programs: a package of this repository with
// the crates of its Cargo.lock, each by its checksum, linked into one static file.
package cargo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"operatorbench/e2e/environment/images/builders"
)

// Crate is a Rust program in an image.
type Crate struct {
	Package string `yaml:"package"` // a folder of the repository with Cargo.toml, Cargo.lock and src
	To      string `yaml:"to"`      // the program
}

// Part is an image's layer of a Rust program.
type Part struct {
	builders.Tools

	Crate Crate
}

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "Rust crates" }

// file is one of the package's, relative to the repository.
func (p Part) file(name string) string { return filepath.Join(p.Crate.Package, name) }

// sources are Cargo's two files and the .rs files below src, relative to the repository.
func (p Part) sources() ([]string, error) {
	files := []string{p.file("Cargo.toml"), p.file("Cargo.lock")}
	if !builders.Exists(filepath.Join(p.Root, files[1])) {
		return nil, fmt.Errorf("%s is missing, and which crates are in the image must be pinned: run cargo generate-lockfile in %s and commit it", files[1], p.Crate.Package)
	}
	err := filepath.WalkDir(filepath.Join(p.Root, p.file("src")), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".rs" {
			return err
		}
		relative, err := filepath.Rel(p.Root, file)
		files = append(files, relative)
		return err
	})
	if err == nil && len(files) == 2 {
		err = fmt.Errorf("no .rs file is below %s", p.file("src"))
	}
	if err != nil {
		return nil, fmt.Errorf("find the Rust sources: %w", err)
	}
	return files, nil
}

// AddTo implements builders.Part: the rest is in the image's description. Which
// compiler there is does not count, since a machine that has the image needs none;
// the image's label says which it was.
func (p Part) AddTo(key *builders.Key) error {
	files, err := p.sources()
	if err != nil {
		return err
	}
	return key.AddFiles(p.Root, files...)
}

// base is where the layer is in the cache, without the endings of its two files.
func (p Part) base() (string, error) {
	key := builders.NewKey()
	key.Go, key.Image = "", p.Crate
	if err := p.AddTo(key); err != nil {
		return "", err
	}
	sum, err := key.Sum()
	return filepath.Join(p.Cache, "cargo", sum), err
}

// kept says whether the cache has the layer.
func (p Part) kept() (bool, error) {
	base, err := p.base()
	if err != nil {
		return false, err
	}
	_, err = builders.ReadLayer(base)
	return err == nil, nil
}

// Costs implements builders.Part.
func (p Part) Costs() ([]builders.Cost, error) {
	kept, err := p.kept()
	if kept || err != nil {
		return nil, err
	}
	cost := builders.Cost{Step: "compiling " + p.Crate.Package, Time: 3 * time.Minute, Size: 1e9, Folder: func(context.Context) (string, error) { return p.Cache, nil }}
	if builders.Exists(p.target()) {
		cost.Time = 30 * time.Second
	}
	return []builders.Cost{cost}, nil
}

// Needs implements builders.Part: Cargo and a linker, where the cache does not have the layer.
func (p Part) Needs(ctx context.Context) error {
	kept, err := p.kept()
	if kept || err != nil {
		return err
	}
	manifest, err := readManifest(p.Root, p.file("Cargo.toml"))
	if err != nil {
		return err
	}
	if _, err := readLock(p.Root, p.file("Cargo.lock")); err != nil {
		return err
	}
	_, err = rust(ctx, manifest.Package.RustVersion)
	return err
}

// toolchain is the compiler of this machine.
type toolchain struct {
	release string // "1.95.0"
	host    string // what it compiles for: "x86_64-unknown-linux-gnu"
}

// Lines of what "rustc -vV" prints.
var (
	releaseLine = regexp.MustCompile(`(?m)^release: (\d+\.\d+)(\S*)$`)
	hostLine    = regexp.MustCompile(`(?m)^host: (\S+)$`)
)

// rust is the compiler, which must be of that version or newer.
func rust(ctx context.Context, least string) (toolchain, error) {
	const hint = "install a newer one (rustup.rs; Debian 12's own is too old) with a C compiler beside it (Debian and Ubuntu: apt-get install gcc libc6-dev), " +
		"or leave out the styles that are written in Rust"
	wanted := fmt.Sprintf("programs in Rust need cargo and rustc %s or newer, and cc", least)
	for _, program := range []string{"cargo", "rustc", "cc"} {
		if _, err := exec.LookPath(program); err != nil {
			return toolchain{}, fmt.Errorf("%s, and this machine has no %s in PATH: %w: %s", wanted, program, err, hint)
		}
	}
	out, err := exec.CommandContext(ctx, "rustc", "-vV").CombinedOutput()
	if err != nil {
		return toolchain{}, fmt.Errorf("%s, and rustc -vV fails here: %w: %s: %s", wanted, err, strings.TrimSpace(string(out)), hint)
	}
	release, host := releaseLine.FindStringSubmatch(string(out)), hostLine.FindStringSubmatch(string(out))
	if release == nil || host == nil {
		return toolchain{}, fmt.Errorf("%s, and rustc -vV says nothing of its release and host here, but %q: %s", wanted, out, hint)
	}
	if !atLeast(release[1], least) {
		return toolchain{}, fmt.Errorf("%s, and rustc here is %s: %s", wanted, release[1]+release[2], hint)
	}
	return toolchain{release: release[1] + release[2], host: host[1]}, nil
}

// Fetch implements builders.Part: it downloads the crates while others compile.
func (p Part) Fetch(ctx context.Context) error {
	kept, err := p.kept()
	if kept || err != nil {
		return err
	}
	if _, err := readLock(p.Root, p.file("Cargo.lock")); err != nil {
		return err
	}
	return p.cargo(ctx, "download the crates of "+p.file("Cargo.lock"), "fetch", nil, nil)
}

// Build implements builders.Part.
func (p Part) Build(ctx context.Context, _ string) (builders.Made, error) {
	base, err := p.base()
	if err != nil {
		return builders.Made{}, err
	}
	made, err := p.KeptLayer(base, func() error { return p.make(ctx, base) })
	if err != nil {
		return builders.Made{}, err
	}
	locked, err := readLock(p.Root, p.file("Cargo.lock"))
	if err != nil {
		return builders.Made{}, err
	}
	return builders.Made{
		Layers:  []v1.Layer{made.Layer},
		Depends: builders.Dependencies{Direct: locked.direct, All: len(made.Versions) - 1}, // the first is the compiler
		Labels:  map[string]string{builders.LabelCrates: strings.Join(made.Versions, " ")},
	}, nil
}

// target is where Cargo keeps what it has compiled, for the next change of a source.
func (p Part) target() string {
	return filepath.Join(p.Cache, "cargo", "target-"+filepath.Base(p.Crate.Package))
}

// make compiles, and writes base.tar and base.json.
func (p Part) make(ctx context.Context, base string) error {
	manifest, err := readManifest(p.Root, p.file("Cargo.toml"))
	if err != nil {
		return err
	}
	if _, err := readLock(p.Root, p.file("Cargo.lock")); err != nil {
		return err
	}
	compiler, err := rust(ctx, manifest.Package.RustVersion)
	if err != nil {
		return err
	}
	var wall, used time.Duration
	measure := func(w, u time.Duration) { wall, used = w, u }
	flags := []string{"-Ctarget-feature=+crt-static"}
	if home := cargoHome(); home != "" {
		flags = append(flags, "--remap-path-prefix="+home+"=/cargo") // messages of a panic name files
	}
	// With a target said, even the machine's own, the flags are not those of build scripts and macros, which cannot be static.
	env := []string{"CARGO_ENCODED_RUSTFLAGS=" + strings.Join(flags, "\x1f"), "CARGO_TARGET_DIR=" + p.target()}
	if err := p.cargo(ctx, "compile "+p.Crate.Package, "build", env, measure, "--release", "--target="+compiler.host); err != nil {
		return err
	}
	versions, err := p.versions(ctx, compiler.host)
	if err != nil {
		return err
	}
	work, remove, err := p.Temporary("cargo")
	if err != nil {
		return err
	}
	defer remove()
	program := filepath.Join(p.target(), compiler.host, "release", manifest.Package.Name)
	layer, err := builders.WriteLayer(filepath.Join(work, "layer.tar"), []builders.Entry{{Name: strings.Trim(p.Crate.To, "/"), Mode: 0o755, Source: program}})
	if err != nil {
		return err
	}
	p.Progress.Say("%s: %d crates compiled by rustc %s in %s, CPU time %s (%s)", p.Crate.Package, len(versions), compiler.release,
		wall.Round(100*time.Millisecond), used.Round(100*time.Millisecond), builders.Size(layer.Bytes))
	return builders.KeepLayer(layer, append([]string{"rustc=" + compiler.release}, versions...), base)
}

// cargo runs one of Cargo's commands on the package, with its Cargo.lock as it is.
func (p Part) cargo(ctx context.Context, what, command string, env []string, cpu func(wall, used time.Duration), args ...string) error {
	job := builders.Job{
		What: what, Log: p.Log("cargo-" + command + "-" + filepath.Base(p.Crate.Package)), Dir: filepath.Join(p.Root, p.Crate.Package), Env: env, CPU: cpu,
		Args:   slices.Concat([]string{"cargo", command, "--locked"}, args),
		Status: func(lines int) { p.Progress.Say("%s: %d lines of Cargo so far", what, lines) },
	}
	err := job.Run(ctx)
	if err == nil {
		return nil
	}
	raw, _ := os.ReadFile(job.Log) // without it there is the error alone
	switch said := string(raw); {
	case strings.Contains(said, "checksum"):
		return fmt.Errorf("%w\na crate is not the one that %s has: delete it in Cargo's home (~/.cargo/registry), where it may be damaged, and try again; "+
			"if it is the same then, do not trust it", err, p.file("Cargo.lock"))
	case strings.Contains(said, "--locked"):
		return fmt.Errorf("%w\n%s asks for something that %s does not have: run cargo update --workspace in %s, read what changes, and commit it",
			err, p.file("Cargo.toml"), p.file("Cargo.lock"), p.Crate.Package)
	}
	return err
}

// versions are the crates that are in the program, as "name=version" in name order.
func (p Part) versions(ctx context.Context, host string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "cargo", "tree", "--locked", "--offline", "--edges=normal", "--target="+host, "--prefix=none", "--no-dedupe", "--format={p}")
	cmd.Dir = filepath.Join(p.Root, p.Crate.Package)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return nil, fmt.Errorf("ask Cargo which crates are in %s: %w", p.Crate.Package, err)
	}
	var versions []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || len(fields) > 2 && strings.HasPrefix(fields[2], "("+string(filepath.Separator)) { // the package itself, with its folder
			continue
		}
		versions = append(versions, fields[0]+"="+strings.TrimPrefix(fields[1], "v"))
	}
	slices.Sort(versions)
	return slices.Compact(versions), nil
}

// cargoHome is where Cargo keeps the sources of crates; empty: not known.
func cargoHome() string {
	if home := os.Getenv("CARGO_HOME"); home != "" {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".cargo")
}
