package drive

import (
	"context"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// inventoryPace is how often the inventory is made anew while the garbage collector is at work.
const inventoryPace = 500 * time.Millisecond

// takeInventory records what there is at the end of a sample of the matrix. The garbage
// collector works in the background: where something is left over of a sample that
// has come to rest, it is given as long as the quiescence window.
func (s *sampleRun) takeInventory(ctx context.Context, settled bool) error {
	if s.style.Inventory == nil || !s.sample.Matrix || s.sample.Prepare {
		return nil
	}
	others := plain.Map(s.sample.Others, func(other record.Other) string { return other.Namespace })
	namespaces := plain.Once([]string{s.sample.Namespace}, others...)
	pace := time.NewTicker(inventoryPace)
	defer pace.Stop()
	for until := s.Recorder.Now() + s.sample.Window; ctx.Err() == nil; {
		found := s.style.Inventory.Take(ctx, namespaces...)
		now := s.Recorder.Now()
		if err := s.Recorder.Record(record.Entry{Time: now, Kind: record.KindInventory, Inventory: &found}); err != nil {
			return err
		}
		if !settled || now >= until || s.Judge.Lacks(s.sample.Namespace, spec.PointCollected) == "" {
			return nil
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
	return nil // the sample was interrupted
}
