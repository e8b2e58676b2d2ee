package pypi

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/singleflight"

	"operatorbench/e2e/environment/images/builders"
)

// newWheel writes a wheel of the package greet and returns its path and its hash.
func newWheel(t *testing.T, folder string, extra map[string]string) (file, hash string) {
	t.Helper()
	file = filepath.Join(folder, "greet-1.0-py3-none-any.whl")
	out, err := os.Create(file)
	require.NoError(t, err)
	files := map[string]string{
		"greet/__init__.py":                    "def main(): print('hello')\n",
		"greet/test/test_it.py":                "",
		"greet-1.0.data/scripts/wave":          "#!python -u\nprint('bye')\n",
		"greet-1.0.data/platlib/fast.so":       "\x7fELF",
		"greet-1.0.data/headers/greet.h":       "",
		"greet-1.0.dist-info/METADATA":         "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n",
		"greet-1.0.dist-info/WHEEL":            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"greet-1.0.dist-info/RECORD":           "",
		"greet-1.0.dist-info/entry_points.txt": "[other]\nx = y:z\n[console_scripts]\ngreet = greet:main\n",
	}
	for name, text := range extra {
		files[name] = text
	}
	w := zip.NewWriter(out)
	for name, text := range files {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		header.SetMode(0o644)
		entry, err := w.CreateHeader(header)
		require.NoError(t, err)
		_, err = entry.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, out.Close())
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	return file, fmt.Sprintf("%x", sha256.Sum256(raw))
}

// newPart is a part of a repository whose requirements file says text.
func newPart(t *testing.T, text string) (Part, *strings.Builder) {
	t.Helper()
	said := &strings.Builder{}
	root := t.TempDir()
	part := Part{
		Tools: builders.Tools{
			Root: root, Cache: filepath.Join(root, "cache"), Work: filepath.Join(root, "work"),
			Progress: builders.NewProgress(said), Once: &singleflight.Group{},
		},
		Wheels: Wheels{Requirements: "recipes/greet/requirements.txt", Python: "3.11", To: "/opt/python", Remove: []string{"greet/test/"}},
	}
	require.NoError(t, os.MkdirAll(part.Work, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, part.file())), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, part.file()), []byte(text), 0o644))
	return part, said
}

// withPip skips where there is no pip, and lets pip look into folder alone.
func withPip(t *testing.T, folder string) {
	t.Helper()
	if _, err := pip(t.Context()); err != nil {
		t.Skip(err)
	}
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("PIP_FIND_LINKS", folder)
}

func TestWheelsByTheirHashes(t *testing.T) {
	folder := t.TempDir()
	withPip(t, folder)
	_, hash := newWheel(t, folder, nil)
	part, said := newPart(t, "greet==1.0 --hash=sha256:"+hash+"\n")
	require.NoError(t, part.Needs(t.Context()))
	made, err := part.Build(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "greet=1.0", made.Labels[builders.LabelWheels])
	assert.Equal(t, builders.Dependencies{Direct: 1, All: 1}, made.Depends)
	assert.Regexp(t, `1 wheels of fixtures/images/recipes/greet/requirements.txt: downloaded in \S+, unpacked in \S+ \(0.0 MB\)`, said.String())
	digest, err := made.Layers[0].Digest()
	require.NoError(t, err)

	t.Run("a second time from the cache, without pip", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		require.NoError(t, part.Needs(t.Context()))
		costs, err := part.Costs()
		require.NoError(t, err)
		assert.Empty(t, costs)
		require.NoError(t, part.Fetch(t.Context()))
	})
	t.Run("the same bytes elsewhere", func(t *testing.T) {
		other, _ := newPart(t, "greet==1.0 --hash=sha256:"+hash+"\n")
		again, err := other.Build(t.Context(), "")
		require.NoError(t, err)
		same, err := again.Layers[0].Digest()
		require.NoError(t, err)
		assert.Equal(t, digest, same)
	})
	t.Run("another folder in the image is another layer", func(t *testing.T) {
		before, err := part.base()
		require.NoError(t, err)
		part.Wheels.To = "/elsewhere"
		after, err := part.base()
		require.NoError(t, err)
		assert.NotEqual(t, before, after)
	})
}

func TestPipRefuses(t *testing.T) {
	folder := t.TempDir()
	withPip(t, folder)
	_, hash := newWheel(t, folder, nil)
	wrong := strings.Repeat("0", 64)
	for name, test := range map[string]struct{ requirements, says string }{
		"another hash":   {"greet==1.0 --hash=sha256:" + wrong, "DO NOT MATCH THE HASHES"},
		"no hash":        {"greet==1.0", "Hashes are required in --require-hashes mode"},
		"no version":     {"greet --hash=sha256:" + hash, "all requirements must have their versions pinned with =="},
		"no such wheel":  {"greet==2.0 --hash=sha256:" + hash, "No matching distribution found for greet==2.0"},
		"no requirement": {"greet==", "requirements.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			part, _ := newPart(t, test.requirements+"\n")
			_, err := part.Build(t.Context(), "")
			require.ErrorContains(t, err, "download the wheels of fixtures/images/recipes/greet/requirements.txt")
			require.ErrorContains(t, err, test.says)
			kept, err := part.kept()
			require.NoError(t, err)
			assert.False(t, kept)
		})
	}
}

func TestNoPip(t *testing.T) {
	bin := t.TempDir()
	part, _ := newPart(t, "")
	t.Setenv("PATH", bin)
	says := "install it (Debian and Ubuntu: apt-get install python3-pip), or leave out the styles that are written in Python"
	t.Run("and no Python", func(t *testing.T) {
		require.ErrorContains(t, part.Needs(t.Context()), says)
		_, err := part.Build(t.Context(), "")
		require.ErrorContains(t, err, `"pip3": executable file not found`)
	})
	t.Run("beside Python", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\necho '/usr/bin/python3: No module named pip' >&2; exit 1\n"), 0o755))
		err := part.Needs(t.Context())
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "No module named pip")
	})
	t.Run("and no requirements file", func(t *testing.T) {
		part.Wheels.Requirements = "recipes/absent.txt"
		require.ErrorContains(t, part.Needs(t.Context()), "absent.txt")
	})
}

func TestDepends(t *testing.T) {
	part, _ := newPart(t, "# all\ngreet==1.0 \\\n    --hash=sha256:0\ntyping_extensions==4.0 --hash=sha256:1\n")
	depends, err := part.depends()
	require.NoError(t, err)
	assert.Equal(t, builders.Dependencies{Direct: 2, All: 2}, depends, "nothing tells them apart")

	asked := filepath.Join(part.Root, builders.CatalogueFolder, "recipes/greet/requirements.in")
	require.NoError(t, os.WriteFile(asked, []byte("# asked for\nTyping.Extensions[more]>=4\n"), 0o644))
	depends, err = part.depends()
	require.NoError(t, err)
	assert.Equal(t, builders.Dependencies{Direct: 1, All: 2}, depends)

	require.NoError(t, os.WriteFile(asked, []byte("absent\n"), 0o644))
	_, err = part.depends()
	require.ErrorContains(t, err, "requirements.in asks for absent, and fixtures/images/recipes/greet/requirements.txt does not have it: renew that")
}

func TestTarget(t *testing.T) {
	assert.Equal(t, []string{
		"--implementation=cp", "--python-version=3.11", "--abi=cp311",
		"--platform=manylinux_2_28_aarch64", "--platform=manylinux_2_17_aarch64", "--platform=manylinux2014_aarch64",
	}, target("3.11", "arm64"))
	assert.Contains(t, target("3.13", "amd64"), "--platform=manylinux2014_x86_64")
}
