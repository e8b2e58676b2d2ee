package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/styles"
)

// tree is a Git repository with its files as they were at a revision, in a worktree of its own.
type tree struct {
	top    string // of the repository
	commit string
	folder string // of the worktree; it is removed when the run is closed

	discard func() error // removes the folder around it; opbench clean does so where the run was killed
}

// repositoryOf is the Git repository that a folder is in.
func repositoryOf(ctx context.Context, folder string) (string, error) {
	top, err := git(ctx, folder, "rev-parse", "--show-toplevel")
	if err == nil {
		return filepath.EvalSymlinks(top)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("git is not installed, and it alone knows what %s was before: install it, or compare two runs with `opbench gate --base=RESULTS --head=RESULTS`", folder)
	}
	if _, there := os.Stat(folder); there != nil || ctx.Err() != nil {
		return "", errors.Join(there, context.Cause(ctx))
	}
	return "", fmt.Errorf("%s is in no Git repository, so that nothing says what it was before: run `git init` and commit it, or compare two runs with `opbench gate --base=RESULTS --head=RESULTS` (%w)", folder, err)
}

// tree is the repository around a folder, as it was at a revision. Of one that is there already the revision is not
// asked again.
func (b *base) tree(ctx context.Context, folder, revision string) (*tree, error) {
	top, err := repositoryOf(ctx, folder)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(b.trees, func(t *tree) bool { return t.top == top }); i >= 0 {
		return b.trees[i], nil
	}
	commit, err := b.resolve(ctx, top, revision)
	if err != nil {
		return nil, err
	}
	return b.add(ctx, top, commit)
}

// add makes the tree of a repository at a commit.
func (b *base) add(ctx context.Context, top, commit string) (_ *tree, err error) {
	around, discard, err := cluster.NewFolder()
	if err != nil {
		return nil, fmt.Errorf("make a folder for the base's files: %w", err)
	}
	t := &tree{top: top, commit: commit, folder: filepath.Join(around, baseFolder+"files"), discard: discard}
	b.trees = append(b.trees, t)
	if err = forget(ctx, top); err == nil { // no hook of the repository runs
		_, err = git(ctx, top, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--detach", t.folder, t.commit)
	}
	if err != nil {
		return nil, fmt.Errorf("read the base's files: %w", err)
	}
	return t, nil
}

// baseFolder begins the names of the folders with the base's files.
const baseFolder = "operatorbench-base-"

// forget drops the worktrees of killed runs, whose folders are gone. Those of others stay, wherever their folders are:
// they may be on a disk that is not mounted.
func forget(ctx context.Context, top string) error {
	list, err := git(ctx, top, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for one := range strings.SplitSeq(list, "\n\n") {
		folder, rest, _ := strings.Cut(strings.TrimPrefix(one, "worktree "), "\n")
		if !strings.HasPrefix(filepath.Base(folder), baseFolder) || !strings.Contains(rest, "\nprunable") {
			continue
		}
		if _, err := git(ctx, top, "worktree", "remove", "--force", folder); err != nil {
			return err
		}
	}
	return nil
}

// resolve is the commit of a repository at a revision. What a submodule was, the repository says that it is in, unless
// this is run in the submodule itself; fs.ErrNotExist if it was not there.
func (b *base) resolve(ctx context.Context, top, revision string) (string, error) {
	above, err := git(ctx, top, "rev-parse", "--show-superproject-working-tree")
	if err != nil || above == "" || len(b.trees) == 0 {
		return resolve(ctx, top, revision) // which says what is wrong where it is no submodule
	}
	outer, err := b.tree(ctx, above, revision)
	if err != nil {
		return "", err
	}
	name, err := outer.relative(top)
	if err != nil {
		return "", err
	}
	commit, err := git(ctx, outer.top, "ls-tree", "--object-only", outer.commit, "--", name)
	switch {
	case err != nil:
		return "", err
	case commit == "":
		return "", &fs.PathError{Op: "find the submodule", Path: name, Err: fs.ErrNotExist}
	}
	found, err := resolve(ctx, top, commit)
	if err != nil {
		return "", fmt.Errorf("the submodule %s was at %s: %w", name, commit, err)
	}
	return found, nil
}

// of is the tree of the repository that a path is in: of two, one in the other, the inner one's; nil: there is none.
func (b *base) of(path string) *tree {
	var found *tree
	for _, t := range b.trees {
		if _, err := t.relative(path); err == nil && (found == nil || len(t.top) > len(found.top)) {
			found = t
		}
	}
	return found
}

// relative is a path from the repository's top on.
func (t *tree) relative(path string) (string, error) {
	resolved, err := filepath.Abs(path)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(resolved)
	}
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(t.top, resolved)
	if err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s is outside of the repository %s: it has no base", path, t.top)
	}
	return name, nil
}

// was is where the files of a folder of the repository are as they were.
func (t *tree) was(folder string) (string, error) {
	name, err := t.relative(folder)
	return filepath.Join(t.folder, name), err
}

// styles are the folders of the repository that hold a style now, whether they are committed or not.
func (t *tree) styles(ctx context.Context) ([]string, error) {
	listed, err := git(ctx, t.top, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ":(glob)**/"+files.StyleFile)
	var folders []string
	for name := range strings.SplitSeq(listed, "\x00") {
		folder := filepath.Join(t.top, filepath.Dir(name))
		if _, err := os.Stat(filepath.Join(folder, files.StyleFile)); name != "" && err == nil {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), err
}

// lost are the folders, from the repository's top on, that held a style and hold none now.
func (t *tree) lost(ctx context.Context) ([]string, error) {
	listed, err := git(ctx, t.top, "diff", "--no-renames", "--diff-filter=D", "--name-only", "-z", t.commit, "--", ":(glob)**/"+files.StyleFile)
	var folders []string
	for name := range strings.SplitSeq(listed, "\x00") {
		if _, there := os.Stat(filepath.Join(t.top, name)); name != "" && there != nil && !isTestdata(filepath.Dir(name)) {
			folders = append(folders, filepath.Dir(name))
		}
	}
	return folders, err
}

// isTestdata reports whether a folder holds what only tests use.
func isTestdata(folder string) bool {
	return slices.Contains(strings.Split(folder, string(filepath.Separator)), "testdata")
}

// remove removes the worktree. The context of the run may have ended.
func (t *tree) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, _ = git(ctx, t.top, "worktree", "remove", "--force", t.folder) // of one that was not made it is an error
	if err := t.discard(); err != nil {
		return fmt.Errorf("remove the base's files: %w", err)
	}
	return nil
}

// uncompared names the folders with a style.yaml that changed and do not take part: nobody is to believe that they were
// looked at.
func (j *job) uncompared(ctx context.Context, heads []*styles.Style) error {
	for _, t := range j.base.trees {
		folders, err := t.styles(ctx)
		if err != nil {
			return err
		}
		var names []string
		for _, folder := range folders {
			name, _ := filepath.Rel(t.top, folder)
			taken := slices.ContainsFunc(heads, func(head *styles.Style) bool { return head.Folder == folder })
			if taken || isTestdata(name) {
				continue
			}
			changed, err := t.changed(ctx, name)
			if err != nil {
				return err
			}
			if changed {
				names = append(names, "./"+name)
			}
		}
		if len(names) > 0 {
			j.remark(fmt.Sprintf("not compared, although changed since %s: %s (--operator takes several, with commas)", j.options.Base, strings.Join(names, ", ")))
		}
	}
	return nil
}

// changed reports whether a folder's files differ from what they were.
func (t *tree) changed(ctx context.Context, folder string) (bool, error) {
	differing, err := git(ctx, t.top, "diff", "--name-only", t.commit, "--", folder)
	if err != nil || differing != "" {
		return differing != "", err
	}
	added, err := git(ctx, t.top, "ls-files", "--others", "--exclude-standard", "--", folder)
	return added != "", err
}
