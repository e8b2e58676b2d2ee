package html

import "fmt"

// style is what is compared, with its look.
type style struct {
	Label string
	Index int    // among all
	File  string // of its page, in Folder
	Floor bool
	Look  look
}

// look is how a style is drawn wherever it appears: a colour and the shape of its
// marks, so that colour is never the only signal. Its numbers are those of the
// classes in style.css.
type look struct{ colour, shape int }

// How many of each there are beside the floor's own, which is number 0. They
// share no divisor, so that looks repeat late.
const (
	colours = 9
	shapes  = 5
)

// lookOf is the look of the i-th style, from 0; the floor has its own.
func lookOf(i int, floor bool) look {
	if floor {
		return look{}
	}
	return look{colour: 1 + i%colours, shape: 1 + i%shapes}
}

// Class is the look as classes of style.css: the colour, and the shape that stands
// before a style's name.
func (l look) Class() string { return fmt.Sprintf("c%d s%d", l.colour, l.shape) }

// Mark is an SVG path of the look's shape, about 7 units wide, around its origin.
func (l look) Mark() string {
	return [...]string{
		"M-3.5 0h7m-3.5 -3.5v7",               // an upright cross
		"M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", // a disc
		"M-2.7 -2.7h5.4v5.4h-5.4z",            // a square
		"M0 -4l3.6 6.4h-7.2z",                 // a triangle
		"M0 -3.8l3.8 3.8l-3.8 3.8l-3.8 -3.8z", // a diamond
		"M0 4l3.6 -6.4h-7.2z",                 // a triangle upside down
	}[l.shape]
}
