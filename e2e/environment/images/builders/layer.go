package builders

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// BuildTime is the time of every file and image that is built, so that the same
// recipe gives the same bytes. Its value is of no importance.
var BuildTime = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Entry is one file of a layer. Exactly one of Link, Source and Data is used; a
// name that ends with a slash is a folder.
type Entry struct {
	Name   string // without a leading slash
	Mode   int64  // permission bits
	Link   string // target of a symbolic link
	Source string // file on this machine
	Data   []byte
}

// WriteLayer writes entries to file as an uncompressed tar: in name order, with
// their parent folders, owned by root, at BuildTime.
func WriteLayer(file string, entries []Entry) (*Layer, error) {
	return CreateLayer(file, func(w *tar.Writer) error {
		for _, e := range withParents(entries) {
			if err := writeEntry(w, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// CreateLayer makes a layer file from what fill writes.
func CreateLayer(file string, fill func(*tar.Writer) error) (*Layer, error) {
	out, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("write a layer: %w", err)
	}
	defer func() { _ = out.Close() }() // an error that matters is seen by the Close below
	digest := sha256.New()
	w := tar.NewWriter(io.MultiWriter(out, digest))
	if err := cmp.Or(fill(w), w.Close(), out.Close()); err != nil {
		return nil, fmt.Errorf("write the layer %s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	return &Layer{
		Path:  file,
		Hash:  v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(digest.Sum(nil))},
		Bytes: info.Size(),
	}, nil
}

// withParents adds the folders above the entries and sorts; of two entries of
// one name the last wins.
func withParents(entries []Entry) []Entry {
	byName := map[string]Entry{}
	for _, e := range entries {
		for dir := path.Dir(strings.TrimSuffix(e.Name, "/")); dir != "."; dir = path.Dir(dir) {
			if _, ok := byName[dir+"/"]; !ok {
				byName[dir+"/"] = Entry{Name: dir + "/", Mode: 0o755}
			}
		}
		byName[e.Name] = e
	}
	all := make([]Entry, 0, len(byName))
	for _, e := range byName {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func writeEntry(w *tar.Writer, e Entry) error {
	header := &tar.Header{Name: e.Name, Mode: e.Mode, ModTime: BuildTime, Format: tar.FormatPAX}
	var content io.Reader
	switch {
	case strings.HasSuffix(e.Name, "/"):
		header.Typeflag = tar.TypeDir
	case e.Link != "":
		header.Typeflag, header.Linkname, header.Mode = tar.TypeSymlink, e.Link, 0o777
	case e.Source != "":
		in, err := os.Open(e.Source)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // only read
		info, err := in.Stat()
		if err != nil {
			return err
		}
		header.Typeflag, header.Size, content = tar.TypeReg, info.Size(), in
	default:
		header.Typeflag, header.Size, content = tar.TypeReg, int64(len(e.Data)), bytes.NewReader(e.Data)
	}
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	if content == nil {
		return nil
	}
	_, err := io.Copy(w, content)
	return err
}

// Layer is an uncompressed layer in a file. Loading images into a node reads
// them from this machine's disk, where compression would only cost time.
type Layer struct {
	Path  string
	Hash  v1.Hash
	Bytes int64
}

// Digest implements v1.Layer.
func (l *Layer) Digest() (v1.Hash, error) { return l.Hash, nil }

// DiffID implements v1.Layer.
func (l *Layer) DiffID() (v1.Hash, error) { return l.Hash, nil }

// Compressed implements v1.Layer; nothing is compressed.
func (l *Layer) Compressed() (io.ReadCloser, error) { return os.Open(l.Path) }

// Uncompressed implements v1.Layer.
func (l *Layer) Uncompressed() (io.ReadCloser, error) { return os.Open(l.Path) }

// Size implements v1.Layer, in bytes.
func (l *Layer) Size() (int64, error) { return l.Bytes, nil }

// MediaType implements v1.Layer.
func (l *Layer) MediaType() (types.MediaType, error) { return types.DockerUncompressedLayer, nil }
