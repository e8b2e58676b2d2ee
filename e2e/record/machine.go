package record

// Machine is what the CPUs of the harness's machine have done since it was started, in nanoseconds, all together
// (/proc/stat, see proc(5)), and what would run at the moment.
type Machine struct {
	Idle    int64 `json:"idle"`    // time in which a disk was waited for is part of it
	Stolen  int64 `json:"stolen"`  // by the hypervisor
	All     int64 `json:"all"`     // both are part of it
	Running int   `json:"running"` // processes that run or wait for a CPU, without the one that asks
}

// Since returns the share of the time since then in which the CPUs were not idle, and the share that was stolen; 0: not
// known.
func (m *Machine) Since(then *Machine) (busy, stolen float64) {
	if m == nil || then == nil || then.All == 0 || m.All <= then.All || m.Idle < then.Idle || m.Stolen < then.Stolen {
		return 0, 0
	}
	all := float64(m.All - then.All)
	return max(1-float64(m.Idle-then.Idle)/all, 0), min(float64(m.Stolen-then.Stolen)/all, 1)
}

// Fairness is what API Priority and Fairness of the API server does with the requests that it limits: all but those of
// the priority level exempt, in which the harness's are.
type Fairness struct {
	Waiting  int64 `json:"waiting"`  // that wait in its queues
	Rejected int64 `json:"rejected"` // that were rejected since it was started
}
