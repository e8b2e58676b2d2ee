package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

// refusal is one kind of request that the API server refused to a sample's style.
type refusal struct {
	verb, resource string
	code           int
}

// refusedSoFar is how often, and when the last one was read in the audit log.
type refusedSoFar struct {
	times int
	last  time.Duration
}

// mostRefusals bounds the kinds that a sample keeps.
const mostRefusals = 64

// refuses takes note of a write in the sample's namespaces that the API server
// refused to its style. A conflict is no refusal: who writes what is stale tries
// again. Nor is it that something has gone already.
func (t *Timeline) refuses(e *record.Entry) {
	a := e.Audit
	switch {
	case a.Code < http.StatusBadRequest || a.Code >= http.StatusInternalServerError:
		return
	case a.Code == http.StatusConflict || a.Code == http.StatusNotFound || a.Code == http.StatusTooManyRequests:
		return
	case !slices.Contains([]string{"create", "update", "patch", "delete"}, a.Verb):
		return
	}
	key := refusal{a.Verb, a.Resource, a.Code}
	if t.refusals == nil {
		t.refusals = map[refusal]refusedSoFar{}
	}
	if seen, known := t.refusals[key]; known || len(t.refusals) < mostRefusals {
		t.refusals[key] = refusedSoFar{seen.times + 1, e.Time}
	}
}

// refusedOf says, as the end of a message, which writes of a resource the API
// server refused to the style; "": none.
func (t *Timeline) refusedOf(resource string) string {
	var kinds []refusal
	for key := range t.refusals {
		if key.resource == resource {
			kinds = append(kinds, key)
		}
	}
	slices.SortFunc(kinds, func(a, b refusal) int {
		return cmp.Or(cmp.Compare(t.refusals[b].times, t.refusals[a].times), strings.Compare(a.verb, b.verb), a.code-b.code)
	})
	var text strings.Builder
	for _, key := range kinds {
		seen := t.refusals[key]
		fmt.Fprintf(&text, "; the API server refused %s to %s %s (%d %s), the last at %s",
			plural(seen.times, "request"), key.verb, kind(resource), key.code, http.StatusText(key.code), t.since(seen.last))
	}
	return text.String()
}
