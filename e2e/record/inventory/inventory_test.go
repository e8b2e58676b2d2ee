package inventory_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	clienttesting "k8s.io/client-go/testing"

	metadatafake "k8s.io/client-go/metadata/fake"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/inventory"
)

// served is a cluster's discovery.
type served struct {
	discovery.DiscoveryInterface

	err error
}

func (s served) ServerPreferredResources() ([]*metav1.APIResourceList, error) {
	all := []string{"create", "list", "delete"}
	return []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "configmaps", Kind: "ConfigMap", Verbs: all},
			{Name: "events", Kind: "Event", Verbs: all},
			{Name: "secrets", Kind: "Secret", Verbs: all},
			{Name: "namespaces", Kind: "Namespace", Verbs: all},
			{Name: "pods/binding", Verbs: []string{"create"}},
			{Name: "persistentvolumes", Kind: "PersistentVolume", Verbs: all},
		}},
		{GroupVersion: "cache.example.com/v1alpha1", APIResources: []metav1.APIResource{{Name: "memcacheds", Kind: "Memcached", Verbs: all}}},
		{GroupVersion: "metrics.k8s.io/v1beta1", APIResources: []metav1.APIResource{{Name: "nodes", Verbs: []string{"list"}}}},
	}, s.err
}

func object(kind, namespace, name string, change ...func(*metav1.PartialObjectMetadata)) runtime.Object {
	o := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "u"},
	}
	for _, f := range change {
		f(o)
	}
	return o
}

func TestInventoryIsWhatIsTheSamples(t *testing.T) {
	yes := true
	controlled := func(o *metav1.PartialObjectMetadata) {
		o.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "p1", Controller: &yes}}
	}
	scheme := metadatafake.NewTestScheme()
	require.NoError(t, metav1.AddMetaToScheme(scheme))
	client := metadatafake.NewSimpleMetadataClient(
		scheme,
		object("ConfigMap", "default", "kube-root-ca.crt"),
		object("ConfigMap", "sample", "kube-root-ca.crt"),
		object("ConfigMap", "sample", "settings", controlled, func(o *metav1.PartialObjectMetadata) {
			o.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "operator"}, {Manager: "operator"}}
			o.Annotations = map[string]string{"secret": "text"}
		}),
		object("ConfigMap", "sample", "harness", func(o *metav1.PartialObjectMetadata) { o.Labels = kube.Owner{Run: "r"}.Labels() }),
		object("ConfigMap", "other", "settings"),
		object("ConfigMap", "operators", "sample-settings"),
		object("ConfigMap", "operators", "labelled", func(o *metav1.PartialObjectMetadata) { o.Labels = map[string]string{"of": "sample"} }),
		object("ConfigMap", "operators", "of-a-pod-of-sample", controlled),
		object("PersistentVolume", "", "volume", func(o *metav1.PartialObjectMetadata) { o.Annotations = map[string]string{"for": "sample/memcached"} }),
		object("PersistentVolume", "", "another"),
	)
	client.PrependReactor("list", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("forbidden") })
	taker := &inventory.Taker{Metadata: client, Discovery: served{}, Custom: schema.GroupResource{Group: "cache.example.com", Resource: "memcacheds"}, Writes: func(schema.GroupResource) bool { return true }}
	found := taker.Take(t.Context(), "sample", "sample-2")

	assert.Equal(t, []string{"configmaps.v1", "persistentvolumes.v1"}, found.Resources)
	assert.Equal(t, []string{"secrets.v1: forbidden"}, found.Unlisted)
	names := plain.Map(found.Objects, func(o record.Item) string { return o.Namespace + "/" + o.Name })
	assert.Equal(t, []string{"operators/labelled", "operators/sample-settings", "sample/settings", "/volume"}, names)
	assert.Equal(t, record.Item{
		Resource: "configmaps.v1", Namespace: "sample", Name: "settings", UID: "u", Managers: []string{"operator"},
		Owners: []record.Owner{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "p1", Controller: true}},
	}, found.Objects[2])
	text, err := json.Marshal(found)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "text", "annotations are looked at, and not recorded")
}

// Only what the style may write is listed, and that discovery failed in part is said.
func TestInventoryIsOfWhatTheStyleMayWrite(t *testing.T) {
	client := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
	taker := &inventory.Taker{
		Metadata: client, Discovery: served{err: errors.New("metrics: down")},
		Writes: func(r schema.GroupResource) bool { return r == schema.GroupResource{Resource: "configmaps"} },
	}
	found := taker.Take(t.Context(), "sample")
	assert.Equal(t, []string{"configmaps.v1"}, found.Resources)
	assert.Equal(t, []string{"some groups of the API: metrics: down"}, found.Unlisted)
	assert.Len(t, client.Actions(), 1)
}
