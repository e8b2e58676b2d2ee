package run

import (
	"fmt"
	"path/filepath"

	"operatorbench/e2e/bed/images"
	"operatorbench/e2e/spec/operators"
)

// ImagesOf are the names of the images that a run of styles needs: the node, what
// the operators deploy, and each style's; own are those that the styles bring along
// beside the catalogue's. styles is a value of --operator.
func ImagesOf(root, styles string) (names []string, own []images.Image, err error) {
	found, err := operators.Find(filepath.Join(root, "operators"), operatorNames(root, styles)...)
	if err != nil {
		return nil, nil, fmt.Errorf("--operator=%s: %w", styles, err)
	}
	names = everyRun()
	for _, style := range found {
		names = append(names, style.Style().ImageNames()...)
	}
	return unique(names), operators.OwnImages(found...), nil
}

// everyRun are the images that a run needs whatever its styles are.
func everyRun() []string { return []string{"node", "memcached"} }
