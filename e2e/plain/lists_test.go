package plain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/plain"
)

func TestLists(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	twice := func(n int) []int { return []int{n, n} }
	for name, list := range map[string][]int{"nil": nil, "empty": {}} {
		assert.Nil(t, plain.Map(list, even), name)
		assert.Nil(t, plain.Flat(list, twice), name)
		assert.Nil(t, plain.Where(list, even), name)
		assert.Nil(t, plain.Pick(list, func(n int) (int, bool) { return n, true }), name)
	}
	list := []int{1, 2, 3, 4}
	assert.Nil(t, plain.Where(list, func(int) bool { return false }))
	assert.Equal(t, []int{2, 4}, plain.Where(list, even))
	assert.Equal(t, []int{1, 2, 3, 4}, list, "it stays as it is")
	assert.Equal(t, []bool{false, true, false, true}, plain.Map(list, even))
	assert.Equal(t, []int{1, 1, 2, 2}, plain.Flat(list[:2], twice))
	assert.Equal(t, []int{20, 40}, plain.Pick(list, func(n int) (int, bool) { return 10 * n, even(n) }))
	assert.Equal(t, 10, plain.Sum(list, func(n int) int { return n }))
	assert.Equal(t, map[bool]bool{true: true, false: true}, plain.Set(list, even))
	seen := 0
	assert.ErrorIs(t, plain.Try(list, func(n int) error {
		if seen++; n == 2 {
			return assert.AnError
		}
		return nil
	}), assert.AnError)
	assert.Equal(t, 2, seen, "it ends with the first error")
	assert.NoError(t, plain.Try(list[:1], func(int) error { return nil }))
	found, there := plain.Find(list, even)
	assert.Equal(t, 2, found)
	assert.True(t, there)
	_, there = plain.Find(list[:1], even)
	assert.False(t, there)

	groups := plain.Grouped([]string{"b1", "a1", "b2"}, func(s string) string { return s[:1] })
	assert.Equal(t, []string{"b", "a"}, groups.Keys)
	assert.Equal(t, map[string][]string{"b": {"b1", "b2"}, "a": {"a1"}}, groups.Of)
}
