package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Width is the most columns that a line of a terminal takes.
const Width = 100

// columnWidth is the most columns that a cell takes.
const columnWidth = 42

// Paint colours a text by an outcome (ECMA-48).
func Paint(outcome spec.Outcome, text string) string {
	codes := map[spec.Outcome]string{spec.Pass: "32", spec.Fail: "31", spec.Flaky: "31", spec.Late: "31", spec.Invalid: "33"}
	if code := codes[outcome]; code != "" {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}

// Lines are the header and the rows for a terminal; paint colours the cells of an outcome, nil does not. Where a line
// would be too wide, the words of a head stand below each other; if that is not enough, the last columns are left out,
// which a last line says. A tail is cut off instead.
func (t Table) Lines(paint func(spec.Outcome, string) string) []string {
	head, gap, shown := [][]string{t.Header}, "  ", len(t.Header)
	widths := t.widths(head)
	over := func() bool {
		sum := len(gap) * (shown - 1)
		for _, w := range widths[:shown] {
			sum += w
		}
		return sum > Width
	}
	if over() {
		gap = " "
	}
	if over() {
		head = stacked(t.Header, t.widths(nil))
		widths = t.widths(head)
	}
	for over() && shown > 1 && !t.Tail {
		shown--
	}
	columns := make([]Column, shown)
	for i := range columns {
		columns[i] = Column{Gap: gap, Width: widths[i], Most: widths[i], Left: t.AlignedLeft(i)}
	}
	columns[0].Gap = ""
	var lines []string
	for _, row := range append(plain.Map(head, func(one []string) []Cell { return Texts(one...) }), t.Rows...) {
		line := Line(columns, row[:shown], nil)
		if utf8.RuneCountInString(line) > Width {
			lines = append(lines, plain.Clip(line, Width))
			continue
		}
		lines = append(lines, Line(columns, row[:shown], paint))
	}
	if shown < len(t.Header) {
		lines = append(lines, plain.Clip(fmt.Sprintf("  too wide for %d columns: %s (--format=markdown has all)", Width, strings.Join(t.Header[shown:], ", ")), Width))
	}
	return lines
}

// widths are what the columns need, under lines of heads.
func (t Table) widths(head [][]string) []int {
	widths := make([]int, len(t.Header))
	for i := range widths {
		for _, one := range head {
			widths[i] = max(widths[i], utf8.RuneCountInString(one[i]))
		}
		for _, row := range t.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i].Text))
		}
		widths[i] = min(widths[i], columnWidth)
	}
	return widths
}

// stacked are heads in as many lines as it takes for each to be as wide as its column, or its longest word. Their last
// words stand beside each other.
func stacked(heads []string, widths []int) [][]string {
	var lines [][]string
	for i, head := range heads {
		words := plain.Wrap(plain.Line(head), widths[i])
		for len(lines) < len(words) {
			lines = slices.Insert(lines, 0, make([]string, len(heads)))
		}
		for k, word := range words {
			lines[len(lines)-len(words)+k][i] = word
		}
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
		width := c.Width
		if c.Left {
			width = -width
		}
		text = fmt.Sprintf("%*s", width, text)
		if cell.Outcome != "" && paint != nil {
			text = paint(cell.Outcome, text)
		}
		line.WriteString(c.Gap + text)
	}
	return strings.TrimRight(line.String(), " ")
}
