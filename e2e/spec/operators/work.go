package operators

import (
	"regexp"

	"operatorbench/e2e/spec/bounds"
)

// Matcher matches the value at Of.Path of those objects that are for the custom
// resource of a name.
func (w Work) Matcher(namespace, name string) (*regexp.Regexp, error) {
	expression, err := expand("of.matches", w.Of.Matches, regexp.QuoteMeta(namespace), regexp.QuoteMeta(name))
	if err != nil {
		return nil, err
	}
	return bounds.Expression(expression)
}
