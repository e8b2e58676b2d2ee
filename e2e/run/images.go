package run

import (
	"fmt"
	"path/filepath"
	"slices"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec/styles"
)

// ImagesOf are the names of the images that runs of styles need: the node, what
// the operators deploy, and each style's; own are those that the styles bring along
// beside the catalogue's. asked is a value of --operator.
func ImagesOf(root, asked string) (names []string, own []images.Image, err error) {
	found, err := styles.Find(filepath.Join(root, "operators"), operatorNames(root, asked)...)
	if err != nil {
		return nil, nil, fmt.Errorf("--operator=%s: %w", asked, err)
	}
	names = []string{nodeImage}
	for _, style := range found {
		handled, err := style.Style().Handles()
		if err != nil {
			return nil, nil, fmt.Errorf("--operator=%s: %w", asked, err)
		}
		names = append(names, handled.Images...)
	}
	for _, style := range found {
		names = append(names, style.Style().ImageNames()...)
	}
	return unique(names), styles.OwnImages(found...), nil
}

// nodeImage is the image that a cluster's node is made of.
const nodeImage = "node"

// imagesInNode are the names of the images that the node must have: what the operators deploy, and what participants need.
func (j *job) imagesInNode(participants []*participant) []string {
	return unique(append(slices.Clone(j.workload.Images), imagesOf(participants)...))
}
