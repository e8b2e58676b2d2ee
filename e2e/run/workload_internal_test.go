package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// Which is in whose way is named; the floor is in nobody's.
func TestStylesOfTwoWorkloadsAreRefused(t *testing.T) {
	of := func(name, workload string, control spec.Control) *styles.Style {
		return &styles.Style{Style: spec.Style{Name: name, Workload: workload, Control: control}}
	}
	s := newSession(Options{}, "", time.Time{}, io.Discard)
	err := s.handle(of("floor", "", spec.Harness), of("native", "", ""), of("mine", "memcached", ""), of("other", "queue", ""))
	require.ErrorAs(t, err, new(*OptionError))
	require.EqualError(t, err, "the style native handles the workload memcached, and other the workload queue: ask for styles of one workload in a run")
	require.ErrorContains(t, s.handle(of("floor", "", spec.Harness), of("other", "queue", "")), `there is no workload "queue"`, "it is not mixed with the floor's")
	require.NoError(t, s.handle(of("floor", "", spec.Harness), of("mine", "memcached", "")))
	assert.Equal(t, "memcached", s.workload.Name)
	assert.NotNil(t, s.floor())
	require.NoError(t, s.handle(), "a comparison may have lost all of its styles")
}

// What the operator brings the definition of, or nobody knows what it asks for, has no floor, which is said once.
func TestAWorkloadWithoutAReferenceHasNoFloor(t *testing.T) {
	var said strings.Builder
	s := newSession(Options{Precision: 0.1, Budget: time.Hour, Keep: true, Seed: 7}, "", time.Time{}, &said)
	quick, slow := styled(spec.Style{Name: "quick"}), styled(spec.Style{Name: "slow"})
	quick.asked, slow.asked = quick.operator, slow.operator
	s.participants = append(s.participants, quick, slow)
	s.take(workloadtest.Queue(t))
	s.take(workloadtest.Queue(t))
	const note = "there is no floor: the workload queue has no reference, so that the harness cannot take an operator's place"
	assert.Equal(t, note+"\n", said.String())
	assert.Equal(t, []string{note}, s.notes)
	assert.Nil(t, s.floor())
	assert.Equal(t, []*participant{quick, slow}, s.participants)
	assert.Equal(t, s.participants, s.operated())
	assert.ElementsMatch(t, s.participants, s.shuffled(1))
	precise := preciseRun{s, map[string]int{}}
	assert.True(t, precise.next(1, time.Hour))
	assert.Equal(t, map[string]int{"quick": 1, "slow": 1}, precise.rounds)
	s.scenarios = []scenarios.Scenario{{Name: "create"}}
	s.Keep(func(style, _ string) bool { return style == "slow" })
	assert.Equal(t, []string{"slow"}, s.Styles())

	image := scenarios.Scenario{Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultRemoveImage, What: "workload"}}}}
	image, _ = image.For(&s.workload.Workload)
	assert.Equal(t, "the workload queue has no reference that says which image its pods run", slow.unfit(image))
}

// Before a definition that an operator has brought is used, it is written to once; an operator starts no pods for that.
func TestTheFirstWriteToWhatTheOperatorDefinesIsOnlyTried(t *testing.T) {
	w := workloadtest.Queue(t)
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{w.GVR(): "QueueList"})
	e := &environment{recording: &recording{job: &job{id: "abc123", workload: w}}, kube: &kube.Client{Dynamic: client}}
	assert.Empty(t, e.defined())
	require.NoError(t, e.brought(t.Context(), nil))
	require.Len(t, client.Actions(), 1)
	create, is := client.Actions()[0].(clienttesting.CreateActionImpl)
	require.True(t, is)
	assert.Equal(t, "services-abc123-probe", create.Namespace)
	assert.Equal(t, []string{metav1.DryRunAll}, create.CreateOptions.DryRun)
	e.workload = workloadtest.Default(t)
	require.NoError(t, e.brought(t.Context(), nil))
	assert.Len(t, client.Actions(), 1, "the harness has applied this one's definition, and written to it")
}

// The pods of an operator may be ready before the node leads to them: its webhook is asked again, and of no other
// workload.
func TestTheFirstWriteWaitsForAWebhook(t *testing.T) {
	for admission, tries := range map[bool]int{true: 2, false: 1} {
		w := workloadtest.Queue(t)
		w.Admission = admission
		client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{w.GVR(): "QueueList"})
		asked := 0
		client.PrependReactor("create", w.Resource.Plural, func(clienttesting.Action) (bool, runtime.Object, error) {
			asked++
			return asked == 1, nil, apierrors.NewInternalError(errors.New("failed calling webhook"))
		})
		e := &environment{recording: &recording{job: &job{id: "abc123", workload: w}}, kube: &kube.Client{Dynamic: client}}
		if err := e.brought(t.Context(), nil); admission {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "create the first Queue services-abc123-probe/first: Internal error occurred: failed calling webhook")
		}
		assert.Equal(t, tries, asked)
	}
}

// The recording says what the custom resource is, and has a reference where there is one.
func TestTheHeaderHasTheWorkload(t *testing.T) {
	for name, want := range map[string]bool{"memcached": true, "queue": false} {
		t.Run(name, func(t *testing.T) {
			w := workloadtest.Default(t)
			if name == "queue" {
				w = workloadtest.Queue(t)
			}
			rec := &recording{job: &job{
				console: &console{out: t.Output()}, root: t.TempDir(), folder: filepath.Join(t.TempDir(), "results"), options: Options{Cluster: "kind"}, workload: w,
			}}
			require.NoError(t, rec.RecordLost(t.Context()))
			header := rec.recorder.Header()
			assert.Equal(t, &w.Workload, header.Workload)
			assert.Equal(t, want, len(header.Reference) > 0)
			text, err := os.ReadFile(filepath.Join(rec.folder, "recording.jsonl"))
			require.NoError(t, err)
			assert.Equal(t, want, strings.Contains(string(text), `"reference":{`))
		})
	}
}
