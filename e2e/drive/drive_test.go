package drive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// stage is everything a driver needs, with an API of client-go's fakes. What it
// drives is real: the driver, the watches and the recording.
type stage struct {
	*drive.Driver
	recording bytes.Buffer
	made      []string
	deleted   []string
	removed   []string
	ends      []string
	held      []record.Held
	warmups   int

	mu      sync.Mutex
	missing string
	full    string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{}
	recorder, err := record.NewRecorder(&s.recording, record.Header{Run: "abc123"})
	require.NoError(t, err)
	lists := map[schema.GroupVersionResource]string{
		resource:                                                    "MemcachedList",
		workloadtest.Queue(t).GVR():                                 "QueueList",
		workloadtest.Queue(t).MainGVR():                             "StatefulSetList",
		{Version: "v1", Resource: "services"}:                       "ServiceList",
		{Version: "v1", Resource: "secrets"}:                        "SecretList",
		{Group: "apps", Version: "v1", Resource: "deployments"}:     "DeploymentList",
		{Group: "apps", Version: "v1", Resource: "replicasets"}:     "ReplicaSetList",
		{Version: "v1", Resource: "pods"}:                           "PodList",
		{Version: "v1", Resource: "namespaces"}:                     "NamespaceList",
		{Group: "events.k8s.io", Version: "v1", Resource: "events"}: "EventList",
	}
	s.Driver = &drive.Driver{
		Run: "abc123", Client: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists),
		Namespaces: s, Workload: workloadtest.Default(t), Recorder: recorder, Judge: s, Observer: s, Window: time.Millisecond,
	}
	return s
}

// drive drives what is planned and leaves it.
func (s *stage) drive(ctx context.Context, style drive.Style, plan drive.Plan) error {
	leave, err := s.Driver.Drive(ctx, style, plan)
	return errors.Join(err, leave(context.WithoutCancel(ctx)))
}

func (s *stage) Make(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = append(s.made, name)
	return nil
}

func (s *stage) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleted = append(s.deleted, name)
	return nil
}

func (s *stage) Remove(ctx context.Context, name string) error {
	s.mu.Lock()
	s.removed = append(s.removed, name)
	s.mu.Unlock()
	return s.Delete(ctx, name)
}

func (s *stage) Missing(string) string {
	s.Recorder.CatchUp()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing
}

func (s *stage) Lacks(_, _ string) string { return s.Missing("") }

func (s *stage) NoRoom(string) string { return s.full }

func (s *stage) LastEvent(string) time.Duration { return 0 }

func (s *stage) Began(record.Sample) {}

func (s *stage) Ended(sample record.Sample, end record.End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := sample.Scenario
	if sample.Prepare {
		name += " (prepare)"
	}
	if sample.Warmup {
		s.warmups++
	}
	s.ends = append(s.ends, fmt.Sprintf("%s %s", name, end.Outcome))
}

func (s *stage) Held(held record.Held) { s.held = append(s.held, held) }

// recorded are all entries of the recording.
func (s *stage) recorded(t *testing.T) iter.Seq[record.Entry] {
	t.Helper()
	return func(yield func(record.Entry) bool) {
		for e, err := range record.Read(bytes.NewReader(s.recording.Bytes())) {
			require.NoError(t, err)
			if !yield(e) {
				return
			}
		}
	}
}

// lasted is how long the last sample lasted.
func (s *stage) lasted(t *testing.T) (long time.Duration) {
	t.Helper()
	var began time.Duration
	for e := range s.recorded(t) {
		switch e.Kind {
		case record.KindBegin:
			began = e.Time
		case record.KindEnd:
			long = e.Time - began
		}
	}
	return long
}

// judged is the judgement of the recording.
func (s *stage) judged(t *testing.T) *judge.Judgement {
	t.Helper()
	j, err := judge.Judge(record.Read(bytes.NewReader(s.recording.Bytes())))
	require.NoError(t, err)
	return j
}

// entries are the recorded begins, actions and ends, in their order.
func (s *stage) entries(t *testing.T) []string {
	t.Helper()
	var list []string
	for e := range s.recorded(t) {
		switch e.Kind {
		case record.KindBegin:
			list = append(list, "begin "+e.Begin.Scenario)
		case record.KindAction:
			assert.LessOrEqual(t, e.Action.From, e.Time, "the intent comes before the acknowledgement")
			list = append(list, fmt.Sprintf("%s measured=%t", e.Action.Verb, e.Action.Measured))
		case record.KindEnd:
			list = append(list, "end "+e.End.Outcome)
		}
	}
	return list
}

func basic(t *testing.T, names ...string) []scenarios.Scenario {
	t.Helper()
	all, err := scenarios.All(judge.OracleNames())
	require.NoError(t, err)
	var list []scenarios.Scenario
	for _, name := range names {
		for _, s := range all {
			if s.Name == name {
				list = append(list, s)
			}
		}
	}
	return list
}

var style = drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: time.Minute}}}

func TestTheBasicScenariosNeedOneNamespaceAndNoPreparation(t *testing.T) {
	s := newStage(t)
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 2, Scenarios: basic(t, "create", "scale-up", "scale-down", "delete")}))
	assert.Equal(t, []string{"services-abc123-fast-2"}, s.made)
	assert.Equal(t, s.made, s.deleted)
	assert.Equal(t, []string{
		"begin create", "create measured=true", "end settled",
		"begin scale-up", "patch measured=true", "end settled",
		"begin scale-down", "patch measured=true", "end settled",
		"begin delete", "delete measured=true", "end settled",
	}, s.entries(t))
}

func TestAGivenStateIsPreparedAndWhatIsLeftIsRemovedBeforeTheNextPass(t *testing.T) {
	s := newStage(t)
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Passes: 2, Scenarios: basic(t, "scale-up")}))
	assert.Equal(t, []string{
		"scale-up (prepare) settled", "scale-up settled", "empty (prepare) settled",
		"scale-up (prepare) settled", "scale-up settled",
	}, s.ends)
	assert.Equal(t, []string{
		"begin scale-up", "create measured=false", "end settled",
		"begin scale-up", "patch measured=true", "end settled",
		"begin empty", "delete measured=false", "end settled",
		"begin scale-up", "create measured=false", "end settled",
		"begin scale-up", "patch measured=true", "end settled",
	}, s.entries(t))
}

// What a custom resource cannot be lowered to another one is made for.
func TestAGivenStateThatCannotBeLoweredToIsMadeAnew(t *testing.T) {
	s := newStage(t)
	s.Workload = workloadtest.Queue(t)
	name, knob := s.Workload.ScaleKnob()
	knob.Down = &spec.Down{Reason: "data would be lost"}
	s.Workload.Knobs[name] = knob
	one, three := &scenarios.Spec{Size: 1}, &scenarios.Spec{Size: 3}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{
		{Name: "up", Given: one, Steps: []scenarios.Step{{Patch: three}}},
		{Name: "delete", Given: one, Steps: []scenarios.Step{{Delete: &scenarios.Delete{}}}},
	}}))
	assert.Equal(t, []string{
		"begin up", "create measured=false", "end settled",
		"begin up", "patch measured=true", "end settled",
		"begin delete", "create measured=false", "end settled",
		"begin delete", "delete measured=true", "end settled",
	}, s.entries(t))
	assert.Equal(t, []string{"services-abc123-fast-1", "services-abc123-fast-1-1"}, s.made)
}

func TestAnOperatorThatDoesNothingTimesOutOnceAndIsNotTriedAgain(t *testing.T) {
	s := newStage(t)
	s.missing = "there is no Deployment"
	style := drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: 50 * time.Millisecond}}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "create", "scale-up", "scale-down", "delete")}))
	assert.Equal(t, []string{
		"create timeout", "scale-up (prepare) timeout", "scale-up timeout", "scale-down timeout", "delete timeout",
	}, s.ends)
	assert.Contains(t, s.recording.String(), `"reason":"the given state, a handled custom resource of size 3, was not reached: there is no Deployment"`)
	assert.Equal(t, []string{"services-abc123-fast-1", "services-abc123-fast-1-1"}, s.made, "a broken namespace is left")
	assert.Equal(t, s.made, s.deleted)
}

// A request that fails says nothing of the operator: whether it would have brought the given state about is not known,
// and the next scenario's is asked for anew.
func TestAGivenStateThatCouldNotBeAskedForIsNotKnown(t *testing.T) {
	s := newStage(t)
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	failures := 1
	fake.PrependReactor("create", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		failures--
		return failures >= 0, nil, errors.New("etcdserver: request timed out")
	})
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "scale-up", "scale-down")}))
	assert.Equal(t, []string{
		"scale-up (prepare) interrupted", "scale-up interrupted", "scale-down (prepare) settled", "scale-down settled",
	}, s.ends)
	assert.Contains(t, s.recording.String(), `"reason":"the given state, a handled custom resource of size 3, was not reached: `+
		`create memcacheds services-abc123-fast-1/memcached: etcdserver: request timed out"`)
	assert.Equal(t, []string{"services-abc123-fast-1", "services-abc123-fast-1-1"}, s.made, "what the first holds is not known")
}

// A cluster that has no room for three pods may have it for one, and says nothing of the operator.
func TestAClusterWithoutRoomIsAskedAnew(t *testing.T) {
	s := newStage(t)
	s.missing, s.full = "Deployment memcached has 2 of 3 ready replicas", "pod memcached-2 cannot be scheduled"
	style := drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: 50 * time.Millisecond}}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "scale-up", "scale-down")}))
	assert.Equal(t, []string{
		"scale-up (prepare) timeout", "scale-up timeout", "scale-down (prepare) timeout", "scale-down timeout",
	}, s.ends)
}

// A style's name may have as many letters as a label's value, and a scenario's name comes behind it; namespaces have no
// more, and keep styles and variants apart.
func TestNamespacesOfStylesWithLongNames(t *testing.T) {
	seen := map[string]bool{}
	check := func(made []string, want int) {
		assert.Len(t, made, want)
		for _, name := range made {
			assert.Empty(t, validation.IsDNS1123Label(name), name)
			assert.False(t, seen[name], "%s came twice", name)
			seen[name] = true
		}
	}
	for _, name := range []string{"fast", strings.Repeat("x", 63), strings.Repeat("x", 62) + "y", strings.Repeat("x-", 15) + "x"} {
		for _, variant := range []string{"", "base", "again", "head"} {
			long := record.Style{Style: spec.Style{Name: name, Timeout: 5 * time.Millisecond}, Variant: variant}
			s := newStage(t)
			s.Run, s.missing = "abcdefgh", "there is no Deployment" // each scenario leaves a namespace behind
			require.NoError(t, s.drive(t.Context(), drive.Style{Style: long}, drive.Plan{
				Round: 12, Passes: 2, Warmup: basic(t, "create", "create"), Scenarios: basic(t, "create", "create"),
			}))
			check(s.made, 6)

			s, b, _ := newMatrixStage(t)
			s.Run = "abcdefgh"
			require.NoError(t, s.drive(t.Context(), drive.Style{Style: long, Faults: b}, drive.Plan{
				Round: 1, Wave: 12, Scenarios: []scenarios.Scenario{stop("operator-killed-before-writing", true), stop("two", true)},
			}))
			check(s.made, 2)
			for _, name := range s.made {
				assert.LessOrEqual(t, len(name), 61, "%s: the number of a second one has no room", name)
			}
		}
	}
}

func TestAnInterruptedRoundEndsItsSampleAndItsNamespace(t *testing.T) {
	s := newStage(t)
	s.missing = "there is no Deployment"
	ctx, cancel := context.WithCancel(t.Context())
	stop := s.Recorder.Listen(func(e record.Entry) {
		if e.Kind == record.KindAction {
			cancel()
		}
	})
	defer stop()
	patient := drive.Style{Style: record.Style{Style: spec.Style{Name: "slow", Timeout: time.Hour}}}
	require.ErrorIs(t, s.drive(ctx, patient, drive.Plan{Round: 1, Scenarios: basic(t, "create")}), context.Canceled)
	assert.Equal(t, []string{"create interrupted"}, s.ends)
	assert.Equal(t, s.made, s.deleted)
}

func TestTheFloorWritesWhatIsAskedFor(t *testing.T) {
	s := newStage(t)
	floor := drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor, Timeout: time.Second, Control: spec.Harness}}}
	require.NoError(t, s.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: basic(t, "create", "scale-up", "scale-down", "delete")}))
	var writes []string
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	for _, action := range fake.Actions() {
		if action.GetResource().Resource == "deployments" && action.GetVerb() != "list" && action.GetVerb() != "watch" {
			writes = append(writes, action.GetVerb())
		}
	}
	assert.Equal(t, []string{"create", "patch", "patch", "delete"}, writes)
}

func TestABlockWarmsUpFirstAndHasAFreshNamespaceForEachPass(t *testing.T) {
	s := newStage(t)
	variant := drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: time.Minute}, Variant: "head"}}
	require.NoError(t, s.drive(t.Context(), variant, drive.Plan{
		Round: 3, Passes: 2, Warmup: basic(t, "create"), Scenarios: basic(t, "create"),
	}))
	assert.Equal(t, []string{"services-abc123-fast-head-3-warmup", "services-abc123-fast-head-3", "services-abc123-fast-head-3-pass2"}, s.made)
	assert.Equal(t, s.made, s.deleted)
	assert.Equal(t, 2, s.warmups, "that it is removed is part of the warm-up")
	assert.Equal(t, []string{
		"create settled", "empty (prepare) settled",
		"create settled", "empty (prepare) settled",
		"create settled",
	}, s.ends, "the last pass's custom resource goes with its namespace")
}

// How many passes there are can be left open until the first one has shown what it takes.
func TestABlockChoosesItsPassesAfterTheFirst(t *testing.T) {
	for chosen, want := range map[int]int{3: 3, 1: 1, 0: 1} {
		s := newStage(t)
		asked := 0
		require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "create"), Choose: func() int {
			asked++
			assert.Equal(t, []string{"create settled"}, s.ends)
			return chosen
		}}))
		assert.Equal(t, 1, asked)
		assert.Len(t, s.made, want)
	}
}

// What a block left is there until the style is gone, which would act on it.
func TestTheLastNamespaceStaysUntilItIsLeft(t *testing.T) {
	s := newStage(t)
	leave, err := s.Drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "create")})
	require.NoError(t, err)
	assert.Empty(t, s.deleted)
	require.NoError(t, leave(t.Context()))
	assert.Equal(t, s.made, s.removed, "its custom resource must not be there for the next style")
}

// What the harness itself asks or hears of the cluster's figures is no change
// of the cluster: quiescence does not begin anew.
func TestUsageDoesNotDisturbQuiescence(t *testing.T) {
	s := newStage(t)
	s.Window = 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			<-tick.C
			_ = s.Recorder.Record(record.Entry{Time: s.Recorder.Now(), Kind: record.KindUsage, Usage: &record.Usage{}})
		}
	}()
	require.NoError(t, s.drive(ctx, style, drive.Plan{Round: 1, Scenarios: basic(t, "create")}))
	assert.Equal(t, []string{"create settled"}, s.ends)
}

// A sample does not come to rest while a watch is broken: nobody would see what moves, and the gap would come behind
// its end, where no judge looks for it.
func TestNoSampleEndsWhileAWatchIsBroken(t *testing.T) {
	s := newStage(t)
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	first := apiwatch.NewFake()
	opened := 0
	fake.PrependWatchReactor("deployments", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
		if opened++; opened == 1 {
			return true, first, nil
		}
		return true, apiwatch.NewFake(), nil
	})
	fake.PrependReactor("create", s.Workload.Resource.Plural, func(clienttesting.Action) (bool, runtime.Object, error) {
		first.Stop()
		return false, nil, nil
	})
	s.Window = 20 * time.Millisecond // a watch that broke so soon is not opened again within that
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "create")}))
	assert.Equal(t, 2, opened)
	assert.Greater(t, s.lasted(t), watch.Unnoticed)
}

// stuck are namespaces that never go.
type stuck struct{ *stage }

func (s stuck) Remove(ctx context.Context, _ string) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// Whoever stops the run does not wait for namespaces that something holds.
func TestLeavingIsInterruptible(t *testing.T) {
	s := newStage(t)
	s.Namespaces, s.Matrix.Overlap = stuck{s}, 1
	stopped := errors.New("stopped by hand")
	for name, drive := range map[string]func(context.Context) (func(context.Context) error, error){
		"a round": func(ctx context.Context) (func(context.Context) error, error) {
			return s.Drive(ctx, style, drive.Plan{Round: 1, Scenarios: basic(t, "create")})
		},
		"a wave": func(ctx context.Context) (func(context.Context) error, error) {
			return s.Drive(ctx, style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{
				{Name: "walkthrough", Group: spec.GroupBasic, Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}}},
			}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			leave, err := drive(ctx)
			require.NoError(t, err)
			left := make(chan error, 1)
			go func() { left <- leave(ctx) }()
			stop(stopped)
			require.ErrorIs(t, <-left, stopped)
		})
	}
}

// A judge that cannot go on ends the run: else each sample would be waited for in
// vain, as long as its time lasts.
func TestAJudgeThatCannotGoOnEndsTheRun(t *testing.T) {
	s := newStage(t)
	s.missing = "there is no Deployment"
	lost := errors.New("judge it while it is written: two samples are open in one namespace")
	defer s.Recorder.Follow(func(e record.Entry) error {
		if e.Kind == record.KindAction {
			return lost
		}
		return nil
	}).Stop()
	patient := drive.Style{Style: record.Style{Style: spec.Style{Name: "slow", Timeout: time.Hour}}}
	require.ErrorIs(t, s.drive(t.Context(), patient, drive.Plan{Round: 1, Scenarios: basic(t, "create", "delete")}), lost)
}

// The last entry that a sample waits for is one signal: whoever takes it must
// find that the judge has seen the entry, however long the judge took for that.
func TestNoWakeUpIsLost(t *testing.T) {
	const judging, samples = 200 * time.Microsecond, 50
	s := newStage(t)
	ready := make(chan struct{}, 1)
	acted, watched := false, false
	defer s.Recorder.Listen(func(e record.Entry) { // the judge
		for began := time.Now(); time.Since(began) < judging; {
			goruntime.Gosched() // it is at work
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		switch e.Kind {
		case record.KindBegin:
			s.missing, acted, watched = "there is no Deployment", false, false
		case record.KindAction:
			acted = true
		case record.KindWatch:
			watched = true
		case record.KindBlock:
			s.missing = ""
		}
		if acted && watched && s.missing != "" {
			ready <- struct{}{}
		}
	})()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // nothing follows what the sample waits for
		for {
			select {
			case <-ready:
				_ = s.Recorder.Record(record.Entry{Time: s.Recorder.Now(), Kind: record.KindBlock, Block: &record.Block{}})
			case <-ctx.Done():
				return
			}
		}
	}()
	quick := drive.Style{Style: record.Style{Style: spec.Style{Name: "quick", Timeout: 2 * time.Second}}}
	for round := range samples {
		require.NoError(t, s.drive(ctx, quick, drive.Plan{Round: round, Scenarios: basic(t, "create")}))
		require.Equal(t, "create settled", s.ends[len(s.ends)-1], "sample %d", round)
	}
}
