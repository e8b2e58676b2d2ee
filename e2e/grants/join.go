package grants

import "slices"

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
	return u.Sum()
}

// is tells whether both are of one account, role and scope.
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

func union[T comparable](a, b []T) []T {
	return join(a, b, func(x, y T) bool { return x == y }, func(*T, T) {})
}
