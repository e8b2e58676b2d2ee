package timeline

import (
	"fmt"
	"strings"
	"time"

	"operatorbench/e2e/timeline/wire"
)

// kind is a resource's plural without version and group.
func Kind(resource string) string {
	plural, _, _ := strings.Cut(resource, ".")
	return plural
}

func Title(resource, name string) string { return Kind(resource) + "/" + name }

// names joins at most three objects' names.
func Names(objects []*wire.Object) string {
	const most = 3
	var list []string
	for i, o := range objects {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more", len(objects)-most))
			break
		}
		list = append(list, o.Name)
	}
	return strings.Join(list, ", ")
}

// cut shortens a text to so many letters.
func Cut(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most-1]) + "…"
}

func Plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// since prints a time of the recording relative to the sample's intent.
func (t *Timeline) Since(at time.Duration) string {
	intent := t.Actions.Intent
	if !t.Begun() {
		intent = t.Began
	}
	return fmt.Sprintf("%+.3f s", (at - intent).Seconds())
}

func Round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
