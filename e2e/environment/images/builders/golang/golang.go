// Package golang compiles programs from Go modules, which go.sum pins by hash: the
// tools of a recipe, or a main package of the repository or of a style's own module.
package golang

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/environment/images/builders"
)

// Recipe is a folder recipes/<name> with a go.mod whose tools are built.
type Recipe struct {
	LDFlags string        `yaml:"ldflags,omitempty"`
	Tags    string        `yaml:"tags,omitempty"` // build constraints that hold, with commas
	Restore *Restore      `yaml:"restore,omitempty"`
	Cold    time.Duration `yaml:"cold"` // compile time on 2 cores with an empty build cache
	Disk    builders.Size `yaml:"disk"` // what compiling leaves in the build cache
}

// Binary is a program: the tool Name of Recipe, or the main package Package of
// this repository.
type Binary struct {
	Recipe  string `yaml:"recipe,omitempty"`
	Name    string `yaml:"name,omitempty"`
	Package string `yaml:"package,omitempty"`
	To      string `yaml:"to"`

	root string // the folder that Package is below; empty: this repository
}

// Source is the folder that a main package is compiled from.
func (b Binary) Source() string { return filepath.Join(b.root, b.Package) }

// Part is an image's programs.
type Part struct {
	builders.Tools

	Recipes  map[string]Recipe // the catalogue's
	Binaries []Binary
}

// Ecosystem implements builders.Part.
func (p Part) Ecosystem() string { return "Go modules" }

// AddTo implements builders.Part.
func (p Part) AddTo(key *builders.Key) error {
	for _, b := range p.Binaries {
		root, files, err := p.sources(b)
		if err != nil {
			return err
		}
		if b.Recipe != "" {
			recipe := p.Recipes[b.Recipe]
			recipe.Cold, recipe.Disk = 0, 0 // what only informs
			key.Recipes[b.Recipe] = recipe
		}
		if err := key.AddFiles(root, files...); err != nil {
			return err
		}
	}
	return nil
}

// missing lists the recipes of the programs that are not compiled, each once.
func (p Part) missing() ([]string, error) {
	var names []string
	for _, b := range p.Binaries {
		if b.Recipe == "" || slices.Contains(names, b.Recipe) {
			continue
		}
		folder, err := p.folder(b.Recipe)
		if err != nil {
			return nil, err
		}
		if !builders.Exists(folder) {
			names = append(names, b.Recipe)
		}
	}
	return names, nil
}

// folder is where a recipe's compiled tools are; it exists only when they are all
// there.
func (p Part) folder(recipe string) (string, error) {
	sum, err := builders.KeyOf(Part{p.Tools, p.Recipes, []Binary{{Recipe: recipe}}})
	return filepath.Join(p.Cache, "programs", recipe+"-"+sum), err
}

// Costs implements builders.Part.
func (p Part) Costs() ([]builders.Cost, error) {
	missing, err := p.missing()
	costs := make([]builders.Cost, len(missing))
	for i, name := range missing {
		recipe := p.Recipes[name]
		costs[i] = builders.Cost{Step: "compiling " + name, Time: recipe.Cold, Size: recipe.Disk, Folder: buildCache}
	}
	return costs, err
}

// Needs implements builders.Part: the go command, where the cache does not have all programs.
func (p Part) Needs(context.Context) error {
	missing, err := p.missing()
	if err != nil || len(missing) == 0 {
		return err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("building images needs the program go: %w: install Go, or let images be pulled with --images=pull", err)
	}
	return nil
}

// buildCache is where the go command keeps what it has compiled.
func buildCache(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("building images needs the program go: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Fetch implements builders.Part.
func (p Part) Fetch(ctx context.Context) error {
	missing, err := p.missing()
	for _, recipe := range missing {
		if ctx.Err() == nil {
			_, _ = p.fetch(ctx, recipe) // compiling it, in its turn, says what is wrong
		}
	}
	return err
}

// Build implements builders.Part.
func (p Part) Build(ctx context.Context, work string) (builders.Made, error) {
	var made builders.Made
	modules := map[string]bool{}
	for _, b := range p.Binaries {
		file, err := p.Program(ctx, b, work)
		if err != nil {
			return made, err
		}
		made.Entries = append(made.Entries, builders.Entry{Name: strings.TrimPrefix(b.To, "/"), Mode: 0o755, Source: file})
		if err := p.addModules(modules, b, file); err != nil {
			return made, err
		}
	}
	made.Depends = count(modules)
	return made, nil
}

// env makes a build independent of the caller's settings: static programs, and
// no flags or workspace that could change what is built.
func env() []string { return []string{"CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=", "GOWORK=off"} }

// compile is the beginning of every compilation: the same for all programs, so
// that the build cache has a library once for all that it is in. Nobody debugs an
// image's programs, so that no debug information is made for the linker to leave
// out, which takes an eighth of the time; their code is the same without it.
func compile(r Recipe) []string {
	return []string{
		"go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false", "-tags=" + r.Tags,
		"-ldflags=" + strings.TrimSpace("-s -w "+r.LDFlags),
	}
}

// Program returns the path of a compiled program, in the cache or in work.
func (p Part) Program(ctx context.Context, b Binary, work string) (string, error) {
	if b.Recipe == "" {
		return p.compilePackage(ctx, b, work)
	}
	folder, err := p.folder(b.Recipe)
	if err != nil {
		return "", err
	}
	_, err, _ = p.Once.Do("recipe-"+b.Recipe, func() (any, error) {
		if builders.Exists(folder) {
			return nil, nil
		}
		return nil, p.compileRecipe(ctx, b.Recipe, folder)
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, b.Name)
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("recipe %s makes no program %s: %w", b.Recipe, b.Name, err)
	}
	return file, nil
}

// compilePackage compiles a main package of this repository, or of a style's own
// module, into work, in the module that it is of.
func (p Part) compilePackage(ctx context.Context, b Binary, work string) (string, error) {
	root := cmp.Or(b.root, p.Root)
	m, err := moduleOf(root, b.Package)
	if err != nil {
		return "", err
	}
	inside, err := filepath.Rel(m.folder, b.Package)
	if err != nil {
		return "", err
	}
	name := b.Source()
	out := filepath.Join(work, filepath.Base(name))
	return out, builders.Job{
		What: "compile " + name, Log: p.Log("compile-" + name), Dir: filepath.Join(root, m.folder), Env: env(),
		Args: append(compile(Recipe{}), "-o", out, "./"+inside), CPU: p.Progress.Compiled(name),
	}.Run(ctx)
}

// compileRecipe compiles all tools of a recipe into folder.
func (p Part) compileRecipe(ctx context.Context, name, folder string) error {
	started := time.Now()
	work, remove, err := p.Temporary(name)
	if err != nil {
		return err
	}
	defer remove()
	source := p.source(name)
	if p.Recipes[name].Restore != nil {
		if source, err = p.restore(ctx, name, work); err != nil {
			return err
		}
	}
	total, err := p.fetch(ctx, name)
	if err != nil {
		return err
	}
	out := filepath.Join(work, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	job := builders.Job{
		What: "compile " + name, Log: p.Log("compile-" + name), Dir: source, Env: env(),
		Args: append(compile(p.Recipes[name]), "-v", "-mod=readonly", "-o", out+string(filepath.Separator), "tool"),
		Status: func(lines int) {
			p.Progress.Say("compile %s: %d of %d packages, %s", name, lines, total, builders.Since(started))
		},
		CPU: p.Progress.Compiled(name),
	}
	p.Progress.Say("compile %s: at most %d packages (log: %s)", name, total, job.Log)
	if err := job.Run(ctx); err != nil {
		return err
	}
	return builders.Move(out, folder)
}

// fetch gets what a recipe needs and the module cache does not have, and says of
// how many packages the recipe consists.
func (p Part) fetch(ctx context.Context, name string) (int, error) {
	count, err, _ := p.Once.Do("fetch-"+name, func() (any, error) {
		args := []string{"go", "list", "-mod=readonly", "-tags=" + p.Recipes[name].Tags, "-deps", "-f", "package {{.ImportPath}}", "tool"}
		if p.Recipes[name].Restore != nil {
			args = slices.Insert(args, 2, "-e") // what its module lacks is put in later
		}
		job := builders.Job{
			What: "fetch the modules of " + name, Log: p.Log("modules-" + name), Dir: p.source(name), Env: env(), Args: args,
			Status: func(lines int) { p.Progress.Say("fetch the modules of %s: %d so far", name, lines) },
		}
		if err := job.Run(ctx); err != nil {
			return 0, err
		}
		raw, err := os.ReadFile(job.Log)
		return strings.Count(string(raw), "\npackage "), err
	})
	packages, _ := count.(int)
	return packages, err
}
