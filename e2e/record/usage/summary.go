package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"operatorbench/e2e/record"
)

// summary is what is read of the kubelet's answer, a Summary of k8s.io/kubelet/pkg/apis/stats/v1alpha1.
type summary struct {
	Pods []pod `json:"pods"`
}

type pod struct {
	Ref struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"podRef"`
	Started time.Time `json:"startTime"`
	CPU     *counter  `json:"cpu"`
	Memory  *struct {
		WorkingSet *uint64 `json:"workingSetBytes"`
	} `json:"memory"`
}

// counter is CPU time so far, and when it was read, by the node's clock in whole seconds.
type counter struct {
	Time  time.Time `json:"time"`
	Usage *uint64   `json:"usageCoreNanoSeconds"`
}

// nanoseconds is the CPU time; false: the kubelet does not know. It reports
// zero for a pod whose cgroup is not there yet, or no longer.
func (c *counter) nanoseconds() (int64, bool) {
	if c == nil || c.Usage == nil || *c.Usage == 0 || *c.Usage > math.MaxInt64 {
		return 0, false
	}
	return int64(*c.Usage), true
}

// parse reads an answer.
func parse(raw []byte) (*summary, error) {
	var s summary
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("its answer is no summary of its statistics: %w", err)
	}
	if len(s.Pods) == 0 {
		return nil, errors.New("its answer has no pods, though the cluster's own run there")
	}
	return &s, nil
}

// usage is the summary in a recording: the pods of some namespaces one by one.
func (s *summary) usage(node string, namespaces []string) *record.Usage {
	u := &record.Usage{Node: node}
	newest := map[string]time.Time{} // by pod: one that is made anew under its name is there twice for a while
	for i := range s.Pods {
		p := &s.Pods[i]
		used, known := p.CPU.nanoseconds()
		if !known || !slices.Contains(namespaces, p.Ref.Namespace) {
			continue
		}
		one := record.PodUsage{Namespace: p.Ref.Namespace, Name: p.Ref.Name, CPU: used}
		if p.Memory != nil && p.Memory.WorkingSet != nil {
			one.Memory = int64(min(*p.Memory.WorkingSet, math.MaxInt64)) //nolint:gosec // bounded
		}
		key := one.Namespace + "/" + one.Name
		before, twice := newest[key]
		switch {
		case !twice:
			u.Pods = append(u.Pods, one)
		case p.Started.After(before):
			u.Pods[slices.IndexFunc(u.Pods, func(o record.PodUsage) bool { return o.Namespace == one.Namespace && o.Name == one.Name })] = one
		default:
			continue
		}
		newest[key] = p.Started
	}
	return u
}
