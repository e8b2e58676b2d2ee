package styles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/workloads"
)

// All is the name that stands for every style of the default workload.
const All = "all"

// Sources say where images of a style are built from, beside folders of the Git repository that the style is in.
type Sources struct {
	Allowed []string          // other folders
	Of      string            // the folder from which paths are, if it is not the style's own
	Moved   map[string]string // folders whose files are taken from another one, such as that of another revision
}

// Load reads the style in a folder.
func Load(dir string) (*Style, error) { return LoadWith(dir, Sources{}) }

// LoadWith reads the style in a folder, with sources elsewhere.
func LoadWith(dir string, sources Sources) (*Style, error) {
	file := filepath.Join(dir, files.StyleFile)
	folder, err := filepath.Abs(dir)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder) // as kustomize names files
	}
	tree := files.Tree(filepath.Dir(folder))
	var text []byte
	if err == nil {
		text, err = tree.Read(filepath.Join(folder, files.StyleFile))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("load operator: there is no %s; a style is a folder with a %s, see operators/README.md", file, files.StyleFile)
	}
	if err != nil {
		return nil, fmt.Errorf("load operator: %w", err)
	}
	style, err := Parse(file, filepath.Base(folder), text, tree)
	if err != nil {
		return nil, err
	}
	style.Folder, style.sources = folder, sources
	if err := style.findOwn(); err != nil {
		return nil, err
	}
	style.readOnce()
	return &style, nil
}

// Names lists the styles under a folder, sorted.
func Names(root string) ([]string, error) {
	files, err := fs.Glob(os.DirFS(root), "*/"+files.StyleFile)
	if err != nil {
		return nil, fmt.Errorf("list operators under %s: %w", root, err)
	}
	all := plain.Map(files, path.Dir)
	slices.Sort(all)
	return all, nil
}

// Find loads styles in the order in which they are named: each is the name of a
// folder under root, a path to a folder, or "all": those of the default workload.
func Find(root string, names ...string) ([]*Style, error) {
	return FindWith(Sources{}, root, names...)
}

// FindWith is Find with sources elsewhere.
func FindWith(sources Sources, root string, names ...string) ([]*Style, error) {
	known, err := Names(root)
	if err != nil {
		return nil, err
	}
	var dirs []string
	named := map[string]bool{} // not only by "all"
	for _, name := range names {
		before := len(dirs)
		switch {
		case name == All && len(known) == 0:
			return nil, fmt.Errorf("no operators under %s: expected folders with a %s", root, files.StyleFile)
		case name == All:
			dirs = append(dirs, plain.Map(known, func(each string) string { return filepath.Join(root, each) })...)
		case IsPath(name):
			dirs = append(dirs, name)
		case slices.Contains(known, name):
			dirs = append(dirs, filepath.Join(root, name))
		default:
			return nil, &UnknownError{Name: name, Known: known}
		}
		for _, dir := range dirs[before:] {
			named[dir] = named[dir] || name != All
		}
	}
	return loadAll(dirs, named, sources)
}

// loadAll loads each folder once and joins what is wrong with any. Those that nobody has named are of the default
// workload.
func loadAll(dirs []string, named map[string]bool, sources Sources) ([]*Style, error) {
	var all []*Style
	var problems []error
	at := map[string]string{}
	for _, dir := range dirs {
		style, err := LoadWith(dir, sources)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		switch before, twice := at[style.Name]; {
		case !named[dir] && workloads.NameOf(style.Workload) != workloads.NameOf(""):
		case !twice:
			all = append(all, style)
			at[style.Name] = style.Folder
		case before != style.Folder:
			problems = append(problems, fmt.Errorf("two operators are named %s: %s and %s; rename one of the folders", style.Name, before, style.Folder))
		}
	}
	return all, errors.Join(problems...)
}

// IsPath reports whether a style is named by its folder.
func IsPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || strings.HasPrefix(name, ".")
}

// UnknownError says that there is no style of a name.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	if info, err := os.Stat(e.Name); err == nil && e.Name != "" {
		if info.IsDir() {
			return fmt.Sprintf("unknown operator %q; the folder of that name is ./%[1]s", e.Name)
		}
		return fmt.Sprintf("unknown operator %q, which is a file; expected a folder with a %s", e.Name, files.StyleFile)
	}
	if meant := schema.Suggestion(e.Name, append([]string{All}, e.Known...)); meant != "" {
		return fmt.Sprintf("unknown operator %q%s", e.Name, meant)
	}
	return fmt.Sprintf("unknown operator %q, expected %s, %s, or a path such as ./my-operator", e.Name, strings.Join(e.Known, ", "), All)
}
