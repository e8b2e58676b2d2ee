package record

import (
	"encoding/json"

	"operatorbench/e2e/spec"
)

// Style is an operator style: what its style.yaml says, and what was known of it
// once its manifests were rendered, so that a recording can be judged without the
// repository. Where its work objects say which custom resource they are for is
// where the recorded objects say so.
type Style struct {
	spec.Style
	// Variant tells apart what is compared under one name: base and head, say.
	Variant string `json:"variant,omitempty"`
	spec.Installed
}

// Label names a style and its variant, for example argo or argo@head. It is
// what tells styles of one recording apart.
func Label(style, variant string) string {
	if variant == "" {
		return style
	}
	return style + "@" + variant
}

// fullStyles is the first schema whose header has what style.yaml says in full.
const fullStyles = 6

// UnmarshalJSON reads headers of all schemas.
func (h *Header) UnmarshalJSON(text []byte) error {
	type plain Header
	var version struct{ Schema int }
	if err := json.Unmarshal(text, &version); err != nil {
		return err
	}
	if version.Schema >= fullStyles {
		return json.Unmarshal(text, (*plain)(h))
	}
	old := struct {
		*plain
		Styles []oldStyle `json:"styles"`
	}{plain: (*plain)(h)}
	if err := json.Unmarshal(text, &old); err != nil {
		return err
	}
	h.Styles = nil
	for _, style := range old.Styles {
		h.Styles = append(h.Styles, style.style())
	}
	return nil
}

// oldStyle is a style in a header of the schemas 1 to 5.
type oldStyle struct {
	Name       string
	Variant    string
	ChildName  string
	Status     bool
	Phases     []spec.Phase
	Idle       []string
	Components []spec.Component
	Declares   []struct {
		Name      string
		Supported bool
		Reason    string
		Fields    []string
		Ready     string
	}
	Work    []spec.Work
	Differs []spec.Difference
	spec.Installed
}

// style converts a style of an old header. Until schema 4 every style that wrote
// any of the status wrote the same two fields.
func (o oldStyle) style() Style {
	s := Style{Variant: o.Variant, Installed: o.Installed, Style: spec.Style{
		Name: o.Name, Child: spec.Child{Name: o.ChildName, OwnerReference: o.ChildName == ""},
		Phases: o.Phases, Idle: o.Idle, Components: o.Components, Work: o.Work, Differs: o.Differs,
	}}
	for _, d := range o.Declares {
		is := spec.Declaration{Supported: d.Supported, Reason: d.Reason, Fields: d.Fields, Ready: d.Ready}
		switch d.Name {
		case spec.DeclaresStatus:
			s.Declares.Status = is
		case spec.DeclaresOwnerReferences:
			s.Declares.OwnerReferences = is
		case spec.DeclaresDriftRepair:
			s.Declares.DriftRepair = is
		}
	}
	if s.Declares.Status.Supported = o.Status; o.Status && len(s.Declares.Status.Fields) == 0 {
		s.Declares.Status.Fields, s.Declares.Status.Ready = []string{spec.StatusNodes, spec.StatusObservedGeneration}, ""
	}
	return s
}
