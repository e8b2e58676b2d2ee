package builders

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layerFiles reads a layer: name → header, and the contents of regular files.
func layerFiles(t *testing.T, layer *Layer) (headers map[string]*tar.Header, contents map[string]string, order []string) {
	t.Helper()
	in, err := layer.Uncompressed()
	require.NoError(t, err)
	defer func() { assert.NoError(t, in.Close()) }()
	headers, contents = map[string]*tar.Header{}, map[string]string{}
	for r := tar.NewReader(in); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents, order
		}
		require.NoError(t, err)
		raw, err := io.ReadAll(r)
		require.NoError(t, err)
		headers[header.Name], contents[header.Name] = header, string(raw)
		order = append(order, header.Name)
	}
}

func TestWriteLayer(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(program, []byte("\x7fELF"), 0o600))
	layer, err := WriteLayer(filepath.Join(dir, "layer.tar"), []Entry{
		{Name: "usr/bin/program", Mode: 0o755, Source: program},
		{Name: "etc/b", Mode: 0o644, Data: []byte("first")},
		{Name: "etc/b", Mode: 0o600, Data: []byte("last")},
		{Name: "etc/a", Link: "b"},
		{Name: "tmp/", Mode: 0o1777},
	})
	require.NoError(t, err)

	headers, contents, order := layerFiles(t, layer)
	assert.Equal(t, []string{"etc/", "etc/a", "etc/b", "tmp/", "usr/", "usr/bin/", "usr/bin/program"}, order)
	assert.Equal(t, "last", contents["etc/b"])
	assert.Equal(t, int64(0o600), headers["etc/b"].Mode)
	assert.Equal(t, "b", headers["etc/a"].Linkname)
	assert.Equal(t, int64(0o1777), headers["tmp/"].Mode)
	assert.Equal(t, "\x7fELF", contents["usr/bin/program"])
	for name, header := range headers {
		assert.True(t, header.ModTime.Equal(BuildTime), name)
		assert.Zero(t, header.Uid, name)
	}
}

func TestWriteLayerNamesAMissingFile(t *testing.T) {
	_, err := WriteLayer(filepath.Join(t.TempDir(), "layer.tar"), []Entry{{Name: "x", Source: "/does/not/exist"}})
	require.ErrorContains(t, err, "/does/not/exist")
}

func TestJobShowsTheEndOfItsLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "logs", "step.log")
	j := Job{
		What: "count", Log: log, Dir: t.TempDir(), Env: []string{"WORD=from-the-environment"},
		Args: []string{"sh", "-c", "i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo line $i; done; echo $WORD >&2; exit 7"},
	}
	err := j.Run(t.Context())
	require.ErrorContains(t, err, "count: sh failed: exit status 7; the last lines of "+log)
	assert.Contains(t, err.Error(), "\n  line 40\n  from-the-environment")
	assert.NotContains(t, err.Error(), "line 25\n")
	raw, readErr := os.ReadFile(log)
	require.NoError(t, readErr)
	assert.Contains(t, string(raw), "line 1\n", "the log itself is whole")
}

func TestJobNamesAProgramThatIsMissing(t *testing.T) {
	j := Job{What: "step", Log: filepath.Join(t.TempDir(), "log"), Dir: t.TempDir(), Args: []string{"no-such-program"}}
	require.ErrorContains(t, j.Run(t.Context()), "the program no-such-program is not in PATH: install it")
}

func TestMatchAny(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"usr/share/doc/", "usr/share/doc", true},
		{"usr/share/doc/", "usr/share/doc/a/b", true},
		{"usr/share/doc/", "usr/share/docs", false},
		{"usr/lib/*/lib*", "usr/lib/x86_64-linux-gnu/libc.so", true},
		{"usr/lib/*/lib*", "usr/lib/x86_64-linux-gnu/a/libc.so", false},
		{"usr/*/perl*/", "usr/lib/perl5/x/y", true},
		{"etc/hostname", "etc/hostname", true},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, MatchAny([]string{test.pattern}, test.name), "%s %s", test.pattern, test.name)
	}
}

func TestKeptLayerIsReadBack(t *testing.T) {
	dir := t.TempDir()
	layer, err := WriteLayer(filepath.Join(dir, "new.tar"), []Entry{{Name: "a", Mode: 0o644, Data: []byte("a")}})
	require.NoError(t, err)
	base := filepath.Join(dir, "debian", "hash")
	require.NoError(t, KeepLayer(layer, []string{"a=1"}, base))

	again, err := ReadLayer(base)
	require.NoError(t, err)
	assert.Equal(t, layer.Hash, again.Layer.Hash)
	assert.Equal(t, []string{"a=1"}, again.Versions)

	require.NoError(t, os.Truncate(base+".tar", 3))
	_, err = ReadLayer(base)
	require.ErrorContains(t, err, "has 3 bytes", "half a layer is none")
}

func TestDependenciesLabel(t *testing.T) {
	d := Dependencies{Direct: 1, All: 17}.Plus(Dependencies{Direct: 2, All: 3})
	assert.Equal(t, &Dependencies{Direct: 3, All: 20}, DependenciesOf(map[string]string{LabelDepends: d.Label()}))
	assert.Nil(t, DependenciesOf(nil))
	assert.Nil(t, DependenciesOf(map[string]string{LabelDepends: "many"}))
}

// What is read of a label is written in the same way.
func FuzzDependenciesOf(f *testing.F) {
	f.Add("direct=1 all=17")
	f.Add("direct= all=")
	f.Fuzz(func(t *testing.T, label string) {
		if d := DependenciesOf(map[string]string{LabelDepends: label}); d != nil {
			assert.Equal(t, d, DependenciesOf(map[string]string{LabelDepends: d.Label()}))
		}
	})
}
