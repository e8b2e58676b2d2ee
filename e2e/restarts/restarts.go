// Package restarts tells of each block in which latencies or a load were measured whether the operator's own pods
// restarted, ended in an error or failed. It is a pure function of a recording. (In the correctness matrix, where
// faults end pods on purpose, the oracle health judges that: of measured samples no timeline has these pods.)
package restarts

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// Block is a style's turn in a round.
type Block struct {
	Style, Variant string
	Round          int
	// Ends counts the restarts, ends in an error and failures between the end of the
	// installation and that of the last sample. First says what the first one was.
	Ends  int
	First string
}

// Meter reads a recording, entry by entry.
type Meter struct {
	styles map[string]*style // by label
	blocks []Block
	now    *block // nil: no style is there
}

type style struct {
	namespaces []string
	components []component
}

type component struct {
	namespace string
	selector  labels.Selector
}

// block is one that has not ended.
type block struct {
	Block

	style     *style
	installed bool
	ends      map[string]int // so far, by the pod's uid and container; "" of a pod that failed
}

// NewMeter returns a Meter that has read nothing.
func NewMeter() *Meter { return &Meter{styles: map[string]*style{}} }

// Blocks are those that were driven to their end, in their order.
func (m *Meter) Blocks() []Block { return m.blocks }

// Add takes the next entry. What it cannot read it leaves out: judging has said why.
func (m *Meter) Add(e record.Entry) {
	switch {
	case e.Header != nil && len(m.styles) == 0:
		for _, s := range e.Header.Styles {
			m.styles[record.Label(s.Name, s.Variant)] = of(s)
		}
	case e.Block != nil:
		m.stage(e.Block)
	case e.Watch != nil && e.Watch.Resource == spec.Pods && m.now != nil:
		m.now.look(e.Watch)
	}
}

func of(s record.Style) *style {
	known := &style{namespaces: s.Namespaces}
	for _, c := range s.Components {
		if selector, err := labels.Parse(c.Selector); err == nil && !selector.Empty() {
			known.components = append(known.components, component{c.Namespace, selector})
		}
	}
	return known
}

func (m *Meter) stage(b *record.Block) {
	switch style := m.styles[record.Label(b.Style, b.Variant)]; {
	case style == nil || b.Wave > 0:
		m.now = nil
	case b.Stage == record.Installing, m.now == nil && b.Stage == record.Installed:
		m.now = &block{Block: Block{Style: b.Style, Variant: b.Variant, Round: b.Round}, style: style, ends: map[string]int{}, installed: b.Stage == record.Installed}
	case m.now == nil:
	case b.Stage == record.Installed:
		m.now.installed = true
	case b.Stage == record.Driven:
		m.blocks, m.now = append(m.blocks, m.now.Block), nil
	}
}

// own reports whether a pod is one of the style's components; of a style that names none,
// whether it is in its namespaces.
func (s *style) own(namespace string, set map[string]string) bool {
	if len(s.components) == 0 {
		return slices.Contains(s.namespaces, namespace)
	}
	return slices.ContainsFunc(s.components, func(c component) bool { return c.namespace == namespace && c.selector.Matches(labels.Set(set)) })
}

func (b *block) look(w *record.Watch) {
	pod := wire.Object{Resource: spec.Pods}
	var pods wire.Layout // a pod is the same in every workload
	detail, err := pods.ReadDetail(spec.Pods, w.Object)
	if err != nil || pods.Read(&pod, w.Object) != nil || w.Event == spec.Deleted || pod.Deleting || !b.style.own(w.Namespace, detail.Labels) {
		return
	}
	name := w.Namespace + "/" + w.Name
	for i := range detail.Containers {
		c := &detail.Containers[i]
		ended := c.State.Terminated
		ends := c.RestartCount
		if ended != nil && ended.ExitCode != 0 {
			ends++
		} else {
			ended = c.LastState.Terminated
		}
		how := "restarted"
		if ended != nil {
			how = "ended with " + ended.Text()
		}
		b.count(w.UID+"/"+c.Name, ends, fmt.Sprintf("container %s of pod %s %s", c.Name, name, how))
	}
	if pod.Phase == "Failed" {
		b.count(w.UID+"/", 1, fmt.Sprintf("pod %s failed: %s", name, detail.Text()))
	}
}

// count takes note of how often something has ended so far.
func (b *block) count(id string, ends int, what string) {
	if more := ends - b.ends[id]; more > 0 && b.installed {
		if b.Ends += more; b.First == "" {
			b.First = what
		}
	}
	b.ends[id] = max(ends, b.ends[id])
}
