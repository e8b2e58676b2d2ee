package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	fenced   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	code     = regexp.MustCompile("`[^`\n]*`")
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
	id       = regexp.MustCompile(`(?:id|name)="([^"]+)"`)
	unspoken = regexp.MustCompile(`[^\p{L}\p{N} _-]`) // what an anchor has nothing of
)

// anchors are those that a document has, and those that GitHub gives to its headings.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := link.ReplaceAllString(h[1], "") // a link in a heading has its text alone
		found[strings.ReplaceAll(unspoken.ReplaceAllString(strings.ToLower(text), ""), " ", "-")] = true
	}
	for _, one := range id.FindAllStringSubmatch(page, -1) {
		found[one[1]] = true
	}
	return found
}

// Every link in a document of the repository, to a file of it or to a heading, leads somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, name := range trackedFiles(t) {
		if filepath.Ext(name) != ".md" || strings.Contains(name, "/testdata/") {
			continue
		}
		page := string(read(t, filepath.Join("..", name)))
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(fenced.ReplaceAllString(page, ""), ""), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, ":") {
				continue // elsewhere
			}
			links++
			file := filepath.Join("..", filepath.Dir(name), target)
			if target == "" {
				file = filepath.Join("..", name)
			}
			_, err := os.Stat(file)
			if !assert.NoError(t, err, "%s links to %s", name, match[1]) || anchor == "" || filepath.Ext(file) != ".md" {
				continue
			}
			assert.Contains(t, anchors(string(read(t, file))), anchor, "%s links to %s", name, match[1])
		}
	}
	require.Greater(t, links, 100)
}
