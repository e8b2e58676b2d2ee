package operators

import "operatorbench/e2e/spec"

// What package spec has; these names go.
type (
	Control        = spec.Control
	Stage          = spec.Stage
	Gate           = spec.Gate
	Rollout        = spec.Rollout
	Condition      = spec.Condition
	Log            = spec.Log
	Component      = spec.Component
	Child          = spec.Child
	Declares       = spec.Declares
	Declaration    = spec.Declaration
	Phase          = spec.Phase
	FieldCondition = spec.FieldCondition
	Work           = spec.Work
	Difference     = spec.Difference
	Typical        = spec.Typical
	Grant          = spec.Grant
	SecretReader   = spec.SecretReader
)

// As these do.
const (
	Harness                  = spec.Harness
	Idle                     = spec.Idle
	StatusNodes              = spec.StatusNodes
	StatusObservedGeneration = spec.StatusObservedGeneration
	StatusConditions         = spec.StatusConditions
)

// StatusFields goes, too.
func StatusFields() []string { return spec.StatusFields() }
