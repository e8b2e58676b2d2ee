package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	kind "sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/kube"
)

// collect writes, for each namespace, every listable resource but secrets to a YAML file, without values that may be
// secret, and every container's log (and the log of its previous life) to a text file. It goes on after an error,
// unless the time is up, and returns all of them.
func collect(ctx context.Context, config *rest.Config, dir string, namespaces []string) error {
	client, err := kube.New(config)
	if err != nil {
		return err
	}
	resources, err := listable(client)
	if err != nil {
		return err
	}
	var errs []error
	for _, namespace := range namespaces {
		into := filepath.Join(dir, namespace)
		if err := os.MkdirAll(into, 0o755); err != nil {
			return fmt.Errorf("collecting logs: %w", err)
		}
		for _, resource := range resources {
			errs = append(errs, dump(ctx, client, resource, namespace, into))
			if ctx.Err() != nil {
				return errors.Join(errs...)
			}
		}
		errs = append(errs, podLogs(ctx, client, namespace, into))
	}
	return errors.Join(errs...)
}

// listable returns the namespaced resources that can be listed, at their preferred versions, but for those that hold
// secrets, or say again what others say.
func listable(client *kube.Client) ([]schema.GroupVersionResource, error) {
	lists, err := client.Typed.Discovery().ServerPreferredNamespacedResources()
	if len(lists) == 0 && err != nil { // one broken API group does not matter
		return nil, fmt.Errorf("collecting logs: %w", err)
	}
	all, err := kube.Supporting(lists, "list")
	if err != nil {
		return nil, fmt.Errorf("collecting logs: %w", err)
	}
	return slices.DeleteFunc(all, func(r schema.GroupVersionResource) bool { return r.Resource == "secrets" || r.Resource == "endpoints" }), nil
}

func dump(ctx context.Context, client *kube.Client, resource schema.GroupVersionResource, namespace, dir string) error {
	list, err := client.Dynamic.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("collecting %s of namespace %s: %w", resource.Resource, namespace, err)
	}
	if len(list.Items) == 0 {
		return nil
	}
	for i := range list.Items {
		kube.Withhold(list.Items[i].Object, nil)
	}
	text, err := yaml.Marshal(list)
	if err != nil {
		return fmt.Errorf("collecting %s of namespace %s: %w", resource.Resource, namespace, err)
	}
	name := strings.TrimSuffix(resource.Resource+"."+resource.Group, ".") + ".yaml"
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

func podLogs(ctx context.Context, client *kube.Client, namespace, dir string) error {
	pods, err := client.Typed.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("collecting logs of namespace %s: %w", namespace, err)
	}
	var errs []error
	for _, pod := range pods.Items {
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			base := filepath.Join(dir, pod.Name+"."+status.Name)
			if status.State.Waiting == nil {
				errs = append(errs, podLog(ctx, client, &pod, status.Name, false, base+".log"))
			}
			if status.RestartCount > 0 {
				errs = append(errs, podLog(ctx, client, &pod, status.Name, true, base+".previous.log"))
			}
		}
	}
	return errors.Join(errs...)
}

// mostOfALog is how much of a container's log is kept: one that writes without end would fill
// the disk. It is the beginning, where it went wrong.
const mostOfALog = int64(32 << 20)

func podLog(ctx context.Context, client *kube.Client, pod *corev1.Pod, container string, previous bool, file string) error {
	options := &corev1.PodLogOptions{Container: container, Previous: previous, Timestamps: true, LimitBytes: new(mostOfALog)}
	stream, err := client.Typed.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
	if err != nil {
		return fmt.Errorf("collecting the log of pod %s/%s container %s: %w", pod.Namespace, pod.Name, container, err)
	}
	defer stream.Close()
	out, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("collecting logs: %w", err)
	}
	_, err = io.Copy(out, stream)
	return errors.Join(err, out.Close())
}

// exportLogs does what `kind export logs` does, without values that may be secret. kind would write a node's
// description as the engine prints it, with its host's proxies and their passwords: it is given nowhere to write that,
// so that nothing of it stays however this process ends.
func exportLogs(ctx context.Context, e enginehost, run, dir string) error {
	node := nodeOf(run)
	file := filepath.Join(dir, node, "inspect.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("collecting logs: %w", err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an earlier failure of this run
		return fmt.Errorf("collecting logs: %w", err)
	}
	if err := os.Symlink(os.DevNull, file); err != nil {
		return fmt.Errorf("collecting logs: %w", err)
	}
	exported := ofKind(kind.NewProvider(kindProvider(e.Name())).CollectLogs(Name(run), dir))
	text, err := e.Run(ctx, "inspect", node)
	var nodes []any
	if err == nil {
		err = json.Unmarshal([]byte(text), &nodes)
	}
	if err != nil {
		return errors.Join(exported, fmt.Errorf("collecting logs: describing the node %s: %w", node, err), os.Remove(file))
	}
	kube.Withhold(map[string]any{"nodes": nodes}, nil)
	described, err := json.MarshalIndent(nodes, "", "  ")
	if err != nil {
		return errors.Join(exported, fmt.Errorf("collecting logs: %w", err))
	}
	return errors.Join(exported, os.Remove(file), os.WriteFile(file, described, 0o644))
}
