package html

import (
	"fmt"
	"slices"
)

// look is how a style is drawn wherever it appears: a colour, a pattern of
// dashes and the shape of its marks, so that colour is never the only signal.
// Its numbers are those of the classes in style.css.
type look struct{ colour, dash, shape int }

// How many of each there are beside the floor's own, which is number 0. They
// share no divisor, so that looks repeat late.
const (
	colours = 9
	dashes  = 5
	shapes  = 5
)

// lookOf is the look of the i-th style, from 0; the floor has its own.
func lookOf(i int, floor bool) look {
	if floor {
		return look{}
	}
	return look{colour: 1 + i%colours, dash: 1 + i%dashes, shape: 1 + i%shapes}
}

// looks are those of the styles, each once.
func (s *study) looks() []look {
	var all []look
	for _, one := range s.Styles {
		if !slices.Contains(all, one.Look) {
			all = append(all, one.Look)
		}
	}
	return all
}

// Class is the look as classes of style.css.
func (l look) Class() string { return fmt.Sprintf("c%d d%d", l.colour, l.dash) }

// Key is the id of what is drawn before a style's name. It is drawn once in a
// page and then referred to: names stand in hundreds of rows.
func (l look) Key() string { return fmt.Sprintf("key-%d-%d-%d", l.colour, l.dash, l.shape) }

// Mark is an SVG path of the look's shape, about 7 units wide, around a point.
func (l look) Mark(x, y float64) string {
	switch l.shape {
	case 0: // an upright cross
		return fmt.Sprintf("M%.1f %.1fh7m-3.5 -3.5v7", x-3.5, y)
	case 1: // a disc
		return fmt.Sprintf("M%.1f %.1fa3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", x-3, y)
	case 2: // a square
		return fmt.Sprintf("M%.1f %.1fh5.4v5.4h-5.4z", x-2.7, y-2.7)
	case 3: // a triangle
		return fmt.Sprintf("M%.1f %.1fl3.6 6.4h-7.2z", x, y-4)
	case 4: // a diamond
		return fmt.Sprintf("M%.1f %.1fl3.8 3.8l-3.8 3.8l-3.8 -3.8z", x, y-3.8)
	}
	// a triangle upside down
	return fmt.Sprintf("M%.1f %.1fl3.6 -6.4h-7.2z", x, y+4)
}
