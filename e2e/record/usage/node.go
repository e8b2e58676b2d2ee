package usage

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
)

// node is what is known of one node.
type node struct {
	name       string
	client     rest.Interface
	recorder   *record.Recorder
	namespaces func() []string

	mu        sync.Mutex // one look at a time
	last      time.Duration
	total     int64 // CPU time of the style's pods at the last look, in ns
	failed    error // of the last look
	gaps      int
	lastError error
	shown     map[string]shown // by pod
	ports     map[string]int   // at which the pods of a namespace are asked what they keep
	missed    map[string]int   // how often in a row each pod did not answer
	stale     time.Duration
	around    func(context.Context, *record.Usage) // adds what is around the pods; nil: nobody asks for it here
}

// shown is since when a pod's figure has had its time of measurement.
type shown struct {
	measured time.Time
	since    time.Duration
}

// run looks each interval. A look that takes longer drops those that it misses.
func (n *node) run(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = n.look(ctx, false) // a failed look is a gap in the recording, and Stop tells
		}
	}
}

// look asks the kubelet once, and records what it says; if wanted, also how CPU limits held pods back, and what they keep,
// which are longer answers. Looks that fail become one gap, from the last good one until the next.
func (n *node) look(ctx context.Context, throttled bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	namespaces := n.namespaces()
	asking, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	raw, err := n.client.Get().AbsPath("/api/v1/nodes/"+n.name+"/proxy/stats/summary").
		Param("only_cpu_and_memory", "true").DoRaw(asking)
	now := n.recorder.Now()
	var s *summary
	if err == nil {
		s, err = parse(raw)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // the run ends; nothing failed
		}
		n.failed = explain(n.name, err)
		return n.failed
	}
	if n.failed != nil {
		n.gap(now, n.failed)
	}
	n.age(now, s)
	n.last = now
	u := s.usage(n.name, namespaces)
	n.total = 0
	for i := range u.Pods {
		n.total += u.Pods[i].CPU
	}
	if (throttled || n.ports != nil) && len(u.Pods) > 0 {
		n.inside(asking, u, throttled)
	}
	n.ask(ctx, u)
	if n.around != nil {
		n.around(asking, u)
	}
	return n.recorder.Record(record.Entry{Time: now, Kind: record.KindUsage, Usage: u})
}

// inside adds what the kubelet knows of the pods' containers: how CPU limits held them back, if wanted, and what they
// have open, while it is asked what pods keep. Where it is not known, the recording does not tell; the rest of the look
// is as good.
func (n *node) inside(ctx context.Context, u *record.Usage, throttled bool) {
	raw, err := n.client.Get().AbsPath("/api/v1/nodes/" + n.name + "/proxy/metrics/cadvisor").DoRaw(ctx)
	if err != nil {
		return
	}
	known, err := parseContainers(raw)
	if err != nil {
		return
	}
	for i := range u.Pods {
		pod := &u.Pods[i]
		key := pod.Namespace + "/" + pod.Name
		if throttled {
			pod.Throttled = known.throttled[key]
		}
		if n.ports != nil {
			pod.Kept = known.open[key]
		}
	}
}

// gap records that nothing was known from the last good look until now.
func (n *node) gap(now time.Duration, reason error) {
	n.gaps++
	n.lastError, n.failed = reason, nil
	// The driver learns through Recorder.Err of a recording that failed.
	_ = n.recorder.Record(record.Entry{Time: now, Kind: record.KindGap, Gap: &record.Gap{
		From: n.last, Resource: Resource, Namespace: n.name, Reason: reason.Error(),
	}})
}

// age follows for how long each pod's figure stays the same. Both ends are read
// on the harness's clock; the node's times are only told apart.
func (n *node) age(now time.Duration, s *summary) {
	living := make(map[string]shown, len(s.Pods))
	for i := range s.Pods {
		p := &s.Pods[i]
		if p.CPU == nil {
			continue
		}
		is := shown{measured: p.CPU.Time, since: now}
		if before, known := n.shown[p.Ref.UID]; known && before.measured.Equal(is.measured) {
			is = before
			n.stale = max(n.stale, now-is.since)
		}
		living[p.Ref.UID] = is
	}
	n.shown = living
}
