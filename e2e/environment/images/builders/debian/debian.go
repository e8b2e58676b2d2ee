// Package debian makes layers of Debian packages with mmdebstrap. Debian signs
// them; the catalogue's snapshot says which ones.
package debian

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"operatorbench/e2e/environment/images/builders"
)

// Release says where packages come from.
type Release struct {
	Suite string `yaml:"suite"`
	// Snapshot is a time, as in 20261121T060000Z: packages are those that Debian
	// had then, where there is an archive that has them (see Part.Archive).
	Snapshot string `yaml:"snapshot,omitempty"`
}

// sources are the lines of a sources.list for the snapshot in an archive.
func (r Release) sources(archive string) []string {
	line := func(part, suite string) string {
		// What was valid then has expired since; it is signed all the same.
		return fmt.Sprintf("deb [check-valid-until=no] %s/%s/%s %s main", archive, part, r.Snapshot, suite)
	}
	return []string{line("debian", r.Suite), line("debian", r.Suite+"-updates"), line("debian-security", r.Suite+"-security")}
}

// Packages is a layer made from Debian packages by mmdebstrap.
type Packages struct {
	Variant string   `yaml:"variant"` // minbase: a system; extract: only these packages' files
	Include []string `yaml:"include"`
	Keep    []string `yaml:"keep,omitempty"`   // globs; a final slash means all below; empty keeps all
	Remove  []string `yaml:"remove,omitempty"` // globs, as in Keep
	Concat  *Concat  `yaml:"concat,omitempty"`
}

// Concat joins all files below From, in name order, into the file To.
type Concat struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
}

// Part is an image's layer of Debian packages.
type Part struct {
	builders.Tools

	Release  Release
	Packages Packages
	Archive  string // a URL, where Debian's snapshots are; "": packages are today's
}

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "Debian packages" }

// AddTo implements builders.Part: the packages are in the image's description.
func (p Part) AddTo(key *builders.Key) error {
	key.Debian = p.Release
	return nil
}

// keyText is how the key of a layer has been written since an image had no other
// fields; any other text would make all layers anew.
const keyText = `{"Name":"","Reference":"","Purpose":"","Size":0,"PartOf":"","NeverPulled":false,"Packages":%s,"Binaries":null,"Files":null,` +
	`"Config":{"Entrypoint":null,"Cmd":null,"Env":null,"User":"","StopSignal":""}}`

// base is where the layer is in the cache, without the endings of its two files.
func (p Part) base() (string, error) {
	packages, err := json.Marshal(p.Packages)
	if err != nil {
		return "", err
	}
	key := builders.NewKey()
	key.Go, key.Debian, key.Image = "", p.Release, json.RawMessage(fmt.Sprintf(keyText, packages))
	sum, err := key.Sum()
	return filepath.Join(p.Cache, "debian", sum), err
}

// Costs implements builders.Part: packages take no space but the image's own.
func (p Part) Costs() ([]builders.Cost, error) { return nil, nil }

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
	return builders.Made{
		Layers: []v1.Layer{made.Layer},
		Labels: map[string]string{builders.LabelPackages: strings.Join(made.Versions, " ")},
	}, nil
}

// layer returns the layer from the cache, or makes it. Calls for the same
// packages share one making.
func (p Part) layer(ctx context.Context) (*builders.Kept, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	return p.KeptLayer(base, func() error { return p.bootstrap(ctx, base) })
}

// bootstrap runs mmdebstrap and writes base.tar and base.json.
func (p Part) bootstrap(ctx context.Context, base string) error {
	if err := p.needMmdebstrap(ctx); err != nil {
		return err
	}
	work, remove, err := p.Temporary("debian")
	if err != nil {
		return err
	}
	defer remove()
	what := fmt.Sprintf("Debian packages %s and what they need", strings.Join(p.Packages.Include, " "))
	if len(what) > 90 {
		what = what[:90] + "…"
	}
	p.Progress.Say("%s", what)
	raw := filepath.Join(work, "raw.tar")
	log, err := p.mmdebstrap(ctx, work, raw)
	if err != nil {
		return err
	}
	filter := &rootfs{packages: p.Packages}
	layer, err := filter.rewrite(raw, filepath.Join(work, "layer.tar"))
	if err != nil {
		return fmt.Errorf("rewrite the root file system of %s: %w", strings.Join(p.Packages.Include, ","), err)
	}
	versions := filter.installed
	if p.Packages.Variant == "extract" {
		if versions, err = extractedVersions(log); err != nil {
			return err
		}
	}
	return builders.KeepLayer(layer, versions, base)
}

// mmdebstrap writes the root file system of packages to the tar file raw, from the
// catalogue's snapshot where that answers; it returns its log.
func (p Part) mmdebstrap(ctx context.Context, work, raw string) (log string, err error) {
	include := strings.Join(p.Packages.Include, ",")
	args := []string{"mmdebstrap", "--variant=" + p.Packages.Variant, "--include=" + include}
	if p.Packages.Variant == "extract" {
		// Extracted packages are not in dpkg's list: their names go to the log.
		args = append(args, `--extract-hook=ls "$1/var/cache/apt/archives"`)
	}
	args = append(args, p.Release.Suite, raw)
	job := builders.Job{
		What: "mmdebstrap " + include, Log: p.Log("debian-" + p.Packages.Include[0]), Dir: work,
		Env: []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", builders.BuildTime.Unix())},
	}
	if p.Archive != "" && p.Release.Snapshot != "" {
		err := answers(ctx, fmt.Sprintf("%s/debian/%s/dists/%s/InRelease", p.Archive, p.Release.Snapshot, p.Release.Suite))
		if err == nil {
			job.Args = slices.Concat(args, p.Release.sources(p.Archive))
			err = job.Run(ctx)
		}
		if err == nil || ctx.Err() != nil {
			return job.Log, err
		}
		p.Progress.Say("Debian packages of today: those of %s cannot be had: %v", p.Release.Snapshot, err)
	}
	job.Args = args
	return job.Log, job.Run(ctx)
}

// patience is how long an archive of snapshots may take to answer.
const patience = 3 * time.Second

// answers asks for a URL's head.
func answers(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	}
	_ = response.Body.Close() // it has none
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}

// Needs implements builders.Part: mmdebstrap, or what installs it.
func (p Part) Needs(context.Context) error {
	base, err := p.base()
	if err != nil {
		return err
	}
	if _, err := builders.ReadLayer(base); err == nil {
		return nil
	}
	if _, err := exec.LookPath("mmdebstrap"); err == nil {
		return nil
	}
	const hint = "install it (Debian and Ubuntu: apt-get install mmdebstrap debian-archive-keyring), " +
		"or let images be pulled with --images=pull"
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return errors.New("building images needs the program mmdebstrap, which is not in PATH: " + hint)
	}
	return nil
}

// needMmdebstrap installs mmdebstrap where it is missing and this is possible.
func (p Part) needMmdebstrap(ctx context.Context) error {
	if _, err := exec.LookPath("mmdebstrap"); err == nil {
		return nil
	}
	if err := p.Needs(ctx); err != nil {
		return err
	}
	_, err, _ := p.Once.Do("mmdebstrap", func() (any, error) {
		job := builders.Job{
			What: "install mmdebstrap", Log: p.Log("install-mmdebstrap"), Dir: p.Work,
			Args: []string{filepath.Join(p.Root, "scripts", "apt-install.sh"), "mmdebstrap", "debian-archive-keyring"},
		}
		p.Progress.Say("mmdebstrap is missing: installing it with apt-get, which may remove nothing (its plan is in %s)", job.Log)
		return nil, job.Run(ctx)
	})
	return err
}

// extractedVersions reads the names of .deb files from mmdebstrap's log.
func extractedVersions(log string) ([]string, error) {
	raw, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var versions []string
	for line := range strings.Lines(string(raw)) {
		file, found := strings.CutSuffix(strings.TrimSpace(line), ".deb")
		parts := strings.Split(file, "_")
		if !found || len(parts) != 3 || strings.ContainsAny(file, " /") {
			continue
		}
		version, err := url.PathUnescape(parts[1]) // a colon is written %3a
		if err != nil {
			return nil, fmt.Errorf("package file %s.deb: %w", file, err)
		}
		versions = append(versions, parts[0]+"="+version)
	}
	if len(versions) == 0 {
		return nil, fmt.Errorf("no package is named in mmdebstrap's log %s", log)
	}
	slices.Sort(versions)
	return versions, nil
}
