package schema

import "fmt"

// Suggestion ends an error about an unknown name with the known one that was
// probably meant, or with nothing.
func Suggestion(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// nearest returns the known name with the fewest edits to the given one, or
// none if that takes more than two edits and more than a third of its letters.
func nearest(name string, known []string) string {
	best, fewest := "", min(max(2, len(name)/3)+1, len(name))
	for _, candidate := range known {
		if d := edits(name, candidate); d < fewest {
			best, fewest = candidate, d
		}
	}
	return best
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
