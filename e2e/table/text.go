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

// Lines are the header and the rows for a terminal; paint colours the cells of an outcome, nil does not.
func (t Table) Lines(paint func(spec.Outcome, string) string) []string {
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
	columns := make([]Column, len(widths))
	for i, w := range widths {
		columns[i] = Column{Gap: gap, Width: w, Most: w, Left: t.AlignedLeft(i)}
	}
	columns[0].Gap = ""
	var lines []string
	for _, row := range rows {
		line := Line(columns, row, nil)
		if utf8.RuneCountInString(line) > Width {
			lines = append(lines, plain.Clip(line, Width))
			continue
		}
		lines = append(lines, Line(columns, row, paint))
	}
	return lines
}

// Column is how the cells of a column stand in a terminal.
type Column struct {
	Gap   string // before it
	Width int    // that it is filled up to
	Most  int    // that it is cut off at; 0: nowhere
	Left  bool   // it is aligned to the left
}

// Line lays out the cells of a row; paint colours those of an outcome, nil does not.
func Line(columns []Column, cells []Cell, paint func(spec.Outcome, string) string) string {
	var line strings.Builder
	for i, cell := range cells {
		c, text := columns[i], plain.Line(cell.Text)
		if c.Most > 0 {
			text = plain.Clip(text, c.Most)
		}
		if c.Left {
			text = plain.Left(text, c.Width)
		} else {
			text = plain.Right(text, c.Width)
		}
		if cell.Outcome != "" && paint != nil {
			text = paint(cell.Outcome, text)
		}
		line.WriteString(c.Gap + text)
	}
	return strings.TrimRight(line.String(), " ")
}
