// Package operators holds the styles that need nothing but files, for a program that was copied away from its clone.
package operators

import "embed"

// Files are their folders, by their parts: what a build leaves in one (cargo's target) is not among them. What the
// patterns leave out is a Go module of its own, which no other can embed, or is made from the manifests of one.
//
//go:embed [^cho]*/[^.]*.* [^cho]*/manifests [^cho]*/src [^cho]*/internal [^cho]*/testdata cl*/[^.]*.* cl*/manifests cl*/src
var Files embed.FS
