package grants

import (
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Meter adds up what the service accounts of styles called, in one pass over a recording. It keeps a count for each
// distinct call, and keeps no entry. It accepts entries that make no sense together.
type Meter struct {
	order   []*style
	current *style // whose block was the last to begin
	audited bool
	lost    int
}

// style is what was seen of one style in one variant.
type style struct {
	record.Style
	installed, removed bool

	scenarios []string
	calls     map[call]int
}

// call is a request, as far as rights are concerned with it.
type call struct {
	account, verb, group, resource, namespace, name string

	denied  bool
	created bool // a patch that made the object, as a server-side apply may
}

// NewMeter returns a meter that has seen nothing.
func NewMeter() *Meter { return &Meter{} }

// Add takes the next entry of a recording, in its order.
func (m *Meter) Add(e record.Entry) {
	switch {
	case e.Header != nil && len(m.order) == 0:
		for _, s := range e.Header.Styles {
			m.order = append(m.order, &style{Style: s, calls: map[call]int{}})
		}
	case e.Block != nil:
		if s := m.style(e.Block.Style, e.Block.Variant); s != nil {
			m.current = s
			s.installed = s.installed || e.Block.Stage == record.Installing
			s.removed = s.removed || e.Block.Stage == record.Removed
			if found := e.Block.Installed; found != nil {
				s.Namespaces, s.Grants = found.Namespaces, found.Grants
			}
		}
	case e.Begin != nil:
		if s := m.style(e.Begin.Style, e.Begin.Variant); s != nil && e.Begin.Reason == "" && !e.Begin.Prepare {
			s.scenarios = plain.Once(s.scenarios, e.Begin.Scenario)
		}
	case e.Gap != nil && e.Gap.Resource == record.AuditLog:
		m.audited = true
		m.lost++
	case e.Audit != nil:
		m.audited = true
		m.audit(e.Audit)
	}
}

func (m *Meter) style(name, variant string) *style {
	found, _ := plain.Find(m.order, func(s *style) bool { return s.Name == name && s.Variant == variant })
	return found
}

// audit counts a call of a style's service account.
func (m *Meter) audit(a *record.Audit) {
	namespace, name, isAccount := a.Account()
	if !isAccount || a.Resource == "" {
		return
	}
	account := namespace + "/" + name
	s := m.holder(account)
	if s == nil {
		return
	}
	resource, rest, _ := strings.Cut(a.Resource, ".")
	_, group, _ := strings.Cut(rest, ".")
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	c := call{account: account, verb: a.Verb, group: group, resource: resource, denied: a.Code == 403, created: a.Verb == "patch" && a.Code == 201}
	c.namespace, c.name = s.place(a)
	s.calls[c]++
}

// holder is the style that an account is of. Variants of a style share their
// accounts: it is then the one that is installed.
func (m *Meter) holder(account string) *style {
	if m.current != nil && m.current.has(account) {
		return m.current
	}
	found, _ := plain.Find(m.order, func(s *style) bool { return s.has(account) })
	return found
}

// has reports whether an account is the style's: it holds a grant, or lives in one of the style's namespaces.
func (s *style) has(account string) bool {
	namespace, _, _ := strings.Cut(account, "/")
	return slices.Contains(s.Namespaces, namespace) ||
		slices.ContainsFunc(s.Grants, func(g spec.Grant) bool { return holds(g, account) })
}

// elsewhere stands for all namespaces that are not the style's own: a run makes one for each sample.
const elsewhere = "(elsewhere)"

// place returns the namespace and the name of a call as far as a right may depend
// on them, so that what is kept does not grow with the number of samples.
func (s *style) place(a *record.Audit) (namespace, name string) {
	namespace = a.Namespace
	named := func(g spec.Grant) bool { return slices.Contains(g.Names, a.Name) }
	if slices.ContainsFunc(s.Grants, named) {
		name = a.Name
	}
	in := func(g spec.Grant) bool { return g.Namespace == namespace }
	if namespace != "" && !slices.Contains(s.Namespaces, namespace) && !slices.ContainsFunc(s.Grants, in) {
		namespace = elsewhere
	}
	return namespace, name
}
