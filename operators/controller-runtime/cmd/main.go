// Command manager runs the Memcached controller.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
	"operatorbench.local/memcached-operator/internal/controller"
)

// shutdownTimeout bounds how long reconciles may take to end; it is less than the
// pod's grace period.
const shutdownTimeout = 8 * time.Second

func main() {
	err := run(ctrl.SetupSignalHandler(), os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

// settings are the command line.
type settings struct {
	metricsAddress, probeAddress string
	pace                         controller.Pace
	applies                      bool
	log                          zap.Options
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.StringVar(&s.metricsAddress, "metrics-bind-address", "0", "`address` of /metrics over HTTP; 0: none")
	flags.StringVar(&s.probeAddress, "health-probe-bind-address", ":8081", "`address` of /healthz and /readyz")
	flags.IntVar(&s.pace.Workers, "max-concurrent-reconciles", 8, "custom resources reconciled at a time")
	flags.DurationVar(&s.pace.RetryMost, "retry-most", 10*time.Second, "longest wait before a reconcile that failed is tried again")
	flags.BoolVar(&s.applies, "server-side-apply", false, "write Deployments by server-side apply")
	flags.BoolVar(&s.pace.PriorityQueue, "priority-queue", true, "changes come before what the cache's first list holds; false: first come, first served")
	s.log.BindFlags(flags)
	config.RegisterFlags(flags) // --kubeconfig
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q: there are only flags, see -help", flags.Arg(0))
	}
	return s, nil
}

// run is the program: it ends without an error when the context does.
func run(ctx context.Context, args []string) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&s.log)))
	cluster, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w: outside a cluster give --kubeconfig", err)
	}
	mgr, err := newManager(cluster, s)
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// newManager returns a manager with the controller and the probes.
func newManager(cluster *rest.Config, s settings) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), cachev1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("make the scheme: %w", err)
	}
	wait := shutdownTimeout
	mgr, err := ctrl.NewManager(cluster, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   controller.CacheOptions(),
		Metrics:                 metricsserver.Options{BindAddress: s.metricsAddress},
		HealthProbeBindAddress:  s.probeAddress,
		GracefulShutdownTimeout: &wait,
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	reconciler := &controller.MemcachedReconciler{
		Client: mgr.GetClient(), APIReader: mgr.GetAPIReader(), Scheme: mgr.GetScheme(),
		Recorder: mgr.GetEventRecorder("memcached-controller"), Applies: s.applies,
	}
	if err := reconciler.SetupWithManager(mgr, s.pace); err != nil {
		return nil, fmt.Errorf("set up the controller: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", controller.CachesSynced(mgr.GetCache()))); err != nil {
		return nil, fmt.Errorf("set up the probes: %w", err)
	}
	return mgr, nil
}
