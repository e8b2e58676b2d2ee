package drive

import (
	"context"
	"time"

	"operatorbench/e2e/record"
)

// Collected is the point at which all that was made for deleted custom resources
// has gone, as the last inventory shows.
const Collected = "collected"

// inventoryPace is how often the inventory is made anew while the garbage collector is at work.
const inventoryPace = 500 * time.Millisecond

// takeInventory records what there is at the end of a sample of the matrix. The garbage
// collector works in the background: where something is left over of a sample that
// has come to rest, it is given as long as the quiescence window.
func (t *trial) takeInventory(ctx context.Context, settled bool) error {
	if t.style.Inventory == nil || !t.sample.Matrix || t.sample.Prepare {
		return nil
	}
	namespaces := []string{t.sample.Namespace}
	for _, other := range t.sample.Others {
		if other.Namespace != t.sample.Namespace {
			namespaces = []string{t.sample.Namespace, other.Namespace}
		}
	}
	pace := time.NewTicker(inventoryPace)
	defer pace.Stop()
	for until := t.Recorder.Now() + t.sample.Window; ctx.Err() == nil; {
		found := t.style.Inventory.Take(ctx, namespaces...)
		now := t.Recorder.Now()
		if err := t.Recorder.Record(record.Entry{Time: now, Kind: record.KindInventory, Inventory: &found}); err != nil {
			return err
		}
		if !settled || now >= until || t.Judge.Lacks(t.sample.Namespace, Collected) == "" {
			return nil
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
	return nil // the sample was interrupted
}
