package html

import (
	"fmt"
	"strings"

	"operatorbench/e2e/record"
)

// facts are where a run took place, and what with.
type facts struct {
	*record.Environment
	Pairs []pair // of name and value
}

type pair struct{ Name, Value string }

// facts are those of a run's environment; nil: it is not known.
func (s *study) facts() *facts {
	e := s.Environment
	if e == nil {
		return nil
	}
	f := &facts{Environment: e}
	revision, seed := e.Revision, ""
	if e.Dirty {
		revision += ", with changes that are not committed"
	}
	if e.Seed != 0 {
		seed = fmt.Sprint(e.Seed)
	}
	for _, p := range []pair{
		{"Run", e.Run},
		{"Began", e.Began.UTC().Format("2006-01-02 15:04:05 MST")},
		{"Machine", e.Host.String()},
		{"Further of it", e.Host.Details()},
		{"Cluster", strings.TrimSpace(e.Cluster + " " + e.Kind)},
		{"Kubernetes", e.Kubernetes},
		{"Container engine", e.Engine},
		{"Go", e.Go},
		{"Program", e.Program},
		{"Revision", revision},
		{"Seed", seed},
	} {
		if p.Value != "" {
			f.Pairs = append(f.Pairs, p)
		}
	}
	return f
}
