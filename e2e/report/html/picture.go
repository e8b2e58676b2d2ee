package html

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// The pictures' names beside a recording: one for each scheme, since an image
// does not know that of the page around it.
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

// picture is a chart by itself: how long each style took in the main scenario
// until it had done its part, a row a style, on a logarithmic axis.
type picture struct {
	CSS         template.CSS
	Title, Text string // Text says in words what the chart shows
	Width       int
	Height      int
	Left, Right float64 // the plot's edges
	Top, Bottom float64
	X           *axis
	Floor       *floorLine // nil: it was not measured
	Rows        []*pictureRow
	Legend      []string // lines
}

// floorLine is where the floor's median is: what lies left of it is shaded.
type floorLine struct {
	At, Width float64
	Label     string
}

// The picture's measures, in pixels of a README.
const (
	pictureWidth = 820
	pictureLeft  = 172
	pictureRight = 696
	pictureTop   = 54
	rowHeight    = 34
	legendRow    = 16
	legendWidth  = 138 // letters of a line
)

// What the axis reaches at least, in seconds, so that pictures of different
// recordings look alike.
const (
	pictureLeast = 1e-3
	pictureMost  = 100
)

// drawPicture prints the comparison as an SVG file by itself. It needs a
// scenario that was measured.
func drawPicture(out io.Writer, r *report.Report, dark bool) error {
	s := newStudy(r)
	in := s.main()
	if in == nil {
		return errors.New("draw the comparison: the recording holds no sample of a scenario that is measured; run `opbench run --scenario=create` for one")
	}
	css, err := pictureStyle(dark)
	if err != nil {
		return fmt.Errorf("draw the comparison: %w", err)
	}
	drawing, err := template.ParseFS(assets, "templates/picture.tmpl")
	if err != nil {
		return fmt.Errorf("draw the comparison: %w", err)
	}
	p := s.picture(in)
	p.CSS = css
	var text bytes.Buffer
	if err := drawing.ExecuteTemplate(&text, "picture", p); err != nil {
		return fmt.Errorf("draw the comparison: %w", err)
	}
	if _, err := out.Write(bytes.Map(printable, text.Bytes())); err != nil {
		return fmt.Errorf("draw the comparison: %w", err)
	}
	return nil
}

// main is the scenario that styles are known by; nil: none was measured.
func (s *study) main() *scene {
	name := s.Headline()
	if i := slices.IndexFunc(s.Scenes, func(in *scene) bool { return in.Name == name }); i >= 0 {
		return s.Scenes[i]
	}
	return nil
}

// picture draws a scenario, the fastest style first.
func (s *study) picture(in *scene) *picture {
	p := &picture{Width: pictureWidth, Left: pictureLeft, Right: pictureRight, Top: pictureTop}
	low, high, goal := float64(pictureLeast), float64(pictureMost), judge.PhaseChildWritten
	for _, c := range in.Cells {
		goal, _ = c.outcome()
		row := rowOf(c, c.series[goal])
		if row.Tied = s.RankOf(c.Style.Label, in.Name).Tied; row.Tied {
			row.Name += " ~"
		}
		p.Rows = append(p.Rows, row)
		for _, m := range row.marks {
			if m.Value > 0 {
				low, high = min(low, m.Value), max(high, m.Value)
			}
		}
	}
	order := s.ByLatency(in.Name)
	slices.SortStableFunc(p.Rows, func(a, b *pictureRow) int {
		return slices.Index(order, a.Style.Label) - slices.Index(order, b.Style.Label)
	})
	p.X = logAxis(low, high, p.Left, p.Right)
	p.X.inWords(high)
	for i, row := range p.Rows {
		row.draw(p.X, p.Top+(float64(i)+0.5)*rowHeight)
	}
	p.Bottom = p.Top + float64(len(p.Rows))*rowHeight
	p.Title = fmt.Sprintf("%s: from the request until the %s", in.Name, told(goal))
	p.floor(in.floor(), goal)
	p.legend()
	p.Height = int(p.Bottom) + 34 + legendRow*len(p.Legend)
	p.Text = p.words()
	return p
}

// inWords labels an axis' decades below a minute with their values, and what
// lies above in minutes and hours. high is what the axis reaches, in seconds.
func (a *axis) inWords(high float64) {
	a.Ticks = slices.DeleteFunc(a.Ticks, func(t tick) bool { return t.At >= a.at(60)-1e-6 })
	for _, one := range []tick{{60, "1 min"}, {600, "10 min"}, {3600, "1 h"}, {36000, "10 h"}} {
		if one.At <= high {
			a.Ticks = append(a.Ticks, tick{At: a.at(one.At), Label: one.Label})
		}
	}
}

// floor shades what the cluster takes without any operator.
func (p *picture) floor(c *cell, goal string) {
	if c == nil || c.series[goal] == nil || c.series[goal].N == 0 {
		return
	}
	median := c.series[goal].P50
	p.Floor = &floorLine{At: p.X.at(median.Value), Label: "floor: " + median.String()}
	p.Floor.Width = p.Floor.At - p.Left
}

// legend explains what is there to be seen.
func (p *picture) legend() {
	seen := func(is func(*pictureRow) bool) bool { return slices.ContainsFunc(p.Rows, is) }
	sentences := []string{"Logarithmic axis; the floor, then styles by their medians.", "Large mark: median of n samples; small dots: the samples."}
	if seen(func(r *pictureRow) bool { return r.Whiskers != "" }) {
		sentences = append(sentences, "Whiskers: its 95% confidence interval.")
	}
	if seen(func(r *pictureRow) bool { return r.Whiskers == "" && r.Mark != "" }) {
		sentences = append(sentences, fmt.Sprintf("No whiskers: an interval takes %d rounds.", stat.MinRounds))
	}
	if seen(func(r *pictureRow) bool { return len(r.Arrows) > 0 }) {
		sentences = append(sentences, "Arrow: timed out, so slower than that.")
	}
	if seen(func(r *pictureRow) bool { return len(r.Crosses) > 0 }) {
		sentences = append(sentences, "Cross: handled wrongly, so not counted.")
	}
	if seen(func(r *pictureRow) bool { return r.Tied }) {
		sentences = append(sentences, "~: it cannot be told apart from a neighbour of that mark.")
	}
	if p.Floor != nil {
		sentences = append(sentences, "Shaded: the floor, which is what the cluster and the observer take with no operator at all.")
	}
	line := ""
	for _, word := range strings.Fields(strings.Join(sentences, " ")) {
		if line != "" && len(line)+1+len(word) > legendWidth {
			p.Legend, line = append(p.Legend, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	p.Legend = append(p.Legend, line)
}

// words say what the picture shows, for those who do not see it.
func (p *picture) words() string {
	var parts []string
	for _, r := range p.Rows {
		parts = append(parts, fmt.Sprintf("%s: median %s (%s)", r.Style.Label, r.Value, r.Note))
	}
	return p.Title + ". " + strings.Join(parts, "; ") + "."
}

// PlotHeight is how high the plot is.
func (p *picture) PlotHeight() float64 { return p.Bottom - p.Top }

// LegendY is the base line of the legend's i-th line.
func (p *picture) LegendY(i int) int { return int(p.Bottom) + 40 + legendRow*i }
