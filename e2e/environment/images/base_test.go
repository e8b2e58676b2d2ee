package images

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
)

const above = `  - name: above
    reference: operatorbench.local/above:4
    neverPulled: true
    size: 3MB
    base: hello
    binaries: [{package: ./hello, to: /above}]
    config: {env: [A=own, C=own]}
`

// baseRepository has the image above, over hello, which host may have.
func baseRepository(t *testing.T, host string) string {
	t.Helper()
	root := newRepository(t, host)
	file := filepath.Join(root, catalogueFile)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(raw, above...), 0o644))
	return root
}

// built is the image above, with its configuration.
func built(t *testing.T, store *Store) (v1.Image, *v1.ConfigFile) {
	t.Helper()
	require.NoError(t, store.Ensure(t.Context(), "above"))
	states, err := store.present(t.Context(), []string{"above"})
	require.NoError(t, err)
	image, err := readImage(states[0].folder)
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	return image, config
}

func layersOf(t *testing.T, image v1.Image) []string {
	t.Helper()
	manifest, err := image.Manifest()
	require.NoError(t, err)
	return plain.Map(manifest.Layers, func(layer v1.Descriptor) string { return layer.Digest.String() })
}

func TestABaseThatIsBuilt(t *testing.T) {
	root := baseRepository(t, "docker.io")
	store, _ := open(t, root, from(Build))
	image, config := built(t, store)
	assert.Len(t, layersOf(t, image), 2)
	assert.Equal(t, []string{"/hello"}, config.Config.Entrypoint, "the base's")
	assert.Equal(t, "1000", config.Config.User)
	assert.Equal(t, []string{"A=own", "C=own"}, config.Config.Env)
	assert.Equal(t, "above", config.Config.Labels[labelName])

	before, err := (&Recipes{Clone: repository(t)}).Of(t.Context(), root, nil, "above")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "fixtures/images/file.txt"), []byte("changed"), 0o644))
	after, err := (&Recipes{Clone: repository(t)}).Of(t.Context(), root, nil, "above")
	require.NoError(t, err)
	assert.NotEqual(t, before, after, "another base is another image")
}

func TestABaseThatIsPulled(t *testing.T) {
	host := serve(t, nil)
	hello := push(t, host+"/library/hello:1")
	hello, err := mutate.Config(hello, v1.Config{Entrypoint: []string{"/upstream"}, Env: []string{"A=base", "B=base"}, Labels: map[string]string{"by": "upstream"}})
	require.NoError(t, err)
	tag, err := name.NewTag(host + "/library/hello:1")
	require.NoError(t, err)
	require.NoError(t, remote.Write(tag, hello))

	store, said := open(t, baseRepository(t, host))
	image, config := built(t, store)
	assert.Contains(t, said.String(), "pulled "+host+"/library/hello:1")
	layers := layersOf(t, image)
	require.Len(t, layers, 3)
	assert.Equal(t, layersOf(t, hello), layers[:2])
	assert.Equal(t, []string{"/upstream"}, config.Config.Entrypoint)
	assert.Equal(t, []string{"B=base", "A=own", "C=own"}, config.Config.Env, "its own holds where both have one")
	assert.Equal(t, "upstream", config.Config.Labels["by"])
}

func TestABaseThatCannotBePulled(t *testing.T) {
	store, _ := open(t, baseRepository(t, "127.0.0.1:1"), from(Pull))
	err := store.Ensure(t.Context(), "above")
	require.ErrorContains(t, err, "build the image above: get its base 127.0.0.1:1/library/hello:1: the registry 127.0.0.1:1 cannot be reached")
}

// What is missing is said of all images before one is built.
func TestNeedsAreSaidFirst(t *testing.T) {
	root := baseRepository(t, "docker.io")
	file := filepath.Join(root, catalogueFile)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	raw = append(raw, strings.ReplaceAll(above, "above", "python")+"    wheels: {requirements: wheels.txt, python: \"3.11\", to: /opt}\n"...)
	require.NoError(t, os.WriteFile(file, raw, 0o644))
	wheels := "greet==1.0 --hash=sha256:" + strings.Repeat("0", 64) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, Folder, "wheels.txt"), []byte(wheels), 0o644))
	store, said := open(t, root, from(Build))
	path, err := exec.LookPath("go")
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(path, filepath.Join(bin, "go")))
	t.Setenv("PATH", bin)
	err = store.Ensure(t.Context(), "hello", "python")
	require.ErrorContains(t, err, "build the image python: Python packages are downloaded by pip, which does not run on this machine")
	assert.NotContains(t, said.String(), "built")
}
