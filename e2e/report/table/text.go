package table

import (
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Width is the most columns that a line of a terminal takes.
const Width = 100

// columnWidth is the most columns that a cell takes.
const columnWidth = 40

// Paint colours a text by an outcome (ECMA-48).
func Paint(outcome spec.Outcome, text string) string {
	codes := map[spec.Outcome]string{spec.Pass: "32", spec.Fail: "31", spec.Flaky: "31", spec.Late: "31", spec.Invalid: "33"}
	if code := codes[outcome]; code != "" {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}

// Sign is an outcome in a few letters, where there is no room for its name.
func Sign(o spec.Outcome) string {
	switch o {
	case spec.Pass:
		return "✓"
	case spec.Fail:
		return "✗"
	case spec.Flaky:
		return "≈"
	case spec.Late:
		return "✗ late"
	case spec.Invalid:
		return "!"
	}
	return plain.Unknown
}

// Lines are the header and the rows for a terminal, without colours.
func (t Table) Lines() []string {
	rows := append([][]Cell{Texts(t.Header...)}, t.Rows...)
	widths, sum := make([]int, len(t.Header)), 0
	for i := range widths {
		for _, row := range rows {
			widths[i] = min(max(widths[i], utf8.RuneCountInString(row[i].Text)), columnWidth)
		}
		sum += widths[i]
	}
	gap := "  "
	if sum+len(gap)*(len(widths)-1) > Width {
		gap = " "
	}
	var lines []string
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			fill := plain.Right
			if t.AlignedLeft(i) {
				fill = plain.Left
			}
			cells[i] = fill(plain.Clip(plain.Line(cell.Text), widths[i]), widths[i])
		}
		lines = append(lines, plain.Clip(strings.TrimRight(strings.Join(cells, gap), " "), Width))
	}
	return lines
}
