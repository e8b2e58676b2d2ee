package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/schema"
)

// Lock holds the digests of upstream's images, by reference.
type Lock struct {
	Images []Locked `yaml:"images"`
}

// Locked is one image's digest: of the index where there is one for several architectures.
type Locked struct {
	Reference string `yaml:"reference"`
	Digest    string `yaml:"digest"`
	From      string `yaml:"from"` // who vouched for it
}

const lockPath = "fixtures/images.lock.yaml"

const lockHead = `# The digests of upstream's images, written by "opbench images lock". An image
# with a digest here is only pulled by it; one without is pulled by its tag. To
# fill in what is missing, run the command where the registries can be reached,
# and commit the file: CI fails ("opbench images lock --check") until that is done.
`

// LoadLock reads the lock file in the repository at root.
func LoadLock(root string) (Lock, error) {
	raw, err := os.ReadFile(filepath.Join(root, lockPath))
	if err != nil {
		return Lock{}, fmt.Errorf("read the digests of images: %w", err)
	}
	return ParseLock(lockPath, raw)
}

// ParseLock reads a lock file; its errors name file and line.
func ParseLock(file string, raw []byte) (Lock, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	var lock Lock
	if err := decoder.Decode(&lock); errors.Is(err, io.EOF) {
		return lock, nil
	} else if err != nil {
		return Lock{}, fmt.Errorf("%s: %w", file, err)
	}
	f, err := schema.Read(file, raw, "list of digests")
	if err != nil {
		return Lock{}, err
	}
	for i, image := range lock.Images {
		if _, err := name.NewTag(image.Reference, name.StrictValidation); err != nil {
			f.FailAt([]any{"images", i, "reference"}, "reference %q; expected host/repository:tag", image.Reference)
		}
		if _, err := v1.NewHash(image.Digest); err != nil {
			f.FailAt([]any{"images", i, "digest"}, "digest %q; expected sha256: and 64 hexadecimal digits", image.Digest)
		}
	}
	return lock, f.Err()
}

// Digest returns the digest of a reference, empty where none is known.
func (l Lock) Digest(reference string) string {
	found, _ := l.of(reference)
	return found.Digest
}

func (l Lock) of(reference string) (Locked, bool) {
	return plain.Find(l.Images, func(image Locked) bool { return image.Reference == reference })
}

// Encode gives the lock file's text, in the order of references.
func (l Lock) Encode() ([]byte, error) {
	sorted := Lock{Images: slices.Clone(l.Images)}
	slices.SortFunc(sorted.Images, func(a, b Locked) int { return strings.Compare(a.Reference, b.Reference) })
	var out bytes.Buffer
	out.WriteString(lockHead)
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(sorted); err != nil {
		return nil, fmt.Errorf("write the digests of images: %w", err)
	}
	return out.Bytes(), nil
}

// KindNode is what kind's module says of its default node image.
func KindNode() (Locked, error) {
	tagged, digest, found := strings.Cut(defaults.Image, "@")
	if !found {
		return Locked{}, fmt.Errorf("kind's default node image %q has no digest", defaults.Image)
	}
	return Locked{Reference: "docker.io/" + tagged, Digest: digest, From: "the module sigs.k8s.io/kind"}, nil
}

// WriteLock asks the registries for the digests of all images that can be pulled and writes the lock file. Where a
// registry does not answer, what was known stays; the returned error then says so for each image.
func (s *Store) WriteLock(ctx context.Context) error {
	lock := Lock{}
	var unknown []error
	node, err := KindNode()
	if err != nil {
		return err
	}
	for _, image := range s.catalogue.pulled() {
		if image.Reference == node.Reference {
			lock.Images = append(lock.Images, node)
			continue
		}
		locked, known := s.lock.of(image.Reference)
		if digest, err := s.puller.digest(ctx, image.Reference, ""); err != nil {
			unknown = append(unknown, fmt.Errorf("%s: %w", image.Name, err))
		} else {
			locked, known = Locked{Reference: image.Reference, Digest: digest, From: "its registry"}, true
			s.progress.say("%s is %s", image.Reference, digest)
		}
		if known {
			lock.Images = append(lock.Images, locked)
		}
	}
	raw, err := lock.Encode()
	if err != nil {
		return err
	}
	if err := writeWhole(filepath.Join(s.root, lockPath), raw); err != nil {
		return err
	}
	s.lock = lock
	if len(unknown) > 0 {
		return fmt.Errorf("%s was written, without a new digest for %d images: %w", lockPath, len(unknown), errors.Join(unknown...))
	}
	return nil
}

// CheckLock asks the registries whether every image that can be pulled has a digest in the lock file by which it can be
// had. Its error names each that has not, with the digest of its tag.
func (s *Store) CheckLock(ctx context.Context) error {
	var errs []error
	for _, image := range s.catalogue.pulled() {
		locked := s.lock.Digest(image.Reference)
		if locked != "" {
			if _, err := s.puller.digest(ctx, image.Reference, locked); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s has %s, which cannot be had: %w", image.Name, lockPath, locked, err))
			}
			continue
		}
		found, err := s.puller.digest(ctx, image.Reference, "")
		if err != nil {
			found = fmt.Sprintf("cannot be asked: %v", err)
		}
		errs = append(errs, fmt.Errorf("%s: %s has no digest for %s; its registry: %s", image.Name, lockPath, image.Reference, found))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("run `opbench images lock` where the registries can be reached, and commit %s: %w", lockPath, errors.Join(errs...))
}
