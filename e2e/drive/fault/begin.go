package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// How long a Begin that fails may take to undo what it did. Where it failed because its time was over, the caller goes
// on undoing it.
const (
	mendWithin   = 2 * time.Minute
	mendWhenOver = 5 * time.Second
)

// beginWithin bounds how long it takes to break something: an upgrade, the longest, is installed within three minutes.
const beginWithin = 5 * time.Minute

// Begin breaks something, and returns when it is broken: what reads a changed right, policy, definition or image reads
// it as it is now. A Begin that fails has taken back what it did; where that fails too, the error says so, and Undo is
// set, to be called again.
func (i *Injector) Begin(ctx context.Context, f scenarios.Fault, cr Target) (Broken, error) {
	way := ways()[f.Kind]
	if way == nil {
		return Broken{}, fmt.Errorf("no way is known to break what is asked for: %+v", f)
	}
	breaking, cancel := context.WithTimeout(ctx, beginWithin)
	broken, err := way(i, breaking, f.What, cr)
	cancel()
	if broken.Undo != nil {
		broken.Undo = untilDone(broken.Undo)
	}
	if err == nil || broken.Undo == nil {
		return broken, err
	}
	within := mendWithin
	if ctx.Err() != nil {
		within = mendWhenOver
	}
	mending, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if mended := broken.Undo(mending); mended != nil {
		return broken, fmt.Errorf("%w; and what was done already could not be taken back: %w", err, mended)
	}
	return Broken{}, err
}

// ways says how each kind of fault is done: each is one file here, and a line of package scenarios, which says all else
// of it. A way returns, even with an error, what undoes all that it did.
func ways() map[string]func(i *Injector, ctx context.Context, what string, cr Target) (Broken, error) {
	return map[string]func(*Injector, context.Context, string, Target) (Broken, error){
		spec.FaultKill:          (*Injector).kill,
		spec.FaultStop:          (*Injector).stop,
		spec.FaultUpgrade:       (*Injector).upgrade,
		spec.FaultUpgrading:     (*Injector).upgrading,
		spec.FaultDeleteOwn:     (*Injector).deleteOwn,
		spec.FaultScaleOwn:      (*Injector).scaleOwn,
		spec.FaultDouble:        (*Injector).double,
		spec.FaultRestart:       (*Injector).restart,
		spec.FaultForbid:        taking("writing", spec.WriteVerbs()...),
		spec.FaultForbidRead:    taking("reading", "list", "watch"), // as a role lacks them that was written too narrowly; a watch that is open goes on
		spec.FaultRefuse:        (*Injector).refuse,
		spec.FaultRefuseUpdates: (*Injector).refuseUpdates,
		spec.FaultSlow:          (*Injector).slow,
		spec.FaultMutate:        (*Injector).mutate,
		spec.FaultOccupy:        (*Injector).occupy,
		spec.FaultRemoveImage:   (*Injector).removeImage,
		spec.FaultDefinition:    (*Injector).replaceDefinition,
		spec.FaultCut:           (*Injector).cut,
		spec.FaultSilence:       (*Injector).silence,
		spec.FaultSuspend:       (*Injector).suspend,
	}
}

// untilDone makes an undoing one that, once it was done, does nothing more.
func untilDone(undo func(context.Context) error) func(context.Context) error {
	var mu sync.Mutex
	done := false
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return nil
		}
		err := undo(ctx)
		done = err == nil
		return err
	}
}

// steps collects what undoes each step of a fault.
type steps []func(context.Context) error

// undo takes the steps back, the last one first, and goes on after an error. Where one that does not serve again has
// taken all of the time, each of the others still has mendWhenOver: else it would stay broken.
func (s *steps) undo(ctx context.Context) error {
	var problems []error
	for _, step := range slices.Backward(*s) {
		problems = append(problems, inTime(ctx, step))
	}
	return errors.Join(problems...)
}

func inTime(ctx context.Context, step func(context.Context) error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		more, cancel := context.WithTimeout(context.WithoutCancel(ctx), mendWhenOver)
		defer cancel()
		ctx = more
	}
	return step(ctx)
}

// client waits for objects.
func (i *Injector) client() *kube.Client { return &kube.Client{Dynamic: i.Dynamic, Typed: i.Kube} }

const (
	// lookEvery is the pace of looks at what cannot be watched: whether the API
	// server answers, refuses, allows; what a node runs.
	lookEvery = 100 * time.Millisecond
	// lookWithin bounds one look: an API server that is going down may never answer.
	lookWithin = 5 * time.Second
	// waitWithin bounds a wait whose context has no deadline.
	waitWithin = 2 * time.Minute
)

// until looks again and again until what is waited for has come about. A look
// tells in a few words what it saw; its error is seen, and looked past.
func until(ctx context.Context, what string, look func(context.Context) (done bool, seen string, err error)) error {
	ctx, cancel := kube.Bounded(ctx, waitWithin)
	defer cancel()
	began, last := time.Now(), "nothing yet"
	err := wait.PollUntilContextCancel(ctx, lookEvery, true, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, lookWithin)
		defer cancel()
		done, seen, err := look(ctx)
		if err != nil {
			seen = err.Error()
		}
		last = seen
		return done && err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waited %s for %s: %w; last seen: %s", time.Since(began).Round(100*time.Millisecond), what, context.Cause(ctx), last)
	}
	return nil
}
