// Package usage records what an operator's pods use, as the kubelets tell it through the cluster's own API: the CPU
// time of each pod so far, its working set, and how CPU limits held it back.
//
// A kubelet tells of a pod for about two seconds after its containers have ended, until the pod's sandbox is stopped.
// One look a second therefore finds the last figure of nearly every pod, however short its life. That holds where the
// kubelet asks the container runtime (feature gate PodAndContainerStatsFromCRI, which this project's kind clusters
// set). Elsewhere its figures are those of cAdvisor, up to 15 seconds old: Stale tells, and what short-lived pods used
// is then mostly missed.
package usage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// Interval is how often to look, unless something else is asked for. One look a second at one node of a dozen pods
// costs kubelet, container runtime and API server about 2 % of a core together, and the harness 0.2 %; four a second
// cost three times as much and find little more.
const Interval = time.Second

// Resource names the kubelets' figures in a record.Gap; its Namespace is the
// node. What pods used that ended in a gap is not known.
const Resource = "usage"

const (
	listWithin = 10 * time.Second // the list of nodes
	lookWithin = 5 * time.Second  // one kubelet's answer
)

// Sampler looks at every node of a cluster again and again.
type Sampler struct {
	nodes  []*node
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Open looks at every node once, then every interval until Stop. namespaces are those of the style that is installed at
// the moment; of pods elsewhere only the sum is recorded. The API server must let the client get nodes/proxy: where it
// does not, the error says so, and nothing is recorded.
func Open(ctx context.Context, client rest.Interface, recorder *record.Recorder, interval time.Duration, namespaces func() []string) (*Sampler, error) {
	names, err := nodeNames(ctx, client)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Sampler{cancel: cancel}
	for _, name := range names {
		s.nodes = append(s.nodes, &node{name: name, client: client, recorder: recorder, namespaces: namespaces, shown: map[string]shown{}})
	}
	if err := s.Sample(ctx); err != nil {
		cancel()
		return nil, err
	}
	for _, n := range s.nodes {
		s.done.Go(func() { n.run(ctx, interval) })
	}
	return s, nil
}

// Around has each look record, too, what a function adds about the pods' surroundings. It is called before the first
// look that should have it.
func (s *Sampler) Around(read func(context.Context, *record.Usage)) {
	n := s.nodes[0] // one is enough
	n.mu.Lock()
	defer n.mu.Unlock()
	n.around = read
}

// Sample looks at every node now, beside the interval's own looks: where something begins or ends that is to be told
// apart. It alone asks how CPU limits held pods back.
func (s *Sampler) Sample(ctx context.Context) error {
	problems := make([]error, len(s.nodes))
	var looking sync.WaitGroup
	for i, n := range s.nodes {
		looking.Go(func() { problems[i] = n.look(ctx, true) })
	}
	looking.Wait()
	return errors.Join(problems...)
}

// Rest lets time pass between two looks while nothing is asked of the style, so that what it uses idle is measured.
func (s *Sampler) Rest(ctx context.Context, rest time.Duration) error {
	if err := s.Sample(ctx); err != nil {
		return err
	}
	if err := pause(ctx, rest); err != nil {
		return err
	}
	return s.Sample(ctx)
}

// Settle returns when the style has come to rest: in each of two seconds, one after the other, its pods together have
// used at most calm of a CPU. One that always uses more is looked at mostLooks times.
func (s *Sampler) Settle(ctx context.Context) error {
	var at time.Duration
	var total int64
	for looks, calms := 0, 0; looks < mostLooks; looks++ {
		if looks > 0 {
			if err := pause(ctx, Interval); err != nil {
				return err
			}
		}
		if err := s.Sample(ctx); err != nil {
			return err
		}
		now, used := s.used()
		if looks > 0 && used >= total && float64(used-total) <= calm*float64(now-at) { // less: a pod has gone
			calms++
		} else {
			calms = 0
		}
		if at, total = now, used; calms == 2 {
			return nil
		}
	}
	return nil
}

// What Settle takes for rest.
const (
	calm      = 0.01 // of a CPU
	mostLooks = 8
)

// used is the CPU time of the style's pods at the last look, in ns.
func (s *Sampler) used() (at time.Duration, total int64) {
	for _, n := range s.nodes {
		n.mu.Lock()
		at, total = max(at, n.last), total+n.total
		n.mu.Unlock()
	}
	return at, total
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stale is the longest time for which a kubelet repeated a figure of a pod that
// it had told before: below about two seconds its figures are fresh.
func (s *Sampler) Stale() time.Duration {
	var longest time.Duration
	for _, n := range s.nodes {
		n.mu.Lock()
		longest = max(longest, n.stale)
		n.mu.Unlock()
	}
	return longest
}

// Stop ends the looks, and says which failed for good or for a time; the recording has a gap for each.
func (s *Sampler) Stop() error {
	s.cancel()
	s.done.Wait()
	var problems []error
	for _, n := range s.nodes {
		n.mu.Lock()
		if n.failed != nil {
			n.gap(n.recorder.Now(), n.failed)
		}
		if n.gaps > 0 {
			problems = append(problems, fmt.Errorf("what pods on node %s use was not known for %d spells; the last: %w", n.name, n.gaps, n.lastError))
		}
		n.mu.Unlock()
	}
	return errors.Join(problems...)
}

func nodeNames(ctx context.Context, client rest.Interface) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	raw, err := client.Get().AbsPath("/api/v1/nodes").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the nodes, to ask their kubelets what pods use: %w", err)
	}
	var list corev1.NodeList
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("list the nodes: read the answer: %w", err)
	}
	if len(list.Items) == 0 {
		return nil, errors.New("list the nodes, to ask their kubelets what pods use: the cluster has none")
	}
	return plain.Map(list.Items, func(node corev1.Node) string { return node.Name }), nil
}

// explain adds what to do about an answer of the API server.
func explain(node string, err error) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("ask the kubelet of node %s what pods use: %w; allow the user to get nodes/proxy, or go without CPU and memory figures", node, err)
	}
	return fmt.Errorf("ask the kubelet of node %s what pods use: %w", node, err)
}
