package styles

import (
	"io/fs"
	"path/filepath"
	"strings"

	"operatorbench/e2e/spec/workloads"
)

// Own reports whether what a style names as its workload is a folder of its own.
func Own(workload string) bool { return strings.HasPrefix(workload, ".") }

// Handles returns the workload whose custom resources the style handles: one of the repository by its name, or a folder
// of the style's own by its path, "." or "./FOLDER".
func (s Style) Handles() (*workloads.Workload, error) { return s.kept().handled() }

func (s Style) handles() (*workloads.Workload, error) {
	w, err := s.readWorkload()
	if err != nil {
		return nil, s.errorAt([]any{"workload"}, "workload: %w", err)
	}
	var alike []string
	for _, child := range w.Children {
		if child.Resource == w.Main().Resource {
			alike = append(alike, child.ID)
		}
	}
	if s.Child.OwnerReference && len(alike) > 1 {
		return nil, s.errorAt([]any{"child"}, "child: each %s has %d children of the kind %s (%s), and owns them: say with name which is the main one, %s",
			w.Resource.Kind, len(alike), w.Main().Kind, strings.Join(alike, ", "), w.Main().ID)
	}
	return w, nil
}

func (s Style) readWorkload() (*workloads.Workload, error) {
	if !Own(s.Workload) {
		return workloads.Named(s.Workload)
	}
	folder := filepath.Join(s.Folder, s.Workload)
	name, err := s.tree().Name(folder)
	if err != nil {
		return nil, err
	}
	within, err := fs.Sub(s.tree(), name)
	if err != nil {
		return nil, err
	}
	return workloads.Read(folder, within)
}
