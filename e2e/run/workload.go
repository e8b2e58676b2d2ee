package run

import (
	"fmt"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/workloads"
)

// handle makes the workload that styles handle that of the run: all that it drives, records and compares is of one.
// Where that has no floor, the run has none.
func (j *job) handle(all ...*styles.Style) error {
	first := ""
	var handled *workloads.Workload
	mixed := func(other, workload string) error {
		return asked(fmt.Errorf("the style %s handles the workload %s, and %s the workload %s: ask for styles of one workload in a run", first, handled.Name, other, workload))
	}
	for _, style := range all {
		if style.Control == spec.Harness {
			continue // the floor goes with any
		}
		if named := workloads.NameOf(style.Workload); handled != nil && named != handled.Name && !styles.Own(style.Workload) {
			return mixed(style.Name, named)
		}
		w, err := style.Handles()
		switch {
		case err != nil:
			return err
		case handled == nil:
			first, handled = style.Name, w
		case w.Name != handled.Name:
			return mixed(style.Name, w.Name)
		}
	}
	if handled == nil {
		var err error
		if handled, err = workloads.Default(); err != nil {
			return err
		}
	}
	j.take(handled)
	return nil
}

// take makes a workload that of the run.
func (j *job) take(w *workloads.Workload) {
	j.workload = w
	if j.floor() == nil || w.HasFloor() {
		return
	}
	j.participants = j.operated()
	why := "has no reference"
	if w.HasReference() {
		why = "leaves its definition to the operator"
	}
	j.remark(fmt.Sprintf("there is no floor: the workload %s %s, so that the harness cannot take an operator's place", w.Name, why))
}

// floor is the participant in which the harness takes an operator's place; nil: there is none.
func (j *job) floor() *participant {
	if len(j.participants) > 0 && j.participants[0].operator == nil && j.participants[0].variant == "" {
		return j.participants[0]
	}
	return nil
}

// operated are the participants but for the floor.
func (j *job) operated() []*participant {
	if j.floor() == nil {
		return j.participants
	}
	return j.participants[1:]
}
