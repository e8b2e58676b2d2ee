package plain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unknown stands where nothing is known.
const Unknown = "–"

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
	return Digits(value) + " " + unit
}

// AtLeast prints seconds, with a > before them if only the least is known.
func AtLeast(seconds float64, censored bool) string {
	if censored {
		return ">" + Duration(seconds)
	}
	return Duration(seconds)
}

// Digits prints a number with three significant digits, and never fewer than its whole part.
func Digits(value float64) string {
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
	return Digits(value) + " " + unit
}

// Plural is a count with its noun; many is the noun's plural where an s does not make it.
func Plural(n int, word string, many ...string) string {
	return strconv.Itoa(n) + " " + Noun(n, word, many...)
}

// Noun is what Plural counts.
func Noun(n int, word string, many ...string) string {
	switch {
	case n == 1:
		return word
	case len(many) > 0:
		return many[0]
	}
	return word + "s"
}

// Span is a number, or the least and the most of several.
func Span(least, most int) string {
	if least != most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return strconv.Itoa(least)
}

// Clip shortens a text to a width in runes.
func Clip(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	runes := []rune(text)
	return string(runes[:max(width-1, 0)]) + "…"
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
