package styles_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/styles"
)

func read(tb testing.TB, file string) string {
	tb.Helper()
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	return string(text)
}

// newStyle writes a folder that holds a style of its name.
func newStyle(t *testing.T, root, name string) string {
	t.Helper()
	dir := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "manifests"), 0o755))
	text := strings.Replace(good, "name: mine", "name: "+name, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "style.yaml"), []byte(text), 0o644))
	return dir
}

func namesOf(found []*styles.Style) []string {
	return plain.Map(found, func(operator *styles.Style) string { return operator.Name })
}

func TestFind(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	newStyle(t, root, "alpha")
	newStyle(t, root, "beta")
	own := newStyle(t, elsewhere, "own")
	require.NoError(t, os.Mkdir(filepath.Join(root, "testdata"), 0o755))
	for name, test := range map[string]struct{ ask, want []string }{
		"by name":        {[]string{"beta"}, []string{"beta"}},
		"in the order":   {[]string{"beta", "alpha"}, []string{"beta", "alpha"}},
		"all":            {[]string{"all"}, []string{"alpha", "beta"}},
		"by path":        {[]string{own}, []string{"own"}},
		"all and a path": {[]string{"all", own}, []string{"alpha", "beta", "own"}},
		"named twice":    {[]string{"alpha", "all", filepath.Join(root, "alpha")}, []string{"alpha", "beta"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := styles.Find(root, test.ask...)
			require.NoError(t, err)
			assert.Equal(t, test.want, namesOf(found))
		})
	}
}

// All are those that can be in one run.
func TestAllAreTheStylesOfTheDefaultWorkload(t *testing.T) {
	root := t.TempDir()
	newStyle(t, root, "alpha")
	newStyle(t, root, "beta")
	for name, workload := range map[string]string{"alpha": "memcached", "gamma": "queue"} {
		file := filepath.Join(newStyle(t, root, name), "style.yaml")
		require.NoError(t, os.WriteFile(file, []byte(read(t, file)+"\nworkload: "+workload+"\n"), 0o600))
	}
	for _, test := range []struct{ ask, want []string }{
		{[]string{"all"}, []string{"alpha", "beta"}},
		{[]string{"gamma"}, []string{"gamma"}},
		{[]string{"all", "gamma"}, []string{"alpha", "beta", "gamma"}},
	} {
		found, err := styles.Find(root, test.ask...)
		require.NoError(t, err)
		assert.Equal(t, test.want, namesOf(found))
	}
}

func TestFindByRelativePath(t *testing.T) {
	root := t.TempDir()
	newStyle(t, root, "mine")
	t.Chdir(root)
	found, err := styles.Find(filepath.Join(root, "none"), "./mine")
	require.NoError(t, err)
	assert.Equal(t, []string{"mine"}, namesOf(found))
}

func TestFindRefuses(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	newStyle(t, root, "argo")
	newStyle(t, root, "native")
	twin := newStyle(t, elsewhere, "argo")
	for name, test := range map[string]struct {
		ask  []string
		want string
	}{
		"an unknown name":    {[]string{"nativ"}, `unknown operator "nativ"; did you mean "native"?`},
		"nothing like it":    {[]string{"zookeeper"}, `unknown operator "zookeeper", expected argo, native, all, or a path such as ./my-operator`},
		"an empty name":      {[]string{""}, `unknown operator ""`},
		"an empty folder":    {[]string{"./nowhere"}, "there is no nowhere/style.yaml; a style is a folder with a style.yaml"},
		"two of one name":    {[]string{"argo", twin}, "two operators are named argo"},
		"all where are none": {[]string{"all"}, "no operators under"},
	} {
		t.Run(name, func(t *testing.T) {
			under := root
			if name == "all where are none" {
				under = elsewhere + "/argo"
			}
			_, err := styles.Find(under, test.ask...)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// What the house ships can be loaded and rendered, and asks for the images that
// its manifests name.
func TestEveryStyleOfTheHouse(t *testing.T) {
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	assert.Subset(t, namesOf(all), []string{"argo", "native"})
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	for _, style := range all {
		t.Run(style.Name, func(t *testing.T) {
			plan, err := style.Plan()
			require.NoError(t, err)
			for _, component := range style.Components {
				assert.Contains(t, plan.Namespaces, component.Namespace, "component %s", component.Name)
			}
			objs, err := style.Objects()
			require.NoError(t, err)
			manifests, err := json.Marshal(objs)
			require.NoError(t, err)
			for _, name := range style.ImageNames() {
				image, err := catalogue.Image(name)
				require.NoError(t, err)
				if name != "memcached" { // which a controller's program may name
					assert.Contains(t, string(manifests), image.Reference, "image %s", name)
				}
			}
		})
	}
}

// A style is a stranger's: what it says is in its own folder, or in those of the styles beside it, whatever a symbolic
// link says.
func TestNothingOutsideOfTheStylesIsRead(t *testing.T) {
	const key = "dXNlcjpwYXNz"
	outside := t.TempDir()
	secret := filepath.Join(outside, "Dockerfile")
	require.NoError(t, os.WriteFile(secret, []byte(`{"auths":{"`+key+`":{"auth":"`+key+`"}}}`), 0o600))
	for _, file := range []string{"style.yaml", "secrets.yaml", "manifests/bus/bus.yaml"} {
		for what, put := range map[string]func(string) error{
			"a link":    func(at string) error { return os.Symlink(secret, at) },
			"a device":  func(at string) error { return os.Symlink("/dev/zero", at) },
			"a FIFO":    func(at string) error { return syscall.Mkfifo(at, 0o600) },
			"its bytes": func(at string) error { return os.WriteFile(at, bytes.Repeat([]byte("#"), files.Most+1), 0o600) },
		} {
			t.Run(file+" is "+what, func(t *testing.T) {
				root := house(t, nil)
				at := filepath.Join(root, "base", file)
				require.NoError(t, errors.Join(os.RemoveAll(at), put(at)))
				all, err := styles.Find(root, "base")
				if err == nil {
					_, err = all[0].SecretReaders()
					_, rendered := all[0].Objects()
					_, counted := all[0].Facts(&images.Catalogue{})
					err = errors.Join(err, rendered, counted)
				}
				require.ErrorContains(t, err, at+" is not read: ")
				assert.NotContains(t, err.Error(), key)
			})
		}
	}
	for _, from := range []string{"dockerfile: " + outside, "dockerfile: ../..", "go: " + outside, "dockerfile: link"} {
		t.Run(from, func(t *testing.T) {
			style := strings.NewReplacer("NAME", "base", "- ../base/manifests/bus", "- manifests/bus", "- manifests\n", "- manifests/code\n",
				"[pause]", "\n  - {name: mine, reference: example.org/mine:v1, "+from+"}").Replace(overlayStyle)
			root := house(t, map[string]string{"base/style.yaml": style})
			require.NoError(t, os.Symlink(outside, filepath.Join(root, "base", "link")))
			_, err := styles.Find(root, "base")
			require.ErrorContains(t, err, "base/style.yaml:5: ")
			require.ErrorContains(t, err, "expected a folder in "+root+", the repository that the style is in")
			if from == "dockerfile: ../.." { // which is so in a repository
				require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(root), ".git"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(root), "Dockerfile"), nil, 0o600))
				_, err := styles.Find(root, "base")
				require.NoError(t, err)
			}
		})
	}
}

// A path is no pattern.
func TestNamesInAFolderOfAnyName(t *testing.T) {
	root := filepath.Join(t.TempDir(), "of [me]")
	require.NoError(t, os.CopyFS(filepath.Join(root, "idle"), os.DirFS("../../../operators/idle")))
	names, err := styles.Names(root)
	require.NoError(t, err)
	assert.Equal(t, []string{"idle"}, names)
}
