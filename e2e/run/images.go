package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	kindversion "sigs.k8s.io/kind/pkg/cmd/kind/version"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/fakenodes"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
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

// images sees that every image is there, and returns the node's.
func (e *environment) images(ctx context.Context) (node string, err error) {
	if e.engine, err = engine.Find(ctx, os.Getenv(engine.ProviderVariable)); err != nil {
		return "", err
	}
	e.facts.Engine, e.facts.Kind = e.engine.Name(), kindversion.Version()
	heads := plain.Where(e.participants, func(p *participant) bool { return p.variant != gate.VariantBase && p.variant != gate.VariantAgain })
	if e.store, err = e.openStore(e.root, heads, e.options.Given); err != nil {
		return "", err
	}
	if err := e.obtain(ctx, e.store, append([]string{images.NodeImage}, e.imagesInNode(heads)...)); err != nil {
		return "", err
	}
	if e.base != nil {
		if err := e.baseImages(ctx); err != nil {
			return "", err
		}
	}
	return e.store.Node(ctx)
}

// openStore opens the store of a repository's images, and of those that participants bring
// along, which get theirs from it.
func (e *environment) openStore(root string, participants []*participant, given Given) (*images.Store, error) {
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return nil, err
	}
	store, err := images.Open(images.Options{
		Root: root, Clone: e.root, Cache: cache, Source: images.Source(e.options.Images), Own: ownOf(participants), Given: given, Engine: e.engine, Progress: e.out,
	})
	if err != nil {
		return nil, err
	}
	for _, p := range participants {
		p.store = store
	}
	return store, nil
}

// operatorsOf are the styles of participants.
func operatorsOf(participants []*participant) []*styles.Style {
	return plain.Pick(participants, func(p *participant) (*styles.Style, bool) { return p.operator, p.operator != nil })
}

// ownOf are the images that participants bring along.
func ownOf(participants []*participant) []images.Image {
	return styles.OwnImages(operatorsOf(participants)...)
}

// obtain gets images, or refuses to begin without them.
func (e *environment) obtain(ctx context.Context, store *images.Store, needed []string) error {
	needed = plain.Once(nil, needed...)
	if e.options.ImagesAsked {
		return store.Ensure(ctx, needed...)
	}
	return present(ctx, store, needed)
}

// imagesOf are the names of the images that participants need.
func imagesOf(participants []*participant) []string {
	return plain.Once(nil, plain.Flat(operatorsOf(participants), (*styles.Style).ImageNames)...)
}

// baseImages gets the base's images, and finds those that have another content under the same reference now.
func (e *environment) baseImages(ctx context.Context) (err error) {
	old := plain.Where(e.participants, func(p *participant) bool { return p.variant == gate.VariantBase || p.variant == gate.VariantAgain })
	// What is given for an image of the style's own is head's.
	if e.base.store, err = e.openStore(e.base.root, old, e.options.Given.besides(ownOf(old))); err != nil {
		return err
	}
	if err := e.obtain(ctx, e.base.store, imagesOf(old)); err != nil {
		return err
	}
	changed, err := e.changedImages(ctx, imagesOf(old))
	if err != nil {
		return err
	}
	for _, p := range e.operated() {
		p.own = plain.Where(p.operator.ImageNames(), func(name string) bool { return slices.Contains(changed, name) })
	}
	return nil
}

// dropSame leaves out styles whose images and manifests are the same on both sides, whatever their sources are.
// It is ErrUnchanged if nothing is left.
func (j *job) dropSame() error {
	if j.options.Unchanged {
		return nil
	}
	for _, c := range slices.Clone(j.comparisons) {
		same, err := alike(c.base().operator, c.head().operator)
		if err != nil {
			return err
		}
		if len(c.head().own) > 0 || !same {
			continue
		}
		j.remark(c.style + ": the images and the manifests of base and head are the same, byte for byte: there is nothing to measure")
		j.comparisons = slices.DeleteFunc(j.comparisons, func(other *comparison) bool { return other == c })
		j.participants = slices.DeleteFunc(j.participants, func(p *participant) bool { return p.comparison == c })
	}
	if len(j.comparisons) == 0 && len(j.base.gone) == 0 {
		return ErrUnchanged
	}
	return nil
}

// changedImages are those of the base's images whose content is another now.
func (e *environment) changedImages(ctx context.Context, names []string) ([]string, error) {
	var changed []string
	for _, name := range names {
		if !slices.Contains(e.store.Names(), name) {
			continue
		}
		now, err := e.store.Describe(ctx, name)
		if err != nil {
			continue // no style needs it now
		}
		was, err := e.base.store.Describe(ctx, name)
		if err != nil {
			return nil, err
		}
		if was[0].Digest != now[0].Digest {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// load brings every image into the cluster. What has another content for some
// participants is loaded before each of their blocks.
func (e *environment) load(ctx context.Context) error {
	err := e.kind.LoadImages(ctx, func(w io.Writer) error {
		return e.store.Archive(ctx, w, e.imagesInNode(e.from(e.store))...)
	})
	if err != nil || e.base == nil {
		return err
	}
	if gone := e.onlyAtBase(); len(gone) > 0 {
		err = e.kind.LoadImages(ctx, func(w io.Writer) error { return e.base.store.Archive(ctx, w, gone...) })
	}
	return err
}

// from are the participants whose images come from a store.
func (j *job) from(store *images.Store) []*participant {
	return slices.DeleteFunc(slices.Clone(j.participants), func(p *participant) bool { return p.store != store })
}

// onlyAtBase are the images that no style needs now.
func (e *environment) onlyAtBase() []string {
	now := imagesOf(e.from(e.store))
	return slices.DeleteFunc(imagesOf(e.from(e.base.store)), func(name string) bool { return slices.Contains(now, name) })
}

// reload brings the participant's own content of an image into the cluster.
func (e *environment) reload(ctx context.Context, p *participant) error {
	if len(p.own) == 0 {
		return nil
	}
	return e.kind.LoadImages(ctx, func(w io.Writer) error { return p.store.Archive(ctx, w, p.own...) })
}

// present refuses to begin without all images: fetching them takes longer than a test run has.
func present(ctx context.Context, store *images.Store, needed []string) error {
	missing, err := store.Missing(ctx, needed...)
	if err != nil || len(missing) == 0 {
		return err
	}
	reasons := plain.Map(missing, func(m images.Listed) string { return fmt.Sprintf("%s (%s)", m.Name, m.Why) })
	return fmt.Errorf("%d of %d images are missing: %s\n`make images` gets them: it pulls what a registry has, and builds the rest from package registries; with --images=auto the run itself does so first",
		len(missing), len(needed), strings.Join(reasons, ", "))
}

// imageFacts fills in what the styles run.
func (e *environment) imageFacts(ctx context.Context) error {
	described, err := e.store.Describe(ctx, append([]string{images.NodeImage}, e.imagesInNode(e.from(e.store))...)...)
	if err != nil {
		return err
	}
	for _, d := range described {
		e.facts.Images = append(e.facts.Images, record.ImageFacts{
			Name: d.Name, Reference: d.Reference, Published: d.Published, Digest: d.Digest, Source: d.Source, Bytes: d.Size, Packages: d.Packages,
			Dependencies: (*record.Dependencies)(d.Depends),
		})
	}
	return nil
}
