package record

import "operatorbench/e2e/spec"

// Style is an operator style: what its style.yaml says, and what was known of it once its manifests were rendered, so
// that a recording can be judged without the repository. Where its work objects say which custom resource they are for
// is where the recorded objects say so.
type Style struct {
	spec.Style
	// Variant tells apart what is compared under one name: base and head, say.
	Variant string `json:"variant,omitempty"`
	spec.Installed
}

// Label names a style and its variant, for example argo or argo@head. It is what tells styles of one recording apart.
func Label(style, variant string) string {
	if variant == "" {
		return style
	}
	return style + "@" + variant
}
