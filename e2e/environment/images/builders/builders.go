// Package builders says what a way to build images from an ecosystem's packages
// must do, and has what they all need: jobs with a log, progress, layers and keys.
//
// Each ecosystem is one package beside this file: golang (Go modules), debian
// (Debian packages), pypi (Python's wheels), maven (jars), cargo (Rust's crates),
// dockerfile, kindnode. Another one is one more package with a Part, a field of
// images.Image with its entry in docs/schema/catalogue.schema.json, and one line in
// images.Store.parts.
package builders

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/singleflight"

	"operatorbench/e2e/environment/engine"
)

// Part is what one image takes from one ecosystem. All of it is pinned by hash in
// the repository, and comes through the ecosystem's ordinary client.
type Part interface {
	// Ecosystem is what it comes from, for people: "Go modules".
	Ecosystem() string
	// AddTo adds everything that the part is made from to an image's key.
	AddTo(*Key) error
	// Costs are those of what the cache does not have; see Cost.
	Costs() ([]Cost, error)
	// Needs says what this machine lacks to make what the cache does not have, and
	// what to do: it is asked of all images before one is built.
	Needs(context.Context) error
	// Fetch gets over the network what building needs, where it can be had before:
	// that waits for the network while other parts wait for the processor.
	Fetch(ctx context.Context) error
	// Build makes the part, from the cache where it can; files that nobody needs
	// afterwards go to the folder work.
	Build(ctx context.Context, work string) (Made, error)
}

// Made is what an image gets from one part.
type Made struct {
	Layers  []v1.Layer
	Entries []Entry           // of the last layer, which all parts share
	Labels  map[string]string // of the image
	Depends Dependencies      // of its own code
	Whole   v1.Image          // where set, the image is that, and has no other part
}

// Cost is an estimate for one step, which several images may share.
type Cost struct {
	Step string        // "compiling kubernetes"
	Time time.Duration // on two cores, with empty build caches
	Size Size          // what it leaves on the disk of Folder
	// Folder is asked only where there is a size.
	Folder func(context.Context) (string, error)
}

// Labels of every image that is built.
const (
	LabelName     = "operatorbench.image"
	LabelRecipe   = "operatorbench.recipe"
	LabelPackages = "operatorbench.debian-packages"
	LabelWheels   = "operatorbench.python-packages"
	LabelJars     = "operatorbench.maven-artifacts"
	LabelCrates   = "operatorbench.cargo-crates"
	LabelDepends  = "operatorbench.dependencies"
)

// CatalogueFolder is where the repository has the catalogue and its recipes.
const CatalogueFolder = "fixtures/images"

// Tools are what all parts work with.
type Tools struct {
	Root     string              // of the repository
	Cache    string              // a folder; what is in it is named by its key
	CacheID  string              // known once the cache is being filled
	Work     string              // for files that nobody needs afterwards, on the cache's disk
	Engine   *engine.Engine      // nil: none
	Progress *Progress           // of the image that is being built
	Once     *singleflight.Group // for what several images share
}

// Log is the file for the output of a step.
func (t Tools) Log(step string) string {
	return filepath.Join(t.Cache, "logs", strings.ReplaceAll(step, "/", "-")+".log")
}

// Temporary makes a folder in Work; remove ends it.
func (t Tools) Temporary(name string) (folder string, remove func(), err error) {
	folder, err = os.MkdirTemp(t.Work, name+"-")
	return folder, func() { _ = os.RemoveAll(folder) }, err // what stays, the next run clears
}

// KeptLayer returns the layer that the cache has at base, or makes it there. Calls
// for the same base share one making.
func (t Tools) KeptLayer(base string, build func() error) (*Kept, error) {
	_, err, _ := t.Once.Do(base, func() (any, error) {
		if _, err := ReadLayer(base); err == nil {
			return nil, nil
		}
		return nil, build()
	})
	if err != nil {
		return nil, err
	}
	return ReadLayer(base)
}

// Move puts a finished file or folder in its place in the cache.
func Move(made, place string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.Rename(made, place))
}

// Exists says whether there is a file or folder.
func Exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Since is a rounded duration for people.
func Since(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }

// Size is a number of bytes, written as "300MB" or "2GB".
type Size int64

// UnmarshalText reads a whole number of MB or GB (powers of ten).
func (s *Size) UnmarshalText(text []byte) error {
	for unit, factor := range map[string]int64{"MB": 1e6, "GB": 1e9} {
		if digits, found := strings.CutSuffix(string(text), unit); found {
			n, err := strconv.ParseInt(digits, 10, 32)
			if err != nil || n < 0 {
				break
			}
			*s = Size(n * factor)
			return nil
		}
	}
	return fmt.Errorf("%q is no size: expected a whole number of MB or GB, as in 300MB", text)
}

// String gives megabytes, or gigabytes with one decimal.
func (s Size) String() string {
	if s >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(s)/1e9)
	}
	return fmt.Sprintf("%.1f MB", float64(s)/1e6)
}
