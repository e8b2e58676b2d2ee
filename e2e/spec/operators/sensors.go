package operators

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/bed/kube"
)

// sensor is the kind of Argo Events' Sensor.
var sensor = schema.GroupKind{Group: "argoproj.io", Kind: "Sensor"}

// checkSensors refuses two Sensors that would do the same to the same events:
// each acts on all that it is sent, whoever else does, so that every change of a
// custom resource would be made twice.
func (s Style) checkSensors(all []placed) error {
	first := map[string]placed{}
	var problems []error
	for _, obj := range all {
		if obj.GroupVersionKind().GroupKind() != sensor {
			continue
		}
		deeds, err := deedsOf(obj)
		if err != nil {
			return s.problem(obj.stage, obj.manifests, fmt.Errorf("read %s: %w", kube.Describe(obj.Unstructured), err))
		}
		for _, deed := range deeds {
			before, twice := first[deed]
			if !twice {
				first[deed] = obj
				continue
			}
			if identityOf(before.Unstructured) != identityOf(obj.Unstructured) {
				problems = append(problems, s.problem(obj.stage, obj.manifests, fmt.Errorf(
					"%s does to the same events the same as %s, and both would act on the same resource: give them filters that part the events, or leave one out",
					kube.Describe(obj.Unstructured), kube.Describe(before.Unstructured))))
				break
			}
		}
	}
	return errors.Join(problems...)
}

// deedsOf lists what a Sensor does: for each of its dependencies, with its
// filters, and each of its triggers, what is written of which kind.
func deedsOf(obj placed) ([]string, error) {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, err
	}
	spec := gjson.GetBytes(text, "spec")
	var deeds []string
	for _, dependency := range spec.Get("dependencies").Array() {
		for _, trigger := range spec.Get("triggers.#.template").Array() {
			if when := trigger.Get("conditions").String(); when != "" && !strings.Contains(when, dependency.Get("name").String()) {
				continue // it waits for others
			}
			for _, how := range []string{"k8s", "argoWorkflow"} {
				if source := trigger.Get(how + ".source.resource"); source.Exists() {
					deeds = append(deeds, fmt.Sprintln(obj.GetNamespace(), dependency.Get("eventSourceName"), dependency.Get("eventName"),
						dependency.Get("filters"), how, trigger.Get(how+".operation"), source.Get("apiVersion"), source.Get("kind")))
				}
			}
		}
	}
	return deeds, nil
}
