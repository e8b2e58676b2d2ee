package grants

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Uses says what was added so far: one Use for each style and variant that was
// installed and holds rights or made calls, in the header's order.
func (m *Meter) Uses() []Use {
	var uses []Use
	for _, s := range m.order {
		if len(s.calls) > 0 || len(s.Grants) > 0 && (s.installed || len(s.scenarios) > 0) {
			uses = append(uses, m.use(s))
		}
	}
	return uses
}

func (m *Meter) use(s *style) Use {
	u := Use{Style: s.Name, Variant: s.Variant, Over: s.over(), Audited: m.audited, Lost: m.lost}
	u.Rights = s.rights()
	calls := s.sorted()
	for i := range u.Rights {
		s.count(&u.Rights[i], calls)
	}
	for _, c := range calls {
		granted := slices.ContainsFunc(u.Rights, func(r Right) bool { return r.allows(c) })
		switch {
		case c.denied:
			one := c.public(s.calls[c])
			one.Namespace, one.Granted = c.namespace, granted
			u.Denied = joinCalls(u.Denied, one)
		case !granted:
			u.Beyond = joinCalls(u.Beyond, c.public(s.calls[c]))
		}
	}
	u.Secrets = secrets(s, u.Rights, calls)
	u.Reasons = s.Style.Secrets
	u.Findings = u.find()
	return u
}

// over is what the style was driven through.
func (s *style) over() []string {
	var over []string
	if s.installed {
		over = append(over, "install")
	}
	over = append(over, s.scenarios...)
	if s.removed {
		over = append(over, "removal")
	}
	return over
}

// rights expands the style's grants, each right once.
func (s *style) rights() []Right {
	held := plain.Once(nil, plain.Flat(s.Grants, spec.Grant.Rights)...)
	rights := plain.Map(held, func(r spec.Right) Right { return Right{Right: r} })
	slices.SortFunc(rights, func(a, b Right) int {
		return cmp.Or(cmp.Compare(a.ServiceAccount, b.ServiceAccount), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
	})
	return rights
}

// sorted lists the distinct calls in an order of their own.
func (s *style) sorted() []call {
	return slices.SortedFunc(maps.Keys(s.calls), func(a, b call) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.group, b.group), cmp.Compare(a.resource, b.resource),
			cmp.Compare(a.verb, b.verb), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name),
			cmp.Compare(fmt.Sprint(a.denied, a.created), fmt.Sprint(b.denied, b.created)))
	})
}

// count counts the right's use.
func (s *style) count(r *Right, calls []call) {
	var within []string
	own := true
	for _, c := range calls {
		if !r.allows(c) {
			continue
		}
		r.Used += s.calls[c]
		if r.wild() {
			r.As = joinCalls(r.As, c.public(s.calls[c]))
		}
		own = own && slices.Contains(s.Namespaces, c.namespace)
		within = append(within, c.namespace)
	}
	if r.ClusterWide() && own && r.Used > 0 {
		slices.Sort(within)
		r.Within = slices.Compact(within)
	}
}

// public is the call as Use has it.
func (c call) public(count int) Call {
	return Call{ServiceAccount: c.account, Verb: c.verb, Group: c.group, Resource: c.resource, Count: count}
}

// secrets says who can read secrets: one line for each account, role and scope.
func secrets(s *style, rights []Right, calls []call) []SecretRights {
	readers := plain.Where(rights, func(r Right) bool { return r.ReadsSecrets() })
	through := func(r Right) SecretRights {
		return SecretRights{ServiceAccount: r.ServiceAccount, Role: r.Role, Namespace: r.Namespace, Name: r.Name}
	}
	var all []SecretRights
	for _, r := range readers {
		one := plain.FindOrAdd(&all, through(r).is, through(r))
		one.Verbs = plain.Once(one.Verbs, r.Verb)
	}
	for i := range all {
		for _, c := range calls {
			if c.readsSecrets() && slices.ContainsFunc(readers, func(r Right) bool { return all[i].is(through(r)) && r.allows(c) }) {
				all[i].Reads += s.calls[c]
			}
		}
	}
	return all
}
