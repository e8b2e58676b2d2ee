package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "golang.org/x/net/html"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/report/internal/made"
	"operatorbench/e2e/spec"
)

// reports are those that every page's rules are tested on.
func reports(tb testing.TB) map[string]*report.Report {
	tb.Helper()
	return map[string]*report.Report{
		"example": example(tb), "hand-made": handMade(tb), "hostile": named(hostile), "large": large(20_000),
		"empty": report.New(nil, &judge.Judgement{}), "matrix": full(tb), "matrix alone": alone(), "ten styles": ten(tb),
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
func text(n *parser.Node) string {
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

func TestIDsAreUniqueAndLinksResolve(t *testing.T) {
	for name, r := range reports(t) {
		p := parse(t, write(t, r))
		ids := map[string]bool{}
		for _, n := range p.all("") {
			if id := attr(n, "id"); id != "" {
				assert.False(t, ids[id], "%s: id %s is there twice", name, id)
				assert.Regexp(t, `^[a-z0-9-]+$`, id, name)
				ids[id] = true
			}
		}
		for _, n := range p.all("") {
			if n.Data == "a" {
				away := strings.HasPrefix(attr(n, "href"), "https://") && attr(n, "rel") == "noreferrer" // an issue
				assert.True(t, away || strings.HasPrefix(attr(n, "href"), "#"), "%s: link to %q", name, attr(n, "href"))
			}
			within, _ := strings.CutPrefix(attr(n, "href"), "#")
			if within == attr(n, "href") {
				within = ""
			}
			refs := strings.Fields(within + " " + attr(n, "aria-labelledby"))
			if fill, found := strings.CutPrefix(attr(n, "fill"), "url(#"); found {
				refs = append(refs, strings.TrimSuffix(fill, ")"))
			}
			for _, ref := range refs {
				assert.True(t, ids[ref], "%s: <%s> refers to %s, which is not there", name, n.Data, ref)
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
	for name, r := range reports(t) {
		text := write(t, r)
		var tree []string
		for _, n := range parse(t, text).all("") {
			parent := ""
			if n.Parent.Type == parser.ElementNode {
				parent = n.Parent.Data
			}
			tree = append(tree, strings.ToLower(parent+" > "+n.Data))
		}
		same(t, name, nesting(t, text), tree)
	}
}

// With hostile texts the page has the same elements, in the same order, as with
// plain names: nothing of them became markup.
func TestForeignTextStaysText(t *testing.T) {
	plain, foreign := write(t, named(benign)), write(t, named(hostile))
	same(t, "hostile", nesting(t, plain), nesting(t, foreign))
	assert.True(t, utf8.Valid(foreign))
	for _, bad := range []string{"\x00", "\x1b", "\u202e", "\ufffe", "<script", "alert(1)</"} {
		assert.NotContains(t, string(foreign), bad)
	}
	assert.Contains(t, string(foreign), "&lt;script&gt;alert(1)", "the text itself is shown")
}

// The packages of an image that was built are folded below where it is from.
func TestImagesTellTheirPackages(t *testing.T) {
	text := string(write(t, named(func(of string) string { return "my-" + of })))
	assert.Contains(t, text, "<td>my-source<details><summary>Debian packages (1)</summary>my-package </details></td>")
}

// Nothing is fetched and no script is run: there is no element that could, and
// the policy forbids it.
func TestNothingIsFetched(t *testing.T) {
	for name, r := range reports(t) {
		raw := write(t, r)
		p := parse(t, raw)
		for _, n := range p.all("") {
			assert.NotContains(t, []string{"script", "link", "img", "iframe", "object", "embed", "base", "form", "image", "foreignObject"}, n.Data, name)
			if n.Data == "use" {
				assert.True(t, strings.HasPrefix(attr(n, "href"), "#key-"), "%s: <use href=%q>", name, attr(n, "href"))
			}
			for _, a := range n.Attr {
				assert.False(t, strings.HasPrefix(a.Key, "on"), "%s: <%s %s>", name, n.Data, a.Key)
				assert.NotContains(t, []string{"src", "srcset", "style", "action", "data", "poster", "background"}, a.Key, "%s: <%s>", name, n.Data)
			}
		}
		css := text(within(p.root, "style"))
		assert.NotContains(t, css, "url(")
		assert.NotContains(t, css, "@import")
		sum := sha256.Sum256([]byte(css))
		policy := attr(p.all("meta")[1], "content")
		assert.Contains(t, policy, "default-src 'none'")
		assert.Contains(t, policy, base64.StdEncoding.EncodeToString(sum[:]), "the policy lets the page's own style sheet in")
	}
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
	for name, r := range reports(t) {
		p := parse(t, write(t, r))
		level := 0
		for _, n := range p.all("") {
			switch n.Data {
			case "h1", "h2", "h3", "h4":
				next, _ := strconv.Atoi(n.Data[1:])
				assert.LessOrEqual(t, next, level+1, "%s: heading %q skips a level", name, text(n))
				level = next
			case "table":
				caption := within(n, "caption")
				if assert.NotNil(t, caption, name) {
					assert.NotEmpty(t, strings.TrimSpace(text(caption)), name)
				}
			case "th":
				assert.Contains(t, []string{"col", "row", "rowgroup"}, attr(n, "scope"), "%s: %q", name, text(n))
			case "svg":
				if hidden(n) {
					continue
				}
				assert.Equal(t, "img", attr(n, "role"), name)
				desc := within(n, "desc")
				if assert.NotNil(t, desc, name) {
					assert.NotEmpty(t, text(desc), name)
					assert.Contains(t, attr(n, "aria-labelledby"), attr(desc, "id"), name)
				}
			}
			if n.Data == "td" && attr(n, "class") == "plot" {
				assert.True(t, hidden(within(n, "svg")), name)
				assert.Regexp(t, `[0-9–]`, text(n.Parent), "%s: what a chart shows stands in its row", name)
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
	}
}

// rows of a table, by its caption's id.
func rows(t *testing.T, p page, id string) [][]string {
	t.Helper()
	of := p.byID(id)
	require.NotNil(t, of, "no element has the id %s", id)
	if of.Data == "caption" {
		of = of.Parent
	}
	return cells(of)
}

// cells are the texts of a table's rows.
func cells(table *parser.Node) [][]string {
	var all [][]string
	for _, row := range (page{table}).all("tr") {
		var cells []string
		for cell := range row.ChildNodes() {
			if cell.Type == parser.ElementNode {
				cells = append(cells, strings.Join(strings.Fields(text(cell)), " "))
			}
		}
		all = append(all, cells)
	}
	return all
}

// outcomes is the id of the table that shows when a custom resource was handled.
const outcomes = "latencies-create-what-the-operator-did-and-what-the-cluster-then-did"

// The figures are those that README.md shows of the same recording.
func TestFiguresOfTheExample(t *testing.T) {
	p := parse(t, write(t, example(t)))
	latencies := rows(t, p, outcomes)
	assert.Equal(t, []string{"Phase and style", "Samples", "p50", "max", "× floor", "n in rounds"}, latencies[0])
	assert.Contains(t, latencies, []string{
		"native", "", "13.7 ms", "17.5 ms", "1.30",
		"3 in 3round 1: 15.2 ms (warm-up), 13.7 ms; round 2: 22.2 ms (warm-up), 13.7 ms; round 3: 15.2 ms (warm-up), 17.5 ms",
	})
	assert.Contains(t, latencies, []string{"argo", "", "63.0 s", "63.6 s", "85.9", "3 in 3round 1: 62.7 s; round 2: 63.6 s; round 3: 63.0 s"})
	assert.Contains(t, latencies, []string{"ready pods are ready"})
	assert.Equal(t, []string{"create", "✓ pass 3/3", "✓ pass 6/6"}, rows(t, p, "correctness-caption")[2])

	var cards []string
	for _, card := range p.all("article") {
		cards = append(cards, strings.Join(strings.Fields(text(card)), " "))
	}
	require.Len(t, cards, 3)
	assert.Contains(t, cards[1], "argo 62.1 s create until child written, median of 3 samples in 3 rounds ✓ pass 12/12 Handled all of 12 changes correctly. "+
		"On create, the median is 62.1 s until the Deployment is written (5894 times the floor) and 63.0 s until the pods are ready. By that it ranks 2 of 2.")
}

// Every sample that counts is a dot, and every sample stands in the list of its row.
func TestEverySampleIsShown(t *testing.T) {
	r := example(t)
	p := parse(t, write(t, r))
	listed, dots := 0, 0
	for _, n := range p.all("details") {
		if n.Parent.Data == "td" && strings.Contains(text(n), "round") {
			listed += len(regexp.MustCompile(`[:,] >?[0-9.]+ (s|ms|µs)`).FindAllString(text(n), -1))
		}
	}
	assert.Equal(t, len(r.Samples), listed)
	for _, n := range p.all("path") {
		if attr(n, "class") == "dot" {
			dots += strings.Count(attr(n, "d"), "M")
		}
	}
	counted := 0
	for _, s := range r.Samples {
		if slices.Contains(spec.Phases(), s.Phase) && !s.Warmup {
			counted++
		}
	}
	assert.InDelta(t, counted, dots, 3, "those that would hide each other wholly are one")
}

func TestTimeoutsAndWarmupsAreTold(t *testing.T) {
	p := parse(t, write(t, handMade(t)))
	latencies := rows(t, p, outcomes)
	assert.Contains(t, latencies, []string{"argo", "", "62.9 s", ">180 s", "98.3", "2 in 2round 1: 62.9 s; round 2: >180 s (timed out); round 3: 21.0 ms (interrupted) 1 timed out, 1 interrupted"})
	assert.Contains(t, text(p.root), " (warm-up)")
	arrows := 0
	for _, n := range p.all("path") {
		if attr(n, "class") == "arrow" {
			arrows++
		}
	}
	assert.Positive(t, arrows)
	assert.Contains(t, text(p.root), "expected 3 ready replicas within 3m0s")
	assert.Contains(t, text(p.root), "+60.999 s MODIFIED workflows/create-2 workflow finished (status.phase Failed)")
}

// Of several runs, a round is known by its run too.
func TestSeveralRuns(t *testing.T) {
	p := parse(t, write(t, report.Of(judged(t, exampleFolder, "recording.jsonl.gz"), judged(t, handMadeFolder, record.FileName))))
	var listed []string
	for _, row := range rows(t, p, outcomes) {
		listed = append(listed, row[len(row)-1])
	}
	assert.Contains(t, strings.Join(listed, "\n"), "run 3z4arqz7, round 1: ")
	assert.Contains(t, strings.Join(listed, "\n"), "; run handmade, round 1: ")
	fall := strings.Join(strings.Fields(text(p.byID("waterfall-argo-create").Parent.Parent)), " ")
	assert.Contains(t, fall, " of run ")
	assert.Contains(t, fall, ": the median of 5 samples by when the pods are ready")
	assert.Contains(t, text(p.root), "recordings of different machines stand in one table")
}

// What is not known is a dash with a reason, never a zero.
func TestCosts(t *testing.T) {
	p := parse(t, write(t, handMade(t)))
	var all [][]string
	for _, table := range p.all("table") {
		if attr(table, "class") == "ledger" {
			all = append(all, cells(table)...)
		}
	}
	assert.Contains(t, all, []string{"native", "2", "4", "28.9 ms", "0.12 %", "–", "–", "8", "–", "33.0 MiB", "–", "–"})
	assert.Contains(t, all, []string{"argo", "1", "2", "–", "–", "7", "0", "–", "–", "–", "–", "–"})
	assert.Contains(t, text(p.root), "CPU net: the kubelet did not answer (argo)")
	assert.Contains(t, all, []string{"CPU net", "native", "28.9 ms", "1: 12.3 ms, 2: 45.6 ms"})
	assert.Contains(t, all, []string{"calls", "native", "8", "1: 7, 2: 9"})
}

func TestIntervalsAreShownWhereThereAreSome(t *testing.T) {
	text := string(write(t, large(20_000)))
	assert.Regexp(t, `<span class="ci">\[[0-9.]+ m?s, [0-9.]+ m?s\]</span>`, text)
	assert.NotContains(t, text, "an interval takes")
	assert.Contains(t, string(write(t, example(t))), "Too few here: p90 takes n = 36, p99 takes n = 368, an interval takes 6 rounds.")
}

// A large recording makes a page that a browser still opens at once; what is
// not listed is named.
func TestLargeReportIsBounded(t *testing.T) {
	r := large(100_000)
	require.GreaterOrEqual(t, len(r.Samples), 100_000)
	raw := write(t, r)
	assert.Less(t, len(raw), 4<<20, "bytes")
	assert.Contains(t, text(parse(t, raw).root), "more in samples.jsonl")
}

func TestEmptyReport(t *testing.T) {
	page := string(write(t, report.New(nil, &judge.Judgement{})))
	assert.Contains(t, page, "The recording holds no sample.")
	assert.Contains(t, page, "there is no environment.json")
}

func TestWriteTellsOfAFullDisk(t *testing.T) {
	reader, writer := io.Pipe()
	require.NoError(t, reader.CloseWithError(errors.New("no space left")))
	require.ErrorContains(t, html.Write(writer, report.New(nil, &judge.Judgement{})), "write the HTML report: no space left")
}

func BenchmarkWrite(b *testing.B) {
	for _, samples := range []int{1_000, 10_000, 100_000} {
		r := large(samples)
		b.Run(fmt.Sprint(samples), func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				size = len(write(b, r))
			}
			b.ReportMetric(float64(size), "B/page")
		})
	}
}

// What was not done in its time is late: red, in the header, and nowhere a pass.
func TestWhatTimedOutIsLate(t *testing.T) {
	one := func(scenario, group string, outcome spec.Outcome, sample string) judge.Result {
		end := record.Settled
		if sample == judge.Timeout {
			end = record.TimedOut
		}
		return judge.Result{
			Style: "argo", Scenario: scenario, Group: group, Round: 1, End: end, Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: outcome}},
			Samples: []judge.Sample{{Operator: "argo", Scenario: scenario, Phase: spec.PhaseChildWritten, Value: 300, Outcome: sample}},
		}
	}
	page := string(write(t, report.New(nil, &judge.Judgement{Results: []judge.Result{
		one("create", "latency", spec.Pass, judge.OK), one("burst-update", "load", spec.NotApplicable, judge.Timeout),
	}})))
	assert.Contains(t, page, `<p class="short"><span class="badge fail"><span aria-hidden="true">✗</span> 1 of 2 samples handled correctly, 1 late</span></p>`)
	assert.Contains(t, page, `<p class="verdict"><a href="#scenario-create"><span class="badge fail"><span aria-hidden="true">✗</span> late 1 of 2</span></a></p>`)
	assert.Contains(t, page, `<span class="badge fail"><span aria-hidden="true">✗</span> late 0 of 1 in time</span>`)
	assert.Contains(t, page, "Handled 1 of 2 changes correctly; see burst-update (late 0 of 1 in time).")
	assert.NotContains(t, page, "Handled all")
	assert.NotContains(t, page, "Nothing that was recorded failed")
}

// The floor of a load is not the least that an operator can take.
func TestTheFloorSaysWhatItIsNot(t *testing.T) {
	assert.Contains(t, string(write(t, ten(t))), "of a load of updates it is not, since the harness writes every step")
}

// However much a report has, the page stays below the 1 MiB of a tracked file:
// what has less detail is said.
func TestPageOfAWholeMatrixIsSmall(t *testing.T) {
	measured, list := made.Many(made.Ten(), 7), []record.Scenario{}
	var cells []made.Cell
	for i := range 59 {
		list = append(list, record.Scenario{Name: fmt.Sprintf("scenario-%02d", i), Group: "fault", Description: strings.Repeat("what is done ", 8), StandsFor: strings.Repeat("what it stands for ", 10)})
		for j, style := range made.Ten()[1:] {
			repeat := made.Pass()
			if (i+j)%3 == 0 {
				repeat = made.Fail(strings.Repeat("expected one thing, seen another ", 6), "converged")
			}
			cells = append(cells, made.Cell{Style: style.Name, Scenario: list[i].Name, Repeats: []made.Repeat{repeat}})
		}
	}
	text := write(t, report.Of(measured, made.Recording("matrix", list, cells...)))
	assert.Less(t, len(text), 1<<20)
	assert.Contains(t, string(text), "For the page’s size some detail is left out")
	assert.Contains(t, string(text), `id="correctness-argo-scenario-00"`, "of what failed all is there")
	assert.NotContains(t, string(write(t, example(t))), "For the page’s size")
}

// A page that is committed as an example stays below the 1 MiB of a tracked file.
func TestPageOfTenStylesIsSmall(t *testing.T) {
	assert.Less(t, len(write(t, report.Of(made.Many(made.Ten(), 7)))), 1<<20)
}

// A title that lists ten styles is none.
func TestTitleOfManyStyles(t *testing.T) {
	assert.Equal(t, "9 operator styles", text(parse(t, write(t, ten(t))).all("h1")[0]))
	assert.Equal(t, "Operator styles: native and argo", text(parse(t, write(t, handMade(t))).all("h1")[0]))
}
