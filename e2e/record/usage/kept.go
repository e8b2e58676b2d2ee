package usage

import (
	"context"
	"fmt"
	"maps"
	"math"
	"time"

	"operatorbench/e2e/record"
)

const (
	askWithin  = time.Second // a pod's answer
	mostMissed = 3           // answers in a row
)

// goroutines are what a process keeps that the kernel does not count, as client_golang names them. Objects on a heap are
// not asked for: most of them are garbage that nobody has collected yet.
const goroutines = "go_goroutines"

// Ask has each look ask what pods keep: the kubelet what all of them have open, and those of some namespaces, at a port
// of each, what else they keep and what they have done; nil: it asks nobody any more. A pod that thrice in a row does not
// answer in time is not asked again.
func (s *Sampler) Ask(ports map[string]int) {
	for _, n := range s.nodes {
		n.mu.Lock()
		n.ports, n.missed = ports, map[string]int{}
		n.mu.Unlock()
	}
}

// ask adds what the pods of a look say.
func (n *node) ask(ctx context.Context, u *record.Usage) {
	for i := range u.Pods {
		pod := &u.Pods[i]
		port := n.ports[pod.Namespace]
		if port == 0 || n.missed[pod.Name] >= mostMissed {
			continue
		}
		asking, cancel := context.WithTimeout(ctx, askWithin)
		raw, err := n.client.Get().AbsPath(fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:%d/proxy/metrics", pod.Namespace, pod.Name, port)).DoRaw(asking)
		if n.missed[pod.Name]++; asking.Err() == nil { // one that is about to start refuses at once
			n.missed[pod.Name] = 0
		}
		cancel()
		if err == nil {
			keeps, did, _ := parseOwn(raw) // who says something else does not say it
			pod.Done = did
			if pod.Kept == nil {
				pod.Kept = keeps
			}
			maps.Copy(pod.Kept, keeps)
		}
	}
}

// parseOwn reads what a pod says of itself in Prometheus' text format: what it keeps, and what it has done.
func parseOwn(raw []byte) (keeps, did map[string]float64, err error) {
	families, err := parseFamilies(raw)
	if err != nil {
		return nil, nil, err
	}
	keeps, did = map[string]float64{}, map[string]float64{}
	for _, metric := range families[goroutines].GetMetric() {
		value := metric.GetGauge().GetValue() + metric.GetUntyped().GetValue()
		if value > 0 && value < math.MaxInt32 {
			keeps[goroutines] = value
		}
	}
	add := func(name string, value float64) {
		if value >= 0 && value < math.MaxInt32 {
			did[name] += value
		}
	}
	for _, name := range append(record.Reconciled(), record.Requeued) {
		for _, metric := range families[name].GetMetric() { // of each queue
			add(name, metric.GetCounter().GetValue()+float64(metric.GetHistogram().GetSampleCount()))
		}
	}
	for _, metric := range families[record.Waited].GetMetric() { // of each kind of request
		add(record.Waited, metric.GetHistogram().GetSampleSum())
	}
	return keeps, did, nil
}
