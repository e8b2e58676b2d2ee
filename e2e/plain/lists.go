package plain

import "slices"

// Once adds to a list those of some more that it does not have.
func Once[T comparable](list []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// Map returns what of makes of each element of a list, in their order; of an empty list nil.
func Map[T, S any](list []T, of func(T) S) []S {
	var all []S
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}

// Flat joins the lists that of makes of each element; of an empty list nil.
func Flat[T, S any](list []T, of func(T) []S) []S { return slices.Concat(Map(list, of)...) }

// Where returns those elements that count, in their order; nil if none does.
func Where[T any](list []T, counts func(T) bool) []T {
	var some []T
	for _, one := range list {
		if counts(one) {
			some = append(some, one)
		}
	}
	return some
}

// Pick returns what of makes of those elements that count; nil if none does.
func Pick[T, S any](list []T, of func(T) (made S, counts bool)) []S {
	var some []S
	for _, one := range list {
		if made, counts := of(one); counts {
			some = append(some, made)
		}
	}
	return some
}

// Find returns the first element that is meant; false if none is.
func Find[T any](list []T, is func(T) bool) (found T, there bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return found, false
}

// FindOrAdd returns the first element that is meant, which is a fresh one, now the last, where there was none.
func FindOrAdd[T any](list *[]T, is func(T) bool, fresh T) *T {
	i := slices.IndexFunc(*list, is)
	if i < 0 {
		i, *list = len(*list), append(*list, fresh)
	}
	return &(*list)[i]
}

// Try does something with each element until the first error, and returns that.
func Try[T any](list []T, do func(T) error) error {
	for _, one := range list {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}

// Set returns what of makes of the elements, as a set.
func Set[T any, K comparable](list []T, of func(T) K) map[K]bool {
	set := map[K]bool{}
	for _, one := range list {
		set[of(one)] = true
	}
	return set
}

// Sum adds up what of says of each element.
func Sum[T any, N ~int | ~int64 | ~float64](list []T, of func(T) N) (total N) {
	for _, one := range list {
		total += of(one)
	}
	return total
}

// Groups are elements by a key, the keys in the order in which they came.
type Groups[K comparable, T any] struct {
	Keys []K
	Of   map[K][]T
}

// Add puts an element into the group of a key.
func (g *Groups[K, T]) Add(key K, one T) {
	if g.Of == nil {
		g.Of = map[K][]T{}
	}
	if _, known := g.Of[key]; !known {
		g.Keys = append(g.Keys, key)
	}
	g.Of[key] = append(g.Of[key], one)
}

// Grouped groups the elements of a list.
func Grouped[K comparable, T any](list []T, key func(T) K) (g Groups[K, T]) {
	for _, one := range list {
		g.Add(key(one), one)
	}
	return g
}
