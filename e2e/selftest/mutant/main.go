// Command mutant is a small operator for Memcached custom resources that the
// harness tests itself with: it is correct, unless --mutant switches on one of
// the faults in mutants.go. It shares no code with the product's own operator.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	eventsv1client "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
)

// manager names the operator to the API, in what it writes and in its Events.
const manager = "memcached-mutant"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, manager+":", err)
		os.Exit(1)
	}
}

// run is the program: it ends without an error when the context does.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet(manager, flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("mutant", none, "the one `fault` that it has")
	prefix := flags.String("namespaces", "", "it sees only namespaces whose names begin with `prefix`, so that several can run on one cluster")
	listen := flags.String("listen", ":8080", "`address` of /readyz and /metrics")
	kubeconfig := flags.String("kubeconfig", "", "kubeconfig `file`; empty: the pod's own service account")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: there are only flags, see -help", flags.Arg(0))
	}
	mutate, err := find(*name)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("find the cluster (kubeconfig %q): %w", *kubeconfig, err)
	}
	config.UserAgent, config.QPS, config.Burst = manager, 100, 200
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client of %s: %w", config.Host, err)
	}
	recorder, stop, err := startEvents(ctx, config)
	if err != nil {
		return err
	}
	defer stop()
	o, err := newOperator(client, recorder, func(namespace string) bool { return strings.HasPrefix(namespace, *prefix) }, mutate)
	if err != nil {
		return err
	}
	return serve(ctx, *listen, o)
}

// startEvents returns a recorder whose Events are written until the context ends.
func startEvents(ctx context.Context, config *rest.Config) (events.EventRecorder, func(), error) {
	client, err := eventsv1client.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("make a client for Events: %w", err)
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return nil, nil, fmt.Errorf("start to record Events: %w", err)
	}
	return broadcaster.NewRecorder(scheme.Scheme, manager), broadcaster.Shutdown, nil
}

// serve runs the operator until the context ends. /readyz says yes when the
// caches are synced: from then on no change is missed.
func serve(ctx context.Context, address string, o *operator) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s for /readyz: %w", address, err)
	}
	ready := http.NewServeMux()
	ready.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !o.synced() {
			http.Error(w, "the caches are not synced", http.StatusServiceUnavailable)
		}
	})
	if !o.mute {
		ready.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, "# TYPE go_goroutines gauge\ngo_goroutines %d\n", runtime.NumGoroutine())
		})
	}
	server := &http.Server{Handler: ready, ReadHeaderTimeout: time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	o.run(ctx)
	err = server.Close()
	if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(ended, err)
	}
	return err
}
