package styles

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
)

// Facts are what a style costs whoever maintains, installs and trusts it. They
// are read from its folder; no cluster is needed.
type Facts struct {
	// Owned is what a maintainer of such an operator writes and answers for, by language, sorted by its name.
	Owned []Lines `json:"owned"`
	// Scaffold is what of it a generator of such projects wrote and nobody changed.
	Scaffold []Lines `json:"scaffold,omitempty"`
	// Objects that Install applies, Argo's own for example included, and the lines
	// that they have as YAML without comments.
	Objects     int         `json:"objects"`
	ObjectLines int         `json:"objectLines"`
	RBAC        Permissions `json:"rbac"`
	Images      []ImageFact `json:"images"`
}

// ImageFact is an image that a style needs.
type ImageFact struct {
	Name      string `json:"name"` // in the catalogue
	Reference string `json:"reference"`
	// Custom: it is built for this operator; nobody else publishes it.
	Custom bool `json:"custom"`
}

// Facts reads what the style costs. The catalogue knows its images.
func (s Style) Facts(catalogue *images.Catalogue) (Facts, error) {
	facts, err := s.facts(catalogue)
	if err != nil {
		return Facts{}, fmt.Errorf("facts of operator %s: %w", s.Name, err)
	}
	return facts, nil
}

func (s Style) facts(catalogue *images.Catalogue) (Facts, error) {
	var facts Facts
	owned, err := s.ownedFiles()
	if err != nil {
		return facts, err
	}
	if facts.Owned, err = s.countLines(owned); err != nil {
		return facts, err
	}
	scaffold, err := s.scaffoldFiles(owned)
	if err != nil {
		return facts, err
	}
	if facts.Scaffold, err = s.countLines(scaffold); err != nil {
		return facts, err
	}
	objs, err := s.Objects()
	if err != nil {
		return facts, err
	}
	facts.Objects = len(objs)
	if facts.ObjectLines, err = renderedLines(objs); err != nil {
		return facts, err
	}
	held, err := install.RightsOf(objs)
	if err != nil {
		return facts, err
	}
	facts.RBAC = permissions(held)
	if catalogue, err = catalogue.With(s.Own...); err != nil {
		return facts, err
	}
	for _, name := range s.ImageNames() {
		image, err := catalogue.Image(name)
		if err != nil {
			return facts, err
		}
		facts.Images = append(facts.Images, ImageFact{Name: name, Reference: image.Reference, Custom: image.Custom()})
	}
	slices.SortFunc(facts.Images, func(a, b ImageFact) int { return strings.Compare(a.Name, b.Name) })
	return facts, nil
}

// renderedLines counts the lines of the objects as YAML.
func renderedLines(objs []*unstructured.Unstructured) (int, error) {
	lines := 0
	for _, obj := range objs {
		text, err := yaml.Marshal(obj.Object)
		if err != nil {
			return 0, err
		}
		lines += strings.Count(string(text), "\n")
	}
	return lines, nil
}
