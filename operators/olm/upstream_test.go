// Package olm_test holds the manifests of the style olm against the definitions in
// the pinned Go module of the Operator Lifecycle Manager.
package olm_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/spec/files"
)

// The definitions are upstream's but for schemas and what kubectl prints of them,
// and all are there: that of CatalogSource with the style olm-catalogue.
func TestTheDefinitionsAreUpstreams(t *testing.T) {
	want, got := definitions(t, upstream(t)), definitions(t, render(t, "manifests/olm/definitions.yaml"))
	maps.Copy(got, definitions(t, render(t, "../olm-catalogue/manifests/catalog-operator/catalogsource.yaml")))
	for _, all := range []map[string]apiextensionsv1.CustomResourceDefinition{want, got} {
		for kind, definition := range all {
			definition.Annotations, definition.Labels = nil, nil
			for i := range definition.Spec.Versions {
				definition.Spec.Versions[i].Schema, definition.Spec.Versions[i].AdditionalPrinterColumns = nil, nil
			}
			all[kind] = definition
		}
	}
	assert.Equal(t, want, got)
}

// What the style says in OLM's kinds is what the API server would take with
// upstream's schemas, and no field of it is unknown there.
func TestWhatIsSaidHoldsToUpstreamsSchemas(t *testing.T) {
	known := definitions(t, upstream(t))
	for manifests, want := range map[string]int{ // ClusterServiceVersion or Subscription, OperatorGroup, OLMConfig; CatalogSource
		"manifests/v0.1.0": 3, "manifests/v0.1.1": 3, "../olm-catalogue/manifests/v0.1.0": 3, "../olm-catalogue/manifests/v0.1.1": 3, "../olm-catalogue/manifests/catalogue": 1,
	} {
		checked := 0
		for _, obj := range render(t, manifests) {
			definition, is := known[obj.GetKind()]
			if !is || obj.GroupVersionKind().Group != definition.Spec.Group {
				continue
			}
			checked++
			schema := schemaOf(t, definition, obj.GroupVersionKind().Version)
			assert.NoError(t, compiled(t, schema).Validate(obj.Object), "%s: %s", manifests, obj.GetName())
			unknown := pruning.PruneWithOptions(obj.DeepCopy().Object, structural(t, schema), true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
			assert.Empty(t, unknown, "%s: %s", manifests, obj.GetName())
		}
		assert.Equal(t, want, checked, manifests)
	}
}

// The operator that is installed is that of controller-runtime, whole.
func TestTheDeploymentIsThatOfControllerRuntime(t *testing.T) {
	of := func(manifests, kind string) *unstructured.Unstructured {
		for _, obj := range render(t, manifests) {
			if obj.GetKind() == kind {
				return obj
			}
		}
		require.Fail(t, "not found", "%s in %s", kind, manifests)
		return nil
	}
	plain := of("../controller-runtime/config/default", "Deployment")
	for _, manifests := range []string{"manifests/v0.1.0", "manifests/v0.1.1"} {
		deployments, found, err := unstructured.NestedSlice(of(manifests, "ClusterServiceVersion").Object, "spec", "install", "spec", "deployments")
		require.NoError(t, err)
		require.True(t, found)
		require.Len(t, deployments, 1)
		deployment, is := deployments[0].(map[string]any)
		require.True(t, is)
		assert.Equal(t, plain.GetName(), deployment["name"])
		assert.Equal(t, plain.Object["spec"], deployment["spec"])
	}
}

// upstream are the definitions in the module that the image is built from.
func upstream(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/operator-framework/operator-lifecycle-manager")
	command.Dir = filepath.Join("..", "..", "fixtures", "images", "recipes", "olm")
	text, err := command.Output()
	require.NoError(t, err, "%s in %s: %s", command, command.Dir, text)
	var downloaded struct{ Dir string }
	require.NoError(t, json.Unmarshal(text, &downloaded))
	return render(t, filepath.Join(downloaded.Dir, "deploy", "chart", "crds"))
}

func render(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	objs, err := install.Render(files.Tree("/"), path) // upstream's are in the module cache
	require.NoError(t, err)
	return objs
}

// definitions are those among objects, by kind.
func definitions(t *testing.T, objs []*unstructured.Unstructured) map[string]apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	all := map[string]apiextensionsv1.CustomResourceDefinition{}
	for _, obj := range objs {
		var definition apiextensionsv1.CustomResourceDefinition
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &definition))
		all[definition.Spec.Names.Kind] = definition
	}
	return all
}

// schemaOf is that of a version.
func schemaOf(t *testing.T, definition apiextensionsv1.CustomResourceDefinition, version string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Name == version {
			return definition.Spec.Versions[i].Schema.OpenAPIV3Schema
		}
	}
	require.Fail(t, "not found", "version %s of %s", version, definition.Name)
	return nil
}

// structural is a schema as the API server prunes by it.
func structural(t *testing.T, schema *apiextensionsv1.JSONSchemaProps) *structuralschema.Structural {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil))
	pruned, err := structuralschema.NewStructural(&internal)
	require.NoError(t, err)
	return pruned
}

// compiled is a schema as a JSON schema, which it is but for what begins with x-kubernetes.
func compiled(t *testing.T, schema *apiextensionsv1.JSONSchemaProps) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	made, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	return made
}
