package debian

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
)

// layerFiles reads a layer: name → header, and the contents of regular files.
func layerFiles(t *testing.T, layer *builders.Layer) (headers map[string]*tar.Header, contents map[string]string, order []string) {
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

// rootfs writes a tar as mmdebstrap would.
func rootfsTar(t *testing.T, headers []tar.Header, contents map[string]string) string {
	t.Helper()
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	for _, header := range headers {
		header.Size = int64(len(contents[header.Name]))
		require.NoError(t, w.WriteHeader(&header))
		_, err := io.WriteString(w, contents[header.Name])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	file := filepath.Join(t.TempDir(), "raw.tar")
	require.NoError(t, os.WriteFile(file, raw.Bytes(), 0o644))
	return file
}

func exampleRootfs(t *testing.T) string {
	t.Helper()
	return rootfsTar(t, []tar.Header{
		{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755},
		{Typeflag: tar.TypeDir, Name: "./dev/", Mode: 0o755},
		{Typeflag: tar.TypeChar, Name: "./dev/null", Mode: 0o666, Devmajor: 1, Devminor: 3},
		{Typeflag: tar.TypeDir, Name: "./etc/", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: "./etc/hostname", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./etc/shadow", Mode: 0o640, Gid: 42},
		{Typeflag: tar.TypeDir, Name: "./usr/", Mode: 0o755},
		{Typeflag: tar.TypeDir, Name: "./usr/bin/", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: "./usr/bin/ping", Mode: 0o755, PAXRecords: map[string]string{"SCHILY.xattr.security.capability": "cap"}},
		{Typeflag: tar.TypeLink, Name: "./usr/bin/pong", Linkname: "./usr/bin/ping"},
		{Typeflag: tar.TypeDir, Name: "./usr/share/doc/", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: "./usr/share/doc/readme", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./usr/share/certs/b.crt", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./usr/share/certs/a.crt", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./var/lib/dpkg/status", Mode: 0o644},
	}, map[string]string{
		"./etc/hostname": "builder", "./usr/bin/ping": "ping", "./usr/share/doc/readme": "read me",
		"./usr/share/certs/b.crt": "B\n\n", "./usr/share/certs/a.crt": "A",
		"./var/lib/dpkg/status": "Package: zlib1g\nStatus: install ok installed\nVersion: 1:1.2\n\nPackage: bash\nVersion: 5.2\n",
	})
}

func TestRootfsFilter(t *testing.T) {
	t.Run("everything but the machine's own", func(t *testing.T) {
		filter := &rootfs{packages: Packages{Remove: []string{"usr/share/doc/"}}}
		layer, err := filter.rewrite(exampleRootfs(t), filepath.Join(t.TempDir(), "layer.tar"))
		require.NoError(t, err)
		headers, contents, order := layerFiles(t, layer)
		assert.Equal(t, []string{
			"dev/", "etc/", "etc/shadow", "usr/", "usr/bin/", "usr/bin/ping", "usr/bin/pong",
			"usr/share/", "usr/share/certs/", "usr/share/certs/b.crt", "usr/share/certs/a.crt",
			"var/", "var/lib/", "var/lib/dpkg/", "var/lib/dpkg/status",
		}, order)
		assert.Equal(t, "ping", contents["usr/bin/ping"])
		assert.Equal(t, "usr/bin/ping", headers["usr/bin/pong"].Linkname)
		assert.Equal(t, "cap", headers["usr/bin/ping"].PAXRecords["SCHILY.xattr.security.capability"])
		assert.Equal(t, 42, headers["etc/shadow"].Gid)
		assert.Equal(t, []string{"bash=5.2", "zlib1g=1:1.2"}, filter.installed)
	})
	t.Run("only what is kept, and a joined file", func(t *testing.T) {
		filter := &rootfs{packages: Packages{
			Keep:   []string{"usr/bin/p[io]ng"},
			Concat: &Concat{From: "usr/share/certs/", To: "/etc/ssl/all.crt"},
		}}
		layer, err := filter.rewrite(exampleRootfs(t), filepath.Join(t.TempDir(), "layer.tar"))
		require.NoError(t, err)
		_, contents, order := layerFiles(t, layer)
		assert.Equal(t, []string{"usr/", "usr/bin/", "usr/bin/ping", "usr/bin/pong", "etc/", "etc/ssl/", "etc/ssl/all.crt"}, order)
		assert.Equal(t, "A\nB\n", contents["etc/ssl/all.crt"])
	})
	t.Run("nothing to join", func(t *testing.T) {
		filter := &rootfs{packages: Packages{Concat: &Concat{From: "usr/nothing/", To: "/x"}}}
		_, err := filter.rewrite(exampleRootfs(t), filepath.Join(t.TempDir(), "layer.tar"))
		require.ErrorContains(t, err, "no files in usr/nothing/")
	})
	t.Run("a hard link to what is not kept", func(t *testing.T) {
		filter := &rootfs{packages: Packages{Keep: []string{"usr/bin/pong"}}}
		_, err := filter.rewrite(exampleRootfs(t), filepath.Join(t.TempDir(), "layer.tar"))
		require.ErrorContains(t, err, "a hard link to usr/bin/ping")
	})
}

func TestExtractedVersions(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(log, []byte("I: downloading\nzlib1g_1%3a1.2.13.dfsg-1_amd64.deb\npartial\nbash_5.2_amd64.deb\n/path/to/x_1_all.deb\n"), 0o644))
	versions, err := extractedVersions(log)
	require.NoError(t, err)
	assert.Equal(t, []string{"bash=5.2", "zlib1g=1:1.2.13.dfsg-1"}, versions)

	require.NoError(t, os.WriteFile(log, []byte("I: done\n"), 0o644))
	_, err = extractedVersions(log)
	require.ErrorContains(t, err, "no package is named")
}

// TestDebianSnapshot: packages are of the snapshot where it answers and has them, else of today.
func TestDebianSnapshot(t *testing.T) {
	for name, test := range map[string]struct {
		status  int    // of the snapshot's answer; 0: nobody answers
		program string // what mmdebstrap does
		calls   []string
		says    string
	}{
		"it answers":                 {status: 200, calls: []string{"snapshot"}},
		"it does not have the suite": {status: 404, calls: []string{"today"}, says: "404 Not Found"},
		"nobody answers":             {calls: []string{"today"}, says: "connect"},
		"it lacks a package": {
			status: 200, program: `case "$*" in *deb*) echo "E: no such package"; exit 1;; esac`,
			calls: []string{"snapshot", "today"}, says: "E: no such package",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/archive/debian/20261121T060000Z/dists/bookworm/InRelease", r.URL.Path)
				w.WriteHeader(test.status)
			}))
			defer server.Close()
			archive := server.URL + "/archive"
			if test.status == 0 {
				server.Close()
			}
			dir := t.TempDir()
			calls := filepath.Join(dir, "calls")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "mmdebstrap"), []byte("#!/bin/sh\necho \"$@\" >>"+calls+"\n"+test.program+"\n"), 0o755))
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			var said strings.Builder
			part := Part{
				Tools:    builders.Tools{Cache: dir, Progress: builders.NewProgress(&said)},
				Release:  Release{Suite: "bookworm", Snapshot: "20261121T060000Z"},
				Packages: Packages{Variant: "minbase", Include: []string{"bash"}}, Archive: archive,
			}
			_, err := part.mmdebstrap(t.Context(), dir, "raw.tar")
			require.NoError(t, err)
			want := ""
			for _, call := range test.calls {
				want += "--variant=minbase --include=bash bookworm raw.tar"
				if call == "snapshot" {
					want += " deb [check-valid-until=no] " + archive + "/debian/20261121T060000Z bookworm main" +
						" deb [check-valid-until=no] " + archive + "/debian/20261121T060000Z bookworm-updates main" +
						" deb [check-valid-until=no] " + archive + "/debian-security/20261121T060000Z bookworm-security main"
				}
				want += "\n"
			}
			made, err := os.ReadFile(calls)
			require.NoError(t, err)
			assert.Equal(t, want, string(made))
			assert.Contains(t, said.String(), test.says)
		})
	}
}

func FuzzInstalledVersions(f *testing.F) {
	f.Add("Package: a\nVersion: 1\n")
	f.Fuzz(func(t *testing.T, status string) {
		versions, err := installedVersions(strings.NewReader(status))
		if err == nil {
			_, err = json.Marshal(versions)
			require.NoError(t, err)
		}
	})
}
