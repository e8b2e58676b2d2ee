// Package operators holds the styles that need nothing but files, for a program that was copied away from its clone.
package operators

import "embed"

// Files are their folders. What the pattern leaves out is a Go module of its own, which no other can embed, or is made
// from the manifests of one.
//
//go:embed [^cho]*
var Files embed.FS
