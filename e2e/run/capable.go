package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// neededBy completes "a cluster may …" with what a fault does to one beside using its API; "": any cluster will do.
func neededBy(f *scenarios.Fault) string {
	switch kind, what := f.Kind, f.What; {
	case kind == spec.FaultRestart && what == spec.RestartNode:
		return "have its nodes restarted"
	case kind == spec.FaultRestart:
		return "have its control plane broken"
	case kind == spec.FaultRemoveImage:
		return "have images removed from its nodes"
	case kind == spec.FaultCut, kind == spec.FaultSilence:
		return "have the connections of its pods cut"
	case kind == spec.FaultSlow:
		return "have its node lose what is sent to a webhook"
	}
	return ""
}

// lacks says what a cluster of a kind lacks that a scenario needs; "": nothing.
func lacks(kind string, scenario scenarios.Scenario) string {
	need := ""
	if scenario.Load != nil && scenario.Load.Nodes > 0 {
		need = "have fake nodes added"
	}
	for _, f := range scenario.Faults() {
		need = cmp.Or(need, neededBy(f))
	}
	if need == "" || kind != cluster.ExistingName {
		return ""
	}
	return fmt.Sprintf("an existing cluster may not %s; --cluster=%s makes one that may", need, cluster.KindName)
}

// choose makes the workload that styles handle that of the run, and reads the scenarios that are asked for, bound to
// it.
func (j *job) choose(all ...*styles.Style) error {
	if err := j.handle(all...); err != nil {
		return fmt.Errorf("--operator=%s: %w", j.options.Operator, err)
	}
	list, err := pick(j.workload, j.options.scenario())
	if err == nil {
		err = j.fit(list)
	}
	if err != nil {
		return err
	}
	j.warmup, err = pick(j.workload, warmup)
	j.warmup = slices.DeleteFunc(j.warmup, func(s scenarios.Scenario) bool { return s.Unfit() != "" })
	return err
}

// fit notes the scenarios to be driven. Those of the correctness matrix that the workload cannot go through say why in
// their samples; the others are left out, and it is said here.
func (j *job) fit(list []scenarios.Scenario) error {
	for _, s := range list {
		switch why := cmp.Or(s.Unfit(), lacks(j.options.Cluster, s)); {
		case why == "" || spec.InMatrix(s.Group):
			j.scenarios = append(j.scenarios, s)
		case len(list) == 1:
			return fmt.Errorf("--scenario=%s: it is not applicable: %s", s.Name, why)
		default:
			j.say("%s is not applicable, and left out: %s", s.Name, why)
		}
	}
	return nil
}

// listedWithin is how long a node may take to list an image that it has: the kubelet looks every 30 s, and says it
// within ten more.
const listedWithin = 45 * time.Second

// obtainable refuses a cluster whose nodes lack an image of the run that no
// registry has. Nothing has been made by then.
func (e *environment) obtainable(ctx context.Context) error {
	catalogue, err := images.Load(e.root)
	if err == nil {
		catalogue, err = catalogue.With(ownOf(e.participants)...)
	}
	if err != nil {
		return err
	}
	var local []images.Image
	for _, name := range e.imagesInNode(e.participants) {
		image, err := catalogue.Image(name)
		if err != nil {
			return err
		}
		if image.NeverPulled {
			local = append(local, image)
		}
	}
	if len(local) == 0 {
		return nil
	}
	var missing []string
	began := time.Now()
	err = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		nodes, err := e.kube.Typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		missing = lacking(nodes.Items, local)
		return len(missing) == 0 || time.Since(began) > e.listed, nil
	})
	if err != nil {
		return fmt.Errorf("look which images the nodes of the existing cluster have: %w", err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the existing cluster cannot get images that no registry has: %s\n"+
			"nothing was made in it; bring them into each of its nodes (`go run ./e2e/cmd/opbench images archive NAME | ctr -n k8s.io images import -` there), "+
			"or build them under a reference that it can pull, or let a cluster be made with --cluster=kind", strings.Join(missing, "; "))
	}
	return nil
}

// mostListed is how many images a kubelet lists by default: of a node that lists
// as many it is not known what else it has.
const mostListed = 50

// lacking says which nodes, of those that take pods, lack which images.
func lacking(nodes []corev1.Node, wanted []images.Image) []string {
	var missing []string
	for _, image := range wanted {
		has := func(listed corev1.ContainerImage) bool { return slices.Contains(listed.Names, image.Reference) }
		var without []string
		for i := range nodes {
			listed := nodes[i].Status.Images
			if takesPods(&nodes[i]) && len(listed) < mostListed && !slices.ContainsFunc(listed, has) {
				without = append(without, nodes[i].Name)
			}
		}
		if len(without) > 0 {
			missing = append(missing, fmt.Sprintf("%s (%s) is not in node %s", image.Name, image.Reference, few(without, "nodes")))
		}
	}
	return missing
}
