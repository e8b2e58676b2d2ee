package html

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// The pictures' names beside a recording: one for each scheme, since an image does not know that of the page around it.
const (
	PictureFile     = "comparison.svg"
	DarkPictureFile = "comparison-dark.svg"
)

// Pictures are the comparison for light pages and for dark ones.
func Pictures() []report.File {
	return []report.File{
		{Name: PictureFile, Print: func(r *report.Report, out io.Writer) error { return drawPicture(out, r, false) }},
		{Name: DarkPictureFile, Print: func(r *report.Report, out io.Writer) error { return drawPicture(out, r, true) }},
	}
}

// picture is the chart of the main scenario by itself: how long each style took
// until it had done its part, a row a style.
type picture struct {
	CSS         template.CSS
	Title, Text string // Text says in words what the chart shows
	Height      int
	Bottom      int // of the plot
	Below       int // where the axis' ticks end
	PlotHeight  int
	X           *axis
	Floor, Took string // where the floor's median is, and what; empty: it was not measured
	Rows        []*pictureRow
	Legend      []legendLine
}

// pictureRow is one style of a picture.
type pictureRow struct {
	Style      *style
	Name, Note string // Note is n, and what is not counted
	Shared     bool   // its rank is not known alone
	Value      string // the median
	Range      string // its interval; empty: none can be had
	Y          int
	Dots       *dots // nil: there is no sample
}

type legendLine struct {
	Y    int
	Text string
}

// The picture's measures, in pixels of a README.
const (
	pictureTop  = 54
	rowHeight   = 34
	legendRow   = 16
	legendWidth = 138 // letters of a line
)

// drawPicture prints the comparison as an SVG file by itself. It needs a scenario that was measured.
func drawPicture(out io.Writer, r *report.Report, dark bool) error {
	s := newStudy(r.Tables()[0], nil)
	cells := s.Of(s.Headline())
	if len(cells) == 0 {
		return errors.New("draw the comparison: the recording holds no sample of a scenario that is measured; run `opbench run --scenario=create` for one")
	}
	p := s.picture(s.Headline(), cells)
	p.CSS = pictureStyle(dark)
	if len(r.Tables()) > 1 {
		p.Title += ", run " + strings.Join(s.Runs, ", ")
	}
	return fill(out, "draw the comparison", "picture", p)
}

// picture draws a scenario, the fastest style first.
func (s *study) picture(scenario string, cells []*result.Cell) *picture {
	goal := spec.PhaseChildWritten
	for _, c := range cells {
		if written, _ := c.Outcome(); written.Phase != "" {
			goal = written.Phase
		}
	}
	p := &picture{X: logAxis(reach(goal, cells...)), Title: fmt.Sprintf("%s: from the request until the %s", scenario, inWords(s.Child(), goal))}
	order := s.ByLatency(scenario)
	slices.SortStableFunc(cells, func(a, b *result.Cell) int {
		return slices.Index(order, a.Style.Label) - slices.Index(order, b.Style.Label)
	})
	var words []string
	for i, c := range cells {
		row := s.pictureRow(c, goal, p.X)
		row.Y = pictureTop + i*rowHeight
		p.Rows = append(p.Rows, row)
		words = append(words, fmt.Sprintf("%s: median %s (%s)", row.Style.Label, row.Value, row.Note))
	}
	p.Text = p.Title + ". " + strings.Join(words, "; ") + "."
	p.PlotHeight = len(p.Rows) * rowHeight
	p.Bottom, p.Below = pictureTop+p.PlotHeight, pictureTop+p.PlotHeight+4
	for _, c := range cells {
		if one, _ := c.Phase(goal); c.IsFloor() && one.N > 0 {
			p.Floor, p.Took = place(p.X.at(one.P50.Value)), "floor: "+one.P50.String()
		}
	}
	for i, line := range plain.Wrap(p.legend(), legendWidth) {
		p.Legend = append(p.Legend, legendLine{p.Bottom + 40 + legendRow*i, line})
	}
	p.Height = p.Bottom + 34 + legendRow*len(p.Legend)
	return p
}

// pictureRow takes what a cell's samples of a phase say.
func (s *study) pictureRow(c *result.Cell, phase string, x *axis) *pictureRow {
	r := &pictureRow{Style: s.style(c.Style.Label), Name: plain.Clip(c.Style.Label, 19), Value: "–", Note: "no sample"}
	if r.Shared = s.RankOf(c.Style.Label, c.Scenario).Shared(); r.Shared {
		r.Name += " ~"
	}
	one, there := c.Phase(phase)
	if !there {
		return r
	}
	r.Dots = dotsOf(c, one, r.Style.Look, x, 0)
	r.Dots.Floor = "" // it is shaded in all rows alike
	r.Note = fmt.Sprintf("n = %s in %s", fmt.Sprint(one.N), plain.Plural(one.Rounds, "round"))
	if text := result.Uncounted(one); text != "" {
		r.Note += ", " + text
	}
	if one.N > 0 {
		r.Value = one.P50.String()
	}
	_, r.Range = result.Quantile(one, 0.5)
	return r
}

// legend explains what is there to be seen.
func (p *picture) legend() string {
	seen := func(is func(*pictureRow, *dots) bool) bool {
		return slices.ContainsFunc(p.Rows, func(r *pictureRow) bool { return r.Dots != nil && is(r, r.Dots) })
	}
	sentences := []string{"Each line is 10 times the one before; the floor, then styles by their medians.", "Large mark: median of n samples; small dots: the samples."}
	for _, one := range []struct {
		text string
		is   func(*pictureRow, *dots) bool
	}{
		{"Whiskers: its 95% confidence interval.", func(_ *pictureRow, d *dots) bool { return d.Whiskers != "" }},
		{fmt.Sprintf("No whiskers: an interval takes %d rounds.", stat.MinRounds), func(_ *pictureRow, d *dots) bool { return d.Whiskers == "" && d.Median != "" }},
		{"Arrow: timed out, so slower than that.", func(_ *pictureRow, d *dots) bool { return len(d.Arrows) > 0 }},
		{"Cross: handled wrongly, so not counted.", func(_ *pictureRow, d *dots) bool { return len(d.Crosses) > 0 }},
		{"~: it cannot be told apart from at least one other style.", func(r *pictureRow, _ *dots) bool { return r.Shared }},
		{"Shaded: the floor, the time of the cluster and the harness without an operator.", func(*pictureRow, *dots) bool { return p.Floor != "" }},
	} {
		if seen(one.is) {
			sentences = append(sentences, one.text)
		}
	}
	return strings.Join(sentences, " ")
}

// pictureStyle is picture.css with the colours of one of the page's schemes put
// in: what draws an image by itself need not know variables.
func pictureStyle(dark bool) template.CSS {
	schemes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(asset("style.css")), 2) // a light one and then a dark one
	scheme := schemes[0]
	if dark {
		scheme = schemes[1]
	}
	css := string(asset("picture.css"))
	for _, colour := range regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(scheme[1], -1) {
		css = strings.ReplaceAll(css, "var(--"+colour[1]+")", colour[2])
	}
	return template.CSS(css) //nolint:gosec // the picture's own style sheet, embedded
}
