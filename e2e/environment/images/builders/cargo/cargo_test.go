package cargo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/singleflight"

	"operatorbench/e2e/environment/images/builders"
)

const (
	cargoToml = "[package]\nname = \"greet\"\nversion = \"0.1.0\"\nrust-version = \"1.89\"\n"
	cargoLock = "version = 4\n\n[[package]]\nname = \"greet\"\nversion = \"0.1.0\"\ndependencies = [\"kube\"]\n\n" +
		"[[package]]\nname = \"kube\"\nversion = \"5.0.0\"\nsource = \"registry+https://example.com/index\"\nchecksum = \"" +
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"\n"
)

// newPart is a part of a repository with one package.
func newPart(t *testing.T) (Part, *strings.Builder) {
	t.Helper()
	said := &strings.Builder{}
	root := t.TempDir()
	part := Part{
		Tools: builders.Tools{
			Root: root, Cache: filepath.Join(root, "cache"), Work: filepath.Join(root, "work"),
			Progress: builders.NewProgress(said), Once: &singleflight.Group{},
		},
		Crate: Crate{Package: "operators/greet", To: "/greet"},
	}
	require.NoError(t, os.MkdirAll(part.Work, 0o755))
	for file, text := range map[string]string{"Cargo.toml": cargoToml, "Cargo.lock": cargoLock, "src/main.rs": "fn main() {}", "src/notes.txt": "", "target/debug/x.rs": ""} {
		write(t, filepath.Join(root, part.file(file)), text, 0o644)
	}
	return part, said
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), mode))
}

// A Cargo that compiles by writing a program, and lists crates; and a compiler.
const (
	goodCargo = `[ "$2" = --locked ] || exit 9
case $1 in
build) [ "$4" = --target=x86_64-unknown-linux-gnu ] || exit 8; at=$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release; mkdir -p "$at"; printf program > "$at/greet";;
tree) printf 'greet v0.1.0 (/r/operators/greet)\nkube v5.0.0\nserde_derive v1.0.1 (proc-macro)\nkube v5.0.0\n';;
esac`
	goodRustc = `printf 'rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n'`
)

// standIns puts programs in PATH, and nothing else but a shell's.
func standIns(t *testing.T, programs map[string]string) {
	t.Helper()
	bin := t.TempDir()
	for name, text := range programs {
		write(t, filepath.Join(bin, name), "#!/bin/sh\nPATH=/usr/bin:/bin\n"+text+"\n", 0o755)
	}
	t.Setenv("PATH", bin)
}

func TestAProgramOfCrates(t *testing.T) {
	standIns(t, map[string]string{"cargo": goodCargo, "rustc": goodRustc, "cc": ""})
	part, said := newPart(t)
	require.NoError(t, part.Needs(t.Context()))
	require.NoError(t, part.Fetch(t.Context()))
	costs, err := part.Costs()
	require.NoError(t, err)
	require.Len(t, costs, 1)
	made, err := part.Build(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "rustc=1.95.0 kube=5.0.0 serde_derive=1.0.1", made.Labels[builders.LabelCrates])
	assert.Equal(t, builders.Dependencies{Direct: 1, All: 2}, made.Depends)
	assert.Regexp(t, `operators/greet: 2 crates compiled by rustc 1.95.0 in \S+, CPU time \S+ \(0.0 MB\)`, said.String())
	digest, err := made.Layers[0].Digest()
	require.NoError(t, err)

	t.Run("a second time from the cache, without Cargo", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		require.NoError(t, part.Needs(t.Context()))
		require.NoError(t, part.Fetch(t.Context()))
		costs, err := part.Costs()
		require.NoError(t, err)
		assert.Empty(t, costs)
		again, err := part.Build(t.Context(), "")
		require.NoError(t, err)
		same, err := again.Layers[0].Digest()
		require.NoError(t, err)
		assert.Equal(t, digest, same)
	})
	for _, file := range []string{"Cargo.toml", "Cargo.lock", "src/main.rs"} {
		t.Run("another "+file+" is another layer", func(t *testing.T) {
			before, err := part.base()
			require.NoError(t, err)
			write(t, filepath.Join(part.Root, part.file(file)), "other", 0o644)
			after, err := part.base()
			require.NoError(t, err)
			assert.NotEqual(t, before, after)
		})
	}
}

func TestNoCompiler(t *testing.T) {
	const hint = "or leave out the styles that are written in Rust"
	for name, test := range map[string]struct {
		programs map[string]string
		says     string
	}{
		"none":       {nil, "need cargo and rustc 1.89 or newer, and cc, and this machine has no cargo in PATH"},
		"no rustc":   {map[string]string{"cargo": "", "cc": ""}, "has no rustc in PATH"},
		"no linker":  {map[string]string{"cargo": "", "rustc": goodRustc}, "has no cc in PATH"},
		"too old":    {map[string]string{"cargo": "", "cc": "", "rustc": `printf 'release: 1.63.0\nhost: x\n'`}, "rustc here is 1.63.0: install a newer one"},
		"nightly":    {map[string]string{"cargo": "", "cc": "", "rustc": `printf 'release: 1.88.0-nightly\nhost: x\n'`}, "rustc here is 1.88.0-nightly"},
		"says other": {map[string]string{"cargo": "", "cc": "", "rustc": "echo hello"}, "says nothing of its release and host"},
		"fails":      {map[string]string{"cargo": "", "cc": "", "rustc": "echo 'no default toolchain' >&2; exit 1"}, "no default toolchain"},
	} {
		t.Run(name, func(t *testing.T) {
			standIns(t, test.programs)
			part, _ := newPart(t)
			err := part.Needs(t.Context())
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, hint)
			_, err = part.Build(t.Context(), "")
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestCargoRefuses(t *testing.T) {
	for name, test := range map[string]struct{ cargo, says string }{
		"out of date": {
			"echo 'error: cannot update the lock file Cargo.lock because --locked was passed to prevent this' >&2; exit 101",
			"operators/greet/Cargo.toml asks for something that operators/greet/Cargo.lock does not have: run cargo update --workspace in operators/greet",
		},
		"another crate": {
			"echo 'error: failed to verify the checksum of `kube v5.0.0`' >&2; exit 101",
			"a crate is not the one that operators/greet/Cargo.lock has: delete it in Cargo's home",
		},
		"does not compile": {"echo 'error[E0308]: mismatched types' >&2; exit 101", "error[E0308]: mismatched types"},
		"no registry":      {"echo 'error: download of config.json failed: could not resolve host' >&2; exit 101", "could not resolve host"},
	} {
		t.Run(name, func(t *testing.T) {
			standIns(t, map[string]string{"cargo": test.cargo, "rustc": goodRustc, "cc": ""})
			part, _ := newPart(t)
			_, err := part.Build(t.Context(), "")
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, part.Fetch(t.Context()), test.says)
			kept, err := part.kept()
			require.NoError(t, err)
			assert.False(t, kept)
		})
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ file, text, says string }{
		"no TOML":         {"Cargo.toml", "[package", "operators/greet/Cargo.toml: "},
		"no rust-version": {"Cargo.toml", "[package]\nname = \"greet\"\n", `expected a name, and the least version of the compiler as in "1.89"`},
		"lock is no TOML": {"Cargo.lock", "[[package]", "operators/greet/Cargo.lock: "},
		"lock is empty":   {"Cargo.lock", "version = 4\n", "it names no package of this repository"},
		"of git":          {"Cargo.lock", cargoLock + "[[package]]\nname = \"x\"\nversion = \"1.0.0\"\nsource = \"git+https://example.com/x\"\n", "x 1.0.0 from git+https://example.com/x has no checksum"},
		"of a folder":     {"Cargo.lock", cargoLock + "[[package]]\nname = \"x\"\nversion = \"1.0.0\"\n", "both greet and x come from a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			standIns(t, map[string]string{"cargo": goodCargo, "rustc": goodRustc, "cc": ""})
			part, _ := newPart(t)
			write(t, filepath.Join(part.Root, part.file(test.file)), test.text, 0o644)
			require.ErrorContains(t, part.Needs(t.Context()), test.says)
			_, err := part.Build(t.Context(), "")
			require.ErrorContains(t, err, test.says)
		})
	}
	t.Run("no lock", func(t *testing.T) {
		standIns(t, map[string]string{"cargo": goodCargo, "rustc": goodRustc, "cc": ""})
		part, _ := newPart(t)
		require.NoError(t, os.Remove(filepath.Join(part.Root, part.file("Cargo.lock"))))
		require.ErrorContains(t, part.Needs(t.Context()), "run cargo generate-lockfile in operators/greet and commit it")
	})
	t.Run("no sources", func(t *testing.T) {
		part, _ := newPart(t)
		require.NoError(t, os.Remove(filepath.Join(part.Root, part.file("src/main.rs"))))
		require.ErrorContains(t, part.Needs(t.Context()), "no .rs file is below operators/greet/src")
	})
}

func FuzzParseLock(f *testing.F) {
	f.Add(cargoLock)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		found, err := parseLock(text)
		if err == nil {
			assert.GreaterOrEqual(t, found.all, 0)
			assert.GreaterOrEqual(t, found.direct, 0)
		}
	})
}
