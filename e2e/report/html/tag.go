package html

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// tag is a label that stands in a row above a plot, over the place that it names.
type tag struct {
	Text string
	At   float64 // the place that it names
	X, Y float64 // the text's middle and base line
	Row  int     // from 0, the lowest
}

// The widest that a letter is on average, in a chart's units: fonts differ, and
// what is too wide must not touch its neighbour. Tags are bold.
const (
	glyph     = 7.2
	boldGlyph = 8.4
)

// longest is the most letters that a label has.
const longest = 28

// width is the room that the label takes.
func (t *tag) width() float64 { return boldGlyph * float64(utf8.RuneCountInString(t.Text)) }

// place puts labels between two edges, each in the lowest row in which it
// touches no other, and returns how many rows there are.
func place(tags []*tag, left, right float64) (rows int) {
	const gap = 10
	ordered := slices.SortedStableFunc(slices.Values(tags), func(a, b *tag) int { return cmp.Compare(a.At, b.At) })
	var ends []float64 // of each row
	for _, t := range ordered {
		half := t.width() / 2
		t.X = max(min(t.At, right-half), left+half)
		t.Row = slices.IndexFunc(ends, func(end float64) bool { return t.X-half >= end+gap })
		if t.Row < 0 {
			t.Row = len(ends)
			ends = append(ends, 0)
		}
		ends[t.Row] = t.X + half
	}
	return len(ends)
}

// clip shortens a text to a number of letters.
func clip(text string, letters int) string {
	if utf8.RuneCountInString(text) <= letters {
		return text
	}
	return string([]rune(text)[:letters-1]) + "…"
}
