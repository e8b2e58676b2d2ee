package debian

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images/builders"
)

// rootfs rewrites mmdebstrap's tar: only what is wanted, without what
// belongs to this machine or differs between two runs.
type rootfs struct {
	packages Packages

	installed []string // from dpkg's status
	folders   map[string]*tar.Header
	written   map[string]bool
	joined    map[string][]byte // the files of packages.Concat
}

func (f *rootfs) rewrite(from, to string) (*builders.Layer, error) {
	in, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read
	f.folders, f.written, f.joined = map[string]*tar.Header{}, map[string]bool{}, map[string][]byte{}
	return builders.CreateLayer(to, func(w *tar.Writer) error {
		r := tar.NewReader(bufio.NewReaderSize(in, 1<<20))
		for {
			header, err := r.Next()
			if errors.Is(err, io.EOF) {
				return f.concat(w)
			}
			if err != nil {
				return err
			}
			if err := f.one(w, header, r); err != nil {
				return fmt.Errorf("%s: %w", header.Name, err)
			}
		}
	})
}

// one handles one file of the root file system.
func (f *rootfs) one(w *tar.Writer, header *tar.Header, content io.Reader) error {
	name := strings.TrimSuffix(strings.TrimPrefix(path.Clean(header.Name), "./"), "/")
	if name == "." || name == "" {
		return nil
	}
	content, err := f.look(name, header, content)
	if err != nil {
		return err
	}
	header = normalised(name, header)
	if header.Typeflag == tar.TypeDir {
		f.folders[name] = header
		if len(f.packages.Keep) > 0 || !f.wanted(name) {
			return nil // written when a file in it is
		}
		return f.write(w, header, nil)
	}
	if !f.wanted(name) {
		return nil
	}
	if header.Typeflag == tar.TypeLink {
		header.Linkname = path.Clean(header.Linkname)
		if !f.written[header.Linkname] {
			return fmt.Errorf("a hard link to %s, which is not kept", header.Linkname)
		}
	}
	return f.write(w, header, content)
}

// look reads the files that something is learnt from; what it returns can still
// be written.
func (f *rootfs) look(name string, header *tar.Header, content io.Reader) (io.Reader, error) {
	concat := f.packages.Concat
	joined := concat != nil && header.Typeflag == tar.TypeReg && strings.HasPrefix(name, concat.From)
	if name != "var/lib/dpkg/status" && !joined {
		return content, nil
	}
	raw, err := io.ReadAll(content)
	if err != nil {
		return nil, err
	}
	if joined {
		f.joined[name] = raw
	} else if f.installed, err = installedVersions(bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	return bytes.NewReader(raw), nil
}

// wanted says whether a path goes into the layer.
func (f *rootfs) wanted(name string) bool {
	if builders.MatchAny(machineFiles(), name) || builders.MatchAny(f.packages.Remove, name) {
		return false
	}
	return len(f.packages.Keep) == 0 || builders.MatchAny(f.packages.Keep, name)
}

// machineFiles belong to the machine that built, or differ between two builds,
// or are devices, which every container gets anyway.
func machineFiles() []string {
	return []string{
		"etc/resolv.conf", "etc/hostname", "dev/*", "var/log/*", "var/log/apt/",
		"var/cache/ldconfig/*", "var/cache/apt/", "var/lib/apt/lists/", "var/lib/dpkg/*-old", "var/cache/debconf/*-old",
	}
}

// write writes a file after those folders above it that are not there yet.
func (f *rootfs) write(w *tar.Writer, header *tar.Header, content io.Reader) error {
	name := strings.TrimSuffix(header.Name, "/")
	if f.written[name] {
		return nil
	}
	if parent := path.Dir(name); parent != "." && !f.written[parent] {
		above, ok := f.folders[parent]
		if !ok {
			above = normalised(parent, &tar.Header{Typeflag: tar.TypeDir, Mode: 0o755})
		}
		if err := f.write(w, above, nil); err != nil {
			return err
		}
	}
	f.written[name] = true
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	if content == nil || header.Typeflag != tar.TypeReg {
		return nil
	}
	_, err := io.Copy(w, content)
	return err
}

// concat writes the file that packages.Concat asks for.
func (f *rootfs) concat(w *tar.Writer) error {
	concat := f.packages.Concat
	if concat == nil {
		return nil
	}
	if len(f.joined) == 0 {
		return fmt.Errorf("no files in %s, of which %s is made", concat.From, concat.To)
	}
	var all bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(f.joined)) {
		all.Write(bytes.TrimSpace(f.joined[name]))
		all.WriteByte('\n')
	}
	header := normalised(strings.TrimPrefix(concat.To, "/"), &tar.Header{
		Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(all.Len()),
	})
	return f.write(w, header, &all)
}

// normalised is the header without what differs between two runs.
func normalised(name string, h *tar.Header) *tar.Header {
	if h.Typeflag == tar.TypeDir {
		name += "/"
	}
	clean := &tar.Header{
		Typeflag: h.Typeflag, Name: name, Linkname: h.Linkname, Size: h.Size, Mode: h.Mode,
		Uid: h.Uid, Gid: h.Gid, Devmajor: h.Devmajor, Devminor: h.Devminor,
		ModTime: builders.BuildTime, Format: tar.FormatPAX,
	}
	for key, value := range h.PAXRecords {
		if strings.HasPrefix(key, "SCHILY.xattr.") { // file capabilities, for one
			if clean.PAXRecords == nil {
				clean.PAXRecords = map[string]string{}
			}
			clean.PAXRecords[key] = value
		}
	}
	return clean
}

// installedVersions reads dpkg's status file.
func installedVersions(status io.Reader) ([]string, error) {
	var versions []string
	var name string
	lines := bufio.NewScanner(status)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if value, found := strings.CutPrefix(lines.Text(), "Package: "); found {
			name = value
		}
		if value, found := strings.CutPrefix(lines.Text(), "Version: "); found {
			versions = append(versions, name+"="+value)
		}
	}
	slices.Sort(versions)
	return versions, lines.Err()
}
