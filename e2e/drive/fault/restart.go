package fault

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// restart ends the API server, or the whole node, and returns when the API server answers again. It is mended when the
// cluster works again. What an operator makes of it is left to the operator.
func (i *Injector) restart(ctx context.Context, what string, _ Target) (Broken, error) {
	name, err := i.onlyNode(ctx)
	if err != nil {
		return Broken{}, fmt.Errorf("restart the %s: %w", what, err)
	}
	if what == spec.RestartNode {
		return i.restartNode(ctx, name)
	}
	return i.restartAPIServer(ctx, name)
}

// onlyNode is the name of the cluster's one node, below which faults can be done.
func (i *Injector) onlyNode(ctx context.Context) (string, error) {
	if i.Node == nil {
		return "", errForeign
	}
	nodes, err := i.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	if len(nodes.Items) != 1 {
		return "", fmt.Errorf("the cluster has %d nodes, not 1", len(nodes.Items))
	}
	return nodes.Items[0].Name, nil
}

// restartAPIServer removes the API server's container. The kubelet makes another at once; had it only been stopped, the
// kubelet would put off, from the second time on, to start it again.
func (i *Injector) restartAPIServer(ctx context.Context, node string) (Broken, error) {
	broken := Broken{Objects: []string{"pods/kube-system/kube-apiserver-" + node}}
	old, err := i.apiServer(ctx)
	if err != nil {
		return broken, fmt.Errorf("restart the API server: %w", err)
	}
	broken.Undo = func(ctx context.Context) error {
		if err := i.awaitControllers(ctx); err != nil {
			return fmt.Errorf("the API server was restarted: %w", err)
		}
		return nil
	}
	if _, err := i.Node.Exec(ctx, "crictl", "--timeout="+criTimeout, "rm", "--force", old); err != nil {
		return broken, fmt.Errorf("restart the API server: end its container: %w", err)
	}
	err = until(ctx, "another container of the API server", func(ctx context.Context) (bool, string, error) {
		id, err := i.apiServer(ctx)
		return id != old, "container " + id, err
	})
	if err == nil {
		err = i.awaitAPIServer(ctx)
	}
	if err != nil {
		return broken, fmt.Errorf("restart the API server: %w", err)
	}
	return broken, nil
}

// criTimeout is what a request to the container runtime may take. By crictl's default of
// 2 s a machine that is busy could not end the container, and the sample was invalid.
const criTimeout = "60s"

// apiServer returns the id of the container that runs.
func (i *Injector) apiServer(ctx context.Context) (string, error) {
	id, err := i.Node.Exec(ctx, "crictl", "--timeout="+criTimeout, "ps", "--quiet", "--state", "Running", "--name", "^kube-apiserver$")
	if err == nil && (id == "" || strings.ContainsAny(id, "\n ")) {
		err = fmt.Errorf("found %q as the running containers of the API server, expected one", id)
	}
	return id, err
}

// restartNode restarts the machine. It works again when the cluster's own pods
// are ready in their new lives, and each container of the style has begun its own.
func (i *Injector) restartNode(ctx context.Context, name string) (Broken, error) {
	before, err := i.lives(ctx)
	if err != nil {
		return Broken{}, fmt.Errorf("restart the node: %w", err)
	}
	broken := Broken{Objects: []string{"nodes/" + name}}
	if err := i.Node.Restart(ctx); err != nil {
		return Broken{Undo: i.Node.Restart}, err
	}
	broken.Undo = func(ctx context.Context) error {
		err := i.awaitControllers(ctx)
		if err == nil {
			err = until(ctx, "the pods of the cluster and of the style to be running again", func(ctx context.Context) (bool, string, error) {
				return i.anew(ctx, before)
			})
		}
		if err != nil {
			return fmt.Errorf("the node was restarted: %w", err)
		}
		return nil
	}
	if err := i.awaitAPIServer(ctx); err != nil {
		return broken, fmt.Errorf("restart the node: %w", err)
	}
	return broken, nil
}

func (i *Injector) awaitAPIServer(ctx context.Context) error {
	return until(ctx, "the API server to be ready", func(ctx context.Context) (bool, string, error) {
		var code int
		err := i.Kube.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&code).Error()
		return code == http.StatusOK, fmt.Sprintf("it answers %d", code), err
	})
}

// awaitControllers returns when both the controllers and the scheduler have
// renewed their leases since it began to look: those of dead ones run out.
func (i *Injector) awaitControllers(ctx context.Context) error {
	first := map[string]metav1.MicroTime{}
	return until(ctx, "the controllers and the scheduler to be at work", func(ctx context.Context) (bool, string, error) {
		for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
			lease, err := i.Kube.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, "", err
			}
			if lease.Spec.RenewTime == nil {
				return false, name + " has no lease", nil
			}
			was, known := first[name]
			if !known {
				first[name] = *lease.Spec.RenewTime
			}
			if !known || was.Equal(lease.Spec.RenewTime) {
				return false, fmt.Sprintf("the lease of %s was last renewed at %s", name, lease.Spec.RenewTime), nil
			}
		}
		return true, "", nil
	})
}

// lives are the containers of pods: which life of it each was in.
type lives map[string]string

// lives returns the present lives of the cluster's own and the style's containers.
func (i *Injector) lives(ctx context.Context) (lives, error) {
	all := lives{}
	err := i.eachPod(ctx, func(pod *corev1.Pod, _ bool) {
		for n := range pod.Status.ContainerStatuses {
			status := &pod.Status.ContainerStatuses[n]
			all[string(pod.UID)+"/"+status.Name] = status.ContainerID
		}
	})
	return all, err
}

// eachPod goes through the pods of the cluster itself and of the style's components.
func (i *Injector) eachPod(ctx context.Context, do func(pod *corev1.Pod, system bool)) error {
	list, err := i.Kube.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for n := range list.Items {
		do(&list.Items[n], true)
	}
	for _, c := range i.Style.Components {
		list, err := i.Kube.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
		if err != nil {
			return err
		}
		for n := range list.Items {
			do(&list.Items[n], false)
		}
	}
	return nil
}

// anew reports whether all is as after a restart: the cluster's own pods are ready,
// and every container lives another life than before, or has ended that already.
func (i *Injector) anew(ctx context.Context, before lives) (bool, string, error) {
	var waiting []string
	err := i.eachPod(ctx, func(pod *corev1.Pod, system bool) {
		if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			return
		}
		for n := range pod.Spec.Containers {
			name := pod.Spec.Containers[n].Name
			if status := statusOf(pod, name); status.ContainerID == "" || status.ContainerID == before[string(pod.UID)+"/"+name] {
				waiting = append(waiting, fmt.Sprintf("%s/%s: container %s has not been started", pod.Namespace, pod.Name, name))
			} else if system && !status.Ready {
				waiting = append(waiting, fmt.Sprintf("%s/%s: container %s is not ready", pod.Namespace, pod.Name, name))
			}
		}
	})
	return len(waiting) == 0, strings.Join(waiting, "; "), err
}

func statusOf(pod *corev1.Pod, container string) corev1.ContainerStatus {
	found, _ := plain.Find(pod.Status.ContainerStatuses, func(status corev1.ContainerStatus) bool { return status.Name == container })
	return found
}
