package spec

// Installed is what is known of a style once its manifests are rendered and its folder is read, beside its style.yaml.
type Installed struct {
	// Namespaces are those that the operator itself runs in.
	Namespaces []string `json:"namespaces,omitempty"`
	// Grants are the rights that its service accounts hold.
	Grants []Grant `json:"grants,omitempty"`
	// Secrets are the service accounts that may read secrets for a reason.
	Secrets []SecretReader `json:"secrets,omitempty"`
}

// Grant is one rule of RBAC that a service account holds through a binding.
type Grant struct {
	ServiceAccount string   `json:"serviceAccount"`      // namespace/name; namespace/* or */* for a group of them
	Role           string   `json:"role"`                // Role namespace/name, or ClusterRole name
	Namespace      string   `json:"namespace,omitempty"` // in which it holds; empty: in all
	Groups         []string `json:"groups,omitempty"`    // of the API; "" is the core group
	Resources      []string `json:"resources,omitempty"` // with subresource: pods/log
	Names          []string `json:"names,omitempty"`     // of the only objects; empty: any
	Verbs          []string `json:"verbs"`
	URLs           []string `json:"urls,omitempty"` // that are no resources
}

// SecretReader is a service account that may read secrets, and why.
type SecretReader struct {
	ServiceAccount string `json:"serviceAccount"`      // namespace/name
	Namespace      string `json:"namespace,omitempty"` // empty: in all
	Reason         string `json:"reason"`
}
