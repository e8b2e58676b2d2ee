package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/audit"
	"operatorbench/e2e/record/usage"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/timeline"
)

// observers record, beside the watches, what the styles use and what they ask the API server for.
type observers struct {
	audit *audit.Follower // nil: the cluster gives no audit log
	usage *usage.Sampler  // nil: the cluster does not let it be asked, or it was not to be
	plane restarts        // of the control plane, when the run began
	busy  []string        // the waves in which the machine's CPUs had hardly any time left

	putOff []string // where the API server put off requests of this program

	mu         sync.Mutex
	namespaces []string // of the style that is installed
}

// observe begins to record what the pods use and the API server's audit log.
// Of an existing cluster, either may not be had: a note says so then.
func (e *environment) observe(ctx context.Context) error {
	e.observers.plane = e.controlPlane(ctx)
	if err := e.observeUsage(ctx); err != nil {
		return err
	}
	if e.kind == nil {
		e.keep("API calls were not counted: the audit log of an existing cluster is not read")
		return nil
	}
	log, err := e.kind.AuditLog(context.WithoutCancel(ctx)) // until the cluster is gone
	if err != nil {
		return fmt.Errorf("read the API server's audit log: %w", err)
	}
	e.observers.audit = audit.Follow(context.WithoutCancel(ctx), log, e.recorder)
	return nil
}

// observeUsage looks at nothing where nothing is measured: a look costs the more,
// the more pods there are, and in the correctness matrix argo leaves hundreds.
func (e *environment) observeUsage(ctx context.Context) error {
	if len(e.Measured()) == 0 {
		return nil
	}
	if e.options.Usage == 0 {
		e.keep("CPU time and memory were not measured: --usage=0")
		return nil
	}
	sampler, err := e.sampler(ctx)
	switch {
	case err == nil:
		e.observers.usage = sampler
	case !e.own():
		e.keep("CPU time and memory were not measured: %v", err)
	default:
		return err
	}
	return nil
}

func (e *environment) sampler(ctx context.Context) (*usage.Sampler, error) {
	sampler, err := usage.Open(context.WithoutCancel(ctx), e.kube.Typed.Discovery().RESTClient(), e.recorder, e.options.Usage, e.observers.watched)
	if err == nil && e.existing() == nil { // the cluster is on this machine
		sampler.Around(func(ctx context.Context, u *record.Usage) {
			u.Machine, u.Fairness = readMachine("/"), readFairness(ctx, e.kube.Typed.Discovery().RESTClient())
		})
	}
	return sampler, err
}

// observeWave records what the pods use, and what they keep, while a wave judges its growth.
func (e *environment) observeWave(ctx context.Context, place turn) (stop func(), err error) {
	grows := func(s scenarios.Scenario) bool { return slices.Contains(s.Expect, timeline.Growth) }
	if place.wave == 0 || e.options.Usage == 0 || !e.own() || place.participant.operator == nil || !slices.ContainsFunc(place.plan.Scenarios, grows) {
		return func() {}, nil
	}
	ports := place.participant.operator.MetricsPorts()
	if sampler := e.observers.usage; sampler != nil { // something is measured in this run
		sampler.Ask(ports)
		return func() { sampler.Ask(nil) }, nil
	}
	sampler, err := e.sampler(ctx)
	if err != nil {
		return nil, err
	}
	sampler.Ask(ports)
	return func() {
		if err := sampler.Stop(); err != nil {
			e.keep("%v", err) // the recording has a gap, and what follows from it says so
		}
	}, nil
}

// unobserve ends what observe began, when all that has happened is recorded.
func (e *environment) unobserve(ctx context.Context) error {
	if restarted := e.controlPlane(ctx).since(e.observers.plane); len(restarted) > 0 && !slices.ContainsFunc(e.scenarios, scenarios.Scenario.Faulty) {
		note := "the control plane restarted during this run, although no scenario restarts it: " + strings.Join(restarted, ", ") + "; that may show in latencies"
		if e.existing() == nil {
			note += ": the machine was too slow for the cluster itself, so run it again with less other work on the machine"
		}
		e.remark(note)
	}
	e.strained()
	if e.observers.usage != nil {
		if err := e.observers.usage.Stop(); err != nil {
			e.keep("%v", err) // the recording has a gap, and what follows from it says so
		}
		if stale := e.observers.usage.Stale(); stale > staleFrom {
			e.keep("the kubelet's figures were up to %v old: CPU time of short-lived pods is mostly missed", stale.Round(time.Second))
		}
	}
	if e.observers.audit == nil {
		return nil
	}
	caught := e.observers.audit.CatchUp(ctx, e.kube.Typed.Discovery().RESTClient())
	return errors.Join(caught, e.observers.audit.Stop())
}

// strained says where others than the styles may have been too slow: the machine, or an API server that has limits.
func (e *environment) strained() {
	if busy := e.observers.busy; len(busy) > 0 && e.existing() == nil { // else it is the harness's machine, and perhaps no other
		e.remark("the machine's CPUs were busy nearly all the time (" + strings.Join(busy, "; ") +
			"): what was late there, or restarted, may be the machine's fault; run it again with fewer --shards or less other work on the machine")
	}
	if putOff := e.observers.putOff; len(putOff) > 0 {
		e.remark("the API server throttled the harness, with 429 Too Many Requests (" + strings.Join(putOff, "; ") +
			"): what took long there was the API server; give the harness's account a priority level of its own (FlowSchema), or ask for less at once")
	}
}

// edge looks at what the pods have used where a block begins or ends and, of a load, asks them what they have done: to
// ask takes a program about as much as it uses in a second at rest. A look that fails leaves a gap in the recording.
func (e *environment) edge(ctx context.Context, place turn) {
	sampler := e.observers.usage
	if sampler == nil {
		return
	}
	if operator := place.participant.operator; place.load != "" && operator != nil {
		sampler.Ask(operator.MetricsPorts())
		defer sampler.Ask(nil)
	}
	_ = sampler.Sample(ctx)
}

// staleFrom is how old a kubelet's figures may be for pods of a few seconds to be
// seen: it tells of a pod for about two seconds after its end.
const staleFrom = 3 * time.Second

// idle is how long a style that has come to rest is left alone, so that what
// it uses while nothing changes is measured too.
const idle = 3 * time.Second

// rest leaves a style that has just been installed alone for a while: until what it does to start is over, and then to
// see what it uses idle. A comparison with a base has no use for that.
func (s *Session) rest(ctx context.Context, place turn) {
	if s.observers.usage == nil || s.base != nil || place.participant.operator == nil {
		return
	}
	_ = s.observers.usage.Settle(ctx) // a look that fails leaves a gap
	s.mark(place, record.Rested)
	_ = s.observers.usage.Rest(ctx, idle)
}

// watch says which participant is on the cluster; nil: none.
func (o *observers) watch(p *participant) error {
	var namespaces []string
	if p != nil && p.operator != nil {
		footprint, err := p.operator.Plan()
		if err != nil {
			return err
		}
		namespaces = footprint.Namespaces
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.namespaces = namespaces
	return nil
}

// watched are the namespaces of the style that is installed.
func (o *observers) watched() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.namespaces
}

// restarts is how often the containers of each pod have been restarted.
type restarts map[string]int

// controlPlane counts the restarts of the cluster's own control plane. Of an
// existing cluster they may not be there to be seen: none are counted then.
func (e *environment) controlPlane(ctx context.Context) restarts {
	pods, err := e.kube.Typed.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "tier=control-plane"})
	if err != nil {
		return nil
	}
	return restartsOf(pods.Items)
}

func restartsOf(pods []corev1.Pod) restarts {
	counts := restarts{}
	for i := range pods {
		for _, container := range pods[i].Status.ContainerStatuses {
			counts[pods[i].Name] += int(container.RestartCount)
		}
	}
	return counts
}

// since says of each pod that was restarted since another count how often it was. One that was not there then counts
// from 0. Where nobody has counted before (nil), there is nothing to say.
func (r restarts) since(before restarts) []string {
	if before == nil {
		return nil
	}
	var pods []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if n := r[name] - before[name]; n > 0 {
			pods = append(pods, fmt.Sprintf("%s restarted %d×", name, n))
		}
	}
	return pods
}

// busyFrom is the share of busy time above which a machine has too little left for what it
// runs: with three clusters on two CPUs, 79% to 91% were seen.
const busyFrom = 0.95
