package builders

import "fmt"

// Dependencies are how many packages of an ecosystem something is built from, beside
// its own code.
type Dependencies struct {
	Direct int `json:"direct"` // those that its own code asks for
	All    int `json:"all"`    // these, and those that they ask for in turn
}

// Plus adds up the packages of two ecosystems.
func (d Dependencies) Plus(other Dependencies) Dependencies {
	return Dependencies{Direct: d.Direct + other.Direct, All: d.All + other.All}
}

const labelForm = "direct=%d all=%d"

// Label is the text of LabelDepends.
func (d Dependencies) Label() string { return fmt.Sprintf(labelForm, d.Direct, d.All) }

// DependenciesOf reads the label of an image; nil: it has none.
func DependenciesOf(labels map[string]string) *Dependencies {
	d := &Dependencies{}
	if n, err := fmt.Sscanf(labels[LabelDepends], labelForm, &d.Direct, &d.All); err != nil || n != 2 {
		return nil
	}
	return d
}
