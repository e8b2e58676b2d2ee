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
