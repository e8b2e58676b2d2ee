package run

import (
	"fmt"
	"path/filepath"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec/styles"
)

// ImagesOf are the names of the images that a run of styles needs: the node, what
// the operators deploy, and each style's; own are those that the styles bring along
// beside the catalogue's. asked is a value of --operator, whose paths are from here.
func ImagesOf(root, here, asked string) (names []string, own []images.Image, err error) {
	found, err := styles.Find(filepath.Join(root, "operators"), operatorNames(here, asked)...)
	if err != nil {
		return nil, nil, fmt.Errorf("--operator=%s: %w", asked, err)
	}
	names = everyRun()
	for _, style := range found {
		names = append(names, style.Style().ImageNames()...)
	}
	return unique(names), styles.OwnImages(found...), nil
}

// everyRun are the images that a run needs whatever its styles are.
func everyRun() []string { return []string{"node", "memcached"} }
