package images

import (
	"context"
	"errors"
)

// Recipes knows the hash of what each image is made from, of repositories as they are
// now: equal hashes build equal images. The program of Clone is asked once for all images
// of a repository's catalogue; without one they are their references.
type Recipes struct {
	Clone string

	known map[string]map[string]planned // repository → image
}

// Of returns the hashes of the named images of the catalogue under root and of a style's
// own, by name. An image that nothing here builds has its reference.
func (r *Recipes) Of(ctx context.Context, root string, own []Image, names ...string) (map[string]string, error) {
	if r.known[root] == nil {
		catalogue, err := Load(root)
		if err != nil {
			return nil, err
		}
		if r.known == nil {
			r.known = map[string]map[string]planned{}
		}
		if r.known[root], err = r.plan(ctx, root, catalogue.Names()); err != nil {
			return nil, err
		}
	}
	all, err := load(root, own)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, name := range names {
		image, err := all.Image(name)
		if err != nil {
			return nil, err
		}
		made := r.known[root][name]
		if image.builtHere() {
			if made, err = planOwn(ctx, image); err != nil {
				return nil, err
			}
		}
		switch {
		case made.Error != "":
			return nil, errors.New(made.Error)
		case made.Key == "":
			hashes[name] = image.Reference
		default:
			hashes[name] = made.Key
		}
	}
	return hashes, nil
}

// plan asks the program; what it says of single images is in their Error.
func (r *Recipes) plan(ctx context.Context, root string, names []string) (map[string]planned, error) {
	p, err := newProgram(Options{Clone: r.Clone, Root: root})
	if err != nil || !p.inClone() {
		return nil, err // what is the same reference is the same image
	}
	plan, err := p.plan(ctx, names...)
	if len(plan) == len(names) {
		err = nil
	}
	return plan, err
}
