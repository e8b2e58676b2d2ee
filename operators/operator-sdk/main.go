// Command manager behaves as the Operator SDK's memcached sample (go/v4) does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// imageVariable is the environment variable that names the image of the pods.
const imageVariable = "MEMCACHED_IMAGE"

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

// run is the program: it ends without an error when the context does.
func run(ctx context.Context) error {
	probeAddress := flag.String("health-probe-bind-address", ":8081", "`address` of /healthz and /readyz")
	logs := zap.Options{Development: true}
	logs.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logs)))

	image, found := os.LookupEnv(imageVariable)
	if !found {
		return fmt.Errorf("there is no %s in the environment, expected the image of the pods", imageVariable)
	}
	scheme := runtime.NewScheme()
	addToScheme(scheme)
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return fmt.Errorf("make the scheme: %w", err)
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: *probeAddress,
	})
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	recorder := mgr.GetEventRecorderFor("memcached-controller") //nolint:staticcheck // as the sample does: events of the core group
	if err := (&reconciler{Client: mgr.GetClient(), recorder: recorder, image: image}).setUp(mgr); err != nil {
		return fmt.Errorf("make the controller: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("healthz", healthz.Ping), mgr.AddReadyzCheck("readyz", healthz.Ping)); err != nil {
		return fmt.Errorf("make the probes: %w", err)
	}
	return mgr.Start(ctx)
}
