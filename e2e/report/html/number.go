package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// count prints a whole number, its thousands apart.
func count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// counted prints a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(n) + " " + noun
}

// times prints a ratio with three significant digits.
func times(ratio float64) string {
	switch {
	case math.IsNaN(ratio) || ratio > 1e15:
		return "–"
	case ratio >= 99.95:
		size := math.Pow(10, math.Floor(math.Log10(ratio))-2)
		return count(int(math.Round(ratio/size)*size)) + "×"
	case ratio >= 9.995:
		return strconv.FormatFloat(ratio, 'f', 1, 64) + "×"
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64) + "×"
}

// percent prints a share of the whole; it says 100% only if it is the whole.
func percent(share float64) string {
	switch {
	case share < 1 && share >= 0.995:
		return "over 99%"
	case share > 0 && share < 0.005:
		return "under 1%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// list joins words as a sentence does.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
