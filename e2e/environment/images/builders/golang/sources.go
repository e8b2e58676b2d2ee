package golang

import (
	"cmp"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"operatorbench/e2e/environment/images/builders"
)

// source is the folder of a recipe.
func (p Part) source(recipe string) string {
	return filepath.Join(p.Root, builders.CatalogueFolder, "recipes", recipe)
}

// sources lists the files that a program is compiled from, relative to root.
func (p Part) sources(b Binary) (root string, files []string, err error) {
	if b.Recipe == "" {
		root = cmp.Or(b.root, p.Root)
		files, err = packageSources(root, b.Package)
		return root, files, err
	}
	all, err := regularFiles(p.Root, p.source(b.Recipe))
	if err != nil {
		return "", nil, fmt.Errorf("hash the recipe %s: %w", b.Recipe, err)
	}
	return p.Root, slices.DeleteFunc(all, func(file string) bool {
		name := filepath.Base(file)
		return filepath.Ext(name) != ".go" && name != "go.mod" && name != "go.sum"
	}), nil
}

// packageSources lists what the main package in a folder below root is compiled
// from.
func packageSources(root, folder string) ([]string, error) {
	m, err := moduleOf(root, folder)
	if err != nil {
		return nil, err
	}
	files, err := m.packageFiles(root, folder)
	if err != nil {
		return nil, err
	}
	files = append(files, filepath.Join(m.folder, "go.mod"))
	for _, file := range []string{"go.sum", filepath.Join("vendor", "modules.txt")} {
		if file = filepath.Join(m.folder, file); builders.Exists(filepath.Join(root, file)) {
			files = append(files, file)
		}
	}
	return files, nil
}

// module is a Go module below a root folder, such as this repository: the whole of
// it, or one nested in it.
type module struct {
	folder string // relative to the root; "." for the whole
	path   string // as imports begin
	// local are the modules that its go.mod replaces by folders.
	local []module
}

// moduleOf returns the module that a folder is of: that of the nearest go.mod.
func moduleOf(root, folder string) (module, error) {
	at, raw, err := goMod(root, folder)
	if err != nil {
		return module{}, fmt.Errorf("find the Go module of %s: %w", folder, err)
	}
	file := filepath.Join(at, "go.mod")
	parsed, err := modfile.Parse(file, raw, nil)
	if err != nil {
		return module{}, err
	}
	if parsed.Module == nil {
		return module{}, fmt.Errorf("%s: it has no line with module and its path", file)
	}
	m := module{folder: at, path: parsed.Module.Mod.Path}
	for _, replaced := range parsed.Replace {
		if modfile.IsDirectoryPath(replaced.New.Path) && !filepath.IsAbs(replaced.New.Path) {
			m.local = append(m.local, module{folder: filepath.Join(m.folder, replaced.New.Path), path: replaced.Old.Path})
		}
	}
	return m, nil
}

// goMod reads the nearest go.mod from a folder below root upwards, and says where
// it is.
func goMod(root, folder string) (at string, raw []byte, err error) {
	for at = filepath.Clean(folder); ; at = filepath.Dir(at) {
		raw, err = os.ReadFile(filepath.Join(root, at, "go.mod"))
		if err == nil || !errors.Is(err, fs.ErrNotExist) || at == "." {
			return at, raw, err
		}
	}
}

// folderOf is the folder below the root of a package that a file of the module
// imports; empty: the package comes from elsewhere.
func (m module) folderOf(root, imported string) string {
	for _, one := range append([]module{m}, m.local...) {
		if inside, found := strings.CutPrefix(imported+"/", one.path+"/"); found {
			return filepath.Join(one.folder, filepath.FromSlash(inside))
		}
	}
	if vendored := filepath.Join(m.folder, "vendor", filepath.FromSlash(imported)); builders.Exists(filepath.Join(root, vendored)) {
		return vendored
	}
	return ""
}

// packageFiles lists the files that the main package in folder is compiled from,
// as far as they are in the module, in a folder that it replaces another by, or
// vendored: its own, those of the packages that it imports, and what they embed.
// Test files do not count.
func (m module) packageFiles(root, folder string) ([]string, error) {
	var files []string
	err := m.walk(root, folder, func(own, _ []string) { files = append(files, own...) })
	slices.Sort(files)
	return slices.Compact(files), err
}

// imported lists the packages of other modules that those files import, and of the
// standard library.
func (m module) imported(root, folder string) ([]string, error) {
	var all []string
	err := m.walk(root, folder, func(_, imports []string) { all = append(all, imports...) })
	slices.Sort(all)
	return slices.Compact(all), err
}

// walk visits the package in folder, and those that it imports from the module.
func (m module) walk(root, folder string, visit func(files, others []string)) error {
	seen := map[string]bool{}
	queue := []string{filepath.Clean(folder)}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		files, imports, others, err := m.read(root, at)
		if err != nil {
			return fmt.Errorf("read the Go package %s: %w", folder, err)
		}
		visit(files, others)
		queue = append(queue, imports...)
	}
	return nil
}

// read lists one package's files, whatever system they are for, the folders that it
// imports, and what else it imports.
func (m module) read(root, folder string) (files, imports, others []string, err error) {
	all := build.Default
	all.UseAllFiles, all.CgoEnabled = true, true
	pkg, err := all.ImportDir(filepath.Join(root, folder), 0)
	if several := (*build.MultiplePackageError)(nil); err != nil && !errors.As(err, &several) { // a generator may lie beside
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			err = errors.New("no Go files in " + folder)
		}
		return nil, nil, nil, err
	}
	for _, name := range slices.Concat(pkg.GoFiles, pkg.CgoFiles, pkg.IgnoredGoFiles, pkg.InvalidGoFiles, pkg.SFiles, pkg.HFiles) {
		files = append(files, filepath.Join(folder, name))
	}
	for _, imported := range pkg.Imports {
		if at := m.folderOf(root, imported); at != "" {
			imports = append(imports, at)
		} else {
			others = append(others, imported)
		}
	}
	for _, pattern := range pkg.EmbedPatterns {
		matches, err := filepath.Glob(filepath.Join(root, folder, strings.TrimPrefix(pattern, "all:")))
		if err != nil {
			return nil, nil, nil, fmt.Errorf("go:embed in %s: %w", folder, err)
		}
		for _, match := range matches {
			below, err := regularFiles(root, match)
			if err != nil {
				return nil, nil, nil, err
			}
			files = append(files, below...)
		}
	}
	return files, imports, others, nil
}

// regularFiles lists the files at and below path, relative to root.
func regularFiles(root, path string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		relative, err := filepath.Rel(root, at)
		files = append(files, relative)
		return err
	})
	return files, err
}

// In is the main package in a folder, in its module, as a program of an image.
func In(folder string) (Binary, error) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return Binary{}, err
	}
	if !hasMain(at) {
		return Binary{}, fmt.Errorf("go: there is no package main in %s", folder)
	}
	root, _, err := goMod("/", strings.TrimPrefix(at, "/"))
	if err != nil {
		return Binary{}, fmt.Errorf("go: there is no go.mod in %s or above it: run `go mod init` there", folder)
	}
	root = filepath.Join("/", root)
	inside, err := filepath.Rel(root, at)
	return Binary{Package: inside, To: "/manager", root: root}, err
}

// hasMain says whether a file of a folder is of package main.
func hasMain(folder string) bool {
	all, err := filepath.Glob(filepath.Join(folder, "*.go"))
	return err == nil && slices.ContainsFunc(all, func(file string) bool {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		return err == nil && parsed.Name.Name == "main" && !strings.HasSuffix(file, "_test.go")
	})
}
