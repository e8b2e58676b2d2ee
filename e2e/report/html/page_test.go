package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "golang.org/x/net/html"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
)

// reports are those that every page's rules are tested on.
func reports(tb testing.TB) map[string]*report.Report {
	tb.Helper()
	return map[string]*report.Report{
		"example": example(tb), "hand-made": handMade(tb), "hostile": named(hostile), "large": large(20_000),
		"empty": report.New(nil, &judge.Judgement{}), "matrix": full(tb), "matrix alone": alone(), "thirty styles": thirty(tb), "several runs": several(),
	}
}

// page is a parsed page.
type page struct{ root *parser.Node }

func parse(tb testing.TB, text []byte) page {
	tb.Helper()
	root, err := parser.Parse(bytes.NewReader(text))
	require.NoError(tb, err)
	return page{root}
}

// all are the elements of a name; empty: of any.
func (p page) all(name string) []*parser.Node {
	var found []*parser.Node
	for n := range p.root.Descendants() {
		if n.Type == parser.ElementNode && (name == "" || n.Data == name) {
			found = append(found, n)
		}
	}
	return found
}

// attr is an attribute's value; empty: it has none.
func attr(n *parser.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// text is all text within a node.
func textOf(n *parser.Node) string {
	var b strings.Builder
	for one := range n.Descendants() {
		if one.Type == parser.TextNode {
			b.WriteString(one.Data)
		}
	}
	return b.String()
}

// within finds the first element of a name in a node; nil: there is none.
func within(n *parser.Node, name string) *parser.Node {
	for one := range n.Descendants() {
		if one.Type == parser.ElementNode && one.Data == name {
			return one
		}
	}
	return nil
}

func (p page) byID(id string) *parser.Node {
	for _, n := range p.all("") {
		if attr(n, "id") == id {
			return n
		}
	}
	return nil
}

// everyPage calls a test with each page of each report.
func everyPage(t *testing.T, test func(name string, text []byte)) {
	t.Helper()
	for of, r := range reports(t) {
		for name, text := range site(t, r) {
			test(of+" "+name, text)
		}
	}
}

func TestIDsAreUniqueAndLinksResolve(t *testing.T) {
	for of, r := range reports(t) {
		pages, ids := map[string]page{}, map[string]map[string]bool{}
		for name, text := range site(t, r) {
			pages[name], ids[name] = parse(t, text), map[string]bool{}
			for _, n := range pages[name].all("") {
				if id := attr(n, "id"); id != "" {
					assert.False(t, ids[name][id], "%s %s: id %s is there twice", of, name, id)
					assert.Regexp(t, `^[a-z0-9-]+$`, id, name)
					ids[name][id] = true
				}
			}
		}
		for name, p := range pages {
			for _, n := range p.all("") {
				href := attr(n, "href")
				if strings.HasPrefix(href, "https://") && attr(n, "rel") == "noreferrer" { // an issue
					continue
				}
				refs := strings.Fields(attr(n, "aria-labelledby"))
				if fill, found := strings.CutPrefix(attr(n, "fill"), "url(#"); found {
					refs = append(refs, strings.TrimSuffix(fill, ")"))
				}
				for _, ref := range refs {
					assert.True(t, ids[name][ref], "%s %s: <%s> refers to %s, which is not there", of, name, n.Data, ref)
				}
				if n.Data != "a" && n.Data != "use" {
					continue
				}
				file, id, _ := strings.Cut(href, "#")
				to := name
				if file != "" {
					to = path.Join(path.Dir(name), file)
				}
				require.Contains(t, ids, to, "%s %s: link to %q", of, name, href)
				assert.True(t, id == "" || ids[to][id], "%s %s: link to %q", of, name, href)
			}
		}
	}
}

// nesting lists each element with the one that it is in, as the text's own tags
// say. Elements that a parser adds are left out.
func nesting(t *testing.T, text []byte) []string {
	t.Helper()
	void := []string{"meta", "br", "hr", "img", "input", "link", "wbr"}
	var open, list []string
	for tokens := parser.NewTokenizer(bytes.NewReader(text)); ; {
		kind := tokens.Next()
		if kind == parser.ErrorToken {
			break
		}
		tag, _ := tokens.TagName()
		name := string(tag)
		switch kind {
		case parser.StartTagToken, parser.SelfClosingTagToken:
			parent := ""
			if len(open) > 0 {
				parent = open[len(open)-1]
			}
			list = append(list, parent+" > "+name)
			if kind == parser.StartTagToken && !slices.Contains(void, name) {
				open = append(open, name)
			}
		case parser.EndTagToken:
			require.NotEmpty(t, open, "</%s> closes nothing", name)
			require.Equal(t, open[len(open)-1], name, "</%s> closes <%s>", name, open[len(open)-1])
			open = open[:len(open)-1]
		}
	}
	require.Empty(t, open, "not closed")
	return list
}

// same tells where lists first differ; pages are too long to print whole.
func same(t *testing.T, name string, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Errorf("%s: element %d is %q, not %q; before it: %q", name, i, got[i], want[i], got[max(i-5, 0):i])
			return
		}
	}
	assert.Len(t, got, len(want), name)
}

// A parser mends what is nested wrongly: where it sees another tree than the
// tags say, the page is not valid.
func TestNestingIsValid(t *testing.T) {
	everyPage(t, func(name string, text []byte) {
		var tree []string
		for _, n := range parse(t, text).all("") {
			parent := ""
			if n.Parent.Type == parser.ElementNode {
				parent = n.Parent.Data
			}
			tree = append(tree, strings.ToLower(parent+" > "+n.Data))
		}
		same(t, name, nesting(t, text), tree)
	})
}

// With hostile texts the page has the same elements, in the same order, as with
// plain names: nothing of them became markup.
func TestForeignTextStaysText(t *testing.T) {
	plain, foreign := html.Pages(named(benign), html.Options{}), html.Pages(named(hostile), html.Options{})
	require.Len(t, foreign, len(plain))
	for i := range plain {
		var one, other bytes.Buffer
		require.NoError(t, plain[i].Print(nil, &one))
		require.NoError(t, foreign[i].Print(nil, &other))
		same(t, foreign[i].Name, nesting(t, one.Bytes()), nesting(t, other.Bytes()))
		assert.True(t, utf8.Valid(other.Bytes()))
		for _, bad := range []string{"\x00", "\x1b", "\u202e", "\ufffe", "<script>alert", "alert(1)</"} {
			assert.NotContains(t, other.String(), bad)
		}
		assert.Contains(t, other.String(), "&lt;script&gt;alert(1)", "the text itself is shown")
	}
}

// The packages of an image that was built are folded below where it is from.
func TestImagesTellTheirPackages(t *testing.T) {
	text := string(about(t, named(func(of string) string { return "my-" + of }), "my-style"))
	assert.Contains(t, text, "<td>my-source<details><summary>Debian packages (1)</summary>my-package </details></td>")
}

// Nothing is fetched, and no script is run but the first page's own: there is no
// element that could, and the policy forbids it.
func TestNothingIsFetched(t *testing.T) {
	everyPage(t, func(name string, text []byte) {
		p := parse(t, text)
		for _, n := range p.all("") {
			assert.NotContains(t, []string{"link", "img", "iframe", "object", "embed", "base", "form", "image", "foreignObject"}, n.Data, name)
			if n.Data == "use" {
				assert.True(t, strings.HasPrefix(attr(n, "href"), "#key-"), "%s: <use href=%q>", name, attr(n, "href"))
			}
			for _, a := range n.Attr {
				assert.False(t, strings.HasPrefix(a.Key, "on"), "%s: <%s %s>", name, n.Data, a.Key)
				assert.NotContains(t, []string{"src", "srcset", "style", "action", "data", "poster", "background"}, a.Key, "%s: <%s>", name, n.Data)
			}
		}
		policy := attr(p.all("meta")[1], "content")
		assert.Contains(t, policy, "default-src 'none'")
		assert.NotContains(t, policy, "unsafe")
		hashed := func(of string) {
			sum := sha256.Sum256([]byte(of))
			assert.Contains(t, policy, base64.StdEncoding.EncodeToString(sum[:]), "%s: the policy lets the page's own texts in", name)
		}
		css := textOf(within(p.root, "style"))
		assert.NotContains(t, css, "url(")
		assert.NotContains(t, css, "@import")
		hashed(css)
		scripts := p.all("script")
		if !strings.HasSuffix(name, html.File) {
			assert.Empty(t, scripts)
			assert.NotContains(t, policy, "script-src")
			return
		}
		require.Len(t, scripts, 1)
		assert.Empty(t, scripts[0].Attr)
		hashed(textOf(scripts[0]))
	})
}

// hidden tells whether a node, or what it is in, is kept from assistive technology.
func hidden(n *parser.Node) bool {
	for ; n != nil; n = n.Parent {
		if attr(n, "aria-hidden") == "true" {
			return true
		}
	}
	return false
}

func TestAccessible(t *testing.T) {
	everyPage(t, func(name string, text []byte) {
		p := parse(t, text)
		level := 0
		for _, n := range p.all("") {
			switch n.Data {
			case "h1", "h2", "h3", "h4":
				next, _ := strconv.Atoi(n.Data[1:])
				assert.LessOrEqual(t, next, level+1, "%s: heading %q skips a level", name, textOf(n))
				level = next
			case "table":
				caption := within(n, "caption")
				if assert.NotNil(t, caption, name) {
					assert.NotEmpty(t, strings.TrimSpace(textOf(caption)), name)
				}
			case "th":
				assert.Contains(t, []string{"col", "row", "rowgroup", "colgroup"}, attr(n, "scope"), "%s: %q", name, textOf(n))
			case "svg":
				if hidden(n) {
					continue
				}
				assert.Equal(t, "img", attr(n, "role"), name)
				desc := within(n, "desc")
				if assert.NotNil(t, desc, name) {
					assert.NotEmpty(t, textOf(desc), name)
					assert.Contains(t, attr(n, "aria-labelledby"), attr(desc, "id"), name)
				}
			}
			if n.Data == "td" && attr(n, "class") == "plot" && within(n, "svg") != nil {
				assert.True(t, hidden(within(n, "svg")), name)
				assert.Regexp(t, `[0-9–]`, textOf(n.Parent), "%s: what a chart shows is in its row, too", name)
			}
			if attr(n, "class") == "scroll" {
				assert.Equal(t, "0", attr(n, "tabindex"), "%s: what scrolls is reached by keyboard", name)
				assert.Equal(t, "region", attr(n, "role"), name)
			}
		}
		assert.Len(t, p.all("h1"), 1, name)
		for _, landmark := range []string{"header", "nav", "main", "footer"} {
			assert.Len(t, p.all(landmark), 1, "%s: %s", name, landmark)
		}
	})
}
