package drive

import (
	"context"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// fault does a fault and records it. One that does not last is over at once, even
// if something of it is to be taken back at the sample's end.
func (t *trial) fault(ctx context.Context, step scenarios.Step) error {
	kind, _ := step.Fault.Kind()
	barrier := t.barrier(kind)
	done, err := barrier.begin(ctx, *step.Fault, fault.Target{Namespace: t.sample.Namespace, Name: t.sample.Name})
	if recorded := t.recordFault(done); recorded != nil {
		return recorded
	}
	if err != nil || scenarios.Lasts(kind) {
		return err
	}
	done.fault.Stage, done.fault.From = record.Over, done.at
	return t.recordFault(done)
}

// barrier is where those meet who do a kind of fault together with this sample.
func (t *trial) barrier(kind string) *barrier {
	if scenarios.Narrow(kind) {
		return t.alone
	}
	return t.together
}

// recordFault records what was done as a part of this sample.
func (t *trial) recordFault(done action) error {
	if done.fault.Kind == "" {
		return nil // the run ended before it was its turn
	}
	f := done.fault
	f.Namespace = t.sample.Namespace
	return t.Recorder.Record(record.Entry{Time: t.Recorder.Now(), Kind: record.KindFault, Fault: &f})
}

// leaveFaults takes the sample out of its faults, and mends what nobody else
// has a part in any more. An error means that the test environment is broken.
func (t *trial) leaveFaults() error {
	for _, barrier := range []*barrier{t.alone, t.together} {
		if barrier == nil {
			continue
		}
		all, err := barrier.leave()
		for _, done := range all {
			if !scenarios.Lasts(done.fault.Kind) {
				continue // it was recorded as over at once
			}
			if recorded := t.recordFault(done); recorded != nil && err == nil {
				err = recorded
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
