package result

import "operatorbench/e2e/record"

// Facts returns what the environment of the newest recording of a style knows of it; nil: none does.
func (r *Set) Facts(label string) (facts *record.StyleFacts, environment *record.Environment) {
	for _, one := range r.Parts {
		if its := one.Environment.Facts(label); its != nil && (facts == nil || one.Environment.Began.After(environment.Began)) {
			facts, environment = its, one.Environment
		}
	}
	return facts, environment
}
