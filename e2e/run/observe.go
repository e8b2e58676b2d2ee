package run

import "sync"

// observers see, beside the watches, what the styles use and ask for.
type observers struct {
	mu         sync.Mutex
	namespaces []string // of the style that is installed
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
