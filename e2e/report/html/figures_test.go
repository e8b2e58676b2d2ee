package html_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "golang.org/x/net/html"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// rows of a table, by its own id or that of its caption.
func rows(t *testing.T, text []byte, id string) [][]string {
	t.Helper()
	p := parse(t, text)
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
				cells = append(cells, strings.Join(strings.Fields(textOf(cell)), " "))
			}
		}
		all = append(all, cells)
	}
	return all
}

// answers are what a page recommends for each need: who, and why.
func answers(t *testing.T, text []byte) map[string][2]string {
	t.Helper()
	heading := parse(t, text).byID("needs")
	require.NotNil(t, heading)
	all := map[string][2]string{}
	for _, one := range (page{heading.Parent}).all("details") {
		var question []string
		for part := range within(one, "summary").ChildNodes() {
			if part.Type == parser.ElementNode {
				question = append(question, strings.Join(strings.Fields(textOf(part)), " "))
			}
		}
		if len(question) == 2 { // else it is about all of them
			all[question[0]] = [2]string{question[1], strings.Join(strings.Fields(textOf(one)), " ")}
		}
	}
	return all
}

// said is all text of a page.
func said(t *testing.T, text []byte) string {
	t.Helper()
	var all []string
	for n := range within(parse(t, text).root, "body").Descendants() {
		if n.Type == parser.TextNode && n.Parent.Data != "script" {
			all = append(all, strings.Fields(n.Data)...)
		}
	}
	return strings.Join(all, " ")
}

const (
	outcomes = "latencies-1" // the table of latencies of a style's page
	figures  = "table"       // the table of all figures
)

// The figures are those that README.md shows of the same recording.
func TestFiguresOfTheExample(t *testing.T) {
	r := example(t)
	native := rows(t, about(t, r, "native"), outcomes)
	assert.Equal(t, []string{"Phase", "Samples", "p50", "max", "× floor", "n in rounds"}, native[0])
	assert.Contains(t, native, []string{"child written Deployment is written", "", "13.7 ms", "17.5 ms", "1.30", "3 in 3"})
	assert.Contains(t, rows(t, about(t, r, "argo"), outcomes), []string{"ready pods are ready", "", "63.0 s", "63.6 s", "85.9", "3 in 3"})

	front := write(t, r)
	assert.Contains(t, rows(t, front, "dots-run-1"), []string{"native", "", "13.7 ms13.7 ms to 17.5 ms seen, n 3", "1", "", "820 ms760 ms to 837 ms seen, n 3"})
	assert.Contains(t, said(t, front), "A create takes 13.7 ms (native, n 3 in 3 rounds) to 62.1 s (argo, ")
	heads := rows(t, front, figures)[0]
	all := rows(t, front, figures)
	at := slices.IndexFunc(all, func(row []string) bool { return row[0] == "native" })
	require.Positive(t, at)
	assert.Equal(t, "13.7 msn 3 in 3 rounds", all[at][slices.Index(heads, "create written")])
	assert.Equal(t, "17.5 msn 3 in 3 rounds, max", all[at][slices.Index(heads, "create p90")])
}

// A figure without n is none: each that was measured says from how many samples it is.
func TestEveryFigureSaysWhereItIsFrom(t *testing.T) {
	for name, r := range reports(t) {
		table := rows(t, write(t, r), figures)
		for _, row := range table[1:] {
			for i, cell := range row[1:] {
				switch head := table[0][i+1]; {
				case strings.HasPrefix(cell, "–"):
				case strings.HasSuffix(head, " written"), strings.HasSuffix(head, " ready"), strings.HasSuffix(head, " p90"), strings.HasSuffix(head, " last"), strings.HasSuffix(head, " memory"), head == "CPU net":
					assert.Regexp(t, `n \d+ in \d+ round`, cell, "%s: %s of %s", name, head, row[0])
				}
			}
		}
	}
}

func TestTimeoutsAndWrongSamplesAreTold(t *testing.T) {
	argo := about(t, handMade(t), "argo")
	assert.Contains(t, rows(t, argo, outcomes), []string{"ready pods are ready", "", "62.9 s", ">180 s", "98.3", "2 in 2 1 timed out, 1 interrupted"})
	assert.Contains(t, string(argo), `class="arrow"`)
	assert.Contains(t, said(t, argo), "expected 3 ready replicas within 3m0s")
	assert.Contains(t, said(t, argo), "+60.999 s MODIFIED workflows/create-2 workflow finished (status.phase Failed)")
}

// What is not known is a dash with a reason, never a zero.
func TestCosts(t *testing.T) {
	r := handMade(t)
	native, argo := rows(t, about(t, r, "native"), "cost-caption"), rows(t, about(t, r, "argo"), "cost-caption")
	assert.Contains(t, native, []string{"CPU net", "28.9 ms", "12.3 ms to 45.6 ms seen, n 2 in 2 rounds", "12.3 ms, 45.6 ms"})
	assert.Contains(t, native, []string{"calls", "8", "7 to 9 seen, n 2 in 2 rounds", "7, 9"})
	assert.Contains(t, argo, []string{"CPU net", "–", "the kubelet did not answer", ""})
}

// A figure that one run has is no dash for another run that has it not.
func TestWhatOneRunKnowsIsNoDash(t *testing.T) {
	first, second := made.Many(made.Ten(), 3), made.Many(made.Ten(), 3)
	second.Judgement.Header.Run = "again"
	label := made.Ten()[3].Name
	for _, one := range []*result.Recording{&first, &second} {
		one.Costs = []cost.Cost{{Style: label, BusyCPU: cost.Figure{Unit: "s", Missing: "it was cut off"}, IdleCPU: cost.Figure{Unit: "cores", Missing: "it was cut off"}}}
	}
	second.Costs[0].BusyCPU = cost.Figure{Unit: "s", Values: []cost.Value{{Round: 1, Value: 0.1}}}
	shown := map[string][]string{}
	for _, row := range rows(t, about(t, report.Of(first, second), label), "cost-caption") {
		shown[row[0]] = append(shown[row[0]], row[1])
	}
	assert.Equal(t, []string{"100 ms"}, shown["CPU net"])
	assert.Equal(t, []string{"–", "–"}, shown["idle CPU"])
}

func TestIntervalsAreShownWhereThereAreSome(t *testing.T) {
	r := large(20_000)
	assert.Regexp(t, `\[[0-9.]+ m?s, [0-9.]+ m?s\], n \d+ in \d+ rounds`, said(t, write(t, r)))
	native := string(about(t, r, "native"))
	assert.Regexp(t, `<span class="ci">\[[0-9.]+ m?s, [0-9.]+ m?s\]</span>`, native)
	assert.NotContains(t, native, "an interval takes")
	assert.Contains(t, string(about(t, example(t), "native")), "Too few here: p90 takes n = 36, p99 takes n = 368, an interval takes 6 rounds.")
}

// However many samples there are, a browser opens each page at once.
func TestPagesOfALargeRecordingAreBounded(t *testing.T) {
	r := large(100_000)
	require.GreaterOrEqual(t, len(r.Samples), 100_000)
	for name, page := range site(t, r) {
		assert.Less(t, len(page), 1<<20, "%s, bytes", name)
	}
}

// The first page of thirty styles and the whole matrix is half a megabyte at most, and
// a style's page no more than a tracked file may have.
func TestPagesOfThirtyStylesAreSmall(t *testing.T) {
	r := thirty(t)
	require.Len(t, r.Styles, 30)
	pages := site(t, r)
	require.Len(t, pages, 31)
	for name, page := range pages {
		most := 1 << 20
		if name == html.File {
			most = 500_000
		}
		assert.LessOrEqual(t, len(page), most, "%s, bytes", name)
	}
	assert.Len(t, rows(t, pages[html.File], figures), 31)
}

// A style that nobody has described has a page that says so.
func TestAStyleWithoutADescription(t *testing.T) {
	pages := site(t, thirty(t))
	assert.Contains(t, said(t, pages["styles/a-rust-operator-03.html"]), "What it is was not recorded")
	assert.Contains(t, said(t, pages["styles/a-rust-operator-03.html"]), "How it is installed was not recorded.")
	assert.Contains(t, said(t, pages["styles/a-go-operator-00.html"]), "An operator by the name of a-go-operator-00. It is built on a framework 1.2.3 of 2026-01-02, and has 400 lines to maintain (language: Go).")
	assert.Contains(t, said(t, pages["styles/a-go-operator-00.html"]), "applies manifests, then waits for the rollout of Deployment n/operator")
}

// The lead says on which days was recorded, not on the first of them alone.
func TestLeadSaysTheDays(t *testing.T) {
	for began, want := range map[time.Time]string{
		time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC): "Recorded on 2 January 2026.",
		time.Date(2026, 1, 5, 1, 0, 0, 0, time.UTC):  "Recorded from 2 to 5 January 2026.",
		time.Date(2026, 2, 1, 1, 0, 0, 0, time.UTC):  "Recorded from 2 January 2026 to 1 February 2026.",
	} {
		first, second := made.Many(made.Ten(), 3), made.Many(made.Ten(), 3)
		later := *second.Environment
		later.Run, later.Began = "later", began
		second.Environment, second.Judgement.Header.Run = &later, "later"
		assert.Contains(t, said(t, write(t, report.Of(first, second))), want)
	}
}

// Each run has its own chart and table; a style's page has its latencies in each, and what loads came to with the run.
func TestEachRunHasItsFigures(t *testing.T) {
	front := write(t, several())
	assert.Len(t, rows(t, front, figures), 1+10, "one table for all")
	assert.Len(t, rows(t, front, "dots-run-1"), 1+10)
	assert.Len(t, rows(t, front, "dots-run-2"), 1+4)
	assert.Contains(t, said(t, front), "Run again: 6 rounds of 1 pass, 6 rounds of each load; Some CPU @ 2.10 GHz, 2 CPUs, 24 GiB, Linux 6.18")
	assert.Contains(t, said(t, front), "ratios and ranks compare within one run alone")
	third := about(t, several(), made.Ten()[3].Name)
	var from []string
	for _, row := range rows(t, third, "many-caption")[1:] {
		from = plain.Once(from, row[2][strings.LastIndex(row[2], "run "):])
	}
	assert.Equal(t, []string{"run many", "run again"}, from)
	both := parse(t, third)
	assert.NotNil(t, both.byID("latencies-1"))
	assert.NotNil(t, both.byID("latencies-2"))
}

// Needs are met or not, each by its criterion, and all that meet one are listed.
func TestNeeds(t *testing.T) {
	list := []record.Scenario{{Name: "burst", Group: "level"}}
	var cells []made.Cell
	for _, s := range made.Thirty()[1:] {
		cells = append(cells, made.Cell{Style: s.Name, Scenario: "burst", Repeats: []made.Repeat{made.Pass()}})
	}
	r := report.Of(made.Many(made.Thirty(), 12), made.Recording("matrix", list, cells...))
	needs := answers(t, write(t, r))
	for _, need := range r.Needs() {
		answer := needs[need.Name]
		want := cmp.Or(strings.Join(need.First(), ", "), "none")
		if need.More() > 0 {
			want += fmt.Sprintf(" + %d more", need.More())
		}
		assert.Equal(t, want, answer[0], need.Name)
		assert.Contains(t, answer[1], "Met if: "+need.Criterion)
		assert.Equal(t, !need.Has && len(need.NotMet) > 0, strings.Contains(answer[1], "Not met by:"), "%s: that a style is not in Go, say, is no fault of it", need.Name)
	}
	assert.NotEmpty(t, needs["Our team writes Go"][0])
	assert.Contains(t, said(t, about(t, r, "a-java-operator-02")), "Our team writes Java met (its language is Java, or it is built on Java Operator SDK)")
	assert.NotContains(t, said(t, about(t, r, "a-java-operator-02")), "Our team writes Go")
}

// What styles fail that fail the fewest comes first, and each cell leads to what was seen.
func TestHeatMap(t *testing.T) {
	r := full(t)
	front := write(t, r)
	fails := func(label string) []string {
		return plain.Pick(r.Matrix.Cells(label), func(c *result.Cell) (string, bool) { return c.Scenario, c.Failing() })
	}
	least := 0
	for _, row := range rows(t, front, "heat-others")[1:] {
		name, scenario, fewest := row[0], "", 99
		for _, label := range r.Contestants() {
			for _, one := range fails(label) {
				if strings.HasPrefix(name, one) && len(one) > len(scenario) { // one scenario's name begins as another's
					scenario = one
				}
			}
		}
		assert.NotEmpty(t, scenario, "%s: a load is none of the tests that are counted", name)
		for _, label := range r.Contestants() {
			if failing := fails(label); slices.Contains(failing, scenario) {
				fewest = min(fewest, len(failing))
			}
		}
		assert.GreaterOrEqual(t, fewest, least, name)
		least = fewest
	}
	assert.Contains(t, string(front), `rel="noreferrer" aria-label="upstream issue">↗</a>`)
	for _, n := range parse(t, front).all("a") {
		if attr(n, "aria-label") == "fail" {
			file, id, _ := strings.Cut(attr(n, "href"), "#")
			of := parse(t, site(t, r)[file]).byID(id)
			require.NotNil(t, of)
			assert.Contains(t, textOf(of), "expected spec.replicas 5")
			return
		}
	}
	assert.Fail(t, "no cell failed")
}

func TestEmptyReport(t *testing.T) {
	page := string(write(t, report.New(nil, &judge.Judgement{})))
	assert.Contains(t, page, "The recording holds no sample.")
	assert.Contains(t, page, "there is no environment.json")
}

func TestWriteTellsOfAFullDisk(t *testing.T) {
	reader, writer := io.Pipe()
	require.NoError(t, reader.CloseWithError(errors.New("no space left")))
	r := report.New(nil, &judge.Judgement{})
	require.ErrorContains(t, html.Pages(r, html.Options{})[0].Print(r, writer), "write the HTML report: no space left")
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
	r := report.New(nil, &judge.Judgement{Results: []judge.Result{
		one("create", "latency", spec.Pass, judge.OK), one("burst-update", "load", spec.NotApplicable, judge.Timeout),
	}})
	front := write(t, r)
	assert.Equal(t, []string{"burst-updateargo", "1 of 1", "✗"}, rows(t, front, "heat-loads")[1], "a load is none of the tests that are counted")
	assert.Contains(t, said(t, about(t, r, "argo")), "✗ late 0 of 1 in time")
}

// The floor of a load is not the least that an operator can take.
func TestTheFloorSaysWhatItIsNot(t *testing.T) {
	assert.Contains(t, string(about(t, several(), "floor")), "of a load of updates it is not, since the harness writes every step")
}

// A title that lists ten styles is none.
func TestTitleOfManyStyles(t *testing.T) {
	assert.Equal(t, "How should you write a Kubernetes operator?", textOf(parse(t, write(t, several())).all("h1")[0]))
	assert.Equal(t, "Operator styles: native and argo", textOf(parse(t, write(t, handMade(t))).all("h1")[0]))
}

// A figure is disputed where the repository is, with what measures it again; where
// that is not known nothing links anywhere. Previews take a whole address.
func TestLinksToElsewhere(t *testing.T) {
	r := report.Of(made.Many(made.Thirty(), 3))
	var out bytes.Buffer
	pages := html.Pages(r, html.Options{Repository: "https://example.org/who/what", Site: "https://example.org/pages"})
	at := slices.IndexFunc(pages, func(f report.File) bool { return f.Name == html.Folder+"/a-go-operator-00.html" })
	require.NoError(t, pages[at].Print(r, &out))
	assert.Contains(t, out.String(), `href="https://example.org/who/what/issues/new?command=go`)
	assert.Contains(t, out.String(), "template=figure.yml")
	assert.Contains(t, out.String(), `<meta property="og:image" content="https://example.org/pages/preview.png">`)
	page := string(about(t, r, "a-go-operator-00"))
	assert.Contains(t, page, "opbench run --operator=a-go-operator-00 --scenario=measured --rounds=12 --seed=0</pre>")
	assert.Contains(t, page, "git fetch --depth=1 origin 0123456789abcdef")
	assert.Contains(t, page, ".github/ISSUE_TEMPLATE/figure.yml")
	assert.NotContains(t, page, "https://")
	assert.NotContains(t, page, "og:image")
	assert.NotContains(t, page, "recordings get", "it is not published")
	assert.Contains(t, page, `<meta name="description" property="og:description" content="An operator by the name of a-go-operator-00.`)
}

// A run of an operator in a folder elsewhere, compared with its base, is measured again by the same words.
func TestTheCommandThatMeasuresAgain(t *testing.T) {
	one := made.Many(made.Thirty(), 3)
	one.Published = true
	maps.Copy(one.Environment.Flags, map[string]string{"operator": "./elsewhere/a-go-operator-00,native", "base": "origin/main", "profile": "quick", "budget": "6m0s"})
	page := string(about(t, report.Of(one), "a-go-operator-00"))
	assert.Contains(t, page, "opbench run --operator=./elsewhere/a-go-operator-00 --base=origin/main --profile=quick --scenario=measured --rounds=12 --budget=6m0s --seed=0</pre>")
	assert.Contains(t, page, "opbench recordings get ")
}
