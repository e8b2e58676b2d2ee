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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	const axis = document.querySelector('#key-axis');
	for (const svg of document.querySelectorAll('.plot > svg')) {
		if (!svg.checkVisibility({contentVisibilityAuto: true})) continue;
		const frame = box(svg), row = svg.closest('tr'), bar = svg.closest('.bars');
		const say = (what, e) => problems.push(row.textContent.trim().slice(0, 40) + ': ' + what + ' ' + e.outerHTML.slice(0, 80));
		if (frame.width < (bar ? 60 : 150) || frame.height < (bar ? 8 : 18)) say('too small: ' + frame.width + ' by ' + frame.height, svg);
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

func TestPageInABrowser(t *testing.T) {
	for name, r := range reports(t) {
		t.Run(name, func(t *testing.T) {
			path := written(t, r)
			o := open(t, path)
			for _, width := range []int64{1280, 400} {
				o.width(width)
				assert.LessOrEqual(t, ask[int64](o, `document.documentElement.scrollWidth`), width, "the page does not scroll sideways")
				assert.Empty(t, ask[[]string](o, charts), "at %d pixels", width)
			}
			drawn, measured := ask[int](o, `document.querySelectorAll('.latencies td.plot').length`), 0
			for _, c := range r.Cells {
				written, ready := c.Outcome()
				measured += min(written.N+written.Wrong, 1) + min(ready.N+ready.Wrong, 1)
			}
			assert.GreaterOrEqual(t, drawn, measured, "two charts a cell")
			requests, problems := o.heard()
			assert.Equal(t, []string{fileURL(path)}, requests, "nothing but the file itself is asked for")
			assert.Empty(t, problems, "nothing is complained of")
			assert.Equal(t, "complete", ask[string](o, `document.readyState`))
		})
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
	o.width(1280)
	const background, ink = `getComputedStyle(document.body).backgroundColor`, `getComputedStyle(document.querySelector('.latencies .c1 .dot')).stroke`
	o.media("screen", "light")
	lightGround, lightInk := ask[string](o, background), ask[string](o, ink)
	o.keep("hand-made-light.png")
	o.media("screen", "dark")
	assert.NotEqual(t, lightGround, ask[string](o, background))
	assert.NotEqual(t, lightInk, ask[string](o, ink), "charts follow the scheme")
	o.keep("hand-made-dark.png")
}

func TestPrint(t *testing.T) {
	o := open(t, written(t, example(t)))
	assert.NotEqual(t, "none", ask[string](o, `getComputedStyle(document.querySelector('nav')).display`))
	o.media("print", "dark")
	assert.Equal(t, "none", ask[string](o, `getComputedStyle(document.querySelector('nav')).display`))
	assert.Equal(t, "rgb(255, 255, 255)", ask[string](o, `getComputedStyle(document.body).backgroundColor`), "paper is white in a dark room too")
	pdf, err := chromedp.Run(o, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPrintBackground()))
	require.NoError(t, err)
	require.Greater(t, len(pdf), 10_000)
	assert.Equal(t, "%PDF-", string(pdf[:5]))
	o.store("example.pdf", pdf)
}

func TestScreenshots(t *testing.T) {
	o := open(t, written(t, example(t)))
	for _, one := range []struct {
		name   string
		width  int64
		scheme string
	}{{"example-light.png", 1280, "light"}, {"example-dark.png", 1280, "dark"}, {"example-phone.png", 400, "light"}, {"example-phone-dark.png", 400, "dark"}} {
		o.width(one.width)
		o.media("screen", one.scheme)
		o.keep(one.name)
	}
}

// What is folded away, all samples of a figure among it, unfolds in its place.
func TestSamplesUnfold(t *testing.T) {
	o := open(t, written(t, example(t)))
	const shown = `document.querySelector('.latencies td details').innerText.includes('round 1: ')`
	assert.False(t, ask[bool](o, shown))
	assert.True(t, ask[bool](o, `(() => { const s = document.querySelector('.latencies td summary'); s.focus(); return document.activeElement === s; })()`), "by keyboard too")
	o.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.latencies td summary').click()`))
	assert.True(t, ask[bool](o, shown))
	o.width(1280)
	o.keep("example-samples.png")
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

// A cell of the matrix leads to what the oracles said, although it is folded away.
func TestMatrixCellsOpenTheirSheets(t *testing.T) {
	o := open(t, written(t, alone()))
	const shown = `document.getElementById('correctness-argo-killed').checkVisibility({contentVisibilityAuto: true})`
	assert.False(t, ask[bool](o, shown))
	o.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.correctness a[href="#correctness-argo-killed"]').click()`))
	assert.True(t, ask[bool](o, shown))
	assert.True(t, ask[bool](o, `document.getElementById('correctness-killed').open`))
}

// Of a full matrix, names and verdicts can be read at once on a phone too, and
// what is folded away is on paper.
func TestMatrixInABrowser(t *testing.T) {
	o := open(t, written(t, full(t)))
	const (
		inside = `(() => { const table = document.querySelector('table.correctness'); return table.scrollWidth <= table.closest('.scroll').clientWidth; })()`
		named  = `[...document.querySelectorAll('table.correctness tbody td')].every(td => td.closest('.group') || /[a-z]{3}/.test(td.innerText))`
	)
	for _, one := range []struct {
		name   string
		width  int64
		scheme string
	}{{"matrix-light.png", 1280, "light"}, {"matrix-dark.png", 1280, "dark"}, {"matrix-phone.png", 400, "light"}} {
		o.width(one.width)
		o.media("screen", one.scheme)
		assert.True(t, ask[bool](o, inside), "at %d pixels the matrix needs no scrolling sideways", one.width)
		assert.True(t, ask[bool](o, named), "colour is never the only sign")
		o.do(chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('body > main > section')].forEach(s => s.hidden = !['summary', 'correctness', 'security'].includes(s.getAttribute('aria-labelledby')))`))
		o.keep(one.name)
	}
	o.media("print", "light")
	assert.True(t, ask[bool](o, `[...document.querySelectorAll('.sheet')].every(d => d.lastElementChild.getBoundingClientRect().height > 0)`))
	pdf, err := chromedp.Run(o, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPrintBackground()))
	require.NoError(t, err)
	o.store("matrix.pdf", pdf)
}
