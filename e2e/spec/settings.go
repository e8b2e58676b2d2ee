package spec

import (
	"encoding/json"
	"slices"
)

// Framework is what an operator is built on.
type Framework struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Date    string `json:"date,omitempty"` // of that version; empty: the registry does not tell it
	// Licence is the framework's own, by its SPDX identifier; empty: not said.
	Licence string `json:"licence,omitempty"`
	// Newest is the newest version upstream, with its date, where it is not this one; Why says why it is not.
	Newest string `json:"newest,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Setting is what a knob of an operator is set to.
type Setting struct {
	Is string `json:"is"`
	// Reason says why it is not what the rule says.
	Reason string `json:"reason,omitempty"`
}

// UnmarshalJSON reads the value alone, too.
func (s *Setting) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.Is) == nil {
		return nil
	}
	type plain Setting
	return json.Unmarshal(text, (*plain)(s))
}

// ClientLimit is the setting of how many requests a style's client allows itself.
const ClientLimit = "clientLimit"

// NoClientLimit is its value where there is no limit.
const NoClientLimit = "none"

// Rule is what a setting is in every style, wherever its framework has that knob.
type Rule struct {
	Setting string   // as in style.yaml
	Values  []string // one of these
	Why     string   // a sentence
}

// Holds reports whether a value is what the rule says.
func (r Rule) Holds(value string) bool { return slices.Contains(r.Values, value) }

// Rules are what a careful author sets, the same in all styles, so that what is
// compared are frameworks and not the numbers that somebody gave them.
func Rules() []Rule {
	return []Rule{
		{"workers", []string{"8"}, "One slow request would hold up all others behind a single worker."},
		{ClientLimit, []string{NoClientLimit, "100/s, burst 200"}, "API Priority and Fairness protects the API server; a client limit only guards against a bug in the operator."},
		{"retries", []string{"for ever, 10s apart at most"}, "A restored right or API server is noticed within 10 s, and no object is given up."},
		{"safetyNet", []string{"none: it repairs by level", "5m"}, "A style that is not level-triggered reconciles everything periodically, so that no missed event has a lasting effect."},
		{"silence", []string{"noticed within 2m"}, "A gateway that forgets a connection tells neither side, and until the operator gives it up it sees no change."},
		{"cpuLimit", []string{"none"}, "A limit holds an operator back in a burst, when it is needed."},
		{"replicas", []string{"1, Recreate"}, "Two of them would act at once, and a rollout would overlap."},
		{"leaderElection", []string{"off"}, "One replica needs none, and the Lease of a killed pod delays its successor."},
		{"status", []string{"compared before it is written", "none"}, "A write that changes nothing costs the API server as much as one that does."},
		{"watched", []string{"by label"}, "An operator that keeps all pods of a cluster grows with the cluster, not with its work."},
	}
}
