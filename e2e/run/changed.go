package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec/styles"
)

// Changed are the styles that may do otherwise than at a revision, by name: those whose
// folder differs, or what they are rendered or built from. Where anything else differs
// that is no document, the harness itself may, and it is all of them.
func Changed(ctx context.Context, root, revision string) (_ []string, err error) {
	all, err := styles.Names(filepath.Join(root, "operators"))
	if err != nil {
		return nil, err
	}
	commit, err := resolve(ctx, root, revision)
	if err != nil {
		return nil, err
	}
	files, err := git(ctx, root, "diff", "--name-only", "--no-renames", commit+"...HEAD")
	if err != nil {
		return nil, fmt.Errorf("list the files that differ from %s: %w", revision, err)
	}
	touched, shared := touchedBy(strings.Split(files, "\n"))
	switch {
	case shared:
		return all, nil
	case len(touched) == 0:
		return nil, nil
	}
	was := &base{recipes: images.Recipes{Clone: root}}
	defer func() { err = errors.Join(err, was.remove()) }()
	t, err := was.tree(ctx, root, commit)
	if err == nil {
		was.root, err = t.was(root)
	}
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, name := range all {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		differs, err := slices.Contains(touched, name), error(nil)
		if !differs {
			differs, err = was.differs(ctx, root, name)
		}
		if err != nil {
			return nil, err
		}
		if differs {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// touchedBy are the folders of operators, and that of images, in which files lie that
// somebody runs; shared reports whether there are others that are no documents.
func touchedBy(files []string) (touched []string, shared bool) {
	for _, file := range files {
		parts := strings.SplitN(file, "/", 3)
		switch {
		case file == "" || path.Ext(file) == ".md" || parts[0] == "docs" || file == "LICENSE":
		case parts[0] == "operators" && len(parts) == 3:
			touched = append(touched, parts[1])
		case strings.HasPrefix(file, images.Folder+"/recipes/"), images.Describes(file):
			touched = append(touched, images.Folder) // what it changes, the images' recipes say
		default:
			return nil, true
		}
	}
	return touched, false
}

// differs reports whether a style is new, or other than it was at the base.
func (b *base) differs(ctx context.Context, root, name string) (bool, error) {
	found, err := styles.Find(filepath.Join(root, "operators"), name)
	if err != nil {
		return false, err
	}
	is := found[0]
	was, err := b.style(ctx, is, b.trees[0].commit)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return differ(ctx, &b.recipes, b.root, root, was, is, nil)
}
