package table

import (
	"regexp"
	"strings"
	"unicode"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Emoji is the mark of an outcome in Markdown, with a blank behind it.
func Emoji(o spec.Outcome) string {
	return map[spec.Outcome]string{spec.Pass: "✅ ", spec.Fail: "❌ ", spec.Flaky: "❌ ", spec.Late: "❌ ", spec.Invalid: "⚠️ "}[o]
}

// Markdown is the header and the rows as GitHub takes them.
func (t Table) Markdown() string {
	var b strings.Builder
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	header, marks := make([]string, len(t.Header)), make([]string, len(t.Header))
	for i, name := range t.Header {
		header[i], marks[i] = Escape(name), "--:"
		if t.AlignedLeft(i) {
			marks[i] = "---"
		}
	}
	row(header)
	row(marks)
	for _, r := range t.Rows {
		cells := plain.Map(r, func(cell Cell) string { return cell.markdown() })
		row(cells)
	}
	return b.String()
}

func (c Cell) markdown() string {
	var lines []string
	if c.Text != "" {
		for line := range strings.SplitSeq(c.Text, "\n") {
			line = Escape(line)
			if c.Link != "" {
				line = "[" + line + "](" + c.Link + ")"
			}
			lines = append(lines, line)
		}
	}
	if c.Strong != "" {
		lines = append(lines, "**"+Escape(c.Strong)+"**")
	}
	return Emoji(c.Outcome) + strings.Join(lines, "<br>")
}

// Escape escapes what Markdown would take for its own, and keeps GitHub from telling
// anybody who is named, linking any issue, and making links of addresses.
func Escape(s string) string {
	var b strings.Builder
	before := ' '
	for _, r := range references.ReplaceAllString(plain.Line(s), "${1}${3}${5}\x00${2}${4}${6}") {
		switch r {
		case 0: // no text of plain.Line has it
			b.WriteString(neutral)
		case '\\', '|', '*', '_', '`', '[', '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '@':
			b.WriteRune(r)
			if !unicode.IsLetter(before) && !unicode.IsDigit(before) { // else it is a variant, or an address
				b.WriteString(neutral)
			}
		case '#':
			b.WriteString("#" + neutral)
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// references are what GitHub makes links of without any mark, in two parts.
var references = regexp.MustCompile(`(?i)(:)(//)|(\bwww)(\.)|(\bgh-)(\d)`)

// neutral is nothing to a reader, and parts a name from the @ before it.
const neutral = "<!-- -->"
