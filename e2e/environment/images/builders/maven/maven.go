// Package maven makes layers of Java programs: the jars of a Maven project, each by
// its hash, and the classes compiled from sources of this repository.
package maven

import (
	"context"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"operatorbench/e2e/environment/images/builders"
)

// Jars are a Java program in one folder of an image.
type Jars struct {
	// Recipe is a folder beside the catalogue with pom.xml, what is asked for, and
	// jars.sha256, all that Maven resolves it to: lines as of sha256sum.
	Recipe  string `yaml:"recipe"`
	Sources string `yaml:"sources"` // a folder of the repository
	// Release is the version of Java whose language, library and class files the program has.
	Release int    `yaml:"release"`
	To      string `yaml:"to"` // the folder; classes and lib are below it
}

// Part is an image's layer of a Java program.
type Part struct {
	builders.Tools

	Jars Jars
}

const (
	// plugin is the version of Maven's own plugin that brings the jars.
	plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
	// compiler begins the name of the jar that compiles: Eclipse's, which is pinned
	// like the others, so that of this machine only a Java to run it counts.
	compiler = "org.eclipse.jdt.ecj-"
)

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "Maven artifacts" }

// file is one of the recipe's, relative to the repository.
func (p Part) file(name string) string {
	return filepath.Join(builders.CatalogueFolder, p.Jars.Recipe, name)
}

// sources are the .java files, relative to the repository, in name order.
func (p Part) sources() ([]string, error) {
	var files []string
	err := filepath.WalkDir(filepath.Join(p.Root, p.Jars.Sources), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".java" {
			return err
		}
		relative, err := filepath.Rel(p.Root, file)
		files = append(files, relative)
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no .java file is below %s", p.Jars.Sources)
	}
	if err != nil {
		return nil, fmt.Errorf("find the Java sources: %w", err)
	}
	return files, nil
}

// AddTo implements builders.Part: the rest is in the image's description.
func (p Part) AddTo(key *builders.Key) error {
	files, err := p.sources()
	if err != nil {
		return err
	}
	return key.AddFiles(p.Root, append(files, p.file("pom.xml"), p.file("jars.sha256"))...)
}

// base is where the layer is in the cache, without the endings of its two files.
func (p Part) base() (string, error) {
	key := builders.NewKey()
	key.Go, key.Arch, key.Image = "", "", p.Jars
	if err := p.AddTo(key); err != nil {
		return "", err
	}
	sum, err := key.Sum()
	return filepath.Join(p.Cache, "maven", sum), err
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
	return []builders.Cost{{Step: "jars of " + p.Jars.Recipe, Time: 20 * time.Second}}, nil
}

// Needs implements builders.Part: Maven and Java, where the cache does not have the layer.
func (p Part) Needs(ctx context.Context) error {
	kept, err := p.kept()
	if kept || err != nil {
		return err
	}
	_, err = java(ctx, p.Jars.Release)
	return err
}

// runtimeLine is what "mvn --version" says of its Java.
var runtimeLine = regexp.MustCompile(`(?m)^Java version: (?:1\.)?(\d+).*runtime: (.+?)\s*$`)

// java is the program of the Java that Maven runs with, which must be of that
// version or newer.
func java(ctx context.Context, release int) (string, error) {
	const hint = "install both (Debian and Ubuntu: apt-get install maven), or leave out the styles that are written in Java"
	out, err := exec.CommandContext(ctx, "mvn", "--batch-mode", "--version").CombinedOutput()
	if err != nil {
		if said := strings.TrimSpace(string(out)); said != "" {
			err = fmt.Errorf("%w: %s", err, said[strings.LastIndex(said, "\n")+1:])
		}
		return "", fmt.Errorf("programs in Java need Maven, with a Java %d or newer, and it does not run on this machine: mvn --version: %w: %s", release, err, hint)
	}
	found := runtimeLine.FindStringSubmatch(string(out))
	if found == nil {
		return "", fmt.Errorf("mvn --version says nothing of its Java, but %q: %s", out, hint)
	}
	if version, err := strconv.Atoi(found[1]); err != nil || version < release {
		return "", fmt.Errorf("the Java programs are compiled with Java %d or newer, and Maven's here (%s) is %s: %s", release, found[2], found[1], hint)
	}
	return filepath.Join(found[2], "bin", "java"), nil
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
	direct, err := p.direct()
	return builders.Made{
		Layers:  []v1.Layer{made.Layer},
		Depends: builders.Dependencies{Direct: direct, All: len(made.Versions)},
		Labels:  map[string]string{builders.LabelJars: strings.Join(made.Versions, " ")},
	}, err
}

// direct counts the artifacts that pom.xml itself asks for, but for what compiles.
func (p Part) direct() (int, error) {
	raw, err := os.ReadFile(filepath.Join(p.Root, p.file("pom.xml")))
	if err != nil {
		return 0, err
	}
	var project struct {
		Scopes []struct {
			Scope string `xml:"scope"`
		} `xml:"dependencies>dependency"`
	}
	if err := xml.Unmarshal(raw, &project); err != nil {
		return 0, fmt.Errorf("read what %s asks for: %w", p.file("pom.xml"), err)
	}
	count := 0
	for _, dependency := range project.Scopes {
		if dependency.Scope != "provided" {
			count++
		}
	}
	return count, nil
}

// layer returns the layer from the cache, or makes it. Calls for the same program
// share one making.
func (p Part) layer(ctx context.Context) (*builders.Kept, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	return p.KeptLayer(base, func() error { return p.make(ctx, base) })
}

// make downloads the jars, compiles, and writes base.tar and base.json.
func (p Part) make(ctx context.Context, base string) error {
	started := time.Now()
	work, remove, err := p.Temporary("maven")
	if err != nil {
		return err
	}
	defer remove()
	program, err := java(ctx, p.Jars.Release)
	if err != nil {
		return err
	}
	lib, classes := filepath.Join(work, "lib"), filepath.Join(work, "classes")
	jars, err := p.download(ctx, lib)
	if err != nil {
		return err
	}
	downloaded := time.Now()
	if err := p.compile(ctx, program, lib, classes, jars); err != nil {
		return err
	}
	entries, versions, err := p.entries(lib, classes, jars)
	if err != nil {
		return err
	}
	layer, err := builders.WriteLayer(filepath.Join(work, "layer.tar"), entries)
	if err != nil {
		return err
	}
	p.Progress.Say("%d jars of %s: downloaded in %s, %s compiled in %s (%s)", len(jars), p.Jars.Recipe,
		downloaded.Sub(started).Round(100*time.Millisecond), p.Jars.Sources, time.Since(downloaded).Round(100*time.Millisecond), builders.Size(layer.Bytes))
	return builders.KeepLayer(layer, versions, base)
}

// download gets the jars that pom.xml comes to: exactly those of the lock.
func (p Part) download(ctx context.Context, to string) ([]string, error) {
	locked, err := readLock(p.Root, p.file("jars.sha256"))
	if err != nil {
		return nil, err
	}
	job := builders.Job{
		What: "download the jars of " + p.file("pom.xml"), Log: p.Log("maven-" + filepath.Base(p.Jars.Recipe)), Dir: p.Work,
		Args: []string{
			"mvn", "--batch-mode", "--no-transfer-progress", "--strict-checksums", "--file", filepath.Join(p.Root, p.file("pom.xml")),
			plugin, "-Dmdep.prependGroupId=true", "-DoutputDirectory=" + to,
		},
	}
	if err := job.Run(ctx); err != nil {
		return nil, err
	}
	return locked.check(to)
}

// compile writes the classes of the sources.
func (p Part) compile(ctx context.Context, program, lib, classes string, jars []string) error {
	at := slices.IndexFunc(jars, func(jar string) bool { return strings.HasPrefix(jar, compiler) })
	if at < 0 {
		return fmt.Errorf("%s has no jar %s…, which compiles: let pom.xml ask for org.eclipse.jdt:ecj with the scope provided", p.file("jars.sha256"), compiler)
	}
	sources, err := p.sources()
	if err != nil {
		return err
	}
	job := builders.Job{
		What: "compile " + p.Jars.Sources, Log: p.Log("ecj-" + filepath.Base(p.Jars.Recipe)), Dir: p.Root,
		Args: slices.Concat([]string{
			program, "-jar", filepath.Join(lib, jars[at]), "--release", strconv.Itoa(p.Jars.Release), "-encoding", "UTF-8", "-proc:none", "-nowarn", "-d", classes,
			"-classpath", strings.Join(paths(lib, jars), string(os.PathListSeparator)),
		}, sources),
	}
	return job.Run(ctx)
}

// entries are the files below Jars.To, and the names of the jars, without their endings.
func (p Part) entries(lib, classes string, jars []string) (entries []builders.Entry, versions []string, err error) {
	to := strings.Trim(p.Jars.To, "/")
	for _, jar := range jars {
		if strings.HasPrefix(jar, compiler) {
			continue
		}
		entries = append(entries, builders.Entry{Name: to + "/lib/" + jar, Mode: 0o644, Source: filepath.Join(lib, jar)})
		versions = append(versions, strings.TrimSuffix(jar, ".jar"))
	}
	err = filepath.WalkDir(classes, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(classes, file)
		entries = append(entries, builders.Entry{Name: to + "/classes/" + filepath.ToSlash(relative), Mode: 0o644, Source: file})
		return err
	})
	return entries, versions, err
}

// paths are files of a folder.
func paths(folder string, names []string) []string {
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join(folder, name)
	}
	return files
}
