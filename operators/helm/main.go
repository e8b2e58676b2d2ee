// Command helm is a Memcached operator whose logic is a Helm chart: the reconciler of
// helm-operator-plugins keeps a release of the chart for each Memcached.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	helmclient "github.com/operator-framework/helm-operator-plugins/pkg/client"
	"github.com/operator-framework/helm-operator-plugins/pkg/reconciler"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	// shutdownTimeout bounds how long reconciles may take to end; it is less than the
	// pod's grace period. A release that is cut off stays pending, and blocks for ever.
	shutdownTimeout = 25 * time.Second
	probeAddress    = ":8081"
	probeTimeout    = 500 * time.Millisecond
)

// chartFiles are in the program, so that its image needs nothing else.
//
//go:embed all:chart
var chartFiles embed.FS

func main() {
	err := run(ctrl.SetupSignalHandler(), os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

// settings are the command line.
type settings struct {
	workers, history int
	cacheAll         bool
	rollbacks        bool
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("operator", flag.ContinueOnError)
	flags.IntVar(&s.workers, "max-concurrent-reconciles", 8, "custom resources reconciled at a time; the library's own number is 1")
	flags.IntVar(&s.history, "max-release-history", 3, "revisions kept of a release: each reconcile reads and unpacks them all; the library's own number is 10")
	flags.BoolVar(&s.cacheAll, "cache-all", false, "keep all Deployments and Secrets of the cluster in memory, as the library does by itself")
	flags.BoolVar(&s.rollbacks, "failure-rollbacks", false,
		"undo an install or upgrade that failed, as the library does by itself; where that fails too, the release can never be installed again")
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
	ctrl.SetLogger(zap.New())
	cluster, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w: outside a cluster set KUBECONFIG", err)
	}
	mgr, err := newManager(cluster, s)
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// newManager returns a manager with the reconciler and the probes.
func newManager(cluster *rest.Config, s settings) (ctrl.Manager, error) {
	cluster.QPS = -1 // no limit, as controller-runtime has it since 0.21
	wait := shutdownTimeout
	mgr, err := ctrl.NewManager(cluster, ctrl.Options{
		Cache:                   cacheOptions(s.cacheAll),
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress:  probeAddress,
		GracefulShutdownTimeout: &wait,
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	memcached, err := loadChart(chartFiles)
	if err != nil {
		return nil, err
	}
	actions, err := newActions(mgr, s)
	if err != nil {
		return nil, err
	}
	helm, err := reconciler.New(
		reconciler.WithChart(*memcached),
		reconciler.WithGroupVersionKind(schema.GroupVersionKind{Group: "cache.example.com", Version: "v1alpha1", Kind: "Memcached"}),
		reconciler.WithMaxConcurrentReconciles(s.workers),
		reconciler.WithMaxReleaseHistory(s.history),
		reconciler.WithActionClientGetter(actions),
	)
	if err != nil {
		return nil, fmt.Errorf("make the reconciler: %w", err)
	}
	if err := helm.SetupWithManager(mgr); err != nil {
		return nil, fmt.Errorf("set up the controller: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", synced(mgr.GetCache()))); err != nil {
		return nil, fmt.Errorf("set up the probes: %w", err)
	}
	return mgr, nil
}

// newActions returns what installs, upgrades and uninstalls releases. One that failed is
// not undone, unless that is asked for: the next reconcile upgrades it.
func newActions(mgr ctrl.Manager, s settings) (helmclient.ActionClientGetter, error) {
	configs, err := helmclient.NewActionConfigGetter(mgr.GetConfig(), mgr.GetRESTMapper())
	if err != nil {
		return nil, fmt.Errorf("find out what the cluster offers to Helm: %w", err)
	}
	actions, err := helmclient.NewActionClientGetter(configs, helmclient.WithFailureRollbacks(s.rollbacks))
	if err != nil {
		return nil, fmt.Errorf("make Helm's actions: %w", err)
	}
	return actions, nil
}

// cacheOptions limit the caches to what Helm made, unless all is to be kept: the
// reconciler watches the Deployments and the Secrets of all namespaces, whosever
// they are.
func cacheOptions(all bool) cache.Options {
	if all {
		return cache.Options{}
	}
	return cache.Options{ByObject: map[client.Object]cache.ByObject{
		&appsv1.Deployment{}: {Label: labels.SelectorFromSet(labels.Set{"app": "memcached", "app.kubernetes.io/managed-by": "Helm"})},
		&corev1.Secret{}:     {Label: labels.SelectorFromSet(labels.Set{"owner": "helm"})}, // as Helm marks its releases
	}}
}

// synced returns a check that passes once what is watched has been listed.
func synced(caches cache.Cache) healthz.Checker {
	return func(req *http.Request) error {
		ctx, cancel := context.WithTimeout(req.Context(), probeTimeout)
		defer cancel()
		if !caches.WaitForCacheSync(ctx) {
			return errors.New("the caches are not synced yet")
		}
		return nil
	}
}

// loadChart reads the chart that is in folder chart.
func loadChart(files fs.FS) (*chart.Chart, error) {
	var all []*loader.BufferedFile
	err := fs.WalkDir(files, "chart", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		all = append(all, &loader.BufferedFile{Name: strings.TrimPrefix(name, "chart/"), Data: data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the chart: %w", err)
	}
	loaded, err := loader.LoadFiles(all)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	return loaded, nil
}
