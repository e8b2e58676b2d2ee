package styles

import (
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/workloads"
)

// once is what a style that was loaded reads of its folder once, however often it is asked for: a kustomization with a
// large definition takes seconds. It is safe for concurrent use.
type once struct {
	mutex     sync.Mutex
	manifests map[string]*manifests // by their path from the folder
	bases     func() ([]*base, error)
	handled   func() (*workloads.Workload, error)
}

// readOnce makes the style read each of its files once.
func (s *Style) readOnce() {
	s.once = &once{manifests: map[string]*manifests{}}
	s.once.bases, s.once.handled = sync.OnceValues(s.findBases), sync.OnceValues(s.handles)
}

// manifests is what a path of the style's manifests leads to.
type manifests struct {
	objects []*unstructured.Unstructured
	files   []string
	err     error
	check   func() error // what is written and has no effect
}

// copies are the objects, for who may change them.
func (m *manifests) copies() []*unstructured.Unstructured {
	return plain.Map(m.objects, (*unstructured.Unstructured).DeepCopy)
}

// kept is what the style has read; of one that was not loaded nothing is.
func (s Style) kept() *once {
	if s.once == nil {
		s.readOnce()
	}
	return s.once
}

// at reads what a path leads to.
func (s Style) at(path string) *manifests {
	kept := s.kept()
	kept.mutex.Lock()
	defer kept.mutex.Unlock()
	if kept.manifests[path] == nil {
		full := filepath.Join(s.Folder, path)
		m := &manifests{check: sync.OnceValue(func() error { return install.Check(s.tree(), full) })}
		m.objects, m.files, m.err = install.Read(s.tree(), full)
		kept.manifests[path] = m
	}
	return kept.manifests[path]
}
