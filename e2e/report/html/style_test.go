package html_test

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// luminance is the relative luminance of a colour like #1a2b3c: Web Content
// Accessibility Guidelines 2.2, definition of relative luminance.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		part := float64(value) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

// contrast is the contrast ratio of two colours, from 1 to 21 (ibid.).
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	one, two := luminance(t, a), luminance(t, b)
	return (max(one, two) + 0.05) / (min(one, two) + 0.05)
}

// Level AA asks for 4.5 for text. Texts stand on paper and on panels, in both schemes.
func TestContrastIsAA(t *testing.T) {
	css, err := os.ReadFile("style.css")
	require.NoError(t, err)
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(css), -1)
	require.Len(t, blocks, 2, "a light and a dark scheme")
	var names []string
	for _, block := range blocks {
		colours := map[string]string{}
		for _, one := range regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block[1], -1) {
			colours[one[1]] = one[2]
		}
		require.GreaterOrEqual(t, len(colours), 16)
		for name, colour := range colours {
			names = append(names, name)
			if name[0] == 'h' && len(name) == 2 { // a ground of its own: a ratio to the best
				assert.GreaterOrEqual(t, contrast(t, colours["ink"], colour), 4.5, "ink on %s %s", name, colour)
				continue
			}
			if name == "paper" || name == "panel" || name == "rule" || name == "grid" {
				continue
			}
			for _, ground := range []string{"paper", "panel"} {
				assert.GreaterOrEqual(t, contrast(t, colour, colours[ground]), 4.5, "%s %s on %s %s", name, colour, ground, colours[ground])
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		first, _ := slices.BinarySearch(names, name)
		assert.Equal(t, []string{name, name}, names[first:min(first+2, len(names))], "a colour is in both schemes")
	}
}

func TestContrastOfBlackOnWhite(t *testing.T) {
	assert.InDelta(t, 21, contrast(t, "#000000", "#ffffff"), 1e-9)
	assert.InDelta(t, 4.54, contrast(t, "#767676", "#ffffff"), 0.01, "the well-known lightest grey of level AA")
}
