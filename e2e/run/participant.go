package run

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
)

// participant is a style in one of its variants, or the floor. Participants take turns on the cluster.
type participant struct {
	operator *styles.Style // nil: the floor
	// asked is the floor's folder if that was asked for, and not only
	// measured as the floor; of a participant with an operator it is that.
	asked      *styles.Style
	variant    string        // "" outside of comparisons with a base
	comparison *comparison   // that it takes part in; nil: none
	store      *images.Store // where its images come from; nil: no kind cluster
	// own are images that another participant has under the same reference with another
	// content: they are loaded anew before each block.
	own []string

	expected verdicts.Expected // its verdicts

	cluster string // the kind of the one that it is driven on; "": it is asked beforehand, whatever the cluster

	once   sync.Once
	rights install.Rights // that its service accounts hold; see may

	found *spec.Installed // what the cluster has of it, once it was installed there; nil: it was not, or could not be asked

	took time.Duration // its last block of the measured scenarios; 0: none has ended

	// Of its last block, pass is how long the scenarios took each time, and fixed all that came before and behind them.
	fixed, pass time.Duration

	change time.Duration // the mean of a pass's scenarios, with all that each waits for; 0: none has ended

	loaded time.Duration // all of its turns in loads, so far
	held   int           // custom resources that it did not release

	passes  int      // how often its blocks go through the scenarios; 0: as the run says
	unknown []string // medians that are not known as precisely as was asked for; nil: nobody has looked

	mu    sync.Mutex
	wrong []string // namespaces of the first samples that were not handled as expected
	err   error    // why it is not driven any further
}

// bad reports whether some sample was not handled as expected.
func (p *participant) bad() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.wrong) > 0
}

// mostTelling is of how many samples the objects and logs are collected.
const mostTelling = 3

// blame takes note of a sample that was not handled as expected, and reports whether it is the first.
func (p *participant) blame(namespace string) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first = len(p.wrong) == 0
	if len(p.wrong) < mostTelling {
		p.wrong = append(p.wrong, namespace)
	}
	return first
}

// telling are the namespaces in which what went wrong can be seen.
func (p *participant) telling() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.wrong)
}

func (p *participant) name() string {
	if p.operator == nil {
		return spec.Floor
	}
	return p.operator.Name
}

// typical is how long things are expected to take where nothing is measured yet.
func (p *participant) typical() spec.Typical {
	typical := p.declared()
	if p.change > 0 && p.operator != nil {
		typical.Reconcile = min(typical.Reconcile, p.change) // what was measured is no guess
	}
	return typical
}

// declared is what the style's own file says is typical of it.
func (p *participant) declared() spec.Typical {
	if p.operator == nil {
		return spec.Typical{}
	}
	return p.operator.Typical
}

func (p *participant) label() string { return record.Label(p.name(), p.variant) }

// may reports whether the manifests let a service account do one of these verbs to objects of a resource. What they do
// not say nobody can take away.
func (p *participant) may(of schema.GroupResource, verbs ...string) bool {
	p.once.Do(func() {
		p.rights, _ = p.operator.Rights() // Check has rendered them
	})
	if p.found != nil {
		p.rights.Grants = p.found.Grants
	}
	return p.rights.May(of, verbs...)
}

// floorTimeout is generous: the floor waits for the kubelet alone.
const floorTimeout = time.Minute

// style is what is known of a participant before it is installed.
func (p *participant) style() (record.Style, error) {
	if p.operator == nil {
		return record.Style{Style: spec.Style{Name: spec.Floor, Control: spec.Harness, Timeout: floorTimeout}}, nil
	}
	style := p.operator
	r := record.Style{Style: style.Style, Variant: p.variant}
	if c := p.comparison; c != nil {
		r.Timeout = c.base().operator.Timeout // whoever is judged does not set the limit
	}
	footprint, err := style.Plan()
	if err != nil {
		return r, err
	}
	held, err := style.Rights()
	if err != nil {
		return r, err
	}
	if r.Namespaces, r.Grants = footprint.Namespaces, held.Grants; p.found != nil {
		r.Namespaces, r.Grants = p.found.Namespaces, p.found.Grants
	}
	r.Secrets, err = style.SecretReaders()
	return r, err
}

// driven is what driving must know of a participant.
func (p *participant) driven() (drive.Style, error) {
	style, err := p.style()
	return drive.Style{Style: style}, err
}

// recorded is what a recording says of a participant.
func (p *participant) recorded() (record.Style, error) {
	style, err := p.style()
	style.Work = slices.Clone(style.Work)
	for i := range style.Work {
		style.Work[i].Of = watch.RecordedOf()
	}
	return style, err
}

// order is the order of the participants in a round: random, from the run's seed.
func order(participants []*participant, seed uint64, round int) []*participant {
	random := rand.New(rand.NewPCG(seed, uint64(round))) //nolint:gosec // an order of trials, not a secret
	shuffled := slices.Clone(participants)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled
}
