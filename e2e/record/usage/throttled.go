package usage

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"operatorbench/e2e/record"
)

// The kubelet's metrics of how CPU limits held containers back. Where it asks cAdvisor, a container without a limit has
// none of the last three, and a pod has a line of its own, without a container's name.
const (
	metricUsage            = "container_cpu_usage_seconds_total"
	metricThrottled        = "container_cpu_cfs_throttled_seconds_total"
	metricPeriods          = "container_cpu_cfs_periods_total"
	metricThrottledPeriods = "container_cpu_cfs_throttled_periods_total"
)

// throttling is what CPU limits have done to each pod, by namespace/name.
type throttling map[string]*record.Throttled

// parseThrottling reads the kubelet's answer in Prometheus' text format.
func parseThrottling(raw []byte) (throttling, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("its answer is not in Prometheus' format: %w", err)
	}
	if families[metricUsage] == nil {
		return nil, fmt.Errorf("its answer has no %s, though the cluster's own pods run there", metricUsage)
	}
	pods, containers := throttling{}, throttling{}
	for _, family := range []struct {
		name string
		add  func(*record.Throttled, float64)
	}{
		{metricUsage, func(*record.Throttled, float64) {}}, // of a pod without a limit it is known that nothing held it back
		{metricThrottled, func(t *record.Throttled, v float64) { t.Time += time.Duration(v * float64(time.Second)) }},
		{metricPeriods, func(t *record.Throttled, v float64) { t.Periods += int64(v) }},
		{metricThrottledPeriods, func(t *record.Throttled, v float64) { t.ThrottledPeriods += int64(v) }},
	} {
		for _, metric := range families[family.name].GetMetric() {
			value := metric.GetCounter().GetValue()
			if !(value >= 0 && value < math.MaxInt32) {
				continue
			}
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if labels["pod"] == "" || labels["container"] == "POD" {
				continue
			}
			to := containers
			if labels["container"] == "" {
				to = pods
			}
			key := labels["namespace"] + "/" + labels["pod"]
			if to[key] == nil {
				to[key] = &record.Throttled{}
			}
			family.add(to[key], value)
		}
	}
	for key, pod := range pods { // what holds for the whole pod holds back its containers, too
		if in := containers[key]; in == nil || in.Time < pod.Time {
			containers[key] = pod
		}
	}
	return containers, nil
}

// into adds what is known to the pods of a look.
func (t throttling) into(u *record.Usage) {
	for i := range u.Pods {
		u.Pods[i].Throttled = t[u.Pods[i].Namespace+"/"+u.Pods[i].Name]
	}
}
