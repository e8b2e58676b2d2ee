//go:build browser

package html_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	made "operatorbench/e2e/report/internal/madetest"
)

var (
	browserPath = flag.String("browser", "chromium", "the Chrome or Chromium to look with")
	shots       = flag.String("shots", "", "a folder for screenshots; empty: none are kept")
)

// tab is an open page of a browser, with all that it asked the network for and
// all that it complained of.
type tab struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	requests []string
	problems []string
}

// open starts a browser of its own, which is gone with its folders when the
// test ends, and loads a file from disk.
func open(t *testing.T, path string) *tab {
	t.Helper()
	executable, err := exec.LookPath(*browserPath)
	require.NoError(t, err, "scripts/browser-up.sh finds or installs one; `make test-browser` calls it")
	limited, stop := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute) // it outlives the test, to close the browser
	t.Cleanup(stop)
	folder := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(executable), chromedp.UserDataDir(filepath.Join(folder, "profile")), chromedp.Env("TMPDIR="+folder),
		chromedp.DisableGPU, chromedp.NoSandbox, // root needs it; the pages are the tests' own
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, stop := chromedp.NewExecAllocator(limited, options...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	one := &tab{Context: ctx, t: t}
	t.Cleanup(func() { assert.NoError(t, chromedp.Cancel(ctx), "close the browser") })
	require.NoError(t, chromedp.Listen(ctx, one.hear))
	one.do(
		enable(network.Enable, network.EnableParams{}), enable(runtime.Enable, cdp.Empty{}), enable(log.Enable, cdp.Empty{}),
		chromedp.Navigate(fileURL(path)),
	)
	return one
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

func enable[P, R any](command cdp.Command[P, R], parameters P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, parameters)
		return err
	})
}

// hear notes what the browser tells of the page.
func (o *tab) hear(event any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		o.requests = append(o.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		o.problems = append(o.problems, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		o.problems = append(o.problems, "console: "+string(e.Type))
	case *log.EventEntryAdded:
		o.problems = append(o.problems, e.Entry.Text)
	}
}

func (o *tab) heard() (requests, problems []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.requests...), append([]string(nil), o.problems...)
}

func (o *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	o.t.Helper()
	require.NoError(o.t, chromedp.Do(o, steps...))
}

// width makes the window so wide.
func (o *tab) width(pixels int64) {
	o.t.Helper()
	o.do(chromedp.EmulateViewport(pixels, 900))
}

// media emulates a medium and a colour scheme.
func (o *tab) media(medium, scheme string) {
	o.t.Helper()
	o.do(enable(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}))
}

// keep stores a screenshot of the whole page.
func (o *tab) keep(name string) {
	o.t.Helper()
	image, err := chromedp.Run(o, chromedp.FullScreenshot(100))
	require.NoError(o.t, err)
	assert.Greater(o.t, len(image), 20_000, "%s shows something", name)
	o.store(name, image)
}

func (o *tab) store(name string, data []byte) {
	o.t.Helper()
	if *shots == "" {
		return
	}
	require.NoError(o.t, os.MkdirAll(*shots, 0o755))
	require.NoError(o.t, os.WriteFile(filepath.Join(*shots, name), data, 0o644))
}

// ask evaluates an expression in the page.
func ask[T any](o *tab, expression string) T {
	o.t.Helper()
	answer, err := chromedp.Run(o, chromedp.Evaluate[T](expression))
	require.NoError(o.t, err)
	return answer
}

// charts says what is wrong with how charts are drawn: nothing there, a part
// outside, or a label on another.
const charts = `(() => {
	const problems = [];
	const box = e => e.getBoundingClientRect();
	const axis = document.querySelector(document.querySelector('.dots') ? '#key-few' : '#key-axis');
	for (const svg of document.querySelectorAll('.plot > svg')) {
		if (!svg.checkVisibility({contentVisibilityAuto: true})) continue;
		const frame = box(svg), row = svg.closest('tr');
		const say = (what, e) => problems.push(row.textContent.trim().slice(0, 40) + ': ' + what + ' ' + e.outerHTML.slice(0, 80));
		if (frame.width < 140 || frame.height < 18) say('too small: ' + frame.width + ' by ' + frame.height, svg);
		const parts = [...svg.querySelectorAll('path, rect')];
		if (svg.closest('tbody') && parts.length < 1 && /[0-9] m?s/.test(row.textContent)) say('empty', svg);
		for (const e of parts) {
			const b = box(e), slack = 8;
			if (b.left < frame.left - slack || b.right > frame.right + slack || b.top < frame.top - slack || b.bottom > frame.bottom + slack) say('outside:', e);
		}
	}
	const labels = axis && (innerWidth < 500 || document.querySelector('.latencies .plot')?.clientWidth > 300) ? [...axis.querySelectorAll('text')].filter(e => getComputedStyle(e).display != 'none') : [];
	const width = Math.min(...[...document.querySelectorAll('thead .plot > svg')].map(e => box(e).width).filter(w => w > 0));
	for (const [i, e] of labels.entries()) {
		const at = parseFloat(e.getAttribute('x')), before = i && parseFloat(labels[i - 1].getAttribute('x'));
		if (i && (at - before) / 100 * width < 3.2 * (e.textContent.length + labels[i - 1].textContent.length)) problems.push('axis: ' + e.textContent + ' is on ' + labels[i - 1].textContent);
	}
	return problems;
})()`

// stylePage is where a style's page is, beside the first one.
func stylePage(first, style string) string {
	return filepath.Join(filepath.Dir(first), html.Folder, style+".html")
}

func TestPagesInABrowser(t *testing.T) {
	for name, r := range reports(t) {
		t.Run(name, func(t *testing.T) {
			first := written(t, r)
			pages := []string{first}
			beside, err := filepath.Glob(stylePage(first, "*"))
			require.NoError(t, err)
			pages = append(pages, beside[:min(len(beside), 2)]...)
			o := open(t, first)
			var asked []string
			for _, path := range pages {
				o.do(chromedp.Navigate(fileURL(path)))
				for _, width := range []int64{1280, 400} {
					o.width(width)
					assert.LessOrEqual(t, ask[int64](o, `document.documentElement.scrollWidth`), width, "%s does not scroll sideways", path)
					assert.Empty(t, ask[[]string](o, charts), "%s at %d pixels", path, width)
				}
				assert.True(t, ask[bool](o, `[...document.querySelectorAll('.dots')].every(e => e.parentElement.scrollWidth <= e.parentElement.clientWidth)`), "%s on a phone: each median is seen", path)
				assert.Equal(t, "complete", ask[string](o, `document.readyState`))
				asked = append(asked, fileURL(path))
			}
			requests, problems := o.heard()
			assert.Equal(t, append([]string{fileURL(first)}, asked...), requests, "nothing but the files themselves is asked for")
			assert.Empty(t, problems, "nothing is complained of")
		})
	}
}

// Who opens the published page sees the finding, what to choose, and how the styles compare
// without scrolling.
func TestFirstScreenOfThePublishedPage(t *testing.T) {
	published, err := filepath.Abs("../../../docs/results/comparison/" + html.File)
	require.NoError(t, err)
	o := open(t, published)
	o.width(1280) // and 900 high
	bottom := func(selector string) float64 {
		return ask[float64](o, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().bottom`, selector))
	}
	assert.Less(t, bottom(".finding"), 350.0)
	assert.Less(t, bottom("section:has(#needs)"), 800.0)
	assert.True(t, ask[bool](o, `document.getElementById('table').scrollWidth <= document.getElementById('table').parentElement.clientWidth`), "the first look does not scroll sideways")
	o.width(400)
	assert.Less(t, ask[float64](o, `Math.max(...[...document.querySelectorAll('.needs summary')].map(e => e.clientHeight))`), 90.0, "on a phone an answer takes three lines at most")
}

// However many styles meet a need, and however long their names are, it takes one line.
func TestANeedTakesOneLine(t *testing.T) {
	var cells []made.Cell
	for _, label := range thirty(t).Contestants() {
		cells = append(cells, made.Cell{Style: label, Scenario: "burst", Repeats: []made.Repeat{made.Pass()}})
	}
	o := open(t, written(t, report.Of(made.Many(made.Thirty(), 12), made.Recording("matrix", []record.Scenario{{Name: "burst", Group: "level"}}, cells...))))
	o.width(1280)
	assert.Greater(t, ask[int](o, `document.querySelectorAll('.needs summary').length`), 8)
	assert.Less(t, ask[float64](o, `Math.max(...[...document.querySelectorAll('.needs summary')].map(e => e.clientHeight))`), 30.0)
	assert.True(t, ask[bool](o, `[...document.querySelectorAll('.needs summary')].every(e => e.scrollWidth <= e.clientWidth)`), "and how many more there are is seen")
}

// The first page of thirty styles can be used within a second.
func TestThirtyStylesAreInteractiveAtOnce(t *testing.T) {
	o := open(t, written(t, thirty(t)))
	took := ask[float64](o, `performance.getEntriesByType('navigation')[0].loadEventEnd`)
	t.Logf("interactive after %.0f ms", took)
	assert.Less(t, took, 1000.0, "milliseconds until its script has run")
	took = ask[float64](o, `(() => { const began = performance.now(); document.querySelector('#table thead th:nth-child(3) button').click(); return performance.now() - began; })()`)
	t.Logf("sorted in %.0f ms", took)
	assert.Less(t, took, 200.0, "milliseconds to sort")
}

// column is the texts of a column of the table of all figures, as they stand in it.
func column(o *tab, head string) []string {
	o.t.Helper()
	return ask[[]string](o, fmt.Sprintf(`(() => {
		const i = [...document.querySelectorAll('#table thead th')].findIndex(th => th.textContent.trim() === %q);
		return [...document.querySelectorAll('#table tbody tr')].filter(r => !r.hidden).map(r => r.cells[i].dataset.v ?? r.cells[i].querySelector('a')?.textContent ?? '');
	})()`, head))
}

// press focuses what a selector finds and presses a key.
func (o *tab) press(selector, key string) {
	o.t.Helper()
	require.True(o.t, ask[bool](o, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); return document.activeElement === e; })()`, selector)), "%s takes the focus", selector)
	o.do(chromedp.KeyEvent(key))
}

// Heads of columns are buttons: a press sorts up, the next down, and what is not
// known comes last in both.
func TestSortingByKeyboard(t *testing.T) {
	o := open(t, written(t, thirty(t)))
	o.width(1280)
	const head, button = `#table thead th:nth-child(3)`, `#table thead th:nth-child(3) button`
	sorted := func(down bool) {
		var last float64
		for i, text := range column(o, "create written") {
			value, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			if i > 0 && down {
				require.LessOrEqual(t, value, last)
			} else if i > 0 {
				require.GreaterOrEqual(t, value, last)
			}
			last = value
		}
	}
	o.press(button, kb.Enter)
	assert.Equal(t, "ascending", ask[string](o, `document.querySelector('`+head+`').ariaSort`))
	sorted(false)
	o.press(button, " ")
	assert.Equal(t, "descending", ask[string](o, `document.querySelector('`+head+`').ariaSort`))
	sorted(true)
	o.press(`#table thead th:first-child button`, kb.Enter)
	names := column(o, "style")
	assert.True(t, slices.IsSorted(names), "%v", names)
	assert.Equal(t, 1, ask[int](o, `document.querySelectorAll('#table [aria-sort]').length`))
}

// The filter hides rows of the table and of the chart; ticks show further figures, and the choice sorts, as on a phone.
func TestFilterTicksAndChoice(t *testing.T) {
	o := open(t, written(t, thirty(t)))
	o.width(1280)
	visible := func(selector string) int {
		return ask[int](o, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).length`, selector))
	}
	assert.Equal(t, []int{30, 30}, []int{visible("#table tbody tr"), visible(".dots tbody tr")})
	few := visible("#table thead th")
	assert.LessOrEqual(t, few, 12)
	assert.Zero(t, visible("#table small"))
	for i := range ask[int](o, `document.querySelectorAll('#groups input:not(:checked)').length`) {
		o.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.querySelectorAll('#groups input')[%d].click()`, []int{0, 2, 3, 4, 5, 6, 7, 8, 9, 10}[i])))
	}
	assert.Equal(t, ask[int](o, `document.querySelectorAll('#table thead th').length`), visible("#table thead th"))
	assert.Positive(t, visible("#table small"))
	o.do(chromedp.SendKeys("#filter", "rust"))
	names := column(o, "style")
	require.NotEmpty(t, names)
	for _, name := range names {
		assert.Contains(t, name, "rust")
	}
	assert.Equal(t, len(names), visible(".dots tbody tr"))
	o.do(chromedp.Evaluate[chromedp.Void](`void (() => { const s = document.getElementById('sort'); s.value = [...s.options].findIndex(o => o.text === 'peak memory'); s.dispatchEvent(new Event('change')); })()`))
	assert.Equal(t, "ascending", ask[string](o, `[...document.querySelectorAll('#table thead th')].find(th => th.textContent.trim() === 'peak memory').ariaSort`))
}

// Without its script the page has the same texts, and no control that does nothing.
func TestPageWithoutScript(t *testing.T) {
	o := open(t, written(t, thirty(t)))
	with := ask[int](o, `document.querySelectorAll('#table tbody td').length`)
	o.do(enable(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	o.do(chromedp.Navigate(ask[string](o, `location.href`)))
	assert.Equal(t, with, ask[int](o, `document.querySelectorAll('#table tbody td').length`))
	assert.False(t, ask[bool](o, `document.querySelector('.controls').checkVisibility()`))
	assert.Equal(t, 0, ask[int](o, `document.querySelectorAll('#table button').length`))
}

// faint lists texts whose contrast with the ground that they stand on is below what
// level AA asks for, as a browser computes both.
const faint = `(() => {
	const parse = c => c.match(/[0-9.]+/g).map(Number);
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
	const bad = new Set();
	for (const e of document.querySelectorAll('body *')) {
		if (e.closest('svg, script') || !e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const a = light(parse(getComputedStyle(e).color)), b = light(ground(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) bad.add(e.tagName + '.' + e.className + ' ' + ratio.toFixed(2) + ' ' + e.textContent.trim().slice(0, 30));
	}
	return [...bad];
})()`

func TestContrastInABrowser(t *testing.T) {
	first := written(t, full(t))
	o := open(t, first)
	for _, path := range []string{first, stylePage(first, "argo")} {
		o.do(chromedp.Navigate(fileURL(path)))
		for _, scheme := range []string{"light", "dark"} {
			o.media("screen", scheme)
			assert.Empty(t, ask[[]string](o, faint), "%s, %s", path, scheme)
		}
	}
}

// The test above would see what a page fetches, and what its policy forbids.
func TestBrowserTellsOfWhatIsFetched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	image := filepath.Join(filepath.Dir(path), "image.png")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `<!doctype html><title>x</title><img src="%s"><script>throw new Error("seen")</script>`, fileURL(image)), 0o644))
	requests, problems := open(t, path).heard()
	assert.Contains(t, requests, fileURL(image))
	assert.NotEmpty(t, problems)
}

func TestSchemes(t *testing.T) {
	o := open(t, written(t, handMade(t)))
	const background, ink = `getComputedStyle(document.body).backgroundColor`, `getComputedStyle(document.querySelector('.latencies .c1 .dot')).stroke`
	o.media("screen", "light")
	lightGround, lightInk := ask[string](o, background), ask[string](o, ink)
	o.media("screen", "dark")
	assert.NotEqual(t, lightGround, ask[string](o, background))
	assert.NotEqual(t, lightInk, ask[string](o, ink), "charts follow the scheme")
}

func TestPrint(t *testing.T) {
	first := written(t, example(t))
	o := open(t, first)
	for name, path := range map[string]string{"front": first, "style": stylePage(first, "argo")} {
		o.do(chromedp.Navigate(fileURL(path)))
		o.media("screen", "dark")
		assert.NotEqual(t, "none", ask[string](o, `getComputedStyle(document.querySelector('nav')).display`))
		o.media("print", "dark")
		assert.Equal(t, "none", ask[string](o, `getComputedStyle(document.querySelector('nav')).display`))
		assert.Equal(t, "rgb(255, 255, 255)", ask[string](o, `getComputedStyle(document.body).backgroundColor`), "paper is white in a dark room too")
		assert.True(t, ask[bool](o, `[...document.querySelectorAll('.sheet')].every(d => d.lastElementChild.getBoundingClientRect().height > 0)`), "what is folded away is on paper")
		pdf, err := chromedp.Run(o, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPrintBackground()))
		require.NoError(t, err)
		require.Greater(t, len(pdf), 10_000)
		assert.Equal(t, "%PDF-", string(pdf[:5]))
		o.store(name+".pdf", pdf)
	}
}

func TestScreenshots(t *testing.T) {
	for name, r := range map[string]*report.Report{"example": example(t), "thirty": thirty(t), "matrix": full(t)} {
		first := written(t, r)
		beside, err := filepath.Glob(stylePage(first, "*"))
		require.NoError(t, err)
		o := open(t, first)
		for page, path := range map[string]string{name: first, name + "-style": beside[0]} {
			o.do(chromedp.Navigate(fileURL(path)))
			for look, width := range map[string]int64{"light": 1280, "dark": 1280, "phone-light": 400, "phone-dark": 400} {
				o.width(width)
				o.media("screen", strings.TrimPrefix(look, "phone-"))
				o.keep(page + "-" + look + ".png")
			}
		}
	}
}

// Assistive technology reads every table by its name, and charts by the figures
// that stand beside them in the row.
func TestAccessibilityTree(t *testing.T) {
	o := open(t, written(t, example(t)))
	o.width(400)
	tree, err := chromedp.Run(o, func(ctx context.Context, target *chromedp.Target) (accessibility.GetFullAXTreeResult, error) {
		return cdp.Call(ctx, target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	})
	require.NoError(t, err)
	tables := 0
	for _, node := range tree.Nodes {
		if node.Role == nil {
			continue
		}
		switch fmt.Sprint(node.Role.Value) {
		case `"image"`:
			assert.Fail(t, "a chart without a text", "%v", node.Name)
		case `"table"`:
			require.NotNil(t, node.Name)
			assert.Greater(t, len(fmt.Sprint(node.Name.Value)), 6, "%v", node.Name)
			tables++
		}
	}
	assert.Equal(t, ask[int](o, `[...document.querySelectorAll('table')].filter(e => e.checkVisibility({contentVisibilityAuto: true})).length`), tables)
}

// A cell of the matrix leads to what the oracles said.
func TestCellsLeadToWhatWasSeen(t *testing.T) {
	first := written(t, alone())
	o := open(t, first)
	target := ask[string](o, `document.querySelector('td.fail a').href`)
	assert.Equal(t, fileURL(stylePage(first, "argo"))+"#s-burst", target)
	o.do(chromedp.Navigate(target))
	assert.True(t, ask[bool](o, `document.querySelector(':target').checkVisibility({contentVisibilityAuto: true}) && document.querySelector(':target').innerText.includes('expected 7, seen 6')`))
}
