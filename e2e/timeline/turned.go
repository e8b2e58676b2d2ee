package timeline

import (
	"fmt"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// roll is a turn of a knob that rolls the pods.
type roll struct {
	knob string
	at   time.Duration
	pods map[string]int // how often the containers of those that were there had been started anew, by uid
}

// Rolled is when the sample turned a knob that rolls the pods, the last time, and the knob; false: it did not.
func (t *Timeline) Rolled() (at time.Duration, knob string, rolled bool) {
	return t.roll.at, t.roll.knob, t.roll.knob != ""
}

// turn takes up an accepted action that turns a knob.
func (t *Timeline) turn(a *record.Action) {
	if t.Spec.Knobs[a.Turned].Effect != spec.Roll {
		return
	}
	t.roll = roll{a.Turned, a.From, map[string]int{}}
	for _, pod := range t.StateAt(a.From).World.PodsOf(t.IsChild) {
		t.roll.pods[pod.UID] = restarts(pod)
	}
}

// rollLacks names a pod that runs as before although a knob that rolls has been turned.
func (t *Timeline) rollLacks(s *Subject) string {
	if t.roll.knob == "" {
		return ""
	}
	for _, pod := range t.World.PodsOf(s.IsChild) {
		if was, there := t.roll.pods[pod.UID]; there && restarts(pod) == was {
			return fmt.Sprintf("pod %s runs as it did before the knob %s was turned", pod.Name, t.roll.knob)
		}
	}
	return ""
}

// restarts is how often containers of a pod have been started anew.
func restarts(pod *wire.Object) int {
	n := 0
	if pod.Detail != nil {
		for i := range pod.Detail.Containers {
			n += pod.Detail.Containers[i].RestartCount
		}
	}
	return n
}

// Pause is a time in which the sample's custom resource was paused, from one request to the other.
type Pause struct {
	From, To time.Duration // To: the sample's end where nothing ends it
}

// Pauses are those of the sample.
func (t *Timeline) Pauses() []Pause {
	var list []Pause
	for a := range t.AcceptedOn(t.Subjects[0]) {
		switch {
		case a.Paused == nil:
		case *a.Paused:
			list = append(list, Pause{a.From, t.EndedAt})
		case len(list) > 0:
			list[len(list)-1].To = a.From
		}
	}
	return list
}
