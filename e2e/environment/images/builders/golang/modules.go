package golang

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"path/filepath"
	"strings"

	"operatorbench/e2e/environment/images/builders"
)

// addModules adds the modules that are in a compiled program, but for its own one:
// true are those that its own code imports, or, of a recipe, those whose programs it
// builds. The linker has written down in the program which they are.
func (p Part) addModules(modules map[string]bool, b Binary, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read of which modules %s is made: %w", program, err)
	}
	root, folder := cmp.Or(b.root, p.Root), b.Package
	if b.Recipe != "" {
		folder = filepath.Join(builders.CatalogueFolder, "recipes", b.Recipe)
	}
	own, err := moduleOf(root, folder)
	if err != nil {
		return err
	}
	for _, dep := range info.Deps {
		if _, seen := modules[dep.Path]; !seen && !own.has(dep.Path) {
			modules[dep.Path] = false
		}
	}
	if !own.has(info.Main.Path) { // a tool, of another module
		modules[info.Main.Path] = true
		return nil
	}
	imported, err := own.imported(root, filepath.Join(own.folder, strings.TrimPrefix(info.Path, own.path)))
	if err != nil {
		return err
	}
	for _, path := range imported {
		if module := longest(modules, path); module != "" {
			modules[module] = true
		}
	}
	return nil
}

// has tells whether a module is this one, or in a folder beside it.
func (m module) has(path string) bool {
	for _, one := range append([]module{m}, m.local...) {
		if one.path == path {
			return true
		}
	}
	return false
}

// longest is the module that a package is of; "": none of these, as the standard
// library's are.
func longest(modules map[string]bool, imported string) string {
	found := ""
	for module := range modules {
		if strings.HasPrefix(imported+"/", module+"/") && len(module) > len(found) {
			found = module
		}
	}
	return found
}

func count(modules map[string]bool) builders.Dependencies {
	depends := builders.Dependencies{All: len(modules)}
	for _, direct := range modules {
		if direct {
			depends.Direct++
		}
	}
	return depends
}
