package run

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record/inventory"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// What driving the correctness matrix takes, where no flag says otherwise. A style's writes that come later than the
// window are taken for calm; what the slowest of them does within a step of its own is never further apart.
const matrixWindow = 3 * time.Second

// overlap is how many scenarios without a shared fault are driven at a time. A reconcile of argo, seven pods, takes 11
// s of a core and a minute of time; with twelve at a time two cores were so far behind that reconciles took five
// minutes, and what a style did could not be told from what the machine did.
func overlap(cores int, shard Shard, most int) int {
	several := min(max(3*cores/max(shard.Of, 1), 2), 6)
	if most > 0 {
		return min(several, most)
	}
	return several
}

// wavesOf are a participant's waves, whatever the round: scenarios of the matrix that are driven at the same time, in an
// installation of their own. They are grouped by the faults that they share: those without one come first, in so many
// parts, and in each those that last long. Some have the operator to themselves.
func wavesOf(p *participant, list []scenarios.Scenario, parts, atOnce int) []turn {
	type shared struct{ fault, alone string } // zero: none
	var groups plain.Groups[shared, scenarios.Scenario]
	typical := p.declared().Reconcile
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b scenarios.Scenario) int { return cmp.Compare(b.Lasts(typical), a.Lasts(typical)) })
	for _, s := range list {
		key := shared{fault: s.Exclusive()}
		if s.Alone() {
			key.alone = s.Name
		}
		groups.Add(key, s)
	}
	first := func(key shared) int { return min(len(key.fault)+len(key.alone), 1) }
	slices.SortStableFunc(groups.Keys, func(a, b shared) int { return cmp.Compare(first(a), first(b)) })
	var waves []turn
	number := 0
	for _, key := range groups.Keys {
		for _, part := range split(groups.Of[key], key != shared{}, parts, atOnce) {
			number++
			if slices.ContainsFunc(part, func(s scenarios.Scenario) bool { return p.unfit(s) == "" }) || number == 1 {
				waves = append(waves, turn{participant: p, wave: number, plan: drive.Plan{Wave: number, Scenarios: part, Applies: p.unfit}})
			} else {
				waves[0].plan.Scenarios = append(waves[0].plan.Scenarios, part...) // they only say why not
			}
		}
	}
	return waves
}

// split deals the scenarios without a shared fault out to so many parts. Those
// that share one stay together, as far as so many of them can be driven at once; 0: all can.
func split(list []scenarios.Scenario, together bool, parts, atOnce int) [][]scenarios.Scenario {
	switch {
	case together && atOnce > 0:
		return slices.Collect(slices.Chunk(list, atOnce))
	case together:
		return [][]scenarios.Scenario{list}
	}
	all := make([][]scenarios.Scenario, min(max(parts, 1), len(list)))
	for i, s := range list {
		all[i%len(all)] = append(all[i%len(all)], s)
	}
	return all
}

// unfit says why a scenario is not applicable to a participant; "": it is.
func (p *participant) unfit(s scenarios.Scenario) string {
	if p.operator == nil {
		return "the harness itself writes what is asked for: there is no operator to judge"
	}
	if why := s.Unfit(); why != "" {
		return why
	}
	style := p.operator
	held := func(w spec.Work) bool { return w.Suspend != "" }
	switch {
	case !s.NeedsWork():
	case len(style.Work) == 0:
		return style.Name + " works in its own memory: it has no work objects that could be suspended"
	case !slices.ContainsFunc(style.Work, held):
		return style.Name + " does not make changes through its work objects, so suspending one would delay nothing"
	case s.HoldsDeletion() && style.Declares.OwnerReferences.Supported:
		return style.Name + " leaves deletions to the garbage collector, by owner references: it has no work object for a deletion that could be suspended"
	}
	if why := lacksComponent(style, s); why != "" {
		return why
	}
	if s.NeedsNext() && style.Upgrade == nil {
		return style.Name + " has no next version in style.yaml; the scenario changed-while-down tests changes that are made while its pods are away"
	}
	for _, name := range s.Managed() {
		if component, _ := style.Component(name); component.ManagedBy == "" {
			return fmt.Sprintf("no component of %s manages the workload of component %s (managedBy), so nothing in the style could repair it", style.Name, name)
		}
	}
	for _, f := range s.Faults() {
		switch what := schema.ParseGroupResource(f.What); {
		case f.Kind == spec.FaultForbid && !p.may(what, spec.WriteVerbs()...):
			return fmt.Sprintf("%s has no right to write %s that could be withdrawn", style.Name, what)
		case f.Kind == spec.FaultForbidRead && !p.may(what, "list", "watch"):
			return fmt.Sprintf("%s has no right to list or watch %s that could be withdrawn", style.Name, what)
		}
	}
	return lacks(p.cluster, s)
}

// lacksComponent says which component a scenario is about that a style does not have; "": it has all.
func lacksComponent(style *styles.Style, s scenarios.Scenario) string {
	for _, name := range s.Components() {
		if _, has := style.Component(name); !has {
			return fmt.Sprintf("%s has no component %s", style.Name, name)
		}
	}
	return ""
}

// typical is how long a wave is expected to take: its scenarios need as many reconciles one after the other, and as
// many that come to nothing, as the longest of them.
func (t turn) typical(typical spec.Typical, patience time.Duration, overlap int) time.Duration {
	style := t.participant.operator
	if style == nil {
		return 0
	}
	longest, turns := 0, 1+len(t.plan.Scenarios)/overlap
	lasts := time.Duration(0)
	for _, s := range t.plan.Scenarios {
		lasts = max(lasts, s.Lasts(typical.Reconcile))
		reconciles := 2 // the last, and a nudge
		if s.Given != nil {
			reconciles++
		}
		if s.Control() {
			reconciles += 2 // a creation and a deletion
		}
		for _, step := range s.Steps {
			if step.Await != "" && step.Await != spec.PointWorking {
				reconciles++
			}
		}
		longest = max(longest, reconciles)
	}
	if t.plan.Scenarios[0].Exclusive() != "" {
		turns = 1
	}
	one := min(patience, style.Timeout) + time.Duration(longest)*(typical.Reconcile+typicalPods)
	return typical.Install + typicalUninstall + max(time.Duration(turns)*one, lasts+one)
}

// typicalWave is how long a wave is expected to take in this run.
func (j *job) typicalWave(w turn) time.Duration {
	return w.typical(w.participant.typical(), j.options.Patience, overlap(runtime.NumCPU(), j.options.Shard, j.workload.AtOnce))
}

// typicalCores are those of the machine of which typical times are.
const typicalCores = 2

// shared are the waves that are this shard's: the longest first, each goes to the shard that has the least to do. All
// shards must see the same, so nothing counts that was measured in one of them, nor how many cores its machine has.
func shared(waves []turn, shard Shard, patience time.Duration) []turn {
	if shard.Of <= 1 {
		return waves
	}
	order := slices.Clone(waves)
	takes := func(w turn) time.Duration {
		return w.typical(w.participant.declared(), patience, overlap(typicalCores, shard, 0))
	}
	slices.SortStableFunc(order, func(a, b turn) int { return cmp.Compare(takes(b), takes(a)) })
	load := make([]time.Duration, shard.Of)
	mine := map[turnKind]bool{}
	for _, w := range order {
		least := slices.Index(load, slices.Min(load))
		load[least] += takes(w)
		mine[w.kind()] = least == shard.Index-1
	}
	return slices.DeleteFunc(slices.Clone(waves), func(w turn) bool { return !mine[w.kind()] })
}

// waves are all waves of one round that are this run's to drive.
func (j *job) waves() []turn {
	matrix := j.matrix()
	if len(matrix) == 0 {
		return nil
	}
	all := plain.Flat(j.asked(), func(p *participant) []turn { return wavesOf(p, matrix, j.options.Shard.Of, j.workload.AtOnce) })
	return shared(all, j.options.Shard, j.options.Patience)
}

// breakable adds what breaks a style on purpose.
func (s *Session) breakable(p *participant, style *drive.Style) {
	operator, cluster := p.operator, install.Cluster{Kube: s.kube, Run: s.id}
	style.Faults = &fault.Injector{
		Kube: s.kube.Typed, Dynamic: s.kube.Dynamic, Owner: kube.Owner{Run: s.id}, Style: operator.Style, Workload: s.workload, Folder: operator.Folder, Node: s.node(),
		Installed: func(ctx context.Context) ([]*unstructured.Unstructured, error) {
			return install.Find(ctx, cluster, operator.Name)
		},
		Next: func(ctx context.Context) error { return p.operator.InstallNext(ctx, cluster) },
	}
}

// inspected adds what looks at the end for what a style left, and for secrets in its logs.
func (s *Session) inspected(p *participant, style *drive.Style) error {
	client, err := metadata.NewForConfig(s.kube.Config)
	if err != nil {
		return fmt.Errorf("make a client for metadata: %w", err)
	}
	held, err := p.operator.Rights()
	if err != nil {
		return err
	}
	writes := func(resource schema.GroupResource) bool {
		return len(held.Unknown) > 0 || p.may(resource, spec.WriteVerbs()...) // what is unknown may be anything
	}
	style.Inventory = &inventory.Taker{Metadata: client, Discovery: s.kube.Typed.Discovery(), Writes: writes, Custom: s.workload.GVR().GroupResource()}
	style.Logs = &leak.Searcher{Kube: s.kube.Typed, Owner: kube.Owner{Run: s.id}, Components: style.Components}
	return nil
}

// node is what faults below Kubernetes are done to; nil: the cluster is not this run's own.
func (e *environment) node() fault.Node {
	if e.kind == nil {
		return nil // and no interface that holds a nil *Kind
	}
	return e.kind
}

// few lists names, or says how many there are.
func few(names []string, what string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%d %s", len(names), what)
	}
	return strings.Join(names, ", ")
}

func namesOf(list []scenarios.Scenario) []string {
	return plain.Map(list, func(s scenarios.Scenario) string { return s.Name })
}
