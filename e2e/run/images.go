package run

import (
	"fmt"
	"path/filepath"

	"operatorbench/operators"
)

// ImagesOf are the images that a run of styles needs, by their catalogue names:
// the node, what the operators deploy, and each style's. styles is a value of
// --operator.
func ImagesOf(root, styles string) ([]string, error) {
	found, err := operators.Find(filepath.Join(root, "operators"), operatorNames(root, styles)...)
	if err != nil {
		return nil, fmt.Errorf("--operator=%s: %w", styles, err)
	}
	names := everyRun()
	for _, style := range found {
		names = append(names, style.Style().Images...)
	}
	return unique(names), nil
}

// everyRun are the images that a run needs whatever its styles are.
func everyRun() []string { return []string{"node", "memcached"} }
