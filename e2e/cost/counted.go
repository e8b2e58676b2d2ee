package cost

import (
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// Counted is what a style's own metrics count in a load, and beside it what the audit log has of the same time.
type Counted struct {
	Load       string `json:"load"`       // the scenario
	Changes    Figure `json:"changes"`    // of custom resources, by the harness, deletions among them
	Reconciles Figure `json:"reconciles"` // by its own metrics
	Requeues   Figure `json:"requeues"`   // likewise: what is to be looked at again later
	Requests   Figure `json:"requests"`   // to the API server, those for leases left out
	Writes     Figure `json:"writes"`     // of these: create, update, patch and delete
}

// inner counts that from the load's first sample on.
type inner struct {
	began                     bool
	ended, looked             time.Duration                 // the last sample's end, and the last look at which a pod said something
	known                     map[string]map[string]float64 // what each pod counted when it was last asked
	done                      map[string]float64            // by all pods
	changes, requests, writes int
}

// look takes what a pod counts. One that was not there before the load has counted all of it in the load, and so has one
// that was made anew under its name, which shows in a count that is lower.
func (i *inner) look(at time.Duration, p *record.PodUsage) {
	if p.Done == nil {
		return
	}
	if i.looked = at; i.known == nil {
		i.known, i.done = map[string]map[string]float64{}, map[string]float64{}
	}
	pod := p.Namespace + "/" + p.Name
	for name, n := range p.Done {
		more := n
		if before := i.known[pod][name]; before <= n {
			more = n - before
		}
		if i.began {
			i.done[name] += more
		}
	}
	i.known[pod] = p.Done
}

// waited is for how long the client held its requests back until the last look, since the load began, in seconds; false:
// its metrics do not say.
func (i *inner) waited() (seconds float64, known bool) {
	for _, of := range i.known {
		_, says := of[record.Waited]
		known = known || says
	}
	return i.done[record.Waited], known
}

// audit takes a request.
func (i *inner) audit(a *record.Audit, s *style) {
	namespace, _, account := a.Account()
	writes := a.Writes()
	switch {
	case !i.began:
	case account && s.within(namespace) && a.Resource != leases:
		if i.requests++; writes {
			i.writes++
		}
	case !account && writes && a.Resource == s.custom && a.Subresource != "status" && a.Code < 300:
		i.changes++
	}
}

// count adds a load that is over, where its style's metrics were read once more at its end.
func (b *beside) count() {
	reconciles, known := 0., false
	for _, name := range record.Reconciled() {
		n, says := b.inner.done[name]
		reconciles, known = reconciles+n, known || says
	}
	if b.load == "" || !b.audited || !known || b.inner.looked < b.inner.ended {
		return
	}
	one := plain.FindOrAdd(&b.counted, func(o Counted) bool { return o.Load == b.load }, Counted{Load: b.load})
	for figure, value := range map[*Figure]float64{
		&one.Changes: float64(b.inner.changes), &one.Reconciles: reconciles, &one.Requeues: b.inner.done[record.Requeued],
		&one.Requests: float64(b.inner.requests), &one.Writes: float64(b.inner.writes),
	} {
		figure.Unit, figure.Values = "1", append(figure.Values, Value{Round: b.round, Value: value})
	}
}
