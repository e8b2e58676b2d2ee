package html

import (
	"fmt"
	"math"
	"strings"
)

// distribution is a chart of empirical distribution functions: of one phase in
// one scenario, a line for each style.
type distribution struct {
	ID, Title, Text string // Text says in words what the chart shows
	Width, Height   int
	X               *axis
	Y               []tick
	Left, Right     float64 // the plot's edges
	Top, Bottom     float64
	Lines           []*line
	Empty           []string // styles that went through the scenario without a sample that counts
}

// line is one style's distribution.
type line struct {
	Style  *style
	Series *series
	Path   string   // of SVG
	Marks  []string // paths of SVG, one for each step, where these are few
	EndX   float64  // where the line ends
	EndY   float64
	// Arrow is where samples timed out, and Note how many did; empty: none did.
	Arrow, Note string
	Label       *tag
	// Leader leads from the line's end to its label, where that is not just above it.
	Leader string
}

// The chart's measures, in units that are about a pixel on a phone.
const (
	chartWidth  = 420
	plotHeight  = 168
	plotLeft    = 42
	plotRight   = 400
	labelRow    = 17 // a row of labels above the plot
	below       = 34 // the axis' labels, below the plot
	markedSteps = 40 // a line of more steps has no marks
)

// distributionOf draws a phase of a scenario; nil if no style has it. low and
// high are the seconds that the axis must reach.
func (s *study) distributionOf(in *scene, phase func(*cell) string, title string, low, high float64) *distribution {
	d := &distribution{ID: s.ids.of("ecdf", in.Name, title), Title: title, Width: chartWidth, Left: plotLeft, Right: plotRight}
	d.X = logAxis(low, high, plotLeft, plotRight)
	there := false
	for _, c := range in.Cells {
		one := c.series[phase(c)]
		there = there || one != nil
		if one == nil || one.N == 0 {
			d.Empty = append(d.Empty, c.Style.Label)
			continue
		}
		d.Lines = append(d.Lines, &line{Style: c.Style, Series: one})
	}
	if !there {
		return nil
	}
	d.draw()
	d.Text = d.words()
	return d
}

// draw makes the lines, and room for their labels above the plot.
func (d *distribution) draw() {
	var tags []*tag
	for _, l := range d.Lines {
		_, end := l.ends()
		l.Label = &tag{Text: clip(l.Style.Label, longest), At: d.X.at(end)}
		if n := l.Series.Censored; n > 0 {
			l.Note = fmt.Sprintf("%d of %d timed out", n, l.Series.N)
			l.Label.Text += ", " + l.Note
		}
		tags = append(tags, l.Label)
	}
	rows := place(tags, 2, chartWidth-2)
	d.Top = float64(6 + labelRow*rows)
	d.Bottom = d.Top + plotHeight
	d.Height = int(d.Bottom) + below
	for _, l := range d.Lines {
		l.draw(d)
		l.Label.Y = d.Top - float64(labelRow*l.Label.Row) - 7
		if l.Label.Row > 0 || l.EndY > d.Top+1 {
			l.Leader = fmt.Sprintf("M%.1f %.1fV%.1f", l.EndX, l.EndY, l.Label.Y+3)
		}
	}
	for _, percent := range []int{0, 50, 90, 100} {
		d.Y = append(d.Y, tick{At: d.y(float64(percent) / 100), Label: fmt.Sprintf("%d%%", percent)})
	}
}

// y is the place of a fraction.
func (d *distribution) y(fraction float64) float64 {
	return d.Bottom - fraction*(d.Bottom-d.Top)
}

// ends are the least and the greatest value that a line shows, in seconds.
func (l *line) ends() (low, high float64) {
	rises, waited := steps(l.Series.Ordered)
	low, high = waited, waited
	if len(rises) > 0 {
		low, high = rises[0].Value, max(waited, rises[len(rises)-1].Value)
	}
	return low, high
}

// draw makes the line's paths. Steps that no screen could tell apart are drawn
// as one, so that a line of a million samples is no longer than the plot is wide.
func (l *line) draw(d *distribution) {
	const finest = 0.5
	rises, waited := steps(l.Series.Ordered)
	var path strings.Builder
	x, y := d.Left, d.Bottom
	if len(rises) > 0 {
		x = d.X.at(rises[0].Value)
	}
	fmt.Fprintf(&path, "M%.1f %.1f", x, y)
	for i, r := range rises {
		if next := d.X.at(r.Value); next-x >= finest {
			fmt.Fprintf(&path, "H%.1f", next)
			x = next
		}
		y = d.y(r.Fraction)
		if i == len(rises)-1 || d.X.at(rises[i+1].Value)-x >= finest {
			fmt.Fprintf(&path, "V%.1f", y)
		}
		if len(rises) <= markedSteps {
			l.Marks = append(l.Marks, l.Style.Look.Mark(d.X.at(r.Value), y))
		}
	}
	if waited > 0 {
		x = max(x, d.X.at(waited))
		fmt.Fprintf(&path, "H%.1f", x)
		l.Arrow = fmt.Sprintf("M%.1f %.1fl-7 -4v8z", x+3, y)
	}
	l.Path, l.EndX, l.EndY = path.String(), x, y
}

// words say what the chart shows, for those who do not see it.
func (d *distribution) words() string {
	var parts []string
	for _, l := range d.Lines {
		s := l.Series
		part := fmt.Sprintf("%s: %s, median %s, from %s to %s", l.Style.Label, counted(s.N, "sample"),
			s.Ordered.Quantile(0.5).String(), s.Ordered.At(1).String(), s.Ordered.Max().String())
		if l.Note != "" {
			part += ", " + l.Note
		}
		parts = append(parts, part)
	}
	for _, label := range d.Empty {
		parts = append(parts, label+": no sample counts")
	}
	return strings.Join(parts, ". ") + "."
}

// domain is what the axis of all distributions must reach, so that they can be
// compared at a glance; ok is false where nothing was measured.
func (s *study) domain() (low, high float64, ok bool) {
	low, high = math.Inf(1), 0
	for _, in := range s.Scenes {
		for _, c := range in.Cells {
			written, ready := c.outcome()
			for _, phase := range []string{written, ready} {
				one := c.series[phase]
				if one == nil || one.N == 0 {
					continue
				}
				from, to := (&line{Series: one}).ends()
				if from > 0 {
					low = min(low, from)
				}
				high = max(high, to)
			}
		}
	}
	return low, high, high > 0 && !math.IsInf(low, 1)
}
