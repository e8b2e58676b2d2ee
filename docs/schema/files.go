// Package schema holds the JSON schemas of the files that people write, for e2e/spec and for editors, and of those that
// are written for other programs, which are generated from their types.
package schema

import "embed"

//go:generate go test . -update

// Files are the schemas.
//
//go:embed *.schema.json
var Files embed.FS
