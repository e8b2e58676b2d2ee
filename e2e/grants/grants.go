// Package grants holds the rights that an operator style's service accounts have against the calls that they made: what
// was never used, what was refused, who can read secrets and who did. It is a pure function of recordings, which have
// the rules as they were installed and the API server's audit log.
//
// A right that was never used is not needed in the scenarios that were driven; Use.Over says which these were. A rare
// need (an error path, a removal) shows only where a scenario brings it about. A list may be needed although it is not
// used: an API server that can stream a list as a watch is not asked for one.
package grants

import (
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Use is what one style's service accounts may do, and did.
type Use struct {
	Style   string `json:"style"`
	Variant string `json:"variant,omitempty"`
	// Over is what the style was driven through: install, scenarios by name in the
	// order in which they were first seen, removal.
	Over []string `json:"over,omitempty"`
	// Audited: the recording has the API server's audit log. Without it nothing
	// is known of use, and all counts are zero.
	Audited bool `json:"audited"`
	// Lost counts interruptions of the log: what was called meanwhile is not known.
	Lost int `json:"lost,omitempty"`
	// Rights are all that are held, in the order of service account and role.
	Rights []Right `json:"rights,omitempty"`
	// Denied are calls that the API server refused with 403 Forbidden.
	Denied []Call `json:"denied,omitempty"`
	// Beyond are calls that it answered although none of the rights allow them:
	// what every account may do, or a role that the style did not install.
	Beyond []Call `json:"beyond,omitempty"`
	// Secrets says for each service account that can read secrets where and through what, and whether it ever did.
	Secrets []SecretRights `json:"secrets,omitempty"`
	// Reasons say which accounts may read secrets for a reason.
	Reasons []spec.SecretReader `json:"reasons,omitempty"`
	// Findings are rights that the style should not hold.
	Findings []string `json:"findings,omitempty"`
}

// Right is a right, and how often it was used.
type Right struct {
	spec.Right
	// Used counts the calls that it allows and that were made, however they were
	// answered: a call that two rights allow counts for both.
	Used int `json:"used"`
	// As are the calls themselves, of a right with a wildcard.
	As []Call `json:"as,omitempty"`
	// Within are the namespaces that a right of the whole cluster was used in, if
	// they are the style's own alone: a Role in each would have been enough.
	Within []string `json:"within,omitempty"`
}

// Call is what a service account asked of the API, and how often.
type Call struct {
	ServiceAccount string `json:"serviceAccount"`
	Verb           string `json:"verb"`
	Group          string `json:"group,omitempty"`
	Resource       string `json:"resource"`            // with subresource
	Namespace      string `json:"namespace,omitempty"` // of Denied only; "(elsewhere)": none of the style's own
	Count          int    `json:"count"`
	// Granted, of Denied: a right allows it, so that something else refused it: an admission policy, a quota, a
	// namespace that goes, or that the right had been withdrawn by a fault.
	Granted bool `json:"granted,omitempty"`
}

// SecretRights says how a service account can read secrets.
type SecretRights struct {
	ServiceAccount string   `json:"serviceAccount"`
	Role           string   `json:"role"`
	Namespace      string   `json:"namespace,omitempty"` // empty: in the whole cluster
	Name           string   `json:"name,omitempty"`      // of the only one; empty: any
	Verbs          []string `json:"verbs"`               // get, list, watch, or * for all
	Reads          int      `json:"reads"`               // that it made through these
}

// Unused are the rights that were never used; none if nothing is known of use.
// URLs are left out: the audit log does not tell of them.
func (u Use) Unused() []Right {
	return plain.Where(u.Rights, func(r Right) bool { return u.Audited && r.Used == 0 && r.URL == "" })
}

// Join adds up by style what recordings say: what one shard never used, another may
// have. A style without rights is left out: recordings did not always have them.
func Join(uses ...Use) []Use {
	uses = slices.DeleteFunc(slices.Clone(uses), func(u Use) bool { return len(u.Rights) == 0 })
	return join(nil, uses, func(a, b Use) bool { return a.Style == b.Style && a.Variant == b.Variant },
		func(into *Use, from Use) { *into = into.with(from) })
}

// with adds up what two recordings say of one style. It is audited where both are:
// what one log does not tell of may have been used.
func (u Use) with(other Use) Use {
	u.Audited = u.Audited && other.Audited
	u.Lost += other.Lost
	u.Over = union(u.Over, other.Over)
	u.Rights = join(u.Rights, other.Rights, func(a, b Right) bool { return a.Right == b.Right }, func(into *Right, from Right) {
		if into.Used > 0 && from.Used > 0 && (len(into.Within) == 0) != (len(from.Within) == 0) {
			into.Within = nil // somewhere it was used in other namespaces too
		} else {
			into.Within = union(into.Within, from.Within)
		}
		into.Used += from.Used
		into.As = joinCalls(into.As, from.As...)
	})
	u.Denied, u.Beyond = joinCalls(u.Denied, other.Denied...), joinCalls(u.Beyond, other.Beyond...)
	u.Secrets = join(u.Secrets, other.Secrets, func(a, b SecretRights) bool { return a.is(b) && slices.Equal(a.Verbs, b.Verbs) },
		func(into *SecretRights, from SecretRights) { into.Reads += from.Reads })
	u.Reasons = union(u.Reasons, other.Reasons)
	u.Findings = u.find()
	return u
}

// is reports whether both are of one account, role and scope.
func (s SecretRights) is(other SecretRights) bool {
	return s.ServiceAccount == other.ServiceAccount && s.Role == other.Role && s.Namespace == other.Namespace && s.Name == other.Name
}

// join adds b to a: what is the same is added up by add, the rest follows.
func join[T any](a, b []T, same func(a, b T) bool, add func(into *T, from T)) []T {
	all := slices.Clone(a)
	for _, one := range b {
		if i := slices.IndexFunc(all, func(have T) bool { return same(have, one) }); i >= 0 {
			add(&all[i], one)
			continue
		}
		all = append(all, one)
	}
	return all
}

// joinCalls adds calls to others; the same is counted together.
func joinCalls(calls []Call, more ...Call) []Call {
	same := func(a, b Call) bool {
		a.Count, b.Count = 0, 0
		return a == b
	}
	return join(calls, more, same, func(into *Call, from Call) { into.Count += from.Count })
}

func union[T comparable](a, b []T) []T { return plain.Once(slices.Clip(a), b...) }
