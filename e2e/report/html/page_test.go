package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "golang.org/x/net/html"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/report/internal/made"
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
				if attr(n, "aria-hidden") == "true" {
					continue
				}
				assert.Equal(t, "img", attr(n, "role"), name)
				desc := within(n, "desc")
				if assert.NotNil(t, desc, name) {
					assert.NotEmpty(t, text(desc), name)
					assert.Contains(t, attr(n, "aria-labelledby"), attr(desc, "id"), name)
				}
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
	var all [][]string
	for _, row := range (page{of}).all("tr") {
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

// The figures are those that README.md shows of the same recording.
func TestFiguresOfTheExample(t *testing.T) {
	p := parse(t, write(t, example(t)))
	quantiles := rows(t, p, "quantiles-create-phases-that-all-styles-have")
	assert.Equal(t, []string{"Phase and style", "n", "rounds", "p50", "max", "p50 to floor", "timed out", "wrong"}, quantiles[0])
	assert.Contains(t, quantiles, []string{"native", "3 + 3 warm-up", "3", "13.7 ms", "17.5 ms", "1.30×", "0", "0"})
	assert.Contains(t, quantiles, []string{"argo", "3", "3", "63.0 s", "63.6 s", "85.9×", "0", "0"})
	assert.Equal(t, []string{"create", "✓ pass 3/3", "✓ pass 3/3", "✓ pass 6/6"}, rows(t, p, "matrix-caption")[1])

	var cards []string
	for _, card := range p.all("article") {
		cards = append(cards, strings.Join(strings.Fields(text(card)), " "))
	}
	require.Len(t, cards, 3)
	assert.Contains(t, cards[1], "argo 62.1 s create until child written, median of 3 samples in 3 rounds ✓ pass 12/12 Handled all of 12 changes correctly. "+
		"On create, the median is 62.1 s until the Deployment is written (5,890× the floor) and 63.0 s until the pods are ready. By that it ranks 2 of 2.")
}

// Every sample is in the page once, with its line of samples.jsonl, and each
// quantile is marked at the sample that it is.
func TestEveryFigureIsTraced(t *testing.T) {
	r := example(t)
	p := parse(t, write(t, r))
	seen := map[string]int{}
	for _, phase := range p.all("tbody") {
		if id := attr(phase, "id"); strings.HasPrefix(id, "samples-") {
			for _, row := range rows(t, p, id)[1:] {
				seen[row[3]]++
			}
		}
	}
	assert.Len(t, seen, len(r.Samples))
	ready := rows(t, p, "samples-argo-create-ready")
	require.Len(t, ready, 4)
	marked := 0
	for _, row := range ready[1:] {
		line, err := strconv.Atoi(row[3])
		require.NoError(t, err)
		sample := r.Samples[line-1]
		assert.Equal(t, []string{"argo", "create", "ready"}, []string{sample.Operator, sample.Scenario, sample.Phase})
		assert.Equal(t, plain.Duration(sample.Value), row[1])
		assert.Equal(t, strconv.FormatInt(int64(sample.At), 10), row[4])
		if strings.Contains(row[5], "p50") {
			marked++
			assert.Equal(t, "63.0 s", row[1])
		}
	}
	assert.Equal(t, 1, marked)
}

func TestTimeoutsAndWarmupsAreTold(t *testing.T) {
	p := parse(t, write(t, handMade(t)))
	quantiles := rows(t, p, "quantiles-create-phases-that-all-styles-have")
	assert.Contains(t, quantiles, []string{"argo", "2 + 1 interrupted", "2", "62.9 s", ">180 s", "98.3×", "1", "0"})
	chart := p.byID("ecdf-create-ready-text")
	require.NotNil(t, chart)
	assert.Contains(t, text(chart), "argo: 2 samples, median 62.9 s, from 62.9 s to >180 s, 1 of 2 timed out")
	samples := rows(t, p, "samples-native-create-ready")
	assert.True(t, slices.ContainsFunc(samples, func(row []string) bool { return strings.HasSuffix(row[0], ", warm-up") }), "%v", samples)
	assert.Contains(t, text(p.root), "expected 3 ready replicas within 3m0s")
	assert.Contains(t, text(p.root), "+60.999 s MODIFIED workflows/create-2 workflow finished (status.phase Failed)")
}

// Of several runs, a round is known by its run too.
func TestSeveralRuns(t *testing.T) {
	p := parse(t, write(t, report.Of(judged(t, exampleFolder, "recording.jsonl.gz"), judged(t, handMadeFolder, record.FileName))))
	samples := rows(t, p, "samples-argo-create-ready")
	assert.Equal(t, "1 of run 3z4arqz7", samples[1][0])
	assert.True(t, slices.ContainsFunc(samples, func(row []string) bool { return row[0] == "2 of run handmade" }), "%v", samples)
	assert.Contains(t, text(p.byID("waterfall-argo-create").Parent), ": the median of 5 samples by when the pods are ready.")
	assert.Contains(t, text(p.byID("waterfall-argo-create").Parent), " of run ")
	assert.Contains(t, text(p.root), "recordings of different machines stand in one table")
}

// What is not known is a dash with a reason, never a zero.
func TestCosts(t *testing.T) {
	p := parse(t, write(t, handMade(t)))
	costs := rows(t, p, "costs")
	assert.Equal(t, []string{"Quantity", "native 2 rounds", "argo 1 round"}, costs[0])
	assert.Contains(t, costs, []string{"CPU time of all of the operator's pods, beyond what it uses while idle", "28.9 ms 12.3 ms to 45.6 ms", "–"})
	assert.Contains(t, costs, []string{"API calls", "8 7 to 9", "–"})
	assert.Contains(t, costs, []string{"CPU while idle of one core, beside it", "0.12%", "–"})
	assert.Contains(t, text(p.root), "argo: CPU time (for each change): the kubelet did not answer")
	assert.Contains(t, rows(t, p, "costs-rounds"), []string{"CPU time", "native", "round 1: 12.3 ms, round 2: 45.6 ms"})
	assert.Contains(t, rows(t, p, "counts"), []string{"calls", "7 7 to 9", "–"})
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
	p := parse(t, raw)
	listed := rows(t, p, "samples-argo-create-ready")
	assert.LessOrEqual(t, len(listed), 60)
	var is []string
	for _, row := range listed[1:] {
		is = append(is, row[5])
	}
	for _, quantile := range []string{"p50", "p90", "p99", "max"} {
		assert.Contains(t, strings.Join(is, " "), quantile, "the samples that are quantiles are listed")
	}
	assert.Contains(t, text(p.root), "more in samples.jsonl")
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

// Of the phases that one style alone has, a large page says only where their
// samples stand; what all styles have it lists.
func TestInnerPhasesOfALargePageAreNamed(t *testing.T) {
	p := parse(t, write(t, report.Of(made.Many(made.Ten(), 7))))
	inner := rows(t, p, "samples-argo-create-workflow-created")
	require.Len(t, inner, 1)
	assert.Regexp(t, `^workflow created \d+ in samples.jsonl$`, inner[0][0])
	assert.Greater(t, len(rows(t, p, "samples-argo-create-ready")), 1)
}

// What was not done in its time is late: red, in the header, and nowhere a pass.
func TestWhatTimedOutIsLate(t *testing.T) {
	one := func(scenario, group string, outcome judge.Outcome, sample string) judge.Result {
		end := record.Settled
		if sample == judge.Timeout {
			end = record.TimedOut
		}
		return judge.Result{
			Style: "argo", Scenario: scenario, Group: group, Round: 1, End: end, Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: outcome}},
			Samples: []judge.Sample{{Operator: "argo", Scenario: scenario, Phase: judge.PhaseChildWritten, Value: 300, Outcome: sample}},
		}
	}
	page := string(write(t, report.New(nil, &judge.Judgement{Results: []judge.Result{
		one("create", "latency", judge.Pass, judge.OK), one("burst-update", "load", judge.NotApplicable, judge.Timeout),
	}})))
	assert.Contains(t, page, `<p class="short"><span class="badge fail"><span aria-hidden="true">✗</span> 1 of 2 samples handled correctly, 1 late</span></p>`)
	assert.Contains(t, page, `<p class="verdict"><a href="#verdicts"><span class="badge fail"><span aria-hidden="true">✗</span> late 1 of 2</span></a></p>`)
	assert.Contains(t, page, `<span class="badge fail"><span aria-hidden="true">✗</span> late 0 of 1 in time</span>`)
	assert.Contains(t, page, "Handled 1 of 2 changes correctly; see burst-update (late 0 of 1 in time).")
	assert.NotContains(t, page, "Handled all")
	assert.NotContains(t, page, "Nothing failed")
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
