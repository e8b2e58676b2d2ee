// Package styles holds what is compared: one folder an operator style. A style is its style.yaml and its manifests;
// this package reads them, and package install installs what they say. A new style needs no Go.
package styles

import (
	"context"
	"fmt"

	"operatorbench/e2e/environment/install"
)

// Operator is one operator style.
type Operator interface {
	// Install returns when the operator will really see what happens to a custom resource. Nothing is touched if an
	// object of the same name exists that this run did not make.
	Install(ctx context.Context, c install.Cluster) error
	// Uninstall returns when nothing of the operator is left, whatever part of an Install went before it.
	Uninstall(ctx context.Context, c install.Cluster) error
	// Upgrade installs the next version over what Install has installed, and returns
	// when that sees what happens; see spec.Upgrade.
	Upgrade(ctx context.Context, c install.Cluster) error
	// Style says what the operator is.
	Style() Style
}

// inFolder is a style that its folder describes in full.
type inFolder struct{ style Style }

// Style implements Operator.
func (f *inFolder) Style() Style { return f.style }

// Install implements Operator: all is rendered before anything is applied.
func (f *inFolder) Install(ctx context.Context, c install.Cluster) error {
	i, err := f.installation()
	if err != nil {
		return fmt.Errorf("install operator %s: %w", f.style.Name, err)
	}
	return i.Install(ctx, c)
}

// Uninstall implements Operator.
func (f *inFolder) Uninstall(ctx context.Context, c install.Cluster) error {
	i, err := f.installation()
	if err != nil {
		return fmt.Errorf("uninstall operator %s: %w", f.style.Name, err)
	}
	return i.Uninstall(ctx, c)
}

// Upgrade implements Operator.
func (f *inFolder) Upgrade(ctx context.Context, c install.Cluster) error {
	i, err := f.installation()
	if err != nil {
		return fmt.Errorf("upgrade operator %s: %w", f.style.Name, err)
	}
	return i.Upgrade(ctx, c)
}

func (f *inFolder) installation() (install.Installation, error) {
	stages, err := f.style.render()
	if err != nil {
		return install.Installation{}, err
	}
	next, err := f.style.next()
	return install.Installation{Style: f.style.Style, Stages: stages, Next: next}, err
}
