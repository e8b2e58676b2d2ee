package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
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

// Vain is a request of one pod that the API server has refused, or found nothing for: how often, and each time that it was
// asked for, of very many the first one and the last.
type Vain struct {
	Request
	Tries int
	Times []time.Duration
}

// What is kept of requests in vain.
const (
	mostVain  = 100
	mostTimes = 200
)

// miss takes note of a write that was refused, and of a read of a custom resource that is not there.
func (t *Timeline) miss(at time.Duration, a *record.Audit) {
	gone := a.Verb == "get" && a.Code == http.StatusNotFound && a.Resource == t.Customs
	if !t.Matrix || !gone && !isRefused(a) {
		return
	}
	r := requestOf(at, a)
	i := slices.IndexFunc(t.Vain, func(v Vain) bool { return v.String() == r.String() && v.Code == r.Code && v.Pod == r.Pod })
	switch {
	case i < 0 && len(t.Vain) < mostVain:
		t.Vain = append(t.Vain, Vain{r, 1, []time.Duration{at}})
	case i >= 0:
		v := &t.Vain[i]
		if len(v.Times) == mostTimes { // the first and the newest are kept
			v.Times = slices.Delete(v.Times, 1, 2)
		}
		v.Tries, v.Times = v.Tries+1, append(v.Times, at)
	}
}

// isRefused reports whether a request is a write that the API server refused. A conflict is no refusal: who writes what
// is stale tries again. Nor is it that something has gone already.
func isRefused(a *record.Audit) bool {
	return a.Code >= http.StatusBadRequest && a.Code < http.StatusInternalServerError && a.Writes() && a.Verb != "deletecollection" &&
		!slices.Contains([]int{http.StatusConflict, http.StatusNotFound, http.StatusTooManyRequests}, a.Code)
}

// refuses takes note of a write in the sample's namespaces that the API server refused to its style.
func (t *Timeline) refuses(e *record.Entry) {
	a := e.Audit
	if !isRefused(a) {
		return
	}
	key := refusal{a.Verb, Kind(a.Resource), a.Code}
	if a.Subresource != "" {
		key.resource += "/" + a.Subresource
	}
	if t.refusals == nil {
		t.refusals = map[refusal]refusedSoFar{}
	}
	if seen, known := t.refusals[key]; known || len(t.refusals) < mostRefusals {
		t.refusals[key] = refusedSoFar{seen.times + 1, e.Time}
	}
}

// reads are the verbs of the audit log that read.
var reads = []string{"get", "list", "watch"}

// denies takes note of a read that a style's account has no right to. It is not of one sample: who may not list or
// watch a kind never hears of any.
func (s *style) denies(e *record.Entry) {
	a := e.Audit
	if a.Code != http.StatusForbidden || !slices.Contains(reads, a.Verb) || !s.asks(a) {
		return
	}
	key := refusal{a.Verb, Kind(a.Resource), a.Code}
	if seen, known := s.denied[key]; known || len(s.denied) < mostRefusals {
		s.denied[key] = refusedSoFar{seen.times + 1, e.Time}
	}
}

// deniedFor is how long ago a read may have been refused that may still explain a sample: client-go asks again within a
// minute.
const deniedFor = time.Minute

// Denied says, as the end of a message, which kinds the style's account may not read; "": none.
func (t *Timeline) Denied() string {
	verbs := map[string][]string{}
	for key, seen := range t.Style.denied {
		if seen.last >= t.Began-deniedFor {
			verbs[key.resource] = append(verbs[key.resource], key.verb)
		}
	}
	var text strings.Builder
	for _, resource := range slices.Sorted(maps.Keys(verbs)) {
		fmt.Fprintf(&text, "; the operator's account may not %s %s (%d %s)", plain.List(slices.Sorted(slices.Values(verbs[resource]))), resource, http.StatusForbidden, http.StatusText(http.StatusForbidden))
	}
	return text.String()
}

// deniedLacks says what is not yet so when the rights to read the main children have been taken: who does not ask for
// them is not denied them.
func (t *Timeline) deniedLacks() string {
	from := t.Began
	for _, f := range t.FaultsBegun() {
		if f.Kind == spec.FaultForbidRead {
			from = f.From
		}
	}
	for key, seen := range t.Style.denied {
		if key.resource == Kind(t.Mains) && seen.last >= from {
			return ""
		}
	}
	return fmt.Sprintf("the API server has refused the operator no request to list or watch %s", Kind(t.Mains))
}

// retriedLacks says what is not yet so when the operator's writes are refused for long: that one is, so much later than
// the first.
func (t *Timeline) retriedLacks() string {
	var refused []time.Duration
	for i := range t.Vain {
		if t.Vain[i].Code != http.StatusNotFound {
			refused = append(refused, t.Vain[i].Times...)
		}
	}
	if len(refused) > 0 && slices.Max(refused)-slices.Min(refused) >= spec.RetriedFor {
		return ""
	}
	return fmt.Sprintf("the API server has refused the operator no write %v after the first one that it refused", spec.RetriedFor)
}

// refused says, as the end of a message, which writes the API server refused to
// the style, the most frequent first; "": none.
func (t *Timeline) refused() string {
	kinds := slices.SortedFunc(maps.Keys(t.refusals), func(a, b refusal) int {
		return cmp.Or(t.refusals[b].times-t.refusals[a].times, strings.Compare(a.verb, b.verb), strings.Compare(a.resource, b.resource), a.code-b.code)
	})
	const most = 3
	var text strings.Builder
	for _, key := range kinds[:min(len(kinds), most)] {
		seen := t.refusals[key]
		fmt.Fprintf(&text, "; the API server refused %s to %s %s (%d %s), the last at %s",
			plain.Plural(seen.times, "request"), key.verb, key.resource, key.code, http.StatusText(key.code), t.Since(seen.last))
	}
	return text.String()
}
