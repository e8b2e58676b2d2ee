// Package profiles reads how much a comparison with a base drives.
package profiles

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

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
	var list []struct {
		Name, Scenarios, Use string
		Budget, Matrix       metav1.Duration
		Again                bool
		Effect               float64
	}
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return nil, fmt.Errorf("read profiles.yaml: %w", err)
	}
	all := make([]Profile, len(list))
	for i, p := range list {
		all[i] = Profile{p.Name, p.Scenarios, p.Budget.Duration, p.Again, p.Matrix.Duration, p.Effect / 100, p.Use}
	}
	return all, nil
}

// Find returns the profile of a name; "" is the standard one.
func Find(name string) (Profile, error) {
	all, err := All()
	if err != nil {
		return Profile{}, err
	}
	if name == "" {
		name = Standard
	}
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("there is no profile %q: there are %s%s", name, strings.Join(names, ", "), schema.Suggestion(name, names))
}
