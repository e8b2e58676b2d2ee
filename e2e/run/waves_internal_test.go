package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// styled is a participant of a style that is only described.
func styled(style spec.Style) *participant {
	return &participant{operator: &styles.Style{Style: style}}
}

func killed(name, component string) scenarios.Scenario {
	return scenarios.Scenario{Name: name, Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultKill, What: component}}}}
}

func shown(waves []turn) []string {
	return plain.Map(waves, func(w turn) string {
		return fmt.Sprintf("%s/%d %v", w.participant.label(), w.wave, namesOf(w.plan.Scenarios))
	})
}

func TestScenariosThatShareTheirFaultsShareAWave(t *testing.T) {
	fast := styled(spec.Style{Name: "fast", Components: []spec.Component{{Name: "operator"}}})
	waves := wavesOf(fast, []scenarios.Scenario{
		killed("a", "all"), {Name: "b"}, killed("c", "all"), killed("d", "operator"), killed("e", "bus"), {Name: "f", Work: true},
	}, 1, 0)
	assert.Equal(t, []string{"fast/1 [b f e]", "fast/2 [a c]", "fast/3 [d]"}, shown(waves), "what is not applicable needs no wave of its own")
	assert.Len(t, wavesOf(fast, []scenarios.Scenario{killed("a", "all"), killed("c", "all"), killed("g", "all")}, 1, 2), 2, "no more than two at once")
	assert.Equal(t, "fast has no component bus", fast.unfit(killed("e", "bus")))
	assert.Contains(t, fast.unfit(scenarios.Scenario{Work: true}), "no work objects")
}

// What another part makes can be taken from it; what nobody makes is mended by who installed it. A rollout is no
// upgrade.
func TestWhatOnlyAnInstallerMends(t *testing.T) {
	kept := styled(spec.Style{Name: "kept", Upgrade: &spec.Upgrade{}, Components: []spec.Component{{Name: "installer"}, {Name: "operator", ManagedBy: "installer"}}})
	bare := styled(spec.Style{Name: "plain", Components: []spec.Component{{Name: "operator"}}})
	for _, f := range []scenarios.Fault{{Kind: spec.FaultDeleteOwn, What: "operator"}, {Kind: spec.FaultScaleOwn, What: "operator"}} {
		s := scenarios.Scenario{Steps: []scenarios.Step{{Fault: &f}}}
		assert.Empty(t, kept.unfit(s))
		assert.Equal(t, "no component of plain manages the workload of component operator (managedBy), so nothing in the style could repair it", bare.unfit(s))
	}
	s := scenarios.Scenario{Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultUpgrading, What: "all"}}}}
	assert.Empty(t, kept.unfit(s))
	assert.Equal(t, "plain has no next version in style.yaml; the scenario changed-while-down tests changes that are made while its pods are away", bare.unfit(s))
}

// What lasts begins first, so that the others are driven beside it. A series has an
// installation to itself, however quick the operator is: one that sends five requests a
// second is behind it for half a minute, and what others ask for meanwhile comes late.
func TestWhatLastsBeginsFirst(t *testing.T) {
	list := []scenarios.Scenario{
		{Name: "a"},
		{Name: "b"},
		{Name: "calm", Window: time.Minute},
		killed("c", "all"),
		{Name: "series", Steps: []scenarios.Step{{Series: &scenarios.Series{Count: 60, Every: 500 * time.Millisecond}}}},
		{Name: "many-while-down", Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultKill, What: "all"}}, {Series: &scenarios.Series{Count: 47, Every: 640 * time.Millisecond}}}},
	}
	for typical, want := range map[time.Duration][]string{
		time.Second: {"s/1 [calm b]", "s/2 [a]", "s/3 [many-while-down]", "s/4 [series]", "s/5 [c]"},
		time.Minute: {"s/1 [calm b]", "s/2 [a]", "s/3 [series]", "s/4 [many-while-down]", "s/5 [c]"},
	} {
		style := styled(spec.Style{Name: "s", Components: []spec.Component{{Name: "operator"}}, Typical: spec.Typical{Reconcile: typical}})
		assert.Equal(t, want, shown(wavesOf(style, list, 2, 0)), "a reconcile takes %v", typical)
	}
	slow := styled(spec.Style{Typical: spec.Typical{Reconcile: time.Minute}})
	assert.Greater(t, turn{participant: slow, plan: drive.Plan{Scenarios: list[4:]}}.typical(spec.Typical{Reconcile: time.Minute}, time.Second, 6), 6*time.Minute)
}

// What cannot be brought about may end the operator's watch of all custom resources:
// operator-sdk failed three scenarios by what a fourth had asked for.
func TestWhatCannotBeMetIsDrivenAlone(t *testing.T) {
	wrong := func(name string, size int64) scenarios.Scenario {
		return scenarios.Scenario{Name: name, Steps: []scenarios.Step{
			{Fault: &scenarios.Fault{Kind: spec.FaultDefinition, What: "tutorial"}},
			{Submit: &scenarios.Submit{Object: map[string]any{"spec": map[string]any{"size": size}}}},
			{Mend: "definition"},
		}}
	}
	assert.Equal(t, []string{"s/1 [a b]", "s/2 [negative]", "s/3 [beyond]"}, shown(wavesOf(styled(spec.Style{Name: "s"}), []scenarios.Scenario{{Name: "a"}, wrong("negative", -1), wrong("beyond", 1<<31), {Name: "b"}}, 1, 0)))
	derived := scenarios.Scenario{Name: "derived", Steps: []scenarios.Step{{Wrong: 8}, {Patch: &scenarios.Spec{Size: 1}}}}
	assert.Equal(t, []string{"s/1 [a b]", "s/2 [derived]"}, shown(wavesOf(styled(spec.Style{Name: "s"}), []scenarios.Scenario{{Name: "a"}, derived, {Name: "b"}}, 1, 0)),
		"the shape brittle failed five scenarios by the pod that a wrong value ended")
}

// What no change waits for cannot hold one up, and a deletion that the garbage
// collector carries out is no work.
func TestWhatCannotBeHeldUp(t *testing.T) {
	held := scenarios.Step{Fault: &scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}}
	update := scenarios.Scenario{Steps: []scenarios.Step{{Patch: &scenarios.Spec{Size: 2}}, held, {Delete: &scenarios.Delete{}}}}
	deletion := scenarios.Scenario{Steps: []scenarios.Step{{Patch: &scenarios.Spec{Size: 2}}, {Delete: &scenarios.Delete{}}, held}}
	work := []spec.Work{{Resource: "workflows.v1alpha1.argoproj.io", Suspend: "spec.suspend"}}
	aside := styled(spec.Style{Name: "aside", Work: []spec.Work{{Resource: work[0].Resource}}})
	assert.Equal(t, "aside does not make changes through its work objects, so suspending one would delay nothing", aside.unfit(update))
	named := styled(spec.Style{Name: "named", Work: work})
	assert.Empty(t, named.unfit(update))
	assert.Empty(t, named.unfit(deletion))
	owning := styled(spec.Style{Name: "owning", Work: work, Declares: spec.Declares{OwnerReferences: spec.Declaration{Supported: true}}})
	assert.Empty(t, owning.unfit(update))
	assert.Contains(t, owning.unfit(deletion), "owning leaves deletions to the garbage collector")
}

func TestWhatSharesNoFaultIsSplitUpForShards(t *testing.T) {
	slow := styled(spec.Style{Name: "slow", Components: []spec.Component{{Name: "operator"}}})
	assert.Equal(t, []string{"slow/1 [a e]", "slow/2 [c]", "slow/3 [b d]"}, shown(wavesOf(slow, []scenarios.Scenario{{Name: "a"}, killed("b", "all"), {Name: "c"}, killed("d", "all"), {Name: "e"}}, 2, 0)))
}

func TestOverlapIsWhatTheMachineCarries(t *testing.T) {
	assert.Equal(t, 6, overlap(2, Shard{}, 0))
	assert.Equal(t, 2, overlap(2, Shard{}, 2), "the workload's pods take a good part of the machine")
	assert.Equal(t, 3, overlap(2, Shard{1, 2}, 0))
	assert.Equal(t, 2, overlap(2, Shard{1, 3}, 0))
	assert.Equal(t, 6, overlap(16, Shard{1, 3}, 0), "a style's own parts take one thing after the other")
}

func TestShardsDriveEveryWaveOnce(t *testing.T) {
	slow := styled(spec.Style{Name: "slow", Timeout: time.Minute, Typical: spec.Typical{Reconcile: time.Minute}})
	fast := styled(spec.Style{Name: "fast", Timeout: time.Minute, Typical: spec.Typical{Reconcile: time.Second}})
	var all []turn
	plan := drive.Plan{Scenarios: []scenarios.Scenario{killed("a", "all")}}
	for i := range 7 {
		all = append(all, turn{participant: slow, wave: i + 1, plan: plan}, turn{participant: fast, wave: i + 1, plan: plan})
	}
	var got []string
	for i := 1; i <= 3; i++ {
		slow.change = time.Duration(4-i) * 10 * time.Second // as this shard has measured it
		mine := shared(all, Shard{i, 3}, time.Second)
		require.NotEmpty(t, mine)
		got = append(got, shown(mine)...)
	}
	want := shown(all)
	slices.Sort(got)
	slices.Sort(want)
	assert.Equal(t, want, got)
	assert.Equal(t, all, shared(all, Shard{}, time.Second))
}

// Which scenarios do not apply follows from what a style is, and no file repeats it:
// this is the list for a controller in one pod, and for one that works by objects.
func TestWhichScenariosDoNotApply(t *testing.T) {
	memcached := []string{"changed-in-place", "children-taken", "children-taken-orphan", "deleted-while-paused", "killed-while-changing", "paused", "version-upgrade", "volume-kept"} // it has no pause, one knob, one child, and no volume
	for name, want := range map[string][]string{
		"native": {
			"finalizer-races-delete", "update-races-delete", "updates-race",
			"changed-after-bus-restart", "changed-while-eventsource-down", "created-while-bus-down", "created-while-eventsource-down",
			"deleted-while-eventsource-down", "operator-deployment-deleted",
			"operator-deployment-edited", "workflows-forbidden", "changed-while-upgrading",
		},
		// It leaves deletions to the garbage collector, and its changes are made by the
		// step's pod: there is no work to hold up.
		"argo-best": {"finalizer-races-delete", "update-races-delete", "updates-race", "handed-over", "two-at-once", "operator-deployment-deleted", "operator-deployment-edited", "changed-while-upgrading"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := styles.Find(filepath.Join(root, "operators"), name)
			require.NoError(t, err)
			all, err := pick(workloadtest.Default(t), expectable)
			require.NoError(t, err)
			var unfit []string
			for _, s := range all {
				if driving(found[0]).unfit(s) != "" {
					unfit = append(unfit, s.Name)
				}
			}
			assert.ElementsMatch(t, slices.Concat(memcached, want), unfit)
		})
	}
}
