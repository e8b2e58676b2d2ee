// Package normal compares specs of Deployments and StatefulSets in a form in which it makes no
// difference who wrote the API server's defaults.
//
// The defaults are listed here by hand. A dry run against a live API server would give those of the reference alone,
// and not those of the containers, probes and volumes that a style has of its own; recordings that were made before
// would still need this; and k8s.io/kubernetes, where they are defined, is not cheaply required as a module: it takes a
// replace for each of its staging modules, and its releases.
package normal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// specDefault is what the API server writes into the spec of a Deployment or StatefulSet
// where its author says nothing (k8s.io/kubernetes/pkg/apis/{apps,core}/v1/defaults.go).
type specDefault struct {
	path  string // a * stands for each element of a list
	value string // JSON
}

func specDefaults() []specDefault {
	list := []specDefault{
		{"progressDeadlineSeconds", `600`},
		{"revisionHistoryLimit", `10`},
		{"strategy.type", `"RollingUpdate"`},
		{"strategy.rollingUpdate.maxSurge", `"25%"`},
		{"strategy.rollingUpdate.maxUnavailable", `"25%"`},
		{"podManagementPolicy", `"OrderedReady"`},
		{"updateStrategy.type", `"RollingUpdate"`},
		{"updateStrategy.rollingUpdate.maxUnavailable", `1`},
		{"updateStrategy.rollingUpdate.partition", `0`},
		{"persistentVolumeClaimRetentionPolicy.whenDeleted", `"Retain"`},
		{"persistentVolumeClaimRetentionPolicy.whenScaled", `"Retain"`},
		{"volumeClaimTemplates.*.apiVersion", `"v1"`},
		{"volumeClaimTemplates.*.kind", `"PersistentVolumeClaim"`},
		{"volumeClaimTemplates.*.spec.volumeMode", `"Filesystem"`},
		{"volumeClaimTemplates.*.status.phase", `"Pending"`},
		{"template.spec.restartPolicy", `"Always"`},
		{"template.spec.dnsPolicy", `"ClusterFirst"`},
		{"template.spec.schedulerName", `"default-scheduler"`},
		{"template.spec.terminationGracePeriodSeconds", `30`},
		{"template.spec.enableServiceLinks", `true`}, // of the pod, where the template says nothing
		{"template.spec.volumes.*.secret.defaultMode", `420`},
		{"template.spec.volumes.*.configMap.defaultMode", `420`},
		{"template.spec.volumes.*.projected.defaultMode", `420`},
		{"template.spec.volumes.*.downwardAPI.defaultMode", `420`},
	}
	for _, containers := range []string{"initContainers", "containers"} {
		each := "template.spec." + containers + ".*."
		list = append(list,
			specDefault{each + "terminationMessagePath", `"/dev/termination-log"`},
			specDefault{each + "terminationMessagePolicy", `"File"`},
			specDefault{each + "ports.*.protocol", `"TCP"`},
			specDefault{each + "env.*.valueFrom.fieldRef.apiVersion", `"v1"`},
		)
		for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
			list = append(list,
				specDefault{each + probe + ".timeoutSeconds", `1`},
				specDefault{each + probe + ".periodSeconds", `10`},
				specDefault{each + probe + ".successThreshold", `1`},
				specDefault{each + probe + ".failureThreshold", `3`},
				specDefault{each + probe + ".httpGet.path", `"/"`},
				specDefault{each + probe + ".httpGet.scheme", `"HTTP"`},
			)
		}
	}
	return list
}

// Spec is the normal form of the spec of a Deployment or StatefulSet, for two to be compared:
//
//   - what the API server fills in by itself is left out, whoever wrote it: the
//     values of specDefaults, the pull policy that follows from an
//     image's tag, the old name of serviceAccountName;
//   - what is empty (null, {}, []) is left out, but for selectors: an
//     empty one selects all, and none selects nothing;
//   - all else stays as it is, labels and selectors included: lists in their
//     order, numbers and quantities as they are written.
func Spec(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var spec map[string]any
	if err := decoder.Decode(&spec); err != nil {
		return nil, err
	}
	for _, d := range specDefaults() {
		strip(spec, strings.Split(d.path, "."), d.value)
	}
	template, _ := spec["template"].(map[string]any)
	if pod, ok := template["spec"].(map[string]any); ok {
		normalPod(pod)
	}
	prune(spec)
	return spec, nil
}

// normalPod leaves out what the API server derives from other fields.
func normalPod(pod map[string]any) {
	if pod["serviceAccount"] == pod["serviceAccountName"] {
		delete(pod, "serviceAccount")
	}
	for _, key := range []string{"initContainers", "containers"} {
		list, _ := pod[key].([]any)
		for _, one := range list {
			container, _ := one.(map[string]any)
			image, _ := container["image"].(string)
			if container["imagePullPolicy"] == pullPolicy(image) {
				delete(container, "imagePullPolicy")
			}
		}
	}
}

// pullPolicy is the default for an image: Always for the tag latest, which is
// meant where there is neither tag nor digest.
func pullPolicy(image string) string {
	if strings.Contains(image, "@") {
		return "IfNotPresent"
	}
	_, tag, tagged := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
	if !tagged || tag == "latest" {
		return "Always"
	}
	return "IfNotPresent"
}

// strip removes the member at a path where it has this value.
func strip(node any, path []string, value string) {
	switch n := node.(type) {
	case []any:
		if path[0] == "*" {
			for _, one := range n {
				strip(one, path[1:], value)
			}
		}
	case map[string]any:
		member, there := n[path[0]]
		switch {
		case !there:
		case len(path) > 1:
			strip(member, path[1:], value)
		case inJSON(member) == value:
			delete(n, path[0])
		}
	}
}

// prune removes what is empty from objects. Elements of lists keep their places.
func prune(node any) {
	switch n := node.(type) {
	case []any:
		for _, one := range n {
			prune(one)
		}
	case map[string]any:
		for key, member := range n {
			prune(member)
			if empty(member) && (member == nil || !strings.HasSuffix(strings.ToLower(key), "selector")) {
				delete(n, key)
			}
		}
	}
}

func empty(node any) bool {
	switch n := node.(type) {
	case nil:
		return true
	case []any:
		return len(n) == 0
	case map[string]any:
		return len(n) == 0
	}
	return false
}

// Difference is a path at which two objects differ.
type Difference struct{ Path, Want, Got string }

func (u Difference) String() string { return fmt.Sprintf("%s: want %s, got %s", u.Path, u.Want, u.Got) }

// Differences lists the paths, down to single values and lists of such, at which two trees differ. What is not there
// counts as an empty object or list where the other has one.
func Differences(path string, want, got any) []Difference {
	var list []Difference
	wantFields, isWant := want.(map[string]any)
	gotFields, isGot := got.(map[string]any)
	if (isWant || want == nil) && (isGot || got == nil) && len(wantFields)+len(gotFields) > 0 {
		all := map[string]any{}
		maps.Copy(all, wantFields)
		maps.Copy(all, gotFields)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			list = append(list, Differences(path+"."+key, wantFields[key], gotFields[key])...)
		}
		return list
	}
	w, wantList := want.([]any)
	g, gotList := got.([]any)
	if (wantList || want == nil) && (gotList || got == nil) && (ofObjects(w) || ofObjects(g)) {
		for i := range max(len(w), len(g)) {
			list = append(list, Differences(path+"."+strconv.Itoa(i), element(w, i), element(g, i))...)
		}
		return list
	}
	if w, g := inJSON(want), inJSON(got); w != g {
		list = append(list, Difference{path, w, g})
	}
	return list
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// ofObjects reports whether a list holds objects, and not single values.
func ofObjects(list []any) bool {
	return slices.ContainsFunc(list, func(one any) bool {
		_, object := one.(map[string]any)
		return object
	})
}

// inJSON prints a value; what is not there is "nothing".
func inJSON(node any) string {
	if node == nil {
		return "nothing"
	}
	text, err := json.Marshal(node)
	if err != nil {
		return fmt.Sprint(node)
	}
	return string(text)
}
