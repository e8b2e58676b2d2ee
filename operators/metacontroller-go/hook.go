package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const (
	maxLabel = 63
	kept     = 52 // letters of a name that is too long, before its hash
	hashed   = 10
)

type object = map[string]any

// request is what both hooks are sent.
type request struct {
	Parent struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			Size json.RawMessage `json:"size"`
		} `json:"spec"`
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	} `json:"parent"`
	Children struct {
		Deployments map[string]*appsv1.Deployment `json:"Deployment.apps/v1"`
	} `json:"children"`
	Related struct {
		Pods map[string]*corev1.Pod `json:"Pod.v1"`
	} `json:"related"`
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /customize", answer(customize))
	mux.HandleFunc("POST /sync", answer(sync))
	return mux
}

func answer(hook func(*request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked request
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			// Metacontroller tells the Memcached, and tries again.
			http.Error(w, fmt.Sprintf("read the request to %s: %v", r.URL.Path, err), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(hook(&asked)); err != nil {
			slog.Error("the answer was not sent", "path", r.URL.Path, "error", err)
		}
	}
}

// labelsOf returns the labels that select the pods of one Memcached.
func labelsOf(name string) map[string]string {
	if len(name) > maxLabel {
		sum := sha256.Sum256([]byte(name))
		name = name[:kept] + "-" + hex.EncodeToString(sum[:])[:hashed]
	}
	return map[string]string{"app": "memcached", "app.kubernetes.io/instance": name}
}

// customize asks for the Memcached's pods. The rule may depend on the name alone:
// Metacontroller keeps the answer under name and generation, also for a namesake in
// another namespace, or one that was made anew.
func customize(r *request) any {
	return object{"relatedResources": []any{object{
		"apiVersion": "v1", "resource": "pods", "labelSelector": object{"matchLabels": labelsOf(r.Parent.Metadata.Name)},
	}}}
}

func sync(r *request) any {
	name := r.Parent.Metadata.Name
	child := r.Children.Deployments[name]
	pods := podsOf(child, r.Related.Pods)
	nodes := []string{}
	for _, pod := range pods {
		if podCondition(pod, corev1.PodReady, corev1.ConditionTrue) != nil {
			nodes = append(nodes, pod.Name)
		}
	}
	children := []any{}
	size, problem := sizeOf(r.Parent.Spec.Size)
	ready := metav1.Condition{Status: metav1.ConditionFalse, Reason: "InvalidSize", Message: problem}
	switch {
	case problem == "":
		ready = readiness(size, child, pods, len(nodes))
		children = append(children, deployment(name, size))
	case child != nil: // what runs goes on running
		children = append(children, deployment(name, *child.Spec.Replicas))
	}
	// No number: Metacontroller would write a status with one again at every look. It
	// adds observedGeneration.
	return object{"children": children, "status": object{
		"nodes": nodes, "selector": labels.SelectorFromSet(labelsOf(name)).String(),
		"conditions": withReady(r.Parent.Status.Conditions, ready),
	}}
}

// sizeOf returns the wanted number of pods, or what is wrong with it.
func sizeOf(raw json.RawMessage) (int32, string) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, "spec.size is missing"
	}
	var size int32
	if err := json.Unmarshal(raw, &size); err != nil || size < 0 {
		return 0, fmt.Sprintf("spec.size must be a whole number from 0 to %d, not %s", math.MaxInt32, raw)
	}
	return size, ""
}

// podsOf returns the Deployment's pods that are not on their way out, by name. A
// ReplicaSet is named after its Deployment and the hash that it labels its pods with.
func podsOf(child *appsv1.Deployment, all map[string]*corev1.Pod) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range all {
		owner := metav1.GetControllerOf(pod)
		if child != nil && pod.DeletionTimestamp == nil && owner != nil && owner.Kind == "ReplicaSet" &&
			owner.Name == child.Name+"-"+pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	return pods
}

func readiness(size int32, child *appsv1.Deployment, pods []*corev1.Pod, ready int) metav1.Condition {
	no := func(reason, message string) metav1.Condition {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
	}
	switch {
	case child == nil:
		return no("ReplicasNotReady", "the Deployment does not exist yet; if it stays away, look at the events")
	case child.DeletionTimestamp != nil:
		return no("DeploymentDeleting", "the Deployment is being deleted; it is made again when it is gone")
	}
	message := fmt.Sprintf("%d of %d pods are ready", ready, size)
	s := child.Status
	if s.ObservedGeneration >= child.Generation && s.Replicas == size && s.UpdatedReplicas == size && s.ReadyReplicas == size && ready == int(size) {
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: "AllReplicasReady", Message: message}
	}
	for _, c := range s.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			return no("ReplicaFailure", message+": "+c.Message)
		}
	}
	for _, pod := range pods {
		if why := trouble(pod); why != "" {
			return no("PodsCannotStart", message+": pod "+pod.Name+": "+why)
		}
	}
	return no("ReplicasNotReady", message)
}

// trouble says why a pod cannot start, in words that stay the same while the kubelet
// tries again; empty if nothing is known to be wrong.
func trouble(pod *corev1.Pod) string {
	if c := podCondition(pod, corev1.PodScheduled, corev1.ConditionFalse); c != nil {
		return "it cannot be scheduled: " + c.Message
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Waiting == nil {
			continue
		}
		switch reason := c.State.Waiting.Reason; reason {
		case "", "ContainerCreating", "PodInitializing":
		case "ErrImagePull", "ImagePullBackOff": // which take turns
			return fmt.Sprintf("image %s cannot be pulled (ImagePullBackOff)", c.Image)
		default:
			return fmt.Sprintf("container %s: %s", c.Name, reason)
		}
	}
	return ""
}

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus) *corev1.PodCondition {
	for i, c := range pod.Status.Conditions {
		if c.Type == kind && c.Status == status {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// withReady returns the conditions with Ready among them; its time of transition
// moves only with its status.
func withReady(conditions []metav1.Condition, ready metav1.Condition) []metav1.Condition {
	ready.Type, ready.LastTransitionTime = "Ready", metav1.NewTime(time.Now())
	meta.SetStatusCondition(&conditions, ready)
	return conditions
}

// deployment holds only what is wanted: what the API server adds by default is not
// there, nor spelt otherwise than it would be, since Metacontroller writes again
// whatever differs. The API's own types would add empty fields.
func deployment(name string, replicas int32) object {
	labels := labelsOf(name)
	container := object{
		"name":            "memcached",
		"image":           "docker.io/library/memcached:1.6.18",
		"imagePullPolicy": "IfNotPresent",
		"command":         []any{"memcached", "--memory-limit=64", "-o", "modern", "-v"},
		"ports":           []any{object{"containerPort": 11211}},
		"securityContext": object{"allowPrivilegeEscalation": false, "capabilities": object{"drop": []any{"ALL"}}},
	}
	pod := object{
		"automountServiceAccountToken": false,
		"enableServiceLinks":           false,
		"securityContext":              object{"runAsNonRoot": true, "runAsUser": 11211, "seccompProfile": object{"type": "RuntimeDefault"}},
		"containers":                   []any{container},
	}
	return object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": object{"name": name, "labels": labels},
		"spec": object{
			"replicas": replicas,
			"selector": object{"matchLabels": labels},
			"template": object{"metadata": object{"labels": labels}, "spec": pod},
		},
	}
}
