package styles

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A line counts if it says something; documentation counts nowhere, as in Go.
func TestLinesOfCommentsDoNotCount(t *testing.T) {
	for name, c := range map[string]struct {
		language, text string
		want           int
	}{
		"Javadoc of one line":       {"Java", "/** What it is. */\nclass A {\n}\n", 2},
		"Javadoc of several":        {"Java", "/**\n * What it is.\n */\nclass A { // so\n  // why\n}\n", 2},
		"code after a comment":      {"Java", "/* a */ int b;\n/* a\n b */ int c;\n", 2},
		"a block in a text":         {"Java", "String a = \"/* no comment\";\nint b;\n", 2},
		"a comment at a line's end": {"JavaScript", "a(); /* it\n goes on */\nb();\n", 2},
		"Go":                        {"Go", "// a\nvar a, b = `//\n\n/*` /* b\n*/, '`' // c\n\nvar c = \"`\"\n", 5},
		"Rust":                      {"Rust", "//! About.\n/* so */\nfn main() {}\n", 1},
		"docstrings":                {"Python", "\"\"\"What it is.\"\"\"\nimport a\n\n\ndef b():\n    \"\"\"Does c.\n\n    At length.\n    \"\"\"\n    return 1\n", 3},
		"a raw docstring":           {"Python", "def b():\n    r'''Does c.'''\n    return 1\n", 2},
		"a text of several lines":   {"Python", "a = \"\"\"\nb\n\"\"\"\nc = 1\n", 4},
		"a text as an argument":     {"Python", "f(\n    \"\"\"a\n    b\"\"\",\n)\n", 4},
		"Shell":                     {"Shell", "#!/bin/bash\n# so\n/*/b\n", 1},
	} {
		assert.Equal(t, c.want, linesOf(c.language, []byte(c.text)), name)
	}
}
