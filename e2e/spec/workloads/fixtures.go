package workloads

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/expr"
	rules "operatorbench/e2e/spec/schema"
)

// FixturesFolder is where a workload's folder has recorded objects. A file PHASE.yaml or PHASE-ANYTHING.yaml has a
// custom resource in that phase and, behind it, its children.
const FixturesFolder = "fixtures"

// A custom resource is in the first of these phases that holds, or in none.
var phaseOrder = []string{"failed", "paused", "ready"}

const noPhase = "none"

// checkFixtures holds the recorded objects against the phases that their files' names claim.
func (w *Workload) checkFixtures(f *rules.File, phases map[string]*expr.Expression) {
	entries, err := fs.ReadDir(w.folder, FixturesFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Fail(f.Root, "%v", err)
	}
	for _, entry := range entries {
		file := path.Join(FixturesFolder, entry.Name())
		if err := w.checkFixture(file, phases); err != nil {
			f.Fail(f.Root, "%s: %v", file, err)
		}
	}
}

func (w *Workload) checkFixture(file string, phases map[string]*expr.Expression) error {
	claim, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".yaml"), "-")
	if claim != noPhase && phases[claim] == nil {
		return fmt.Errorf("its name begins with %q, expected none or a phase that workload.yaml has an expression of: %s", claim, strings.Join(phaseOrder, ", "))
	}
	objects, err := w.recorded(file)
	if err != nil {
		return err
	}
	cr, children := objects[0], map[string][]any{}
	for _, child := range objects[1:] {
		kind := child.GetAPIVersion() + " " + child.GetKind()
		children[kind] = append(children[kind], child.Object)
	}
	size, _ := w.SizeOf(cr)
	values := w.present(cr.Object, size, children)
	for _, phase := range phaseOrder {
		if phases[phase] == nil {
			continue
		}
		switch lacks, _ := phases[phase].Lacks(values); {
		case lacks == "" && phase != claim:
			return fmt.Errorf("its name claims %s, and phases.%s holds", claim, phase)
		case lacks == "":
			return nil
		case phase == claim:
			return fmt.Errorf("its name claims %s: %s", claim, lacks)
		}
	}
	return nil
}

// recorded reads the objects of a file: a custom resource, then children.
func (w *Workload) recorded(file string) ([]*unstructured.Unstructured, error) {
	text, err := fs.ReadFile(w.folder, file)
	if err != nil {
		return nil, err
	}
	kinds := []string{w.Resource.APIVersion() + " " + w.Resource.Kind}
	var objects []*unstructured.Unstructured
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		o, err := parse(document)
		if err != nil {
			return nil, err
		}
		if is := o.GetAPIVersion() + " " + o.GetKind(); !slices.Contains(kinds, is) {
			return nil, fmt.Errorf("object %d is a %s, expected a %s", len(objects)+1, is, strings.Join(kinds, " or a "))
		}
		if objects = append(objects, o); len(objects) == 1 {
			kinds = plain.Once(nil, plain.Map(w.Children, kind)...)
		}
	}
	if len(objects) == 0 {
		return nil, errors.New("it has no object")
	}
	if _, sized := w.SizeOf(objects[0]); !sized {
		return nil, fmt.Errorf("the custom resource has no whole number at %s", w.scalePath())
	}
	return objects, nil
}
