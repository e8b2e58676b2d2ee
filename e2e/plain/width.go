package plain

import (
	"strings"
	"unicode/utf8"
)

// Clip shortens a text to a width in runes.
func Clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(width-1, 0)]) + "…"
}

// Left fills a text with blanks on its right up to a width in runes.
func Left(text string, width int) string {
	return text + blanks(text, width)
}

// Right fills a text with blanks on its left.
func Right(text string, width int) string {
	return blanks(text, width) + text
}

func blanks(text string, width int) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// Wrap breaks a text between words into lines of at most width runes; a longer
// word has a line of its own. No line is a command to a CI runner.
func Wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, inert(line))
			line = word
		}
	}
	return append(lines, inert(line))
}
