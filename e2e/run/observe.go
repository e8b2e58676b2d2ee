package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"operatorbench/e2e/record/audit"
	"operatorbench/fixtures/cluster"
)

// observers record, beside the watches, what the styles use and what they ask
// the API server for.
type observers struct {
	audit *audit.Follower // nil: the cluster gives no audit log

	mu         sync.Mutex
	namespaces []string // of the style that is installed
}

// observe begins to record the API server's audit log, where there is one.
func (s *Session) observe(ctx context.Context) error {
	auditor, ok := s.provider.(cluster.Auditor)
	if !ok {
		s.environment.Notes = append(s.environment.Notes, "API calls were not counted: the audit log of an existing cluster is not read")
		return nil
	}
	log, err := auditor.AuditLog(context.WithoutCancel(ctx)) // until the cluster is gone
	if err != nil {
		return fmt.Errorf("read the API server's audit log: %w", err)
	}
	s.observers.audit = audit.Follow(context.WithoutCancel(ctx), log, s.recorder)
	return nil
}

// unobserve ends what observe began, when all that has happened is recorded.
func (s *Session) unobserve(ctx context.Context) error {
	if s.observers.audit == nil {
		return nil
	}
	caught := s.observers.audit.CatchUp(ctx, s.kube.Typed.Discovery().RESTClient())
	return errors.Join(caught, s.observers.audit.Stop())
}

// watch says which arm is on the cluster; nil: none.
func (o *observers) watch(a *arm) error {
	var namespaces []string
	if a != nil && a.operator != nil {
		footprint, err := a.operator.Style().Plan()
		if err != nil {
			return err
		}
		namespaces = footprint.Namespaces
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.namespaces = namespaces
	return nil
}

// watched are the namespaces of the style that is installed.
func (o *observers) watched() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.namespaces
}
