package drive

import (
	"context"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// fault does a fault and records it. One that does not last is over at once, even
// if something of it is to be taken back at the sample's end.
func (s *sampleRun) fault(ctx context.Context, step scenarios.Step) error {
	barrier := s.barrier(step.Fault.Kind)
	done, err := barrier.begin(ctx, *step.Fault, fault.Target{Namespace: s.sample.Namespace, Name: s.sample.Name, Child: s.left})
	if recorded := s.recordFault(done); recorded != nil {
		return recorded
	}
	if err != nil || scenarios.KindOfFault(step.Fault.Kind).Lasts {
		return err
	}
	done.fault.Stage, done.fault.From = record.Over, done.at
	return s.recordFault(done)
}

// barrier is where those meet who do a kind of fault together with this sample.
func (s *sampleRun) barrier(kind string) *barrier {
	if scenarios.KindOfFault(kind).Narrow {
		return s.alone
	}
	return s.together
}

// recordFault records what was done as a part of this sample.
func (s *sampleRun) recordFault(done action) error {
	if done.fault.Kind == "" {
		return nil // the run ended before it was its turn
	}
	f := done.fault
	f.Namespace = s.sample.Namespace
	return s.Recorder.Record(record.Entry{Time: s.Recorder.Now(), Kind: record.KindFault, Fault: &f})
}

// leaveFaults takes the sample out of its faults, and mends what nobody else
// has a part in any more. An error means that the test environment is broken.
func (s *sampleRun) leaveFaults() error {
	for _, barrier := range []*barrier{s.alone, s.together} {
		if barrier == nil {
			continue
		}
		all, err := barrier.leave()
		for _, done := range all {
			if !scenarios.KindOfFault(done.fault.Kind).Lasts {
				continue // it was recorded as over at once
			}
			if recorded := s.recordFault(done); recorded != nil && err == nil {
				err = recorded
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
