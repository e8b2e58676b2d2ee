package cluster

import (
	"fmt"
	"slices"
)

// The kinds of clusters that a run can ask for by name.
const (
	KindName     = "kind"
	ExistingName = "existing"
)

// A Capability is what a run may do to a cluster beside using its API. Its text completes "it may …".
type Capability string

// The capabilities.
const (
	LoadImages        Capability = "have images loaded into its nodes" // the Provider is an ImageLoader
	ReadAuditLog      Capability = "have its audit log read"           // the Provider is an Auditor
	ReadUsage         Capability = "be asked for the CPU time and memory of its pods, whoever asks"
	RemoveImages      Capability = "have images removed from its nodes"
	RestartNodes      Capability = "have its nodes restarted"
	BreakControlPlane Capability = "have its control plane broken"
	CutConnections    Capability = "have the connections of its pods cut"
	RemoveWhole       Capability = "be removed as a whole" // else each object that a run makes is
)

// Capabilities say what a cluster lets a run do. The zero value lets it do nothing.
type Capabilities struct {
	of  string // what it is, to begin a sentence
	can []Capability
}

// Can tells whether a cluster has a capability.
func (c Capabilities) Can(what Capability) bool { return slices.Contains(c.can, what) }

// Lacks says why what needs a capability cannot be done; "": it can, or it needs none.
func (c Capabilities) Lacks(needed Capability) string {
	if needed == "" || c.Can(needed) {
		return ""
	}
	return fmt.Sprintf("%s may not %s; --cluster=%s makes one that may", c.of, needed, KindName)
}

// CapabilitiesOf returns those of the clusters of a kind, by its name, before there is one.
func CapabilitiesOf(name string) Capabilities {
	switch name {
	case KindName:
		return (*Kind)(nil).Capabilities()
	case ExistingName:
		return (*Existing)(nil).Capabilities()
	}
	return Capabilities{of: fmt.Sprintf("cluster %q", name)}
}

// Names are those of the kinds of clusters.
func Names() []string { return []string{KindName, ExistingName} }
