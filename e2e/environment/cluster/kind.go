package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kind "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	kindexec "sigs.k8s.io/kind/pkg/exec"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
)

// readyWithin bounds the wait between kind's "created" and a cluster that is ready for work.
const readyWithin = 2 * time.Minute

// KindOptions say what cluster to make. Run and NodeImage are required.
type KindOptions struct {
	Run         string // the run's id, see NewRunID
	Engine      string // docker, podman or nerdctl; empty means the first that works
	NodeImage   string // reference of a node image that the engine has; it is never pulled
	Keep        bool   // Delete leaves the cluster and says how to reach and delete it
	Many        bool   // the cluster's own controllers write ten times as often as by default; see manyPatch
	FailureLogs string // folder for the node's logs if the cluster does not come up; empty means none

	// Progress is told of each step, in a few words; it may be nil.
	Progress func(step string)
}

// Kind is a Provider of a kind cluster with one node, with its own network, reachable on loopback only.
type Kind struct {
	opts KindOptions

	engine enginehost // found by preflight, before there is anything to do with it

	mu   sync.Mutex // guards what follows: Delete may be called while Create runs
	dir  runDir
	lock *os.File
	link *link
}

// NewKind returns a provider; nothing is made yet.
func NewKind(opts KindOptions) (*Kind, error) {
	if err := spec.CheckRun(opts.Run); err != nil {
		return nil, err
	}
	if opts.NodeImage == "" {
		return nil, errors.New("kind cluster: no node image given")
	}
	if opts.Progress == nil {
		opts.Progress = func(string) {}
	}
	if opts.FailureLogs != "" {
		abs, err := filepath.Abs(opts.FailureLogs) // the reaper works elsewhere
		if err != nil {
			return nil, fmt.Errorf("kind cluster: folder for logs: %w", err)
		}
		opts.FailureLogs = abs
	}
	return &Kind{opts: opts}, nil
}

// Create makes the cluster and returns when its node is Ready, its service proxy runs, and pods can be created. DNS
// follows: its readiness probe may fail once and is then asked again after ten seconds, which images can be loaded
// in. If it fails or ctx ends, what was made is removed again, whatever Keep says.
func (k *Kind) Create(ctx context.Context) (*rest.Config, error) {
	config, err := k.create(ctx)
	if err == nil {
		return config, nil
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	return nil, errors.Join(fmt.Errorf("creating kind cluster %s: %w", Name(k.opts.Run), err), k.end(cleanup, commandDelete))
}

func (k *Kind) create(ctx context.Context) (*rest.Config, error) {
	if err := k.preflight(ctx); err != nil {
		return nil, err
	}
	host, err := engine.DetectHost()
	if err != nil {
		return nil, err
	}
	l, err := k.start(kindConfig(k.opts, host))
	if err != nil {
		return nil, err
	}
	if e, err := l.await(ctx, k.opts.Progress); err != nil {
		return nil, err
	} else if !e.Created {
		return nil, errors.New("it was deleted while it was being created")
	}
	return k.ready(ctx)
}

// preflight finds out what would go wrong before anything is made.
func (k *Kind) preflight(ctx context.Context) error {
	if os.Getenv(envReaper) != "" {
		return errors.New("a reaper does not make clusters of its own: call cluster.ReapIfAsked first in main or TestMain")
	}
	e, err := findEngine(ctx, k.opts.Engine)
	if err != nil {
		return err
	}
	k.engine = e
	if err := e.checkImage(ctx, k.opts.NodeImage); err != nil {
		return err
	}
	nodes, err := e.nodes(ctx, Name(k.opts.Run))
	if err != nil {
		return err
	}
	if len(nodes) > 0 {
		return fmt.Errorf("the name is taken: %s has a container for a cluster with this name; use another run id, or delete that one (`opbench clean`, `kind delete cluster --name %s`)", e.Name(), Name(k.opts.Run))
	}
	return nil
}

// start makes the run's folder and the reaper, and tells it what to make.
func (k *Kind) start(config *v1alpha4.Cluster) (*link, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.link != nil {
		return nil, errors.New("it was created before")
	}
	dir, lock, err := newRunDir(k.opts.Run, k.engine.Name())
	if err != nil {
		return nil, err
	}
	k.dir, k.lock = dir, lock
	for _, f := range nodeFiles() {
		if err := os.WriteFile(dir.file(f.name), []byte(f.text), 0o644); err != nil { //nolint:gosec // its folder is private
			return nil, fmt.Errorf("writing what the node is given: %w", err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting the cluster's reaper: %w", err)
	}
	l, err := startReaper(dir, program, helloWithin)
	if err != nil {
		return nil, err
	}
	k.link = l
	line, err := json.Marshal(order{Run: k.opts.Run, Engine: k.engine.Name(), Dir: dir, KindConfig: config, Keep: k.opts.Keep, FailureLog: k.opts.FailureLogs})
	if err != nil {
		return nil, fmt.Errorf("telling the cluster's reaper what to make: %w", err)
	}
	return l, l.send(string(line))
}

func (k *Kind) ready(ctx context.Context) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", k.dir.file(configFile))
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig that kind wrote: %w", err)
	}
	client, err := kube.New(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	k.opts.Progress("Waiting until the node is Ready")
	node := schema.GroupVersionKind{Version: "v1", Kind: "Node"}
	if err := client.WaitCondition(ctx, node, "", k.node(), "Ready"); err != nil {
		return nil, err
	}
	k.opts.Progress("Waiting until pods can be created, and for the service proxy")
	accounts := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	exists := func(*unstructured.Unstructured) (bool, string) { return true, "it exists" }
	if err := client.WaitFor(ctx, accounts, "default", "default", "its creation", exists); err != nil {
		return nil, err
	}
	return config, client.WaitRollout(ctx, "DaemonSet", "kube-system", "kube-proxy")
}

// Kubeconfig returns the path of the cluster's kubeconfig, which lives as long as the cluster.
func (k *Kind) Kubeconfig() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dir.file(configFile)
}

// provider returns kind's own view of the cluster.
func (k *Kind) provider() (*kind.Provider, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.link == nil {
		return nil, fmt.Errorf("cluster %s is not there: it was not created, or it was deleted", Name(k.opts.Run))
	}
	return kind.NewProvider(kindProvider(k.engine.Name())), nil
}

// loadLinger is how long a load may take to end once its run is stopped.
const loadLinger = 10 * time.Second

// LoadImages streams one archive of images (as `docker save` writes, or an OCI layout in a tar) into the node's
// containerd; nothing is stored on the way.
func (k *Kind) LoadImages(ctx context.Context, archive func(io.Writer) error) error {
	provider, err := k.provider()
	if err != nil {
		return fmt.Errorf("loading images: %w", err)
	}
	nodes, err := provider.ListInternalNodes(Name(k.opts.Run))
	if err == nil && len(nodes) != 1 {
		err = fmt.Errorf("it has %d nodes, not 1", len(nodes))
	}
	if err != nil {
		return fmt.Errorf("loading images into cluster %s: %w", Name(k.opts.Run), ofKind(err))
	}
	reader, writer := io.Pipe()
	defer context.AfterFunc(ctx, func() { reader.CloseWithError(context.Cause(ctx)) })()
	written := make(chan error, 1)
	go func() {
		err := archive(writer)
		writer.CloseWithError(err)
		written <- err
	}()
	loaded := make(chan error, 1)
	go func() { loaded <- nodeutils.LoadImageArchive(nodes[0], reader) }()
	select {
	case err = <-loaded:
	case <-ctx.Done(): // kind's own commands do not hear of it
		select {
		case err = <-loaded:
		case <-time.After(loadLinger):
			err = fmt.Errorf("the container engine has not ended the load within %v", loadLinger)
		}
	}
	reader.CloseWithError(errors.New("the node takes no more")) // so that archive ends in any case
	if writeErr := <-written; err != nil || writeErr != nil {
		return fmt.Errorf("loading images into node %s: %w", nodes[0], errors.Join(context.Cause(ctx), writeErr, ofKind(err)))
	}
	return nil
}

// ofKind is an error of kind's with the last lines that the failed command printed, but for what engine.Withhold
// leaves out.
func ofKind(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if run := kindexec.RunErrorForError(err); run != nil && len(run.Output) > 0 {
		text += "\n  | " + strings.Join(tail(string(run.Output), outputTail), "\n  | ")
	}
	return errors.New(engine.Withhold(text))
}

// CollectLogs writes what `kind export logs` does to dir/kind, and the namespaces' objects and logs beside it.
func (k *Kind) CollectLogs(ctx context.Context, dir string, namespaces ...string) error {
	if _, err := k.provider(); err != nil {
		return fmt.Errorf("collecting logs: %w", err)
	}
	exported := make(chan error, 1)
	go func() { exported <- exportLogs(ctx, k.engine, k.opts.Run, filepath.Join(dir, "kind")) }()
	var errs []error
	config, err := clientcmd.BuildConfigFromFlags("", k.Kubeconfig())
	if err == nil {
		err = collect(ctx, config, dir, namespaces)
	}
	errs = append(errs, err)
	select {
	case err := <-exported:
		errs = append(errs, err)
	case <-ctx.Done():
		errs = append(errs, fmt.Errorf("exporting the logs of cluster %s: %w", Name(k.opts.Run), context.Cause(ctx)))
	}
	return errors.Join(errs...)
}

// Delete removes the cluster, its network and the run's folder, and returns when they are gone. With Keep it leaves
// them and says how to reach and delete them.
func (k *Kind) Delete(ctx context.Context) error {
	if k.opts.Keep {
		return k.end(ctx, commandKeep)
	}
	return k.end(ctx, commandDelete)
}

func (k *Kind) end(ctx context.Context, command string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lock == nil {
		return nil // nothing was made, or it was removed
	}
	done := errReaperGone
	if k.link != nil {
		done = k.tell(ctx, command)
	}
	if errors.Is(done, errReaperGone) {
		done = k.endAlone(ctx, command)
	}
	if done != nil {
		return done
	}
	err := k.lock.Close()
	k.lock, k.link = nil, nil
	if command == commandKeep {
		k.opts.Progress(k.howToReach())
	}
	return err
}

// tell gives the reaper its last order and waits until it has obeyed. A reaper that could not make its cluster has
// removed what there was and ended: it does not answer any more.
func (k *Kind) tell(ctx context.Context, command string) error {
	if err := k.link.send(command); err != nil {
		k.link.drain()
		return errReaperGone
	}
	for {
		e, err := k.link.await(ctx, func(string) {})
		if err == nil && !e.Done {
			continue // Created, which came too late
		}
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("waiting until cluster %s is removed: %w; its reaper goes on, and `opbench clean` removes what it leaves", Name(k.opts.Run), err)
		}
		k.link.drain()
		return err
	}
}

// endAlone does the reaper's work when there is none.
func (k *Kind) endAlone(ctx context.Context, command string) error {
	if command == commandKeep {
		return os.WriteFile(k.dir.file(keptFile), nil, 0o600)
	}
	if err := k.engine.removeRun(ctx, k.opts.Run); err != nil {
		return fmt.Errorf("removing cluster %s: %w; `opbench clean` tries again", Name(k.opts.Run), err)
	}
	return os.RemoveAll(string(k.dir))
}

func (k *Kind) howToReach() string {
	return fmt.Sprintf("cluster %s is kept\n  reach it:  kubectl --kubeconfig %s get pods -A\n  delete it: opbench clean --run %s",
		Name(k.opts.Run), k.dir.file(configFile), k.opts.Run)
}

// Exec runs a command in the node as root, without a shell, and returns what it
// printed. The error of a command that fails carries its output.
func (k *Kind) Exec(ctx context.Context, command ...string) (string, error) {
	if _, err := k.provider(); err != nil {
		return "", fmt.Errorf("run a command in the node: %w", err)
	}
	return k.engine.Run(ctx, append([]string{"exec", k.node()}, command...)...)
}

// Restart ends every process of the node at once, as a power failure would, and starts the node again. It returns as
// soon as the node's init runs: the API server answers some seconds later.
func (k *Kind) Restart(ctx context.Context) error {
	if _, err := k.provider(); err != nil {
		return fmt.Errorf("restart the node: %w", err)
	}
	if _, err := k.engine.Run(ctx, "restart", "-t", "0", k.node()); err != nil {
		return fmt.Errorf("restart the node: %w; look at it with `%s ps -a` and `%s logs %s`", err, k.engine.Name(), k.engine.Name(), k.node())
	}
	return nil
}

// node is the name of the cluster's one node, and of its container.
func (k *Kind) node() string { return nodeOf(k.opts.Run) }

// nodeOf is Kind.node of a run.
func nodeOf(run string) string { return Name(run) + "-control-plane" }
