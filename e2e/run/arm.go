package run

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/bed/cluster"
	"operatorbench/e2e/bed/images"
	"operatorbench/e2e/drive"
	"operatorbench/e2e/matrix"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/operators"
)

// arm is one of what is compared: a style in one of its variants, or the null
// operator. Arms take turns on the cluster.
type arm struct {
	operator operators.Operator // nil: the null operator
	// asked is the null operator's folder if that was asked for, and not only
	// measured as the floor; of an arm with an operator it is that.
	asked   operators.Operator
	variant string        // "" outside of comparisons with a base
	store   *images.Store // where its images come from; nil: no kind cluster
	// own are images that another arm has under the same reference with another
	// content: they are loaded anew before each block.
	own []string

	expected matrix.Expected // its verdicts

	cluster *cluster.Capabilities // of the one that it is driven on; nil: it is asked beforehand, whatever the cluster

	once   sync.Once
	grants []spec.Grant // that its service accounts hold; see mayWrite

	took time.Duration // its last block of the measured scenarios; 0: none has ended

	// Of its last block, pass is how long the scenarios took each time, and fixed
	// all that came before and behind them.
	fixed, pass time.Duration

	mu    sync.Mutex
	wrong []string // namespaces of the first samples that were not handled as expected
	err   error    // why it is not driven any further
}

// bad tells whether some sample was not handled as expected.
func (a *arm) bad() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.wrong) > 0
}

// mostTelling is of how many samples the objects and logs are collected.
const mostTelling = 3

// blame takes note of a sample that was not handled as expected.
func (a *arm) blame(namespace string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.wrong) < mostTelling {
		a.wrong = append(a.wrong, namespace)
	}
}

// telling are the namespaces in which what went wrong can be seen.
func (a *arm) telling() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.wrong)
}

func (a *arm) name() string {
	if a.operator == nil {
		return result.Floor
	}
	return a.operator.Style().Name
}

// typical is how long things are expected to take where nothing is measured yet.
func (a *arm) typical() spec.Typical {
	if a.operator == nil {
		return spec.Typical{}
	}
	return a.operator.Style().Typical
}

func (a *arm) label() string { return record.Label(a.name(), a.variant) }

// mayWrite tells whether the manifests let a service account write objects of a
// resource of an API group. What they do not say nobody can take away.
func (a *arm) mayWrite(resource schema.GroupResource) bool {
	a.once.Do(func() { a.grants, _ = a.operator.Style().Grants() }) // Check has rendered them
	return slices.ContainsFunc(a.grants, func(g spec.Grant) bool { return g.Writes(resource.Group, resource.Resource) })
}

// floorTimeout is generous: the floor waits for the kubelet alone.
const floorTimeout = time.Minute

// driven says what driving must know of an arm.
func (a *arm) driven() (drive.Style, error) {
	if a.operator == nil {
		return drive.Style{Name: result.Floor, Timeout: floorTimeout, Null: true}, nil
	}
	style := a.operator.Style()
	d := drive.Style{Name: style.Name, Variant: a.variant, Timeout: style.Timeout, Typical: style.Typical.Reconcile}
	if style.Control == spec.Idle {
		d.Patience = style.Timeout // nothing ever moves
	}
	footprint, err := style.Plan()
	if err != nil {
		return d, err
	}
	for _, namespace := range footprint.Namespaces {
		for _, resource := range ownResources {
			d.Watches = append(d.Watches, watch.Target{Resource: resource, Namespace: namespace})
		}
	}
	for _, phase := range style.Phases {
		resource, ok := watch.ParseResource(phase.Resource)
		if !ok || phase.Namespace == "" {
			continue // in the custom resource's namespace everything is watched anyway
		}
		target := watch.Target{Resource: resource, Namespace: phase.Namespace}
		if !slices.Contains(d.Watches, target) {
			d.Watches = append(d.Watches, target)
		}
	}
	for _, work := range style.Work {
		resource, ok := watch.ParseResource(work.Resource)
		if !ok {
			continue
		}
		target := watch.Target{Resource: resource, Namespace: work.Namespace, Of: watch.Of{Path: work.Of.Path, Matches: work.Of.Matches}}
		d.Watches = slices.DeleteFunc(d.Watches, func(w watch.Target) bool { return w.Resource == resource && w.Namespace == work.Namespace })
		d.Watches = append(d.Watches, target)
	}
	d.Child = func(namespace, name string) (string, error) {
		return bounds.DeploymentName(style.Child, namespace, name)
	}
	return d, nil
}

// ownResources are watched in the namespaces that a style runs in itself.
var ownResources = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Group: "events.k8s.io", Version: "v1", Resource: "events"},
}

// recorded is what a recording says of an arm.
func (a *arm) recorded() (record.Style, error) {
	if a.operator == nil {
		return record.Style{Name: result.Floor}, nil
	}
	style := a.operator.Style()
	r := record.Style{Name: style.Name, Variant: a.variant, ChildName: style.Child.Name, Status: style.Declares.Status.Supported, Idle: style.Idle}
	footprint, err := style.Plan()
	if err != nil {
		return r, err
	}
	r.Namespaces = footprint.Namespaces
	if r.Grants, err = grants(style); err != nil {
		return r, err
	}
	readers, err := style.SecretReaders()
	if err != nil {
		return r, err
	}
	for _, one := range readers {
		r.Secrets = append(r.Secrets, record.SecretReader(one))
	}
	for _, c := range style.Components {
		r.Components = append(r.Components, record.Component{Name: c.Name, Namespace: c.Namespace, Selector: c.Selector})
	}
	r.Declares = []record.Declaration{
		declared("status", style.Declares.Status),
		declared("ownerReferences", style.Declares.OwnerReferences),
		declared("driftRepair", style.Declares.DriftRepair),
	}
	for _, w := range style.Work {
		r.Work = append(r.Work, record.Work{
			Resource: w.Resource, Namespace: w.Namespace, Messages: w.Messages,
			Of: watch.RecordedOf(), Ended: record.Condition(w.Ended),
		})
	}
	for _, d := range style.Differs {
		r.Differs = append(r.Differs, record.Difference(d))
	}
	for _, p := range style.Phases {
		phase := record.Phase{Name: p.Name, Resource: p.Resource, Namespace: p.Namespace, Event: p.Event, Path: p.Path, Equals: p.Equals}
		for _, where := range p.Where {
			phase.Where = append(phase.Where, record.Condition(where))
		}
		r.Phases = append(r.Phases, phase)
	}
	return r, nil
}

func declared(name string, d spec.Declaration) record.Declaration {
	return record.Declaration{Name: name, Supported: d.Supported, Reason: d.Reason, Fields: d.Fields, Ready: d.Ready}
}

// order is the order of the arms in a round: random, from the run's seed.
func order(arms []*arm, seed uint64, round int) []*arm {
	random := rand.New(rand.NewPCG(seed, uint64(round))) //nolint:gosec // an order of trials, not a secret
	shuffled := slices.Clone(arms)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled
}
