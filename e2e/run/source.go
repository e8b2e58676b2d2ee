package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"operatorbench/e2e/plain"
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
	all := plain.Map(*l, func(source Source) string { return source.String() })
	return strings.Join(all, ",")
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

// named loads styles, each a name or a folder.
func (j *job) named(names []string) ([]styles.Operator, error) {
	var sources styles.Sources
	for _, source := range j.options.Sources {
		sources.Allowed = append(sources.Allowed, source.Folder)
	}
	return styles.FindWith(sources, filepath.Join(j.root, "operators"), names...)
}

// anchored makes the folders of sources absolute: they are written as paths from here.
func (l SourceList) anchored(here string) SourceList {
	all := make(SourceList, len(l))
	for i, source := range l {
		if !filepath.IsAbs(source.Folder) {
			source.Folder = filepath.Join(here, source.Folder)
		}
		all[i] = source
	}
	return all
}
