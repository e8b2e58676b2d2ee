package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/workloads"
)

// hooks starts both, since both must give the same answers: this one, and the one in
// Python of the style that this one is an overlay of.
func hooks(t *testing.T) map[string]string {
	t.Helper()
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	return map[string]string{"Go": server.URL, "Python": python(t)}
}

// python returns the address of the hook in Python, or nothing where there is no Python.
func python(t *testing.T) string {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		return ""
	}
	// Read by the test itself, since go test remembers what a test has read.
	source, err := os.ReadFile("../metacontroller/manifests/python/hook.py")
	require.NoError(t, err)
	stderr := &bytes.Buffer{}
	command := exec.CommandContext(t.Context(), interpreter, "-", "0")
	command.Stdin, command.Stderr = bytes.NewReader(source), stderr
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Wait() }) // the test's context has ended it
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err, "%s: %s", command, stderr)
	return "http://127.0.0.1:" + strings.TrimPrefix(strings.TrimSpace(line), "serving on port ")
}

// each runs a test for each hook.
func each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for language, url := range hooks(t) {
		t.Run(language, func(t *testing.T) {
			if url == "" {
				t.Skip("python3 is not on this machine's PATH")
			}
			test(t, url)
		})
	}
}

func post(t *testing.T, client *http.Client, url, body string) (code int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

func ask(t *testing.T, url string, request object) object {
	t.Helper()
	body, err := json.Marshal(request)
	require.NoError(t, err)
	code, text := post(t, http.DefaultClient, url, string(body))
	require.Equal(t, http.StatusOK, code, text)
	answer := object{}
	require.NoError(t, json.Unmarshal([]byte(text), &answer))
	return answer
}

const since = "2026-01-02T03:04:05Z"

func asked(size any, child object, pods ...object) object {
	children, related := object{}, object{}
	if child != nil {
		children["cache"] = child
	}
	for _, pod := range pods {
		related[pod["metadata"].(object)["name"].(string)] = pod
	}
	spec := object{}
	if size != nil {
		spec["size"] = size
	}
	return object{
		"parent": object{
			"metadata": object{"name": "cache", "namespace": "services", "uid": "u", "generation": 1},
			"spec":     spec,
			"status": object{"conditions": []object{
				{"type": "Ready", "status": "False", "reason": "Old", "message": "old", "lastTransitionTime": since},
				{"type": "Other", "status": "True", "reason": "Theirs", "message": "kept", "lastTransitionTime": since},
			}},
		},
		"children": object{"Deployment.apps/v1": children},
		"related":  object{"Pod.v1": related},
	}
}

// deployed is a Deployment with all pods ready.
func deployed(size int) object {
	return object{
		"metadata": object{"name": "cache", "generation": 2},
		"spec":     object{"replicas": size},
		"status":   object{"observedGeneration": 2, "replicas": size, "updatedReplicas": size, "readyReplicas": size},
	}
}

func with(thing object, field string, values object) object {
	for key, value := range values {
		thing[field].(object)[key] = value
	}
	return thing
}

func pod(name, ready string) object {
	return object{
		"metadata": object{
			"name": name, "labels": object{"pod-template-hash": "5d"},
			"ownerReferences": []object{{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "cache-5d", "uid": "r", "controller": true}},
		},
		"status": object{"conditions": []object{{"type": "Ready", "status": ready}}},
	}
}

func waiting(reason string) object {
	return object{"containerStatuses": []object{{"name": "memcached", "image": "m:1", "state": object{"waiting": object{"reason": reason, "message": "1m20s"}}}}}
}

func TestSync(t *testing.T) {
	unscheduled := object{"conditions": []object{{"type": "PodScheduled", "status": "False", "message": "no node"}}}
	foreign := pod("foreign", "True")
	foreign["metadata"].(object)["ownerReferences"].([]object)[0]["name"] = "other-5d"
	orphan := pod("orphan", "True")
	orphan["metadata"].(object)["ownerReferences"].([]object)[0]["controller"] = false
	quota := object{"conditions": []object{{"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}}}
	const notUsable = "spec.size must be a whole number from 0 to 2147483647, not "
	tests := map[string]struct {
		request         object
		wanted          int // replicas; -1: no Deployment
		nodes           []any
		status          string
		reason, message string
	}{
		"new":                 {asked(3, nil), 3, []any{}, "False", "ReplicasNotReady", "the Deployment does not exist yet; if it stays away, look at the events"},
		"ready":               {asked(2, deployed(2), pod("b", "True"), pod("a", "True")), 2, []any{"a", "b"}, "True", "AllReplicasReady", "2 of 2 pods are ready"},
		"of no pods":          {asked(0, deployed(0)), 0, []any{}, "True", "AllReplicasReady", "0 of 0 pods are ready"},
		"scaled":              {asked(2, deployed(1), pod("a", "True")), 2, []any{"a"}, "False", "ReplicasNotReady", "1 of 2 pods are ready"},
		"not seen yet":        {asked(1, with(deployed(1), "metadata", object{"generation": 3}), pod("a", "True")), 1, []any{"a"}, "False", "ReplicasNotReady", "1 of 1 pods are ready"},
		"pod unknown":         {asked(1, deployed(1)), 1, []any{}, "False", "ReplicasNotReady", "0 of 1 pods are ready"},
		"pod not ready":       {asked(1, deployed(1), pod("a", "False")), 1, []any{}, "False", "ReplicasNotReady", "0 of 1 pods are ready"},
		"pod ends":            {asked(1, deployed(1), with(pod("a", "True"), "metadata", object{"deletionTimestamp": since})), 1, []any{}, "False", "ReplicasNotReady", "0 of 1 pods are ready"},
		"pod of another":      {asked(1, deployed(1), foreign), 1, []any{}, "False", "ReplicasNotReady", "0 of 1 pods are ready"},
		"pod of none":         {asked(1, deployed(1), orphan), 1, []any{}, "False", "ReplicasNotReady", "0 of 1 pods are ready"},
		"no image":            {asked(1, deployed(1), with(pod("a", "False"), "status", waiting("ErrImagePull"))), 1, []any{}, "False", "PodsCannotStart", "0 of 1 pods are ready: pod a: image m:1 cannot be pulled (ImagePullBackOff)"},
		"crash":               {asked(1, deployed(1), with(pod("a", "False"), "status", waiting("CrashLoopBackOff"))), 1, []any{}, "False", "PodsCannotStart", "0 of 1 pods are ready: pod a: container memcached: CrashLoopBackOff"},
		"starting":            {asked(1, deployed(1), with(pod("a", "False"), "status", waiting("ContainerCreating"))), 1, []any{}, "False", "ReplicasNotReady", "0 of 1 pods are ready"},
		"no node":             {asked(1, deployed(1), with(pod("a", "False"), "status", unscheduled)), 1, []any{}, "False", "PodsCannotStart", "0 of 1 pods are ready: pod a: it cannot be scheduled: no node"},
		"no quota":            {asked(2, with(deployed(1), "status", quota), pod("a", "True")), 2, []any{"a"}, "False", "ReplicaFailure", "1 of 2 pods are ready: exceeded quota"},
		"Deployment goes":     {asked(1, with(deployed(1), "metadata", object{"deletionTimestamp": since})), 1, []any{}, "False", "DeploymentDeleting", "the Deployment is being deleted; it is made again when it is gone"},
		"size negative":       {asked(-1, deployed(2), pod("a", "True")), 2, []any{"a"}, "False", "InvalidSize", notUsable + "-1"},
		"size beyond int32":   {asked(1<<31, nil), -1, []any{}, "False", "InvalidSize", notUsable + "2147483648"},
		"size a fraction":     {asked(1.5, nil), -1, []any{}, "False", "InvalidSize", notUsable + "1.5"},
		"size a text":         {asked("2", nil), -1, []any{}, "False", "InvalidSize", notUsable + `"2"`},
		"size a truth":        {asked(true, nil), -1, []any{}, "False", "InvalidSize", notUsable + "true"},
		"size missing":        {asked(nil, nil), -1, []any{}, "False", "InvalidSize", "spec.size is missing"},
		"size missing, later": {asked(nil, deployed(1)), 1, []any{}, "False", "InvalidSize", "spec.size is missing"},
	}
	each(t, func(t *testing.T, url string) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				answer := ask(t, url+"/sync", test.request)
				status := answer["status"].(object)
				conditions := status["conditions"].([]any)
				require.Len(t, conditions, 2)
				ready := conditions[0].(object)
				if test.status == "True" { // it was False
					at, err := time.Parse(time.RFC3339, ready["lastTransitionTime"].(string))
					require.NoError(t, err)
					assert.WithinDuration(t, time.Now(), at, time.Minute)
				} else {
					assert.Equal(t, since, ready["lastTransitionTime"])
				}
				delete(ready, "lastTransitionTime")
				assert.Equal(t, object{"type": "Ready", "status": test.status, "reason": test.reason, "message": test.message}, ready)
				assert.Equal(t, "Other", conditions[1].(object)["type"])
				delete(status, "conditions")
				assert.Equal(t, object{"nodes": test.nodes, "selector": "app=memcached,app.kubernetes.io/instance=cache"}, status)
				assert.Equal(t, reference(t, test.wanted), answer["children"])
			})
		}
	})
}

// reference is the Deployment that every style is compared with, less what
// Metacontroller adds.
func reference(t *testing.T, replicas int) []any {
	t.Helper()
	if replicas < 0 {
		return []any{}
	}
	w, err := workloads.Default()
	require.NoError(t, err)
	deployment, err := w.Child(w.New("services", "cache", replicas))
	require.NoError(t, err)
	deployment.SetNamespace("")
	deployment.SetOwnerReferences(nil)
	text, err := json.Marshal(deployment.Object)
	require.NoError(t, err)
	plain := object{}
	require.NoError(t, json.Unmarshal(text, &plain))
	return []any{plain}
}

// What was answered must be answered again once it has been written: otherwise
// Metacontroller writes for ever.
func TestSyncIsSteady(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		request := asked(1, deployed(1), pod("a", "True"))
		delete(request["parent"].(object), "status")
		first := ask(t, url+"/sync", request)
		request["parent"].(object)["status"] = first["status"]
		assert.Equal(t, first, ask(t, url+"/sync", request))
	})
}

func TestCustomize(t *testing.T) {
	long := strings.Repeat("x", 64)
	each(t, func(t *testing.T, url string) {
		for name, label := range map[string]string{
			"cache":  "cache",
			long[1:]: long[1:],
			long:     strings.Repeat("x", 52) + "-7ce100971f",
		} {
			answer := ask(t, url+"/customize", object{"parent": object{"metadata": object{"name": name}}})
			assert.Equal(t, object{"relatedResources": []any{object{
				"apiVersion": "v1", "resource": "pods",
				"labelSelector": object{"matchLabels": object{"app": "memcached", "app.kubernetes.io/instance": label}},
			}}}, answer)
		}
	})
}

func TestWhatIsRefused(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		for path, code := range map[string]int{"/sync": http.StatusInternalServerError, "/finalize": http.StatusNotFound} {
			got, text := post(t, http.DefaultClient, url+path, "{")
			assert.Equal(t, code, got, path)
			assert.NotEmpty(t, text)
		}
	})
}

// Metacontroller has eight workers, and keeps connections open.
func TestConnectionsAreManyAndKept(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		body := `{"parent": {"metadata": {"name": "cache"}}}`
		for range 2 { // the first's connection stays open beside the second's
			client, kept := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}, false
			trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { kept = info.Reused }})
			for range 2 {
				request, err := http.NewRequestWithContext(trace, http.MethodPost, url+"/customize", strings.NewReader(body))
				require.NoError(t, err)
				response, err := client.Do(request)
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
			}
			assert.True(t, kept)
		}
	})
}
