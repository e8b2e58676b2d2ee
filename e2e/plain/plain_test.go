package plain_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/plain"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"as it is: ä 漢 ✓ > 5 %":               "as it is: ä 漢 ✓ > 5 %",
		"a\x1b[31mred\x1b]0;title\a\rb":       "a [31mred ]0;title  b",
		"\u009b31m":                           " 31m",
		"\u202eevil\u2066x\u2069\u200f\u061c": "\uFFFDevil\uFFFDx\uFFFD\uFFFD\uFFFD",
		"a\u200bb\ufeff\u2028\U000E0041":      "a\uFFFDb\uFFFD\uFFFD\uFFFD",
		"not \xff UTF-8":                      "not \uFFFD UTF-8",
		"two\nlines\t.":                       "two\nlines\t.",
		"::error::a\n \u2003::add-mask::b":    ": :error::a\n \u2003: :add-mask::b",
		"a ##[stop-commands]b":                "a ## [stop-commands]b",
		"in a line: a::b, ## [c]":             "in a line: a::b, ## [c]",
	} {
		assert.Equal(t, want, plain.Text(text))
	}
	assert.Equal(t, "one line", plain.Line("one\nline"))
	assert.Equal(t, ": :warning::x", plain.Line("::warning::x"))
	assert.Equal(t, []string{"one", ": :two::", "three"}, plain.Wrap("one ::two:: three", 8), "wrapped, it begins a line")
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[2J\u202e")
	f.Fuzz(func(t *testing.T, text string) {
		for line := range strings.Lines(plain.Text(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Fatalf("%q has a runner's command", line)
			}
		}
		for _, r := range plain.Text(text) {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%U is left of %q", r, text)
			}
		}
		assert.NotContains(t, plain.Line(text), "\n")
	})
}

func TestSome(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	assert.Empty(t, plain.Some(nil, 2))
	assert.Equal(t, "a, b and c", plain.Some(names[:3], 2), "one more takes no more room than its number")
	assert.Equal(t, "a, b and 2 more", plain.Some(names, 2))
}

func TestList(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		assert.Equal(t, want, plain.List(words))
	}
}
