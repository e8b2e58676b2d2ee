package styles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec/styles"
)

// overlayStyle is a style.yaml of an overlay.
const overlayStyle = `name: NAME
description: d
source: s
images: [pause]
install:
  - name: base
    manifests:
      - ../base/manifests/bus
  - name: operator
    manifests:
      - manifests
    ready:
      - rollout: {kind: Deployment, namespace: ns, name: d}
components:
  - {name: manager, namespace: ns, selector: "app=manager"}
child: {ownerReference: true}
declares: {status: true, ownerReferences: true, driftRepair: true}
typical: {install: 5s, reconcile: 1s}
timeout: 30s
`

const (
	busMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bus, namespace: ns}\n"
	ownMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: ns}\n"
	codeMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: code, namespace: ns}\ndata:\n  a: b\n"
	deploy  = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: ns}\nspec: {template: {metadata: {labels: {app: manager}}, spec: {containers: [{name: c, image: \"registry.k8s.io/pause:3.10.2\"}]}}}\n"
	patched = "resources: [own.yaml, ../../base/manifests/code]\npatches:\n  - target: {kind: ConfigMap, name: code}\n    patch: '- {op: add, path: /data/c, value: d}'\n"
)

// otherStyle is a style that is no overlay.
var otherStyle = strings.NewReplacer("NAME", "other", "- ../base/manifests/bus", "- manifests/more.yaml", "- manifests\n", "- manifests/own.yaml\n").Replace(overlayStyle)

// house is a folder of styles: base, which owns its code but not its bus; over,
// an overlay of it; top, one of over; and other, which has nothing to do with them.
func house(t *testing.T, changes map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"base/style.yaml":                        strings.NewReplacer("NAME", "base", "- ../base/manifests/bus", "- manifests/bus", "- manifests\n", "- manifests/code\n").Replace(overlayStyle) + "owned: [manifests/code]\n",
		"base/manifests/bus/bus.yaml":            busMap,
		"base/manifests/code/code.yaml":          codeMap + deploy,
		"base/manifests/code/kustomization.yaml": "resources: [code.yaml]\n",
		"over/style.yaml":                        strings.ReplaceAll(overlayStyle, "NAME", "over"),
		"over/manifests/own.yaml":                ownMap,
		"over/manifests/kustomization.yaml":      patched,
		"top/style.yaml":                         strings.NewReplacer("NAME", "top", "- manifests\n", "- ../over/manifests\n").Replace(overlayStyle) + "owned: [../over/manifests]\n",
		"other/style.yaml":                       otherStyle,
		"other/manifests/more.yaml":              busMap,
		"other/manifests/own.yaml":               ownMap + deploy,
	}
	for name, text := range changes {
		files[name] = text
	}
	for name, text := range files {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return root
}

func checkHouse(t *testing.T, changes map[string]string, names ...string) error {
	t.Helper()
	all, err := styles.Find(house(t, changes), names...)
	require.NoError(t, err)
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	return styles.Check(catalogue, all...)
}

func TestCheck(t *testing.T) {
	require.NoError(t, checkHouse(t, nil, "all"), "styles that have the same objects, and overlays of overlays, may be in one run")
}

// upgraded is otherStyle, which has a next version.
var upgraded = otherStyle + `upgrade:
  manifests: [manifests/next.yaml]
  ready:
    - rollout: {kind: Deployment, namespace: ns, name: d}
  replaces: [manager]
`

// A style's next version is what its overlay has, too, which may change it.
func TestTheNextVersion(t *testing.T) {
	next := map[string]string{"other/style.yaml": upgraded, "other/manifests/next.yaml": ownMap + "data: {a: b}\n"}
	require.NoError(t, checkHouse(t, next, "other"))
	next["heir/style.yaml"] = "name: heir\ndescription: d\nsource: s\nbase: other\ntypical: {install: 5s, reconcile: 1s}\ntimeout: 30s\n"
	require.NoError(t, checkHouse(t, next, "heir"))
	all, err := styles.Find(house(t, next), "heir")
	require.NoError(t, err)
	assert.Equal(t, []string{"../other/manifests/next.yaml"}, all[0].Upgrade.Manifests)
}

// distinctSensors is otherStyle, which says that its Sensors must not do the same.
var distinctSensors = otherStyle + `distinct:
  - apiVersion: argoproj.io/v1alpha1
    kind: Sensor
    paths:
      - spec.dependencies.#.[eventSourceName,eventName,filters]
      - spec.triggers.#(template.k8s)#.template.k8s.[operation,source.resource.apiVersion,source.resource.kind]
    reason: it does the same to the same events
`

// sensorOf is a Sensor that does something of a kind to the events of a type.
func sensorOf(name, event, kind string) string {
	return `apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: ` + name + `, namespace: ns}
spec:
  dependencies:
    - {name: ` + name + `, eventSourceName: source, eventName: memcached, filters: {data: [{path: type, type: string, value: [` + event + `]}]}}
  triggers:
    - template: {name: t, conditions: ` + name + `, k8s: {operation: patch, source: {resource: {apiVersion: apps/v1, kind: ` + kind + `}}}}
`
}

func TestCheckRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		style   string
		changes map[string]string
		want    []string
	}{
		"a file that is no object": {"other", map[string]string{"other/manifests/own.yaml": "kind: ConfigMap\n"}, []string{
			"other/style.yaml:11: operator other, stage operator, manifests manifests/own.yaml: own.yaml: document at line 1: apiVersion is missing",
		}},
		"a file that is gone": {"base", map[string]string{"base/manifests/code/kustomization.yaml": "resources: [gone.yaml]\n"}, []string{
			"base/style.yaml:11: ", "code/kustomization.yaml: kustomize build: ", "/code/gone.yaml: no such file or directory",
		}},
		"a folder of the base that is gone": {"over", map[string]string{"over/manifests/kustomization.yaml": "resources:\n  - own.yaml\n  - ../../base/manifests/gone\n"}, []string{
			"over/style.yaml:11: ", "manifests/kustomization.yaml: kustomize build: ", "/base/manifests/gone: no such file or directory",
		}},
		"manifests of an overlay that no stage uses": {"over", map[string]string{
			"over/manifests/more.yaml": ownMap, "over/manifests/code/main.py": "", "over/manifests/README.md": "",
		}, []string{
			"over/style.yaml:6: no stage uses manifests/code/main.py, manifests/more.yaml, so that what is installed is the base's",
		}},
		"manifests of an overlay without stages": {"over", map[string]string{
			"over/style.yaml": "name: over\ndescription: d\nsource: s\nbase: base\ntypical: {install: 5s, reconcile: 1s}\ntimeout: 30s\n",
		}, []string{
			"over/style.yaml:4: no stage uses manifests/kustomization.yaml, manifests/own.yaml, so that",
		}},
		"an image that the catalogue does not have": {"other", map[string]string{
			"other/style.yaml": strings.Replace(otherStyle, "[pause]", "[pause, mine]", 1),
		}, []string{
			`other/style.yaml:4: the catalogue has no image "mine"; it has node, `, "; an image that it does not have is written as {name: …, reference: …}, see operators/README.md",
		}},
		"an image of a name that the catalogue has": {"other", map[string]string{
			"other/style.yaml": strings.Replace(otherStyle, "[pause]", "[{name: pause, reference: example.org/pause:v1}]", 1),
		}, []string{
			"other/style.yaml:4: image pause (example.org/pause:v1) is another than pause (registry.k8s.io/pause:3.10.2) of the catalogue",
		}},
		"a patch whose target is gone": {"over", map[string]string{"base/manifests/code/code.yaml": strings.Replace(codeMap, "name: code", "name: renamed", 1) + deploy}, []string{
			"over/style.yaml:11: ", "manifests/kustomization.yaml:3: patches: this entry changes nothing",
		}},
		"a patch that the base has made": {"over", map[string]string{"base/manifests/code/code.yaml": codeMap + "  c: d\n" + deploy}, []string{
			"over/style.yaml:11: ", "manifests/kustomization.yaml:3: patches: this entry changes nothing",
		}},
		"an object twice": {"other", map[string]string{"other/manifests/own.yaml": busMap}, []string{
			"other/style.yaml:11: operator other, stage operator, manifests manifests/own.yaml: ConfigMap ns/bus is rendered twice, by stage base from manifests/more.yaml (line 8), too",
		}},
		"an object of the base twice": {"over", map[string]string{"over/manifests/own.yaml": busMap}, []string{
			"over/style.yaml:11: ", "ConfigMap ns/bus is rendered twice, by stage base from ../base/manifests/bus (line 8), too",
		}},
		"the harness's definition": {"other", map[string]string{"other/manifests/own.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: memcacheds.cache.example.com}\n"}, []string{
			"other/style.yaml:11: ", "CustomResourceDefinition memcacheds.cache.example.com is here, which the harness itself makes for all styles",
		}},
		"a workload that nobody has": {"other", map[string]string{"other/style.yaml": strings.Replace(otherStyle, "name: other\n", "name: other\nworkload: queue\n", 1)}, []string{
			`other/style.yaml:2: workload: there is no workload "queue"; there are: etcd, memcached`,
		}},
		"two operators": {"over", map[string]string{
			"over/manifests/kustomization.yaml": "resources: [../../other/manifests]\n", "other/manifests/kustomization.yaml": "resources: [own.yaml]\n",
		}, []string{
			"over/style.yaml:11: this is of the style other, what line 8 uses is of base: two operators would act on the same custom resources, an overlay has one base",
		}},
		"an overlay of its overlay": {"other", map[string]string{
			"other/style.yaml": strings.NewReplacer("NAME", "other", "- manifests\n", "- manifests/own.yaml\n").Replace(overlayStyle),
			"base/style.yaml":  strings.NewReplacer("NAME", "base", "- ../base/manifests/bus", "- ../other/manifests/own.yaml", "- manifests\n", "- manifests/code\n").Replace(overlayStyle),
		}, []string{
			"base/style.yaml:8: this is of the style other, which is itself an overlay of this one",
		}},
		"a component of nobody": {"other", map[string]string{"other/manifests/own.yaml": ownMap + strings.Replace(deploy, "app: manager", "app: other", 1)}, []string{
			"other/style.yaml:15: component manager: no workload of the manifests has pods app=manager in namespace ns",
		}},
		"a rollout of nothing": {"other", map[string]string{"other/manifests/own.yaml": ownMap + strings.Replace(deploy, "name: d,", "name: e,", 1)}, []string{
			"other/style.yaml:13: stage operator: the manifests have no Deployment ns/d, so that its rollout would never complete",
		}},
		"a next version that is gone": {"other", map[string]string{"other/style.yaml": upgraded, "other/manifests/next.yaml": "kind: ConfigMap\n"}, []string{
			"other/style.yaml:21: operator other, upgrade, manifests manifests/next.yaml: next.yaml: document at line 1: apiVersion is missing",
		}},
		"a next version that is there": {"other", map[string]string{"other/style.yaml": upgraded, "other/manifests/next.yaml": ownMap}, []string{
			"other/style.yaml:21: upgrade: all of it is installed already, expected a next version",
		}},
		"an image that nobody knows": {"other", map[string]string{"other/style.yaml": strings.Replace(otherStyle, "[pause]", "[pause, paus]", 1)}, []string{
			"other/style.yaml:4: ", `"paus"`,
		}},
		"an image that is not listed": {"other", map[string]string{"other/style.yaml": strings.Replace(otherStyle, "[pause]", "[native]", 1)}, []string{
			"other/style.yaml:11: ", "deployment/d runs registry.k8s.io/pause:3.10.2, which images (line 4) does not list: add pause",
		}},
		"two Sensors": {"other", map[string]string{"other/style.yaml": distinctSensors, "other/manifests/own.yaml": sensorOf("one", "ADD", "Deployment") + "---\n" + sensorOf("two", "ADD", "Deployment")}, []string{
			"other/style.yaml:11: ", "Sensor ns/two is not distinct from Sensor ns/one: it does the same to the same events",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkHouse(t, test.changes, test.style)
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// Sensors that part the events, or do different things, are no two operators.
func TestCheckAllowsSensorsThatPartTheEvents(t *testing.T) {
	for name, second := range map[string]string{
		"other events": sensorOf("two", "DELETE", "Deployment"),
		"another deed": sensorOf("two", "ADD", "Service"),
		"no Sensor":    strings.Replace(sensorOf("two", "ADD", "Deployment"), "kind: Sensor", "kind: EventSource", 1),
	} {
		t.Run(name, func(t *testing.T) {
			text := sensorOf("one", "ADD", "Deployment") + "---\n" + second + deploy
			require.NoError(t, checkHouse(t, map[string]string{"other/style.yaml": distinctSensors, "other/manifests/own.yaml": text}, "other"))
		})
	}
}

// The tutorial's style says of its Sensors what its overlays are held to: a copy
// of its Sensor that only has another name is refused.
func TestCheckRefusesASecondSensorOfTheTutorial(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS("../../../operators")))
	file := filepath.Join(root, "argo", "manifests", "sensor", "sensor.yaml")
	sensor, err := os.ReadFile(file)
	require.NoError(t, err)
	second := strings.Replace(string(sensor), "name: memcached-sensor", "name: second", 1)
	require.NoError(t, os.WriteFile(file, []byte(string(sensor)+"---\n"+second), 0o600))
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	all, err := styles.Find(root, "argo")
	require.NoError(t, err)
	require.ErrorContains(t, styles.Check(catalogue, all...), "is not distinct from Sensor argo-events/")
}

// Who maintains an overlay answers for its own files, and for what it uses of
// those that its base owns.
func TestFactsOfAnOverlay(t *testing.T) {
	root := house(t, map[string]string{
		"base/manifests/code/kustomization.yaml": "resources: [code.yaml, gone.yaml]\n",
		"base/manifests/code/gone.yaml":          ownMap + "data:\n  a: b\n",
		"over/manifests/kustomization.yaml":      patched + "  - patch: '{$patch: delete, apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: ns}}'\nnameSuffix: -b\n",
		"over/manifests/own.yaml":                strings.Replace(ownMap, "name: own", "name: mine", 1),
	})
	for name, want := range map[string]styles.Lines{
		"base":  {Language: "YAML", Files: 3, Lines: 16},
		"over":  {Language: "YAML", Files: 4, Lines: 20}, // without gone.yaml, since it has nothing of it
		"top":   {Language: "YAML", Files: 4, Lines: 20},
		"other": {Language: "YAML", Files: 2, Lines: 11},
	} {
		all, err := styles.Find(root, name)
		require.NoError(t, err)
		style := all[0]
		style.Images = nil
		facts, err := style.Facts(&images.Catalogue{})
		require.NoError(t, err)
		assert.Equal(t, []styles.Lines{want}, facts.Owned, name)
	}
}

// A style brings images along, which are made from what is in its folder, or beside
// it; an overlay has those of its base.
func TestOwnImages(t *testing.T) {
	root := house(t, map[string]string{
		"base/style.yaml": strings.NewReplacer("NAME", "base", "- ../base/manifests/bus", "- manifests/bus", "- manifests\n", "- manifests/code\n",
			"[pause]", "\n  - pause\n  - {name: mine, reference: example.org/mine:v1, go: ./cmd}\n  - {name: built, reference: example.org/built:v1, dockerfile: ../docker}\n  - {name: there, reference: example.org/there:v1}").Replace(overlayStyle),
		"base/cmd/main.go":  "package main\n",
		"base/go.mod":       "module example.org/base\n",
		"docker/Dockerfile": "FROM scratch\n",
		"over/style.yaml":   "name: over\ndescription: d\nsource: s\nbase: base\ninstall: [{name: operator, manifests: [manifests]}]\ntypical: {install: 5s, reconcile: 1s}\ntimeout: 30s\n",
	})
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	all, err := styles.Find(root, "base", "over")
	require.NoError(t, err)
	require.NoError(t, styles.Check(catalogue, all...), "both bring the same")
	for _, style := range all {
		assert.Equal(t, []string{"pause", "mine", "built", "there"}, style.ImageNames())
		facts, err := style.Facts(catalogue)
		require.NoError(t, err)
		assert.Equal(t, []styles.ImageFact{
			{Name: "built", Reference: "example.org/built:v1", Custom: true},
			{Name: "mine", Reference: "example.org/mine:v1", Custom: true},
			{Name: "pause", Reference: "registry.k8s.io/pause:3.10.2"},
			{Name: "there", Reference: "example.org/there:v1"},
		}, facts.Images)
	}
	assert.Len(t, styles.OwnImages(all...), 6)

	require.NoError(t, os.Remove(filepath.Join(root, "docker", "Dockerfile")))
	_, err = styles.Find(root, "base")
	require.ErrorContains(t, err, "base/style.yaml:7: image built: dockerfile: there is no file "+filepath.Join(root, "docker", "Dockerfile"))
}

// A kustomization with a large definition takes seconds, so each is read once: what becomes of it later is not seen.
func TestWhatIsReadIsReadOnce(t *testing.T) {
	root := house(t, nil)
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	all, err := styles.Find(root, "over")
	require.NoError(t, err)
	style := all[0]
	ask := func() (said []error) {
		_, facts := style.Facts(catalogue)
		_, reach := style.Reach()
		_, doubts := style.Doubts(catalogue)
		return []error{styles.Check(catalogue, all...), styles.CheckCluster(catalogue, all...), facts, reach, doubts}
	}
	before := ask()
	require.NoError(t, before[0])
	for _, name := range []string{"over/manifests", "base/manifests/code"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name, "kustomization.yaml"), []byte("resources: ["), 0o600))
	}
	assert.Equal(t, before, ask())
}
