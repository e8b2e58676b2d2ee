// Package table is the one model of a report's tables: what is in them, and with which outcome. Each format is one
// file, with one place that knows how an outcome looks in it.
package table

import "operatorbench/e2e/spec"

// Table is a table with what belongs to it.
type Table struct {
	Title  string
	Header []string
	Left   int    // how many columns are aligned to the left, from the first
	Tail   bool   // so is the last one
	Words  []bool // columns that hold words, from the first: aligned to the left, too
	Rows   [][]Cell
	Notes  []string
}

// Cell is what is in a row, in one column.
type Cell struct {
	Text    string       // in several lines, where the format has room for these
	Outcome spec.Outcome // what the cell tells of; empty: of no outcome
	Strong  string       // the last line, which must not be missed
	Link    string       // to what explains the text, where the format has links; empty: none
}

// Texts are cells of no outcome.
func Texts(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// Row adds cells of no outcome.
func (t *Table) Row(texts ...string) { t.Rows = append(t.Rows, Texts(texts...)) }

// AlignedLeft reports whether a column, from 0, is aligned to the left: it holds words, not numbers.
func (t Table) AlignedLeft(column int) bool {
	return column < t.Left || column == len(t.Header)-1 && t.Tail || column < len(t.Words) && t.Words[column]
}
