package html_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	parser "golang.org/x/net/html"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
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
	outcomes = "latencies-of-all" // the table of latencies of a style's page
	figures  = "table"            // the table of all figures
)

// The figures are those that README.md shows of the same recording.
func TestFiguresOfTheExample(t *testing.T) {
	r := example(t)
	native := rows(t, about(t, r, "native"), outcomes)
	assert.Equal(t, []string{"Phase", "Samples", "p50", "max", "× floor", "n in rounds"}, native[0])
	assert.Contains(t, native, []string{"child written Deployment is written", "", "13.7 ms", "17.5 ms", "1.30", "3 in 3"})
	assert.Contains(t, rows(t, about(t, r, "argo"), outcomes), []string{"ready pods are ready", "", "63.0 s", "63.6 s", "85.9", "3 in 3"})

	front := write(t, r)
	assert.Contains(t, rows(t, front, "dots-caption"), []string{"native", "", "1", "13.7 ms", "13.7 ms to 17.5 ms seen, n 3 in 3 rounds"})
	assert.Contains(t, said(t, front), "Of 2 styles, native is the fastest at a create, 13.7 ms (13.7 ms to 17.5 ms seen, n 3 in 3 rounds). argo takes 62.1 s")
	heads := rows(t, front, figures)[1]
	all := rows(t, front, figures)
	at := slices.IndexFunc(all, func(row []string) bool { return row[0] == "native" })
	require.Positive(t, at)
	assert.Equal(t, "13.7 ms13.7 ms to 17.5 ms seen, n 3 in 3 rounds", all[at][slices.Index(heads, "create p50")])
	assert.Equal(t, "17.5 msmax, n 3 in 3 rounds", all[at][slices.Index(heads, "create p90 or max")])
}

// A figure without n is none: each that was measured says from how many samples it is.
func TestEveryFigureSaysWhereItIsFrom(t *testing.T) {
	for name, r := range reports(t) {
		table := rows(t, write(t, r), figures)
		for _, row := range table[2:] {
			for i, cell := range row[1:] {
				switch head := table[1][i+1]; {
				case strings.HasPrefix(cell, "–"):
				case strings.HasSuffix(head, " p50"), strings.HasSuffix(head, " p90"), strings.HasSuffix(head, " last"), strings.HasSuffix(head, "mem"), head == "CPU net":
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

// What another machine measured is in the same page, and is neither pooled nor
// ranked with the rest.
func TestAnotherMachineStandsApart(t *testing.T) {
	r := report.Of(judged(t, exampleFolder, record.CompressedName), judged(t, handMadeFolder, record.FileName))
	front := write(t, r)
	assert.Contains(t, said(t, front), "was made with another machine")
	assert.Contains(t, said(t, front), "neither pooled nor ranked with the others")
	dots := rows(t, front, "dots-caption")
	assert.Contains(t, dots, []string{"native", "", "1", "13.7 ms", "13.7 ms to 17.5 ms seen, n 3 in 3 rounds"}, "as without the other machine")
	at := slices.IndexFunc(dots, func(row []string) bool { return row[0] == "native@apart" })
	require.Positive(t, at)
	assert.Equal(t, "–", dots[at][2], "no rank")
	apart := said(t, about(t, r, "native-apart"))
	assert.Contains(t, apart, "they do not compare")
	assert.NotContains(t, apart, "Nearest to the lowest latency", "of the styles of another machine")
	assert.NotContains(t, apart, "times that of", "another machine's cost")
	assert.Contains(t, said(t, about(t, r, "native")), "Nearest to the lowest latency")
	require.NotNil(t, r.Environment, "that of the others is known")
}

// What stands apart with a load alone has no row among the single changes, and is no style more.
func TestALoadApartIsNoStyleMore(t *testing.T) {
	here, there := made.Many(made.Thirty()[:6], 3), made.Many(made.Thirty()[:6], 1)
	j := *there.Judgement
	j.Header.Run = "elsewhere"
	j.Results = slices.DeleteFunc(slices.Clone(j.Results), func(r judge.Result) bool { return r.Group != spec.GroupLoad })
	e := *there.Environment
	e.Host.CPU = "another"
	there.Judgement, there.Environment = &j, &e
	r := report.Of(here, there)
	require.Contains(t, r.Styles, "a-go-operator-00@apart")
	front := write(t, r)
	assert.Contains(t, said(t, front), fmt.Sprintf("%d operator styles", len(r.Contestants())))
	for _, row := range rows(t, front, "dots-caption") {
		assert.NotContains(t, row[0], "@apart")
	}
}

func TestAnotherSchemaStandsApart(t *testing.T) {
	one, other := judged(t, handMadeFolder, record.FileName), judged(t, handMadeFolder, record.FileName)
	other.Judgement.Header.Run, other.Judgement.Header.Schema = "other", one.Judgement.Header.Schema+1
	r := report.Of(one, other)
	assert.Contains(t, strings.Join(r.Warnings, "\n"), "run other was made with another schema")
	assert.Contains(t, r.Styles, "argo@apart")
}

// What is not known is a dash with a reason, never a zero.
func TestCosts(t *testing.T) {
	r := handMade(t)
	native, argo := rows(t, about(t, r, "native"), "cost-caption"), rows(t, about(t, r, "argo"), "cost-caption")
	assert.Contains(t, native, []string{"CPU net", "28.9 ms", "12.3 ms to 45.6 ms seen, n 2 in 2 rounds", "12.3 ms, 45.6 ms"})
	assert.Contains(t, native, []string{"calls", "8", "7 to 9 seen, n 2 in 2 rounds", "7, 9"})
	assert.Contains(t, argo, []string{"CPU net", "–", "the kubelet did not answer", ""})
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
	assert.Len(t, rows(t, pages[html.File], figures), 32)
}

// A style of which nobody has said what it is has a page that says so.
func TestAStyleWithoutADescription(t *testing.T) {
	pages := site(t, thirty(t))
	assert.Contains(t, said(t, pages["styles/a-rust-operator-03.html"]), "What it is was not recorded")
	assert.Contains(t, said(t, pages["styles/a-rust-operator-03.html"]), "How it is installed was not recorded.")
	assert.Contains(t, said(t, pages["styles/a-go-operator-00.html"]), "An operator by the name of a-go-operator-00. It is built on a framework 1.2.3 of 2026-01-02, and has 400 lines that a maintainer owns (without build files, most are Go).")
	assert.Contains(t, said(t, pages["styles/a-go-operator-00.html"]), "applies manifests, then waits for the rollout of Deployment n/operator")
}

// The recommendations of made recordings: what is as quick as another is named with it.
func TestNeeds(t *testing.T) {
	front := write(t, report.Of(made.Many(made.Thirty(), 12)))
	assert.Contains(t, said(t, front), "2 of 29 styles share the first rank at a create: a-python-operator-01 and a-go-operator-00. a-python-operator-01 has the lowest median, ")
	needs := answers(t, front)
	assert.Equal(t, "a-go-operator-00", needs["Our team writes Go"][0])
	assert.Contains(t, needs["Our team writes Go"][1], "scenarios not recorded, create p50 ")
	assert.Contains(t, needs["Our team writes Go"][1], "Failing scenarios do not decide: they were recorded of no style.")
	assert.Contains(t, needs["Our team writes Go"][1], "n 12 in 12 rounds")
	assert.Equal(t, "a-yaml-operator-05", needs["Only YAML"][0])
	assert.Equal(t, "no recommendation", needs["Argo is given"][0])
	assert.Equal(t, "no recommendation", needs["Nothing may be lost"][0])
	assert.Contains(t, needs["Nothing may be lost"][1], "it was not recorded of any style")
	assert.Equal(t, "a-python-operator-01, a-go-operator-00", needs["A change must be seen in under a second"][0], "both take as long")
	assert.Equal(t, "a-python-operator-01, a-go-operator-00", needs["Many resources at once"][0])
	assert.Equal(t, "a-go-operator-00, a-yaml-operator-05", needs["The fewest lines to own"][0], "400 each")
	assert.Contains(t, said(t, about(t, report.Of(made.Many(made.Thirty(), 12)), "a-java-operator-02")), "Our team writes Java")

	few := write(t, report.Of(made.Many(made.Thirty(), 2)))
	assert.Contains(t, said(t, few), "No recommendation: telling styles apart takes 3 rounds.")
}

// Of many that are recommended together the answer names the first, and opens to all.
func TestNeedsOfManyNameTheFirst(t *testing.T) {
	r := report.Of(made.Many(made.Thirty(), 3))
	front := write(t, r)
	for _, need := range r.Needs() {
		picks := need.Picks()
		if len(picks) <= 5 {
			continue
		}
		answer := answers(t, front)[need.Name]
		assert.Equal(t, fmt.Sprintf("%s and %d more", strings.Join(picks[:4], ", "), len(picks)-4), answer[0])
		assert.Contains(t, answer[1], "Recommended together: "+strings.Join(picks, ", "))
		return
	}
	t.Fatal("no need has many answers")
}

// Who handled a measured change wrongly is left out, and named; where nobody else is asked about, it is recommended with that said.
func TestNeedsNameWhoHandledAChangeWrongly(t *testing.T) {
	measured := made.Many(made.Thirty()[:4], 12) // Go, Python and Java
	for i := range measured.Judgement.Results {
		if one := &measured.Judgement.Results[i]; one.Style == "a-java-operator-02" && one.Scenario == "delete" && one.Round <= 2 {
			one.Verdicts[0].Outcome = spec.Fail
		}
	}
	needs := answers(t, write(t, report.Of(measured)))
	assert.Equal(t, "a-java-operator-02", needs["Our team writes Java"][0])
	assert.Contains(t, needs["Our team writes Java"][1], "A measured change was handled wrongly by all: a-java-operator-02 (delete: 10 of 12 right).")
	assert.Equal(t, "a-go-operator-00", needs["The fewest lines to own"][0])
	assert.Contains(t, needs["The fewest lines to own"][1], "Left out, as a measured change was handled wrongly: a-java-operator-02 (delete: 10 of 12 right).")
	assert.NotContains(t, needs["Our team writes Go"][1], "handled wrongly")
}

// Where correctness was recorded of all it decides before time does.
func TestNeedsPutRightBeforeQuick(t *testing.T) {
	measured := made.Many(made.Thirty()[:4], 12) // Go, Python and Java
	list := []record.Scenario{{Name: "drift", Group: "level"}}
	cell := func(style string, repeat made.Repeat) made.Cell {
		return made.Cell{Style: style, Scenario: "drift", Repeats: []made.Repeat{repeat}}
	}
	for _, python := range []made.Repeat{made.Fail("lost", "converged"), made.Invalid("a watch was lost")} { // what is not known did not pass
		front := write(t, report.Of(measured, made.Recording("matrix", list, cell("a-go-operator-00", made.Fail("lost", "converged")),
			cell("a-python-operator-01", python), cell("a-java-operator-02", made.Pass()))))
		for _, need := range []string{"Nothing may be lost", "The strictest correctness"} {
			answer := answers(t, front)[need]
			assert.Equal(t, "a-java-operator-02", answer[0])
			assert.Regexp(t, "1 of 5 scenarios (fails|loses a change)", answer[1])
		}
	}
}

// Who was driven through fewer scenarios has not failed fewer.
func TestNeedsCompareWhatAllWereDrivenThrough(t *testing.T) {
	list := []record.Scenario{{Name: "drift", Group: "level"}, {Name: "killed", Group: "fault"}}
	cell := func(style, scenario string, repeat made.Repeat) made.Cell {
		return made.Cell{Style: style, Scenario: scenario, Repeats: []made.Repeat{repeat}}
	}
	front := write(t, report.Of(made.Many(made.Thirty()[:4], 12), made.Recording("matrix", list,
		cell("a-go-operator-00", "drift", made.Pass()), cell("a-go-operator-00", "killed", made.Fail("lost", "converged")),
		cell("a-python-operator-01", "drift", made.Pass()))))
	for _, need := range []string{"Nothing may be lost", "The strictest correctness"} {
		answer := answers(t, front)[need]
		assert.Equal(t, "a-go-operator-00", answer[0])
		assert.Contains(t, answer[1], "Not compared, as this was not recorded: a-python-operator-01")
	}
	assert.Contains(t, said(t, front), "0 of 5 scenarios fail, 1 more not recorded")
}

// The lead says on which days was recorded, not on the first of them alone.
func TestLeadSaysTheDays(t *testing.T) {
	for began, want := range map[time.Time]string{
		time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC): "Recorded on 2 January 2026 on Some CPU",
		time.Date(2026, 1, 5, 1, 0, 0, 0, time.UTC):  "Recorded from 2 to 5 January 2026 on Some CPU",
		time.Date(2026, 2, 1, 1, 0, 0, 0, time.UTC):  "Recorded from 2 January 2026 to 1 February 2026 on Some CPU",
	} {
		first, second := made.Many(made.Ten(), 3), made.Many(made.Ten(), 3)
		later := *second.Environment
		later.Run, later.Began = "later", began
		second.Environment, second.Judgement.Header.Run = &later, "later"
		assert.Contains(t, said(t, write(t, report.Of(first, second))), want)
	}
}

// Of styles that are recommended together, one that is built on an old version comes
// last; where it alone is the best, so does it, after the best of the others.
func TestNeedsNameOldVersionsLast(t *testing.T) {
	measured := made.Many(made.Thirty(), 12)
	header := &measured.Judgement.Header
	header.Began = time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
	for i := range header.Styles {
		if one := &header.Styles[i]; one.Name == "a-python-operator-01" {
			one.Framework.Date = "2024-11-24" // two years and a day
		}
	}
	told := answers(t, write(t, report.Of(measured)))
	assert.Equal(t, "a-go-operator-00, a-python-operator-01", told["A change must be seen in under a second"][0])
	assert.Equal(t, "a-python-operator-07, a-python-operator-01", told["Our team writes Python"][0])
}

// A scenario that a style only sometimes fails is no reason to prefer another one, but for
// who asks for correctness, and where it failed in most of several runs; who is built on an old version is recommended with that said.
func TestNeedsWhereAnOutcomeVaries(t *testing.T) {
	list := []record.Scenario{{Name: "drift", Group: "level"}}
	all, names := made.Thirty(), []string{"a-python-operator-01", "a-java-operator-02"}
	pass, fail := made.Pass(), made.Fail("lost", "converged")
	for _, one := range []struct {
		verdict, pick string // the first style is the faster one
		seen          []made.Repeat
	}{
		{"fail", names[1], []made.Repeat{fail}},
		{"flaky", names[0], []made.Repeat{fail}},
		{"flaky", names[0], []made.Repeat{fail, pass}},
		{"flaky", names[1], []made.Repeat{fail, pass, fail}},
	} {
		verdict, pick := one.verdict, one.pick
		measured := made.Many([]made.Style{all[0], all[2], all[3]}, 12)
		for i := range measured.Judgement.Header.Styles {
			if one := &measured.Judgement.Header.Styles[i]; one.Name == names[0] {
				one.Framework.Newest = "v2.0.0, 2026-10-01"
			}
		}
		matrix := made.Recording("matrix", list, made.Cell{Style: names[0], Scenario: "drift", Repeats: one.seen},
			made.Cell{Style: names[1], Scenario: "drift", Repeats: []made.Repeat{made.Pass()}})
		measured.Expected = map[string]verdicts.Expected{names[0]: made.Expected(names[0], list, "drift: {verdict: "+verdict+", oracles: [converged], why: by chance}\n")}
		matrix.Expected = measured.Expected
		r, found := report.Of(measured, matrix), 0
		for _, need := range r.Needs() {
			found++
			switch need.Name {
			case "A change must be seen in under a second":
				assert.Equal(t, []string{pick}, need.Picks(), "%s: %v", verdict, need)
				if pick == names[0] {
					assert.Equal(t, "built on a framework 1.2.3 of 2026-01-02 (newest: v2.0.0, 2026-10-01)", need.Candidates[0].Note)
					assert.Contains(t, need.Candidates[0].Figures, "1 of 5 scenarios fails (not always)")
				}
			case "Nothing may be lost", "The strictest correctness":
				assert.Equal(t, []string{names[1]}, need.Picks(), verdict)
			default:
				found--
			}
		}
		assert.Equal(t, 3, found, verdict)
	}
}

// What most styles fail comes first, and each cell leads to what was seen.
func TestHeatMap(t *testing.T) {
	r := full(t)
	front := write(t, r)
	all := rows(t, front, "heat")
	last := 1.0
	for _, row := range all[1:] {
		var failing, of int
		if row[1] != "–" { // it applies to nobody
			_, err := fmt.Sscanf(row[1], "%d of %d", &failing, &of)
			require.NoError(t, err)
		}
		share := float64(failing) / float64(max(of, 1))
		assert.LessOrEqual(t, share, last, row[0])
		last = share
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
	r := report.New(nil, &judge.Judgement{Results: []judge.Result{
		one("create", "latency", spec.Pass, judge.OK), one("burst-update", "load", spec.NotApplicable, judge.Timeout),
	}})
	front := write(t, r)
	assert.Contains(t, string(front), `<span class="badge fail"><span aria-hidden="true">✗</span> 1 of 2 samples handled correctly, 1 late</span>`)
	assert.Equal(t, []string{"burst-updateload", "1 of 1", "✗"}, rows(t, front, "heat")[1])
	assert.Contains(t, said(t, about(t, r, "argo")), "✗ late 0 of 1 in time")
}

// The floor of a load is not the least that an operator can take.
func TestTheFloorSaysWhatItIsNot(t *testing.T) {
	assert.Contains(t, string(about(t, ten(t), "floor")), "of a load of updates it is not, since the harness writes every step")
}

// A title that lists ten styles is none.
func TestTitleOfManyStyles(t *testing.T) {
	assert.Equal(t, "9 operator styles", textOf(parse(t, write(t, ten(t))).all("h1")[0]))
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
	assert.Contains(t, page, "opbench run --operator=a-go-operator-00 --scenario=measured --rounds=12 --seed=0 # run many, revision 0123456789abcdef")
	assert.Contains(t, page, ".github/ISSUE_TEMPLATE/figure.yml")
	assert.NotContains(t, page, "https://")
	assert.NotContains(t, page, "og:image")
	assert.Contains(t, page, `<meta name="description" content="An operator by the name of a-go-operator-00.`)
}
