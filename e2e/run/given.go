package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/styles"
)

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
func (g Given) check(catalogue *images.Catalogue, all []styles.Operator) error {
	needed, err := everyRun(all...)
	if err != nil {
		return err
	}
	for _, operator := range all {
		needed = append(needed, operator.Style().ImageNames()...)
	}
	needed = unique(needed)
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
