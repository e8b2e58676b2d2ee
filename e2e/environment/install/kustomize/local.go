package kustomize

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/konfig"
	sigsyaml "sigs.k8s.io/yaml"

	manifests "operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/spec/files"
)

// remote matches what kustomize's loader fetches: by HTTP (a URL, also behind the key of a generator's file), or with
// Git, as NewRepoSpecFromURL of its package git reads an address.
var remote = regexp.MustCompile(`(?i)(^|=)\s*(git::)*(https?:|ssh://|file://|[a-z][a-z0-9-]*@|github\.com[/:])`)

// plugins are keys of plugins' configurations. Those that are built into kustomize load what their configuration names;
// others may load what they like.
func plugins() []string { return []string{"generators", "transformers", "validators"} }

// pathless are the keys of a kustomization, at any depth, below which it names nothing that is loaded.
func pathless() []string {
	return []string{
		"apiVersion", "kind", "metadata", "namePrefix", "nameSuffix", "namespace", "commonLabels", "labels", "commonAnnotations", "images",
		"imageTags", "replicas", "vars", "sortOptions", "generatorOptions", "buildMetadata", "helmGlobals", "helmCharts",
		"helmChartInflationGenerator", // all three of helm are refused by kustomize itself
		"patch", "target", "options", "literals", "name", "source", "targets",
	}
}

// local refuses a kustomization that would have something fetched, or made by a plugin that is not built into kustomize:
// what is installed is what the style's folder holds. It is read as kustomize reads it.
func local(tree files.Tree, file string, text []byte) error {
	if !slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(file)) {
		return nil
	}
	var root any
	if err := sigsyaml.Unmarshal(text, &root); err != nil {
		return nil //nolint:nilerr // kustomize says so, and readKustomization where
	}
	found, reason := foreign(root, func(name string) ([]byte, error) { return tree.Read(filepath.Join(filepath.Dir(file), name)) })
	if reason == "" {
		return nil
	}
	var document yaml.Node
	_ = yaml.Unmarshal(text, &document) // without it there is no line
	return fmt.Errorf("%s:%d: %q %s", file, max(lineOf(&document, found), 1), found, reason)
}

// foreign returns the first key or text, in alphabetical order of keys, by which more than the style's files
// would be loaded, and the reason; "": there is none. The configurations of plugins are read beside it.
func foreign(value any, beside func(name string) ([]byte, error)) (found, reason string) {
	switch value := value.(type) {
	case string:
		if remote.MatchString(value) {
			return value, "is remote, and nothing is fetched for a style: copy what it needs into its folder"
		}
	case []any:
		for _, inner := range value {
			if found, reason = foreign(inner, beside); reason != "" {
				return found, reason
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if slices.Contains(plugins(), strings.ToLower(key)) && !builtin(value[key], beside) {
				return key, "configures a plugin that is not built into kustomize, or whose configuration is in a folder or names what is remote: none is run for a style; write down what it makes"
			}
			if slices.Contains(slices.Concat(pathless(), plugins()), key) {
				continue
			}
			if found, reason = foreign(value[key], beside); reason != "" {
				return found, reason
			}
		}
	}
	return "", ""
}

// builtin reports whether all that a list of plugins has, in itself or in files beside, are configurations of those that
// are built into kustomize, and name nothing that is remote.
func builtin(list any, beside func(name string) ([]byte, error)) bool {
	all, is := list.([]any)
	return is && !slices.ContainsFunc(all, func(item any) bool {
		text, _ := item.(string)
		configurations, err := manifests.Parse("", []byte(text))
		if err != nil { // it is the name of a file
			content, unread := beside(text)
			if configurations, err = manifests.Parse("", content); err == nil {
				err = unread
			}
		}
		return err != nil || len(configurations) == 0 || slices.ContainsFunc(configurations, func(o *unstructured.Unstructured) bool {
			_, reason := foreign(o.Object, beside)
			return o.GetAPIVersion() != konfig.BuiltinPluginApiVersion || reason != ""
		})
	})
}

// lineOf is the line of the first key or text below a node; 0: there is none.
func lineOf(node *yaml.Node, text string) int {
	if node.Kind == yaml.ScalarNode && node.Value == text {
		return node.Line
	}
	for _, inner := range node.Content {
		if line := lineOf(inner, text); line > 0 {
			return line
		}
	}
	return 0
}

// mostValues is how many values the aliases of a document may add to it, for kustomize writes each of them out;
// countless is where counting ends.
const (
	mostValues = 100_000
	countless  = 1 << 40
)

// few refuses a YAML file whose aliases multiply. What is no YAML has none.
func few(file string, text []byte) error {
	if !bytes.ContainsRune(text, '*') {
		return nil
	}
	var document yaml.Node
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); decoder.Decode(&document) == nil; document = (yaml.Node{}) {
		values := map[*yaml.Node]int{}
		if counted(&document, values) > len(values)+mostValues {
			return fmt.Errorf("%s: its aliases add more than %d values to it: write out what they stand for, or less of it", file, mostValues)
		}
	}
	return nil
}

// counted is how many values a node has, those of its aliases included. One that is within itself has too many.
func counted(node *yaml.Node, known map[*yaml.Node]int) int {
	if n, again := known[node]; again {
		return n
	}
	known[node] = countless
	n := 1
	if node.Kind == yaml.AliasNode {
		n = counted(node.Alias, known)
	}
	for _, inner := range node.Content {
		n = min(n+counted(inner, known), countless)
	}
	known[node] = n
	return n
}
