package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"operatorbench/e2e/environment/images/builders"
	"operatorbench/e2e/environment/images/builders/golang"
)

// Programs returns a folder of the cache with the programs of images, each under
// the name that it has in its image, for those that run them without a container.
// They are compiled where they are not in the cache: an image that was pulled is
// not taken apart. Programs of this repository are none of them.
func (s *Store) Programs(ctx context.Context, names ...string) (string, error) {
	if len(names) == 0 {
		return "", errors.New("which images? name those whose programs are to be compiled")
	}
	var wanted []Image
	sums := ""
	for _, name := range names {
		image, err := s.catalogue.Image(name)
		if err != nil {
			return "", err
		}
		sum, err := s.key(image)
		if err != nil {
			return "", err
		}
		sums += "-" + sum
		wanted = append(wanted, image)
	}
	folder := filepath.Join(s.Cache, "programs", "of-"+strings.Join(names, "-")+sums)
	err := s.alone(ctx, func() error {
		if builders.Exists(folder) {
			return nil
		}
		if err := s.spaceToBuild(ctx, wanted); err != nil {
			return err
		}
		return s.gather(ctx, wanted, folder)
	})
	if err != nil {
		return "", fmt.Errorf("get the programs of %s: %w", strings.Join(names, ", "), err)
	}
	return folder, nil
}

// gather makes a folder of links to the programs of images.
func (s *Store) gather(ctx context.Context, wanted []Image, folder string) error {
	temporary, err := os.MkdirTemp(s.Work, "programs-")
	if err != nil {
		return err
	}
	for _, image := range wanted {
		compiler := golang.Part{Tools: s.Tools, Recipes: s.catalogue.Recipes}
		for _, binary := range image.Binaries {
			if binary.Recipe == "" {
				return fmt.Errorf("%s of image %s is compiled from this repository: use `go build %s`", binary.To, image.Name, binary.Package)
			}
			program, err := compiler.Program(ctx, binary, temporary)
			if err != nil {
				return err
			}
			if err := os.Symlink(program, filepath.Join(temporary, path.Base(binary.To))); err != nil {
				return err
			}
		}
	}
	return builders.Move(temporary, folder)
}
