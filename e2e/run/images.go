package run

import (
	"fmt"
	"path/filepath"
	"slices"

	"operatorbench/e2e/environment/fakenodes"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/styles"
)

// ImagesOf are the names of the images that runs of styles need: the node, what
// the operators deploy, and each style's; own are those that the styles bring along
// beside the catalogue's. asked is a value of --operator, whose paths are from here.
func ImagesOf(root, here, asked string) (names []string, own []images.Image, err error) {
	found, err := styles.Find(filepath.Join(root, "operators"), operatorNames(here, asked)...)
	if err != nil {
		return nil, nil, fmt.Errorf("--operator=%s: %w", asked, err)
	}
	if names, err = imagesNeeded(found); err != nil {
		return nil, nil, fmt.Errorf("--operator=%s: %w", asked, err)
	}
	return names, styles.OwnImages(found...), nil
}

// imagesNeeded are the images that a run of styles needs.
func imagesNeeded(all []*styles.Style) ([]string, error) {
	names, err := everyRun(all...)
	return plain.Once(nil, append(names, plain.Flat(all, (*styles.Style).ImageNames)...)...), err
}

// everyRun are the images that a run of styles needs beside theirs: the node, and what their workloads run.
func everyRun(all ...*styles.Style) ([]string, error) {
	names := []string{images.NodeImage}
	for _, style := range all {
		handled, err := style.Handles()
		if err != nil {
			return nil, err
		}
		names = append(names, handled.Images...)
	}
	return names, nil
}

// imagesInNode are the names of the images that the node must have: what the operators deploy, and what participants
// need.
func (j *job) imagesInNode(participants []*participant) []string {
	names := append(slices.Clone(j.workload.Images), imagesOf(participants)...)
	if j.fakeNodes() > 0 {
		names = append(names, fakenodes.Image)
	}
	return plain.Once(nil, names...)
}
