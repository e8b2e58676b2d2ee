package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/styles"
)

// Source is a further repository that images of styles are built from, and the revision that it had at the base.
type Source struct{ Folder, Revision string }

// String is the flag's text.
func (s Source) String() string { return strings.TrimSuffix(s.Folder+"="+s.Revision, "=") }

// SourceList is a flag that may be repeated.
type SourceList []Source

// String implements flag.Value.
func (l *SourceList) String() string {
	return strings.Join(plain.Map(*l, Source.String), ",")
}

// Set implements flag.Value.
func (l *SourceList) Set(text string) error {
	folder, revision, _ := strings.Cut(text, "=")
	if folder == "" {
		return errors.New("expected FOLDER or FOLDER=REVISION")
	}
	*l = append(*l, Source{folder, revision})
	return nil
}

// check refuses a source whose revision is missing, or asked for in vain.
func (l *SourceList) check(base string) error {
	for _, source := range *l {
		switch {
		case base != "" && source.Revision == "":
			return fmt.Errorf("--source=%s with --base: say what that repository was, as in --source=%s=v1.2", source, source)
		case base == "" && source.Revision != "":
			return fmt.Errorf("--source=%s without --base: there is nothing to compare with; --source=%s takes it as it is", source, source.Folder)
		}
	}
	return nil
}

// named loads styles, each a name or a folder, and refuses those that could not be installed, or should not be.
func (j *job) named(names []string) ([]*styles.Style, error) {
	folders := plain.Map(j.options.Sources, func(source Source) string { return source.Folder })
	found, err := styles.FindWith(styles.Sources{Allowed: folders}, filepath.Join(j.root, "operators"), names...)
	if err == nil {
		err = j.check(found)
	}
	if err != nil {
		return nil, fmt.Errorf("--operator=%s: %w", j.options.Operator, err)
	}
	return found, nil
}

// anchored makes the folders of sources absolute: they are written as paths from here.
func (l SourceList) anchored(here string) SourceList {
	return plain.Map(l, func(s Source) Source { return Source{under(here, s.Folder), s.Revision} })
}

// Given are references that images are taken from, by the images' names: a flag that may be repeated.
type Given map[string]string

// String implements flag.Value.
func (g *Given) String() string {
	all := plain.Map(slices.Sorted(maps.Keys(*g)), func(name string) string { return name + "=" + (*g)[name] })
	return strings.Join(all, ",")
}

// Set implements flag.Value.
func (g *Given) Set(text string) error {
	name, reference, found := strings.Cut(text, "=")
	if !found || name == "" || reference == "" {
		return errors.New("expected NAME=REFERENCE, such as operator=example.org/operator:v2")
	}
	if *g == nil {
		*g = Given{}
	}
	(*g)[name] = reference
	return nil
}

// check refuses an image that no style needs, and a reference that is none. The catalogue has those of the styles, too.
func (g Given) check(catalogue *images.Catalogue, all []*styles.Style) error {
	needed, err := imagesNeeded(all)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if !slices.Contains(needed, name) {
			return fmt.Errorf("--image=%s=%s: no image %q is needed here: there are %s%s", name, g[name], name, strings.Join(needed, ", "), schema.Suggestion(name, needed))
		}
	}
	if catalogue, err = catalogue.With(styles.OwnImages(all...)...); err == nil {
		_, err = catalogue.Give(g)
	}
	return err
}

// besides are those that are given for others than these images.
func (g Given) besides(own []images.Image) Given {
	others := maps.Clone(g)
	maps.DeleteFunc(others, func(name, _ string) bool {
		return slices.ContainsFunc(own, func(image images.Image) bool { return image.Name == name })
	})
	return others
}

// Shard is one of several runs that drive the correctness matrix together, each on a cluster of its own. The zero value
// is the only one.
type Shard struct{ Index, Of int } // Index from 1

// Usage explains the suite's flags. Those of go test are left out.
func Usage(w io.Writer) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(w)
	new(Options).Register(flags)
	fmt.Fprint(w, "go test ./e2e [-v] [-timeout 60m] -args [flags]\n\nPuts operator styles through scenarios on a real cluster, and says whether each\nwas handled correctly and how long it took.\n\n")
	flags.PrintDefaults()
}

// Selected says which styles and scenarios the pattern of go test's -run leaves: what no subtest looks at is not driven
// either.
func Selected(pattern string) func(style, scenario string) bool {
	parts := strings.Split(pattern, "/")
	matches := func(part int, name string) bool {
		if part >= len(parts) {
			return true
		}
		matched, err := regexp.MatchString(parts[part], name)
		return matched || err != nil // a pattern that does not compile is go test's to refuse
	}
	return func(style, scenario string) bool { return matches(1, style) && matches(2, scenario) }
}
