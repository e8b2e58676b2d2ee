// Package telemetry is how the operator is watched: metrics, and the HTTP
// endpoints of metrics and probes.
package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
)

// Metrics are the operator's metrics, in a registry of their own. It implements
// workqueue.MetricsProvider with the names that Kubernetes' own components use.
type Metrics struct {
	registry   *prometheus.Registry
	reconciles *prometheus.CounterVec
	durations  prometheus.Histogram
	requests   *prometheus.CounterVec

	depth, unfinished, longest *prometheus.GaugeVec
	adds, retries              *prometheus.CounterVec
	waits, works               *prometheus.HistogramVec
	heldBack                   prometheus.Histogram
}

// NewMetrics returns the metrics, all zero, together with those of the process
// and of the Go runtime.
func NewMetrics() (*Metrics, error) {
	queue := []string{"name"}
	// 1 ms to 33 s: a reconcile is a few requests, or one that times out.
	seconds := prometheus.ExponentialBuckets(0.001, 2, 16)
	m := &Metrics{
		registry:   prometheus.NewRegistry(),
		reconciles: counters("memcached_operator_reconciles_total", "Reconciles by outcome.", []string{"outcome"}),
		durations: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "memcached_operator_reconcile_duration_seconds", Help: "How long a reconcile took.", Buckets: seconds,
		}),
		requests:   counters("memcached_operator_api_requests_total", "Requests to the API by method and status code.", []string{"method", "code"}),
		depth:      gauges("workqueue_depth", "Keys that wait in the queue.", queue),
		unfinished: gauges("workqueue_unfinished_work_seconds", "Time that the reconciles under way have taken so far, summed.", queue),
		longest:    gauges("workqueue_longest_running_processor_seconds", "Time that the longest reconcile under way has taken so far.", queue),
		adds:       counters("workqueue_adds_total", "Keys added to the queue.", queue),
		retries:    counters("workqueue_retries_total", "Keys added again after a reconcile that did not end well.", queue),
		waits:      histograms("workqueue_queue_duration_seconds", "How long a key waited in the queue.", queue, seconds),
		heldBack: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "rest_client_rate_limiter_duration_seconds", Help: "How long -qps and -burst held a reconcile's request back.", Buckets: seconds,
		}),
		works: histograms("workqueue_work_duration_seconds", "How long a key's reconcile took.", queue, seconds),
	}
	for _, collector := range []prometheus.Collector{
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.reconciles, m.durations, m.requests, m.depth, m.unfinished, m.longest, m.adds, m.retries, m.waits, m.works, m.heldBack,
	} {
		if err := m.registry.Register(collector); err != nil {
			return nil, fmt.Errorf("register a metric: %w", err)
		}
	}
	return m, nil
}

func counters(name, help string, labels []string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func gauges(name, help string, labels []string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func histograms(name, help string, labels []string, buckets []float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// Reconciled counts a reconcile.
func (m *Metrics) Reconciled(outcome string, took time.Duration) {
	m.reconciles.WithLabelValues(outcome).Inc()
	m.durations.Observe(took.Seconds())
}

// CountRequests makes a transport count what goes through it.
func (m *Metrics) CountRequests(next http.RoundTripper) http.RoundTripper {
	return promhttp.InstrumentRoundTripperCounter(m.requests, next)
}

// HeldBack makes a limiter tell how long it held each request back.
func (m *Metrics) HeldBack(limiter flowcontrol.RateLimiter) flowcontrol.RateLimiter {
	return limits{limiter, m.heldBack}
}

type limits struct {
	flowcontrol.RateLimiter

	heldBack prometheus.Histogram
}

func (l limits) Wait(ctx context.Context) error {
	began := time.Now()
	err := l.RateLimiter.Wait(ctx)
	l.heldBack.Observe(time.Since(began).Seconds())
	return err //nolint:wrapcheck // the client says what it was for
}

// Handler serves the metrics in Prometheus' format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// NewDepthMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewDepthMetric(name string) workqueue.GaugeMetric {
	return m.depth.WithLabelValues(name)
}

// NewAddsMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewAddsMetric(name string) workqueue.CounterMetric {
	return m.adds.WithLabelValues(name)
}

// NewLatencyMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return m.waits.WithLabelValues(name)
}

// NewWorkDurationMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return m.works.WithLabelValues(name)
}

// NewUnfinishedWorkSecondsMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return m.unfinished.WithLabelValues(name)
}

// NewLongestRunningProcessorSecondsMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return m.longest.WithLabelValues(name)
}

// NewRetriesMetric implements workqueue.MetricsProvider.
func (m *Metrics) NewRetriesMetric(name string) workqueue.CounterMetric {
	return m.retries.WithLabelValues(name)
}
