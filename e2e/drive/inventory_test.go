package drive_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// keeper makes inventories, and judges that something is left over the first few times.
type keeper struct {
	*stage

	mu       sync.Mutex
	left     int
	searched []leak.Mark
	refuses  bool
}

func (k *keeper) Take(_ context.Context, namespaces ...string) record.Inventory {
	return record.Inventory{Namespace: namespaces[0], Resources: namespaces}
}

func (k *keeper) Lacks(namespace, point string) string {
	if point != spec.PointCollected {
		return k.stage.Lacks(namespace, point)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left--; k.left >= 0 {
		return "something is left over"
	}
	return ""
}

func (k *keeper) Mark(_ context.Context, namespace string) (leak.Mark, error) {
	if k.refuses {
		return leak.Mark{}, errors.New("no Secrets here")
	}
	return leak.Mark{Namespace: namespace}, nil
}

func (k *keeper) Search(_ context.Context, marks []leak.Mark) record.Logs {
	k.searched = marks
	return record.Logs{Read: []string{"system/operator/main"}}
}

func newKeeper(t *testing.T, left int) (*keeper, drive.Style) {
	t.Helper()
	s, _, style := newMatrixStage(t)
	k := &keeper{stage: s, left: left}
	s.Judge, style.Inventory, style.Logs = k, k, k
	return k, style
}

func (k *keeper) entries(t *testing.T) (lists []*record.Inventory, logs []*record.Logs) {
	t.Helper()
	for e := range k.recorded(t) {
		if e.Inventory != nil {
			lists = append(lists, e.Inventory)
		}
		if e.Logs != nil {
			logs = append(logs, e.Logs)
		}
	}
	return lists, logs
}

func created(elsewhere bool) scenarios.Scenario {
	s := scenarios.Scenario{Name: "made", Group: spec.GroupBasic, Expect: []string{"converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}}}
	if elsewhere {
		s.Steps = append(s.Steps, scenarios.Step{On: scenarios.Elsewhere + "other", Create: &scenarios.Spec{Size: 1}})
	}
	return s
}

// An inventory is made in all of a sample's namespaces, until nothing is left over.
func TestAnInventoryIsMadeAtTheEnd(t *testing.T) {
	k, style := newKeeper(t, 1)
	k.Matrix.Window = 2 * time.Second
	require.NoError(t, k.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{created(true)}}))
	lists, logs := k.entries(t)
	require.Len(t, lists, 2, "once more, since something was left over")
	assert.Equal(t, []string{"services-abc123-fast-1-w1-1-made", "services-abc123-fast-1-w1-1-made-2"}, lists[1].Resources)
	require.Len(t, logs, 1)
	assert.Equal(t, &record.Logs{Style: "fast", Round: 1, Wave: 1, Read: []string{"system/operator/main"}}, logs[0])
	assert.Equal(t, []leak.Mark{{Namespace: lists[0].Resources[0]}, {Namespace: lists[0].Resources[1]}}, k.searched)
}

// What is left over when the window has passed stays so.
func TestInventoriesAreNotMadeForEver(t *testing.T) {
	k, style := newKeeper(t, 1000)
	require.NoError(t, k.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{created(false)}}))
	lists, _ := k.entries(t)
	assert.Len(t, lists, 2, "the window is shorter than the pace")
}

// A sample that did not come to its end has nothing to wait for.
func TestInventoryOfATimeout(t *testing.T) {
	k, style := newKeeper(t, 1000)
	k.missing = "a Deployment"
	require.NoError(t, k.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{created(false)}}))
	lists, _ := k.entries(t)
	assert.Len(t, lists, 1)
}

func TestAClusterWithoutSecretsIsABrokenTestEnvironment(t *testing.T) {
	k, style := newKeeper(t, 0)
	k.refuses = true
	err := k.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{created(false)}})
	require.ErrorContains(t, err, "scenario made: no Secrets here")
}
