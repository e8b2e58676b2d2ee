package run

import (
	"context"
	"reflect"
	"slices"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// find asks the cluster, where a style has been installed for the first time, what there is of it. Where that is other
// than its manifests say, it is recorded. What cannot be asked stays as the manifests say it.
func (s *Session) find(ctx context.Context, place turn, target install.Cluster) {
	p := place.participant
	if p.operator == nil || p.found != nil {
		return
	}
	before, err := p.style()
	if err != nil {
		return // the header has said why
	}
	found, err := install.Find(ctx, target, p.name())
	if err != nil {
		s.keep("the namespaces and rights of %s as installed could not be read; reports use those of its manifests: %v", p.label(), err)
		return
	}
	installed, err := install.InstalledOf(found)
	if err != nil {
		s.keep("what the cluster has of %s could not be read: %v", p.label(), err)
		return
	}
	p.found = &installed
	same := slices.EqualFunc(installed.Grants, before.Grants, func(a, b spec.Grant) bool { return reflect.DeepEqual(a, b) })
	if !same || !slices.Equal(installed.Namespaces, before.Namespaces) {
		s.markWith(place, record.Found, &installed)
	}
}
