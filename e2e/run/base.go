package run

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// ErrUnchanged says that no style differs from the base.
var ErrUnchanged = errors.New("no operator style differs from the base: there is nothing to compare")

// base is the repository as it was at another revision.
type base struct {
	root   string // where its files are; removed when the run is closed
	commit string
	store  *images.Store
	// recipes are those of its images, and of today's.
	recipes images.Recipes
	// gone is what it has and the repository has not; added are styles that only
	// the repository has.
	gone  []record.Gone
	added []string
}

// compare makes the participants of a comparison with the base. Without a choice of
// styles, those that differ take part.
func (j *job) compare(ctx context.Context) error {
	var err error
	if j.base, err = checkout(ctx, j.root, j.options.Base, j.results(baseFolder)); err != nil {
		return fmt.Errorf("--base=%s: %w", j.options.Base, err)
	}
	if err = j.compareWith(ctx); err != nil {
		err = errors.Join(err, j.base.remove())
		_ = os.Remove(j.folder) // unless there is something else in it
	}
	return err
}

// baseFolder is where the base's files are while a run lasts.
const baseFolder = "base"

func (j *job) compareWith(ctx context.Context) error {
	heads, err := j.present()
	if err != nil {
		return err
	}
	if err := j.lostScenarios(); err != nil {
		return fmt.Errorf("--base=%s: %w", j.options.Base, err)
	}
	for _, head := range heads {
		if head.Style().Control == spec.Harness {
			continue // its folder holds nothing that is installed
		}
		was, err := j.base.style(j.root, head.Style())
		if errors.Is(err, fs.ErrNotExist) {
			j.say("%s is new: at %s there was nothing to compare it with", head.Style().Name, j.options.Base)
			j.base.added = append(j.base.added, head.Style().Name)
			continue
		}
		if err != nil {
			return fmt.Errorf("--base=%s: %w", j.options.Base, err)
		}
		changed, err := differ(ctx, &j.base.recipes, j.base.root, j.root, was.Style(), head.Style())
		if err != nil {
			return err
		}
		if !changed && j.options.Operator == styles.All {
			continue
		}
		j.contest(was, head)
	}
	if len(j.comparisons) == 0 && len(j.base.gone) == 0 {
		return ErrUnchanged
	}
	var compared []styles.Operator
	for _, p := range j.operated() {
		compared = append(compared, p.operator)
	}
	if err := j.handle(compared...); err != nil {
		return fmt.Errorf("--operator=%s: %w", j.options.Operator, err)
	}
	return nil
}

// present finds the styles that are asked for, and notes those that only the
// base has.
func (j *job) present() ([]styles.Operator, error) {
	is, err := styles.Names(filepath.Join(j.root, "operators"))
	if err != nil {
		return nil, err
	}
	was, err := styles.Names(filepath.Join(j.base.root, "operators"))
	if err != nil {
		return nil, err
	}
	asked := operatorNames(j.root, j.options.Operator)
	for _, style := range was {
		if slices.Contains(is, style) || !slices.Contains(asked, style) && !slices.Contains(asked, styles.All) {
			continue
		}
		asked = slices.DeleteFunc(asked, func(name string) bool { return name == style })
		j.base.gone = append(j.base.gone, record.Gone{Style: style, Why: "its folder operators/" + style + " was deleted or renamed"})
	}
	if len(asked) == 0 || len(is) == 0 && len(j.base.gone) > 0 {
		return nil, nil // nothing is left to drive
	}
	found, err := styles.Find(filepath.Join(j.root, "operators"), asked...)
	if err == nil {
		err = j.check(found)
	}
	if err != nil {
		return nil, fmt.Errorf("--operator=%s: %w", j.options.Operator, err)
	}
	return found, nil
}

// lostScenarios notes scenarios that only the base has, and what only the
// base's expect of a style.
func (j *job) lostScenarios() error {
	is, err := scenarios.Of(j.workload, judge.OracleNames())
	if err != nil {
		return err
	}
	was, err := scenarios.Expectations(os.DirFS(j.base.root), j.workload.Name)
	if err != nil {
		return err
	}
	for _, scenario := range was {
		i := slices.IndexFunc(is, func(now scenarios.Scenario) bool { return now.Name == scenario.Name })
		if i < 0 {
			j.base.gone = append(j.base.gone, record.Gone{Scenario: scenario.Name, Why: "its file was deleted, or it was renamed"})
			continue
		}
		for _, oracle := range scenario.Expect {
			if !slices.Contains(is[i].Expect, oracle) {
				j.base.gone = append(j.base.gone, record.Gone{Scenario: scenario.Name, Oracle: oracle, Why: "the scenario no longer lists it under expect"})
			}
		}
	}
	return nil
}

// checkout writes the tree of a revision into a folder, which must not be there:
// in the results folder, so that nothing elsewhere survives a killed run.
func checkout(ctx context.Context, root, revision, folder string) (*base, error) {
	b := &base{root: folder, recipes: images.Recipes{Clone: root}}
	var err error
	if b.commit, err = resolve(ctx, root, revision); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(filepath.Dir(folder), 0o755); err == nil {
		err = os.Mkdir(folder, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder for the base's files (choose another with --results): %w", err)
	}
	var archive bytes.Buffer
	if _, err = git(ctx, root, &archive, "archive", "--format=tar", b.commit); err == nil {
		err = untar(&archive, b.root)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the base's files: %w", err), b.remove())
	}
	return b, nil
}

// branchName is what a hint may repeat: it is typed into a shell, and no flag of git's.
var branchName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9][A-Za-z0-9._-]*$`)

// resolve is the commit of a revision.
func resolve(ctx context.Context, root, revision string) (string, error) {
	commit, err := git(ctx, root, nil, "rev-parse", "--quiet", "--verify", "--end-of-options", revision+"^{commit}")
	var status *exec.ExitError
	if err == nil || !errors.As(err, &status) || ctx.Err() != nil {
		return commit, err
	}
	if _, err := git(ctx, root, nil, "rev-parse", "--git-dir"); err != nil {
		return "", err // this is no repository, or not ours: git says it best
	}
	text := fmt.Sprintf("there is no revision %q in this repository", revision)
	branch := revision
	if remotes, err := git(ctx, root, nil, "remote"); err == nil && remotes != "" && branchName.MatchString(revision) {
		remote, rest, cut := strings.Cut(revision, "/")
		if !cut || !slices.Contains(strings.Fields(remotes), remote) {
			remote, rest = strings.Fields(remotes)[0], branch
		}
		text += fmt.Sprintf("; fetch it first (git fetch %s %s)", remote, rest)
	}
	if names, err := git(ctx, root, nil, "for-each-ref", "--sort=-committerdate", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags"); err == nil && names != "" {
		text += fmt.Sprintf("; name a commit, or one of: %s", most(strings.Fields(names)))
	}
	return "", errors.New(text)
}

func (b *base) remove() error {
	if b == nil {
		return nil
	}
	return os.RemoveAll(b.root)
}

// style is what a style was at the base; fs.ErrNotExist if it was not there.
func (b *base) style(root string, head styles.Style) (styles.Operator, error) {
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Rel(root, head.Folder)
	if err != nil || !filepath.IsLocal(folder) {
		return nil, fmt.Errorf("style %s is in %s, outside of the repository: it has no base", head.Name, head.Folder)
	}
	folder = filepath.Join(b.root, folder)
	if _, err := os.Stat(folder); err != nil {
		return nil, err
	}
	return styles.Load(folder)
}

// differ tells whether anything in a style's folder differs, the texts that
// nothing is made from aside, or its images are made from something else.
func differ(ctx context.Context, recipes *images.Recipes, baseRoot, root string, was, is styles.Style) (bool, error) {
	before, err := manifestsHash(was)
	if err != nil {
		return false, err
	}
	after, err := manifestsHash(is)
	if err != nil || before != after {
		return true, err
	}
	files := []string{"style.yaml"}
	if is.Base != "" {
		files = append(files, filepath.Join("..", is.Base, "style.yaml"))
	}
	for _, file := range files {
		if same, err := sameFile(filepath.Join(was.Folder, file), filepath.Join(is.Folder, file)); err != nil || !same {
			return true, err
		}
	}
	recipesBefore, err := recipes.Of(ctx, baseRoot, was.Own, was.ImageNames()...)
	if err != nil {
		return false, err
	}
	recipesAfter, err := recipes.Of(ctx, root, is.Own, is.ImageNames()...)
	return fmt.Sprint(recipesBefore) != fmt.Sprint(recipesAfter), err
}

func sameFile(a, b string) (bool, error) {
	before, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	after, err := os.ReadFile(b)
	return bytes.Equal(before, after), err
}

// most lists the first names of many.
func most(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// git runs git in root and returns what it printed, or copies it to out.
func git(ctx context.Context, root string, out io.Writer, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...) //nolint:gosec // the revision is behind --end-of-options
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if out != nil {
		command.Stdout = out
	}
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// untar writes what git archive printed under a folder. Symbolic links are left
// out: no style has any.
func untar(archive io.Reader, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	files := tar.NewReader(archive)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(header.Name), 0o755)
		case tar.TypeReg:
			err = writeFrom(root, header, files)
		}
		if err != nil {
			return err
		}
	}
}

func writeFrom(root *os.Root, header *tar.Header, from io.Reader) error {
	file, err := root.OpenFile(header.Name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, header.FileInfo().Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from) //nolint:gosec // the archive is of this repository
	return errors.Join(err, file.Close())
}
