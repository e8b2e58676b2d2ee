// Command native is a Kubernetes operator for Memcached custom resources, made
// with client-go alone: for each it keeps a Deployment of spec.size pods and
// writes the pods' names and a Ready condition to the status.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	eventsv1client "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"

	"operatorbench/operators/native/internal/controller"
	"operatorbench/operators/native/internal/plan"
	"operatorbench/operators/native/internal/telemetry"
)

// shutdownTimeout bounds how long the endpoints may take to stop.
const shutdownTimeout = 2 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, plan.Manager+":", err)
		os.Exit(1)
	}
}

// settings are the command line.
type settings struct {
	kubeconfig string
	listen     string
	workers    int
	qps        float64
	burst      int
	resync     time.Duration
	retryMost  time.Duration
	verbosity  int
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet(plan.Manager, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig `file`; empty: the pod's own service account")
	flags.StringVar(&s.listen, "listen", ":8080", "`address` of /metrics, /healthz and /readyz")
	flags.IntVar(&s.workers, "workers", 8, "custom resources reconciled at a time")
	// client-go's own 5 a second with a burst of 10 would make a burst of 50 custom
	// resources, at half a dozen requests each, take a minute. The API server's
	// priority and fairness guards it against more than it can take; this limit is
	// only there to stop a mistake in this program.
	flags.Float64Var(&s.qps, "qps", 100, "requests to the API a second, sustained")
	flags.IntVar(&s.burst, "burst", 200, "requests to the API at once")
	flags.DurationVar(&s.resync, "resync", 5*time.Minute, "how often everything is looked at again though nothing changed; 0: never")
	// The longest wait is short, because a wait is also how the operator learns that a
	// Deployment it may not see is gone, that a right was given back, or that the API
	// server is there again. client-go's default is 1000 s.
	flags.DurationVar(&s.retryMost, "retry-most", 10*time.Second, "longest wait before a reconcile that failed is tried again")
	flags.IntVar(&s.verbosity, "v", 0, "log `level`: 0 what was done, 1 retries, 2 each reconcile")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q: there are only flags, see -help", flags.Arg(0))
	case s.workers < 1:
		return s, fmt.Errorf("-workers=%d: want at least 1", s.workers)
	case s.qps <= 0 || s.burst < 1:
		return s, fmt.Errorf("-qps=%g -burst=%d: both must be above zero", s.qps, s.burst)
	case s.retryMost <= 0:
		return s, fmt.Errorf("-retry-most=%s: must be above zero", s.retryMost)
	case s.resync < 0 || s.verbosity < 0:
		return s, fmt.Errorf("-resync=%s -v=%d: neither may be negative", s.resync, s.verbosity)
	}
	return s, nil
}

// run is the program: it ends without an error when the context does.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	logger := logr.FromSlogHandler(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: slog.Level(-s.verbosity)}))
	klog.SetLogger(logger) // what client-go logs outside any context
	ctx = klog.NewContext(ctx, logger)

	config, err := clientConfig(s)
	if err != nil {
		return err
	}
	metrics, err := telemetry.NewMetrics()
	if err != nil {
		return err
	}
	config.Wrap(metrics.CountRequests)
	recorder, stopEvents, err := startEvents(ctx, config)
	if err != nil {
		return err
	}
	defer stopEvents()
	c, err := newController(ctx, config, s, recorder, metrics)
	if err != nil {
		return err
	}
	return serve(ctx, s.listen, metrics, c)
}

func clientConfig(s settings) (*rest.Config, error) {
	var config *rest.Config
	var err error
	if s.kubeconfig == "" {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("find the cluster (kubeconfig %q): %w: outside a cluster give -kubeconfig", s.kubeconfig, err)
	}
	config.QPS, config.Burst = float32(s.qps), s.burst
	config.UserAgent = plan.Manager
	return config, nil
}

// startEvents returns a recorder whose events are written until the context ends.
func startEvents(ctx context.Context, config *rest.Config) (events.EventRecorder, func(), error) {
	// Own, and lower, limits: a flood of events must not hold up a reconcile.
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = min(config.QPS, 20), min(config.Burst, 50)
	client, err := eventsv1client.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make the client for events: %w", err)
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return nil, nil, fmt.Errorf("start to record events: %w", err)
	}
	return broadcaster.NewRecorder(scheme.Scheme, plan.Manager), broadcaster.Shutdown, nil
}

// newClients returns the clients of a controller, which share one rate limit.
func newClients(config *rest.Config, metrics *telemetry.Metrics) (controller.Clients, error) {
	config = rest.CopyConfig(config)
	config.RateLimiter = metrics.HeldBack(flowcontrol.NewTokenBucketRateLimiter(config.QPS, config.Burst))
	// Protobuf costs a fraction of JSON to decode; custom resources do not have it.
	builtIn := rest.CopyConfig(config)
	builtIn.ContentType = runtime.ContentTypeProtobuf
	builtIn.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	var clients controller.Clients
	var failures [3]error
	clients.Dynamic, failures[0] = dynamic.NewForConfig(config)
	clients.Apps, failures[1] = appsv1client.NewForConfig(builtIn)
	clients.Core, failures[2] = corev1client.NewForConfig(builtIn)
	if err := errors.Join(failures[:]...); err != nil {
		return clients, fmt.Errorf("make the clients for %s: %w", config.Host, err)
	}
	return clients, nil
}

func newController(ctx context.Context, config *rest.Config, s settings, recorder events.EventRecorder, metrics *telemetry.Metrics) (*controller.Controller, error) {
	clients, err := newClients(config, metrics)
	if err != nil {
		return nil, err
	}
	return controller.New(ctx, clients, controller.Options{
		Recorder:     recorder,
		Workers:      s.workers,
		Resync:       s.resync,
		RetryMost:    s.retryMost,
		QueueMetrics: metrics,
		Observe: func(outcome controller.Outcome, took time.Duration) {
			metrics.Reconciled(string(outcome), took)
		},
	})
}

// serve runs the controller and its endpoints until the context ends or the
// endpoints fail.
func serve(ctx context.Context, address string, metrics *telemetry.Metrics, c *controller.Controller) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s for metrics and probes: %w: give another -listen", address, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	server := telemetry.NewServer(metrics.Handler(), c.Synced)
	served := make(chan error, 1)
	go func() {
		err := server.Serve(listener)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		cancel(err)
		served <- err
	}()

	c.Run(ctx)
	stopping, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stop()
	return errors.Join(server.Shutdown(stopping), <-served)
}
