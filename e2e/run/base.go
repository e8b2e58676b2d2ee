package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// ErrUnchanged says that no style differs from the base.
var ErrUnchanged = errors.New("no operator style differs from the base: there is nothing to compare")

// base is what the repositories of styles were at another revision.
type base struct {
	root   string // where the catalogue of then is: this repository at the base; in others' it is today's
	commit string // of the repository that the first style is in
	store  *images.Store
	trees  []*tree // of each repository, the first one's first
	// recipes are those of its images, and of today's.
	recipes images.Recipes
	// gone is what it has and the repository has not; added are styles that only the repository has.
	gone  []record.Gone
	added []string
}

// compare makes the participants of a comparison with the base. Without a choice of
// styles, those that differ take part.
func (j *job) compare(ctx context.Context) error {
	j.base = &base{root: j.root, recipes: images.Recipes{Clone: j.root}}
	if err := j.compareWith(ctx); err != nil {
		return errors.Join(err, j.base.remove())
	}
	return nil
}

func (j *job) compareWith(ctx context.Context) error {
	asked := fmt.Sprintf("--base=%s", j.options.Base)
	here, err := j.base.tree(ctx, j.here(), j.options.Base)
	if err != nil {
		return fmt.Errorf("%s: %w", asked, err)
	}
	j.base.commit = here.commit
	for _, source := range j.options.Sources {
		top, err := repositoryOf(ctx, source.Folder)
		var commit string
		if err == nil {
			commit, err = resolve(ctx, top, source.Revision)
		}
		if err == nil {
			_, err = j.base.add(ctx, top, commit)
		}
		if err != nil {
			return fmt.Errorf("--source=%s: %w", source, err)
		}
	}
	heads, err := j.present(ctx, here)
	if err != nil {
		return err
	}
	for _, head := range heads {
		if err := j.compareStyle(ctx, head); err != nil {
			return fmt.Errorf("%s: %w", asked, err)
		}
	}
	if err := j.uncompared(ctx, heads); err != nil {
		return fmt.Errorf("%s: %w", asked, err)
	}
	if len(j.comparisons) == 0 && len(j.base.gone) == 0 {
		return ErrUnchanged
	}
	compared := operatorsOf(j.participants)
	if err := errors.Join(j.choose(compared...), j.measurable()); err != nil {
		return err
	}
	j.quicken()
	return nil
}

// compareStyle adds the comparison of a style that differs from its base.
func (j *job) compareStyle(ctx context.Context, head *styles.Style) error {
	name := head.Name
	if head.Control == spec.Harness {
		return nil // its folder holds nothing that is installed
	}
	was, err := j.base.style(ctx, head, j.options.Base)
	if errors.Is(err, fs.ErrNotExist) {
		j.say("%s is new: at %s there was nothing to compare it with", name, j.options.Base)
		j.base.added = append(j.base.added, name)
		return nil
	}
	if err != nil {
		return err
	}
	changed, err := differ(ctx, &j.base.recipes, j.base.root, j.root, was, head, j.options.Given)
	if err != nil {
		return err
	}
	if !changed && !j.options.Unchanged {
		if j.options.Operator != styles.All {
			j.say("%s is the same at %s and now: there is nothing to measure (--unchanged measures it all the same, for the noise of this machine)", name, j.options.Base)
		}
		return nil
	}
	for _, image := range head.Own {
		same := func(old images.Image) bool { return old.Reference == image.Reference && old.AsIs() }
		if image.AsIs() && j.options.Given[image.Name] == "" && slices.ContainsFunc(was.Own, same) {
			j.remark(fmt.Sprintf("%s: both sides run the image %s as it is now: it is not compared. Say in style.yaml what it is built from (dockerfile or go), or give head's with --image", name, image.Reference))
		}
	}
	j.contest(was, head)
	return nil
}

// present finds the styles that are asked for, and notes those that only the base has.
func (j *job) present(ctx context.Context, here *tree) ([]*styles.Style, error) {
	names := operatorNames(j.here(), j.options.Operator)
	if j.options.Here == "" {
		if err := j.atBase(here); err != nil {
			return nil, fmt.Errorf("--base=%s: %w", j.options.Base, err)
		}
		if names = j.dropGone(names); len(names) == 0 {
			return nil, nil // nothing is left to drive
		}
	} else if slices.Contains(names, styles.All) {
		var err error
		if names, err = here.styles(ctx); err != nil {
			return nil, err
		}
		lost, err := here.lost(ctx)
		if err != nil {
			return nil, err
		}
		for _, folder := range lost {
			j.base.gone = append(j.base.gone, record.Gone{Style: filepath.Base(folder), Why: "its folder " + folder + " was deleted or renamed"})
		}
		if len(names) == 0 && len(lost) > 0 {
			return nil, nil // nothing is left to drive
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("--operator=%s: no folder of %s has a style.yaml: `opbench init` makes one", j.options.Operator, here.top)
		}
	}
	return j.named(names)
}

// atBase notes what this repository was at the base, and which scenarios it has lost since.
func (j *job) atBase(here *tree) (err error) {
	if j.base.root, err = here.was(j.root); err != nil {
		return err
	}
	found, _ := j.named(operatorNames(j.here(), j.options.Operator)) // what is wrong with one is said where it is to be driven
	if err := j.handle(found...); err != nil {
		return err
	}
	return j.lostScenarios()
}

// dropGone notes those of the styles that are asked for which only the base has.
func (j *job) dropGone(asked []string) []string {
	is, _ := styles.Names(filepath.Join(j.root, "operators")) // the pattern is valid
	was, _ := styles.Names(filepath.Join(j.base.root, "operators"))
	for _, style := range was {
		if slices.Contains(is, style) || !slices.Contains(asked, style) && !slices.Contains(asked, styles.All) {
			continue
		}
		asked = slices.DeleteFunc(asked, func(name string) bool { return name == style })
		j.base.gone = append(j.base.gone, record.Gone{Style: style, Why: "its folder operators/" + style + " was deleted or renamed"})
	}
	if len(is) == 0 && len(j.base.gone) > 0 {
		return nil
	}
	return asked
}

// lostScenarios notes scenarios that only the base has, and what only the base's expect of a style.
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

// branchName is what a hint may repeat: it is typed into a shell, and no flag of git's.
var branchName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9][A-Za-z0-9._-]*$`)

// resolve is the commit of a revision.
func resolve(ctx context.Context, root, revision string) (string, error) {
	commit, err := git(ctx, root, "rev-parse", "--quiet", "--verify", "--end-of-options", revision+"^{commit}")
	var status *exec.ExitError
	if err == nil || !errors.As(err, &status) || ctx.Err() != nil {
		return commit, err
	}
	if _, err := git(ctx, root, "rev-parse", "--git-dir"); err != nil {
		return "", err // this is no repository, or not ours: git says it best
	}
	text := fmt.Sprintf("there is no revision %q in this repository", revision)
	if shallow, err := git(ctx, root, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
		return "", errors.New(text + ": the clone is shallow; fetch its history with `git fetch --unshallow`, or say fetch-depth: 0 where actions/checkout makes it")
	}
	if remotes, err := git(ctx, root, "remote"); err == nil && remotes != "" && branchName.MatchString(revision) {
		remote, rest, cut := strings.Cut(revision, "/")
		if !cut || !slices.Contains(strings.Fields(remotes), remote) {
			remote, rest = strings.Fields(remotes)[0], revision
		}
		text += fmt.Sprintf("; fetch it first (git fetch %s %s)", remote, rest)
	}
	if names, err := git(ctx, root, "for-each-ref", "--sort=-committerdate", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags"); err == nil && names != "" {
		text += fmt.Sprintf("; name a commit, or one of: %s", plain.Some(strings.Fields(names), mostNamed))
	}
	return "", errors.New(text)
}

// remove removes the trees, as far as they are there. There is no base where a run compares nothing.
func (b *base) remove() error {
	if b == nil {
		return nil
	}
	return errors.Join(plain.Map(b.trees, (*tree).remove)...)
}

// style is what a style was at the base, each part in the repository that it is in; fs.ErrNotExist if it was not there.
func (b *base) style(ctx context.Context, head *styles.Style, revision string) (*styles.Style, error) {
	t, err := b.tree(ctx, head.Folder, revision)
	if err != nil {
		return nil, fmt.Errorf("style %s: %w", head.Name, err)
	}
	for _, image := range head.Own {
		if source := image.Source(); source != "" && b.of(source) == nil {
			return nil, fmt.Errorf("image %s of %s is built from %s, which is in another repository than the style: say what that was with --source=FOLDER=REVISION", image.Name, head.Name, source)
		}
	}
	folder, err := t.was(head.Folder)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(folder, files.StyleFile)); err != nil {
		return nil, err
	}
	moved := map[string]string{}
	for _, t := range b.trees {
		moved[t.top] = t.folder
	}
	return styles.LoadWith(folder, styles.Sources{Of: head.Folder, Moved: moved})
}

// differ reports whether anything in a style's folder differs, the texts that
// nothing is made from aside, or its images are made from something else.
func differ(ctx context.Context, recipes *images.Recipes, baseRoot, root string, was, is *styles.Style, given Given) (bool, error) {
	if slices.ContainsFunc(is.Own, func(image images.Image) bool { return given[image.Name] != "" }) {
		return true, nil
	}
	if same, err := alike(was, is); err != nil || !same {
		return true, err
	}
	recipesBefore, err := recipes.Of(ctx, baseRoot, was.Own, was.ImageNames()...)
	if err != nil {
		return false, err
	}
	recipesAfter, err := recipes.Of(ctx, root, is.Own, is.ImageNames()...)
	return fmt.Sprint(recipesBefore) != fmt.Sprint(recipesAfter), err
}

// alike reports whether two styles install the same, and say the same of themselves.
func alike(was, is *styles.Style) (bool, error) {
	before, err := manifestsHash(was)
	if err != nil {
		return false, err
	}
	after, err := manifestsHash(is)
	if err != nil || before != after {
		return false, err
	}
	texts := []string{files.StyleFile}
	if is.Base != "" {
		texts = append(texts, filepath.Join("..", is.Base, files.StyleFile))
	}
	for _, file := range texts {
		if same, err := sameFile(filepath.Join(was.Folder, file), filepath.Join(is.Folder, file)); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func sameFile(a, b string) (bool, error) {
	before, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	after, err := os.ReadFile(b)
	return bytes.Equal(before, after), err
}

// mostNamed is how many of many names an error has.
const mostNamed = 8

// git runs git in root and returns what it printed.
func git(ctx context.Context, root string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...) //nolint:gosec // the revision is behind --end-of-options
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
