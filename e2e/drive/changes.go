package drive

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// changes remembers how the objects in some namespaces last changed, so that a
// sample that does not stand still can say what moved.
type changes struct {
	mu      sync.Mutex
	objects map[string]*change // by uid
	last    *change
}

// change is how an object last changed.
type change struct {
	what          string // kind/name
	event         string
	before, after json.RawMessage
	at            time.Duration
	times         int
}

// see takes up a watch event. What Kubernetes tells people is no change.
func (c *changes) see(e *record.Entry) {
	plural, rest, _ := strings.Cut(e.Watch.Resource, ".")
	if e.Watch.Event == spec.Listed || strings.HasSuffix(rest, "events.k8s.io") {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects == nil {
		c.objects = map[string]*change{}
	}
	one := c.objects[e.Watch.UID]
	if one == nil {
		one = &change{what: plural + "/" + e.Watch.Name}
		c.objects[e.Watch.UID] = one
	}
	one.event, one.before, one.after, one.at = e.Watch.Event, one.after, e.Watch.Object, e.Time
	one.times++
	c.last = one
}

// String says what moved last, and how; now is the time on the recording's clock.
func (c *changes) String(now time.Duration) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		return "nothing has moved"
	}
	what := strings.ToLower(c.last.event)
	if c.last.event == spec.Modified {
		what = changed(c.last.before, c.last.after)
	}
	text := fmt.Sprintf("what moved last, %v ago: %s: %s", (now - c.last.at).Round(time.Millisecond), c.last.what, what)
	if c.last.times > 1 {
		text += fmt.Sprintf(" (it moved %d times)", c.last.times)
	}
	return text
}

// changed names the first fields in which an object is otherwise than before.
func changed(before, after json.RawMessage) string {
	was, is := fieldsOf(before), fieldsOf(after)
	if len(was) == 0 {
		return "modified"
	}
	const most, letters = 3, 60
	cut := func(text string) string { return plain.Clip(text, letters) }
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(is)) {
		switch old, there := was[path]; {
		case !there:
			parts = append(parts, fmt.Sprintf("%s is %s", path, cut(is[path])))
		case old != is[path]:
			parts = append(parts, fmt.Sprintf("%s from %s to %s", path, cut(old), cut(is[path])))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if _, there := is[path]; !there {
			parts = append(parts, path+" is gone")
		}
	}
	switch {
	case len(parts) == 0:
		return "written without a change"
	case len(parts) > most:
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return strings.Join(parts, ", ")
}

// fieldsOf are an object's values by their paths, without those that the API server changes with every write.
func fieldsOf(object json.RawMessage) map[string]string {
	var root any
	if json.Unmarshal(object, &root) != nil {
		return nil
	}
	all := map[string]string{}
	flatten(all, "", root)
	for _, path := range []string{"metadata.resourceVersion", "metadata.generation"} {
		delete(all, path)
	}
	return all
}

func flatten(all map[string]string, path string, value any) {
	deeper := func(key string, value any) { flatten(all, strings.TrimPrefix(path+"."+key, "."), value) }
	switch value := value.(type) {
	case map[string]any:
		for key, one := range value {
			deeper(key, one)
		}
	case []any:
		for i, one := range value {
			deeper(fmt.Sprint(i), one)
		}
	default:
		text, _ := json.Marshal(value) // it was JSON
		all[path] = string(text)
	}
}
