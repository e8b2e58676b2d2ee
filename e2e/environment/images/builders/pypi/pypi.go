// Package pypi makes layers of Python packages: wheels, which pip gets by the hashes
// of a requirements file, unpacked for the Python of an image.
package pypi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"operatorbench/e2e/environment/images/builders"
)

// Wheels are Python packages in one folder of an image.
type Wheels struct {
	// Requirements is a path beside the catalogue: every package by its version and,
	// for each architecture, the hash of its wheel (pip's hash-checking mode). Those that
	// are asked for by themselves are in a file beside it that ends with .in, as pip-compile
	// has it; without one, all are.
	Requirements string   `yaml:"requirements"`
	Python       string   `yaml:"python"` // the image's: 3.11
	To           string   `yaml:"to"`     // the folder for PYTHONPATH; programs are in bin below it
	Keep         []string `yaml:"keep,omitempty"`
	Remove       []string `yaml:"remove,omitempty"` // globs below To; a final slash means all below
}

// Part is an image's layer of Python packages.
type Part struct {
	builders.Tools

	Wheels Wheels
}

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "Python packages" }

// file is the requirements file, relative to the repository.
func (p Part) file() string { return filepath.Join(builders.CatalogueFolder, p.Wheels.Requirements) }

// AddTo implements builders.Part: the rest is in the image's description.
func (p Part) AddTo(key *builders.Key) error { return key.AddFiles(p.Root, p.file()) }

// base is where the layer is in the cache, without the endings of its two files.
func (p Part) base() (string, error) {
	key := builders.NewKey()
	key.Go, key.Image = "", p.Wheels
	if err := p.AddTo(key); err != nil {
		return "", err
	}
	sum, err := key.Sum()
	return filepath.Join(p.Cache, "pypi", sum), err
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
	return []builders.Cost{{Step: "wheels of " + p.Wheels.Requirements, Time: 10 * time.Second}}, nil
}

// Needs implements builders.Part: pip, where the cache does not have the layer.
func (p Part) Needs(ctx context.Context) error {
	kept, err := p.kept()
	if kept || err != nil {
		return err
	}
	_, err = pip(ctx)
	return err
}

// pip is the command that runs pip for any Python 3 of this machine: of which
// version that is does not matter, since nothing is installed for it.
func pip(ctx context.Context) ([]string, error) {
	var tried []string
	for _, client := range [][]string{{"python3", "-m", "pip"}, {"python", "-m", "pip"}, {"pip3"}} {
		out, err := exec.CommandContext(ctx, client[0], append(client[1:], "--version")...).CombinedOutput()
		if err == nil {
			return client, nil
		}
		said := fmt.Sprintf("%s: %v", strings.Join(client, " "), err)
		if lines := strings.TrimSpace(string(out)); lines != "" {
			said += ": " + lines[strings.LastIndex(lines, "\n")+1:]
		}
		tried = append(tried, said)
	}
	return nil, errors.New("Python packages are downloaded by pip, which does not run on this machine (" + strings.Join(tried, "; ") + "): " +
		"install it (Debian and Ubuntu: apt-get install python3-pip), or leave out the styles that are written in Python")
}

// Fetch implements builders.Part: making the layer is waiting for the network.
func (p Part) Fetch(ctx context.Context) error {
	_, err := p.layer(ctx)
	return err
}

// Build implements builders.Part.
func (p Part) Build(ctx context.Context, _ string) (builders.Made, error) {
	made, err := p.layer(ctx)
	if err != nil {
		return builders.Made{}, err
	}
	depends, err := p.depends()
	return builders.Made{
		Layers:  []v1.Layer{made.Layer},
		Depends: depends,
		Labels:  map[string]string{builders.LabelWheels: strings.Join(made.Versions, " ")},
	}, err
}

// depends counts the packages of the requirements file, and those of the file with
// what was asked for; an error names one that was asked for and is not there.
func (p Part) depends() (builders.Dependencies, error) {
	file := filepath.Join(p.Root, p.file())
	all, err := required(file)
	if err != nil {
		return builders.Dependencies{}, err
	}
	asked := strings.TrimSuffix(file, filepath.Ext(file)) + ".in"
	direct, err := required(asked)
	if errors.Is(err, fs.ErrNotExist) {
		return builders.Dependencies{Direct: len(all), All: len(all)}, nil
	}
	for _, name := range direct {
		if !slices.Contains(all, name) {
			return builders.Dependencies{}, fmt.Errorf("%s asks for %s, and %s does not have it: renew that", asked, name, p.file())
		}
	}
	return builders.Dependencies{Direct: len(direct), All: len(all)}, err
}

// requirement begins a line of a requirements file that names a package.
var requirement = regexp.MustCompile(`(?m)^[A-Za-z0-9][A-Za-z0-9._-]*`)

// separators are the same in a package's name, by PEP 503.
var separators = regexp.MustCompile(`[-_.]+`)

// required are the names of the packages in a requirements file, as PyPI has them.
func required(file string) ([]string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("count the packages of %s: %w", file, err)
	}
	names := requirement.FindAllString(string(raw), -1)
	for i, name := range names {
		names[i] = strings.ToLower(separators.ReplaceAllString(name, "-"))
	}
	return names, nil
}

// layer returns the layer from the cache, or makes it. Calls for the same wheels
// share one making.
func (p Part) layer(ctx context.Context) (*builders.Kept, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	return p.KeptLayer(base, func() error { return p.make(ctx, base) })
}

// make downloads the wheels and writes base.tar and base.json.
func (p Part) make(ctx context.Context, base string) error {
	started := time.Now()
	work, remove, err := p.Temporary("pypi")
	if err != nil {
		return err
	}
	defer remove()
	wheels, err := p.download(ctx, filepath.Join(work, "wheels"))
	if err != nil {
		return err
	}
	downloaded := time.Now()
	entries, versions, err := unpack(wheels, p.Wheels)
	if err != nil {
		return err
	}
	layer, err := builders.WriteLayer(filepath.Join(work, "layer.tar"), entries)
	if err != nil {
		return err
	}
	p.Progress.Say("%d wheels of %s: downloaded in %s, unpacked in %s (%s)", len(wheels), p.file(),
		downloaded.Sub(started).Round(100*time.Millisecond), time.Since(downloaded).Round(100*time.Millisecond), builders.Size(layer.Bytes))
	return builders.KeepLayer(layer, versions, base)
}

// download gets the wheels of the requirements file, and nothing else: pip refuses
// one without a hash, one that has another, and what is no wheel.
func (p Part) download(ctx context.Context, to string) ([]string, error) {
	client, err := pip(ctx)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(filepath.Dir(p.file()))
	args := slices.Concat(client, []string{
		"download", "--disable-pip-version-check", "--no-input", "--progress-bar=off",
		"--require-hashes", "--no-deps", "--only-binary=:all:", "--dest", to, "--requirement", filepath.Join(p.Root, p.file()),
	}, target(p.Wheels.Python, runtime.GOARCH))
	job := builders.Job{What: "download the wheels of " + p.file(), Log: p.Log("pypi-" + name), Dir: p.Work, Args: args}
	if err := job.Run(ctx); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(to, "*.whl"))
}

// target are pip's options for CPython of that version on Linux, whatever this
// machine has: wheels for GNU's C library up to 2.28, which Debian 12's is newer than.
func target(python, arch string) []string {
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]
	if machine == "" {
		machine = arch
	}
	options := []string{"--implementation=cp", "--python-version=" + python, "--abi=cp" + strings.ReplaceAll(python, ".", "")}
	for _, library := range []string{"manylinux_2_28", "manylinux_2_17", "manylinux2014"} {
		options = append(options, "--platform="+library+"_"+machine)
	}
	return options
}
