package grants

import (
	"slices"

	"operatorbench/e2e/spec"
)

// Join adds up over all recordings what styles did with their rights: what
// one shard never used, another may have.
func Join(recordings ...[]Use) []Use {
	var all []Use
	for _, use := range slices.Concat(recordings...) {
		if len(use.Rights) == 0 { // recordings did not always have them
			continue
		}
		i := slices.IndexFunc(all, func(u Use) bool { return u.Style == use.Style && u.Variant == use.Variant })
		if i < 0 {
			all = append(all, use)
			continue
		}
		all[i] = joinUse(all[i], use)
	}
	return all
}

// joinUse adds up what two recordings say of one style. It is audited where both are:
// what one log does not tell of may have been used.
func joinUse(a, b Use) Use {
	a.Audited = a.Audited && b.Audited
	a.Lost += b.Lost
	a.Over = union(a.Over, b.Over)
	a.Rights = mergeAll(a.Rights, b.Rights, sameRight, func(into *Right, from Right) {
		if into.Used > 0 && from.Used > 0 && (len(into.Within) == 0) != (len(from.Within) == 0) {
			into.Within = nil // somewhere it was used in other namespaces too
		} else {
			into.Within = union(into.Within, from.Within)
		}
		into.Used += from.Used
		into.As = joinCalls(into.As, from.As)
	})
	a.Denied, a.Beyond = joinCalls(a.Denied, b.Denied), joinCalls(a.Beyond, b.Beyond)
	a.Secrets = mergeAll(a.Secrets, b.Secrets, sameSecrets, func(into *SecretRights, from SecretRights) { into.Reads += from.Reads })
	a.Reasoned = a.Reasoned && b.Reasoned
	a.Reasons = mergeAll(a.Reasons, b.Reasons, func(x, y spec.SecretReader) bool { return x == y }, func(*spec.SecretReader, spec.SecretReader) {})
	return a.Sum()
}

// mergeAll adds b to a: what is the same is added up by add, the rest follows.
func mergeAll[T any](a, b []T, same func(a, b T) bool, add func(into *T, from T)) []T {
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

func joinCalls(a, b []Call) []Call {
	all := slices.Clone(a)
	for _, c := range b {
		all = merge(all, c)
	}
	return all
}

func sameRight(a, b Right) bool {
	return a.ServiceAccount == b.ServiceAccount && a.Role == b.Role && a.Namespace == b.Namespace && a.Group == b.Group &&
		a.Resource == b.Resource && a.Name == b.Name && a.Verb == b.Verb && a.URL == b.URL
}

func sameSecrets(a, b SecretRights) bool {
	return a.ServiceAccount == b.ServiceAccount && a.Role == b.Role && a.Namespace == b.Namespace && a.Name == b.Name && slices.Equal(a.Verbs, b.Verbs)
}

func union(a, b []string) []string {
	return mergeAll(a, b, func(x, y string) bool { return x == y }, func(*string, string) {})
}
