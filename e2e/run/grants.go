package run

import (
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/operators"
)

// grants is what a recording says of the rights that a style's service accounts hold.
func grants(style operators.Style) ([]record.Grant, error) {
	held, err := style.Grants()
	if err != nil {
		return nil, err
	}
	all := make([]record.Grant, len(held))
	for i, g := range held {
		all[i] = record.Grant(g)
	}
	return all, nil
}
