// Package profiles reads how much a comparison with a base drives.
package profiles

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/schema"
)

// Profile is one choice of scenarios, with the time for them.
type Profile struct {
	Name      string
	Scenarios string        // as for --scenario
	Budget    time.Duration // how long base, base again and head may take turns
	Again     bool          // each pass resizes a second time
	Matrix    time.Duration // how long the correctness matrix may be expected to take
	Effect    float64       // the slowdown that must not pass, as a share
	Use       string        // for people
}

// Standard is the name of the profile that is driven unless another one is asked for.
const Standard = "standard"

//go:embed profiles.yaml
var text []byte

// All returns the profiles, the quickest first.
func All() ([]Profile, error) {
	var all []Profile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read profiles.yaml: %w", err)
	}
	for i := range all {
		all[i].Effect /= 100 // it is written in percent
	}
	return all, nil
}

// Find returns the profile of a name; "" is the standard one.
func Find(name string) (Profile, error) {
	all, err := All()
	if err != nil {
		return Profile{}, err
	}
	name = cmp.Or(name, Standard)
	if p, there := plain.Find(all, func(p Profile) bool { return p.Name == name }); there {
		return p, nil
	}
	names := plain.Map(all, func(p Profile) string { return p.Name })
	return Profile{}, fmt.Errorf("there is no profile %q: there are %s%s", name, strings.Join(names, ", "), schema.Suggestion(name, names))
}
