package styles

import (
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/files"
)

// base is a style some of whose files another one, its overlay, is made from.
type base struct {
	style *Style
	files []string // by absolute path, sorted
	where []any    // in the overlay's style.yaml they are used first; see Style.line
}

// Bases lists the styles that this one is made from, besides itself; none, if it is no overlay.
func (s Style) Bases() ([]Style, error) {
	bases, err := s.bases()
	all := plain.Map(bases, func(base *base) Style { return *base.style })
	return all, err
}

// bases lists the styles that this one is made from, besides itself, in the
// order in which its stages come to them: an overlay of an overlay has two.
func (s Style) bases() ([]*base, error) { return s.kept().bases() }

func (s Style) findBases() ([]*base, error) {
	var all []*base
	for _, from := range slices.Concat(s.stageSources()...) {
		err := from.err
		for i := 0; i < len(from.files) && err == nil; i++ {
			all, err = s.addBase(all, from.files[i], from.where)
		}
		if err != nil {
			return nil, s.problem(from, err)
		}
	}
	return all, nil
}

// addBase adds the style to which a file belongs, unless it is the style itself, or no style.
func (s Style) addBase(all []*base, file string, where []any) ([]*base, error) {
	folder := files.StyleOf(file)
	if folder == s.Folder || folder == "" {
		return all, nil
	}
	i := slices.IndexFunc(all, func(b *base) bool { return b.style.Folder == folder })
	if i < 0 {
		style, err := Load(folder)
		if err != nil {
			return nil, err
		}
		i, all = len(all), append(all, &base{style: style, where: where})
	}
	if !slices.Contains(all[i].files, file) {
		all[i].files = append(all[i].files, file)
	}
	return all, nil
}

// checkBases refuses a style that is made from two operators: its bases must
// all lead to one, as those of an overlay of an overlay do.
func (s Style) checkBases() error {
	bases, err := s.bases()
	if err != nil || len(bases) == 0 {
		return err
	}
	var first Style
	for i, base := range bases {
		root, err := base.style.root(s.Folder)
		switch {
		case err != nil:
			return err
		case i == 0:
			first = root
		case root.Folder != first.Folder:
			return s.errorAt(base.where, "this is of the style %s, what line %d uses is of %s: two operators would act on the same custom resources, an overlay has one base",
				root.Name, s.line(bases[0].where), first.Name)
		}
	}
	return nil
}

// root is the style that this one is made from in the end; overlays are the folders of those that lead here.
func (s Style) root(overlays ...string) (Style, error) {
	bases, err := s.bases()
	if err != nil || len(bases) == 0 {
		return s, err
	}
	if overlays = append(overlays, s.Folder); slices.Contains(overlays, bases[0].style.Folder) {
		return s, s.errorAt(bases[0].where, "this is of the style %s, which is itself an overlay of this one: one of the two must have manifests of its own",
			bases[0].style.Name)
	}
	return bases[0].style.root(overlays...)
}
