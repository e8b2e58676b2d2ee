package cost

import (
	"cmp"
	"slices"
)

// Held is what it takes to keep custom resources that are all handled.
type Held struct {
	Customs int    `json:"customs"` // how many there are
	Memory  Figure `json:"memory"`  // working sets, in bytes
}

// growth is that by how many there are.
type growth []Held

func (g *growth) add(customs int, memory Value) {
	i, there := slices.BinarySearchFunc(*g, customs, func(h Held, n int) int { return cmp.Compare(h.Customs, n) })
	if !there {
		*g = slices.Insert(*g, i, Held{Customs: customs, Memory: Figure{Unit: "bytes"}})
	}
	(*g)[i].Memory.Values = append((*g)[i].Memory.Values, memory)
}

// Slope is how much memory a thousand custom resources more take, in bytes: from the idle
// style, or where that is not known from the load with the fewest, to the load with the most.
func (c Cost) Slope() (slope float64, known bool) {
	if len(c.Growth) == 0 {
		return 0, false
	}
	first, last := Held{Memory: c.IdleMemory}, c.Growth[len(c.Growth)-1]
	if !first.Memory.Known() {
		first = c.Growth[0]
	}
	if last.Customs == first.Customs {
		return 0, false
	}
	return (last.Memory.Median() - first.Memory.Median()) / float64(last.Customs-first.Customs) * 1000, true
}
