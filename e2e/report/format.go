package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// Duration prints seconds with three significant digits in a sensible unit.
func Duration(seconds float64) string {
	value, unit := seconds, "s"
	switch size := math.Abs(seconds); {
	case size == 0:
		return "0 s"
	case size < 0.9995e-3:
		value, unit = seconds*1e6, "µs"
	case size < 0.9995:
		value, unit = seconds*1e3, "ms"
	}
	return digits(value) + " " + unit
}

// digits prints a number with three significant digits, and never fewer than
// its whole part.
func digits(value float64) string {
	switch size := math.Abs(value); {
	case size >= 99.95:
		return strconv.FormatFloat(value, 'f', 0, 64)
	case size >= 9.995:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return strconv.FormatFloat(value, 'f', 2, 64)
}

// Bytes prints a size with three significant digits in a binary unit.
func Bytes(size int64) string {
	value, unit := float64(size), "B"
	for _, next := range []string{"KiB", "MiB", "GiB"} {
		if math.Abs(value) < 999.5 {
			break
		}
		value, unit = value/1024, next
	}
	if unit == "B" {
		return strconv.FormatInt(size, 10) + " B"
	}
	return digits(value) + " " + unit
}

// Latency prints an order statistic; a censored one is only known to be larger.
func Latency(o stat.Observation) string {
	if o.Censored {
		return ">" + Duration(o.Value)
	}
	return Duration(o.Value)
}

// clean makes a foreign text harmless, in one line.
func clean(s string) string { return plain.Line(s) }

// wrap breaks a text between words into lines of at most width runes; a longer
// word has a line of its own.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// plural is a count with its noun; many is the noun's plural where an s does
// not make it.
func plural(n int, word string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + word
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Clip shortens a text to a width in runes.
func Clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(width-1, 0)]) + "…"
}

// pad fills a text with blanks on its right up to a width in runes.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// padLeft fills a text with blanks on its left.
func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0)) + text
}
