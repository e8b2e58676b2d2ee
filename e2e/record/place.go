package record

import "iter"

// Place names what a sample has to itself while it is open: its namespace, or where it
// shares that, its custom resource as namespace/name.
func (s *Sample) Place() string {
	if s.Shared {
		return s.Namespace + "/" + s.Name
	}
	return s.Namespace
}

// Place is that of the sample that ended.
func (e *End) Place() string {
	if e.Name != "" {
		return e.Namespace + "/" + e.Name
	}
	return e.Namespace
}

// Places are those that an object of a shared namespace may be of, by its name: what is made
// for a custom resource has its name, or one that begins with it and a "-" or a ".".
func Places(namespace, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := len(name); i > 0; i-- {
			if (i == len(name) || name[i] == '-' || name[i] == '.') && !yield(namespace+"/"+name[:i]) {
				return
			}
		}
	}
}
