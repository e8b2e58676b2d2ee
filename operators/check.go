package operators

import (
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/fixtures/kube"
	"operatorbench/fixtures/memcached"
)

// Check refuses, before there is a cluster, styles that cannot be installed as
// they stand, or that would share what they act on: manifests that cannot be
// rendered, an overlay that no longer applies, an object that is rendered twice
// or that the harness makes itself, and two operators in one style. Errors name
// file and line.
//
// Styles of one run may have the same objects: they take turns, and none is
// installed beside what another has left.
func Check(all ...Operator) error {
	var problems []error
	for _, operator := range all {
		problems = append(problems, operator.Style().check())
	}
	return errors.Join(problems...)
}

func (s Style) check() error {
	var problems []error
	var everything []placed
	for _, stage := range s.Stages {
		for i, manifests := range stage.Manifests {
			path := filepath.Join(s.Folder, manifests)
			objs, err := kube.RenderPath(path)
			if err == nil {
				err = kube.CheckOverlay(path)
			}
			if err != nil {
				problems = append(problems, s.problem(stage, i, err))
			}
			for _, obj := range objs {
				everything = append(everything, placed{obj, stage, i})
			}
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	return errors.Join(s.checkObjects(everything), s.checkBases(), s.checkSensors(everything))
}

// placed is an object with the place from which it is rendered.
type placed struct {
	*unstructured.Unstructured
	stage Stage
	index int // into the stage's manifests
}

// identity is what no two objects of a cluster have in common.
type identity struct {
	schema.GroupKind
	namespace, name string
}

func (p placed) identity() identity {
	return identity{p.GroupVersionKind().GroupKind(), p.GetNamespace(), p.GetName()}
}

// checkObjects refuses what is rendered twice, and what the harness makes.
func (s Style) checkObjects(all []placed) error {
	crd, err := memcached.Definition()
	if err != nil {
		return err
	}
	harness := placed{Unstructured: crd}.identity()
	first := map[identity]placed{}
	var problems []error
	for _, obj := range all {
		before, twice := first[obj.identity()]
		switch {
		case obj.identity() == harness:
			problems = append(problems, s.problem(obj.stage, obj.index, fmt.Errorf(
				"%s is here, which the harness itself makes for all styles: it would go with this one, leave it out", kube.Describe(obj.Unstructured))))
		case twice:
			problems = append(problems, s.problem(obj.stage, obj.index, fmt.Errorf("%s is rendered twice, by stage %s from %s (line %d), too: leave one out",
				kube.Describe(obj.Unstructured), before.stage.Name, before.stage.Manifests[before.index], before.stage.line(before.index))))
		default:
			first[obj.identity()] = obj
		}
	}
	return errors.Join(problems...)
}
