package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/timeline/wire"
)

// Kind is a resource's plural without version and group.
func Kind(resource string) string {
	plural, _, _ := strings.Cut(resource, ".")
	return plural
}

// Title names an object of a resource.
func Title(resource, name string) string { return Kind(resource) + "/" + name }

// Some is a list of at most so many; the last says how many more there are.
func Some(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", len(list)-most))
}

// Names joins at most three objects' names.
func Names(objects []*wire.Object) string {
	return strings.Join(Some(plain.Map(objects, func(o *wire.Object) string { return o.Name }), mostNamed), ", ")
}

const mostNamed = 3

// Since prints a time of the recording relative to the sample's intent.
func (t *Timeline) Since(at time.Duration) string {
	intent := t.Actions.Intent
	if !t.Begun() {
		intent = t.Began
	}
	return fmt.Sprintf("%+.3f s", (at - intent).Seconds())
}

// Round leaves as much of a time as is printed.
func Round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
