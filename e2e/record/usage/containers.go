package usage

import (
	"bytes"
	"fmt"
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"
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

// opened are the kubelet's metrics of what the processes of a container hold of the kernel's: sockets are among the file descriptors.
func opened() []string {
	return []string{"container_file_descriptors", "container_sockets", "container_threads"}
}

// containers is what a kubelet says of the containers of each pod, by namespace/name.
type containers struct {
	throttled map[string]*record.Throttled
	open      map[string]map[string]float64 // the sum over a pod's containers, by metric
}

// parseContainers reads the kubelet's answer in Prometheus' text format.
func parseContainers(raw []byte) (containers, error) {
	families, err := parseFamilies(raw)
	if err != nil {
		return containers{}, err
	}
	if families[metricUsage] == nil {
		return containers{}, fmt.Errorf("its answer has no %s, though the cluster's own pods run there", metricUsage)
	}
	return containers{throttling(families), open(families)}, nil
}

func parseFamilies(raw []byte) (map[string]*dto.MetricFamily, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("its answer is not in Prometheus' format: %w", err)
	}
	return families, nil
}

// each calls f with each container of a family, and its pod. The container is empty in a line that is of the whole pod.
func each(family *dto.MetricFamily, f func(pod, container string, value float64)) {
	for _, metric := range family.GetMetric() {
		value := metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
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
		f(labels["namespace"]+"/"+labels["pod"], labels["container"], value)
	}
}

// throttling is what CPU limits have done to each pod.
func throttling(families map[string]*dto.MetricFamily) map[string]*record.Throttled {
	pods, inside := map[string]*record.Throttled{}, map[string]*record.Throttled{}
	for _, family := range []struct {
		name string
		add  func(*record.Throttled, float64)
	}{
		{metricUsage, func(*record.Throttled, float64) {}}, // of a pod without a limit it is known that nothing held it back
		{metricThrottled, func(t *record.Throttled, v float64) { t.Time += time.Duration(v * float64(time.Second)) }},
		{metricPeriods, func(t *record.Throttled, v float64) { t.Periods += int64(v) }},
		{metricThrottledPeriods, func(t *record.Throttled, v float64) { t.ThrottledPeriods += int64(v) }},
	} {
		each(families[family.name], func(pod, container string, value float64) {
			to := inside
			if container == "" {
				to = pods
			}
			if to[pod] == nil {
				to[pod] = &record.Throttled{}
			}
			family.add(to[pod], value)
		})
	}
	for key, pod := range pods { // what holds for the whole pod holds back its containers, too
		if in := inside[key]; in == nil || in.Time < pod.Time {
			inside[key] = pod
		}
	}
	return inside
}

// open is what the processes of each pod hold.
func open(families map[string]*dto.MetricFamily) map[string]map[string]float64 {
	pods := map[string]map[string]float64{}
	for _, name := range opened() {
		each(families[name], func(pod, container string, value float64) {
			if container == "" {
				return
			}
			if pods[pod] == nil {
				pods[pod] = map[string]float64{}
			}
			pods[pod][name] += value
		})
	}
	return pods
}
