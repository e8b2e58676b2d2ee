package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/engine"
)

// newRepository makes a repository whose images are quick to build: hello and
// there are the same small program, local is one of a nested module. host is
// their registry.
func newRepository(t *testing.T, host string) string {
	t.Helper()
	root := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":                    "module operatorbench\n\ngo 1.26\n",
		"go.sum":                    "",
		"hello/main.go":             "package main\n\nimport \"operatorbench/lib\"\n\nfunc main() { println(\"hello\", lib.World()) }\n",
		"hello/hello_test.go":       "package main\n",
		"lib/lib.go":                libSource,
		"lib/text/embedded.txt":     "embedded",
		"nested/go.mod":             "module nested.example/nested\n\ngo 1.26\n",
		"nested/go.sum":             "",
		"nested/cmd/main.go":        "package main\n\nimport \"nested.example/nested/lib\"\n\nfunc main() { println(lib.Word) }\n",
		"nested/lib/lib.go":         "package lib\n\nconst Word = \"nested\"\n",
		"fixtures/images/file.txt":  "copied",
		"fixtures/catalogue.yaml":   fmt.Sprintf(testCatalogue, host),
		"fixtures/images.lock.yaml": "images: []\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
	}
	return root
}

const libSource = `package lib

import "embed"

//go:embed text
var texts embed.FS

func World() string {
	raw, _ := texts.ReadFile("text/embedded.txt")
	return "world" + string(raw)
}
`

const testCatalogue = `version: 1
debian: {suite: bookworm}
images:
  - name: hello
    reference: %[1]s/library/hello:1
    purpose: says hello
    size: 3MB
    binaries: [{package: ./hello, to: /hello}]
    files: [{to: /etc/file, from: file.txt}, {to: /tmp/, mode: "1777"}]
    config: {entrypoint: [/hello], user: "1000"}
  - name: there
    reference: %[1]s/library/there:2
    purpose: also
    size: 3MB
    binaries: [{package: ./hello, to: /there}]
  - name: local
    reference: operatorbench.local/local:3
    purpose: is nowhere else
    neverPulled: true
    size: 3MB
    binaries: [{package: ./nested/cmd, to: /local}]
`

// open opens a store on root with short patience and what it says.
func open(t *testing.T, root string, change ...func(*Options)) (*Store, *strings.Builder) {
	t.Helper()
	said := &strings.Builder{}
	options := Options{
		Root: root, Clone: repository(t), Cache: filepath.Join(root, "cache"), Progress: said,
		ProbeTimeout: 5 * time.Second, StallTimeout: 5 * time.Second,
	}
	for _, c := range change {
		c(&options)
	}
	store, err := Open(options)
	require.NoError(t, err)
	return store, said
}

func from(source Source) func(*Options) { return func(o *Options) { o.Source = source } }

// serve starts a registry on loopback, behind wrap, and returns its host.
func serve(t *testing.T, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if wrap != nil {
		handler = wrap(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// push puts a random image into a registry.
func push(t *testing.T, reference string) v1.Image {
	t.Helper()
	image, err := random.Image(4096, 2)
	require.NoError(t, err)
	tag, err := name.NewTag(reference)
	require.NoError(t, err)
	require.NoError(t, remote.Write(tag, image))
	return image
}

// lockTo writes the lock file.
func lockTo(t *testing.T, root, reference, digest string) {
	t.Helper()
	raw, err := Lock{Images: []Locked{{Reference: reference, Digest: digest, From: "a test"}}}.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, lockPath), raw, 0o644))
}

func digestOf(t *testing.T, image v1.Image) string {
	t.Helper()
	digest, err := image.Digest()
	require.NoError(t, err)
	return digest.String()
}

func configOf(t *testing.T, image v1.Image) string {
	t.Helper()
	digest, err := image.ConfigName()
	require.NoError(t, err)
	return digest.String()
}

func TestBuildThenNothing(t *testing.T) {
	root := newRepository(t, "docker.io")
	store, said := open(t, root, from(Build))

	missing, err := store.Missing(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Listed{
		{Name: "hello", Reference: "docker.io/library/hello:1", Why: "not in cache"},
		{Name: "there", Reference: "docker.io/library/there:2", Why: "not in cache"},
		{Name: "local", Reference: "operatorbench.local/local:3", Why: "not in cache"},
	}, missing)
	_, err = store.Describe(t.Context(), "hello")
	require.ErrorContains(t, err, "the image hello (docker.io/library/hello:1) is missing: not in cache; run `opbench images ensure`")

	require.NoError(t, store.Ensure(t.Context()))
	assert.Contains(t, said.String(), "[1/3] hello: built in")
	assert.Contains(t, said.String(), "[3/3] local: built in")
	assert.Regexp(t, `(?m)^images +\d+s CPU time of compiling \d+s: hello \d+s, hello \d+s, nested/cmd \d+s$`, said.String())
	missing, err = store.Missing(t.Context())
	require.NoError(t, err)
	assert.Empty(t, missing)
	assert.NoDirExists(t, filepath.Join(root, "cache", "work"))

	again, said := open(t, root, from(Build))
	require.NoError(t, again.Ensure(t.Context()))
	assert.Empty(t, said.String(), "an unchanged recipe costs nothing")

	require.NoError(t, os.WriteFile(filepath.Join(root, "lib", "lib.go"), []byte("package lib\n\nfunc World() string { return \"you\" }\n"), 0o644))
	missing, err = again.Missing(t.Context(), "there")
	require.NoError(t, err)
	assert.Equal(t, []Listed{{Name: "there", Reference: "docker.io/library/there:2", Why: "not in cache"}}, missing)
}

func TestImagesAreGotInTheOrderOfTheirNames(t *testing.T) {
	store, said := open(t, newRepository(t, "docker.io"), from(Build))
	require.NoError(t, store.Ensure(t.Context(), "there", "hello", "there"))
	assert.Regexp(t, `(?s)\[1/2\] there: built.*\[2/2\] hello: built`, said.String())
}

func TestDescribe(t *testing.T) {
	store, _ := open(t, newRepository(t, "docker.io"), from(Build))
	require.NoError(t, store.Ensure(t.Context(), "hello"))
	described, err := store.Describe(t.Context(), "hello")
	require.NoError(t, err)
	require.Len(t, described, 1)
	got := described[0]
	assert.Equal(t, "hello", got.Name)
	assert.Equal(t, "docker.io/library/hello:1", got.Reference)
	assert.Equal(t, "built", got.Source)
	assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, got.Digest)
	assert.Greater(t, got.Size, int64(500_000))
	assert.Nil(t, got.Depends, "others build it, too")

	require.NoError(t, store.Ensure(t.Context(), "local"))
	described, err = store.Describe(t.Context(), "local")
	require.NoError(t, err)
	assert.Equal(t, &Dependencies{}, described[0].Depends)
}

func TestArchiveHasAllImagesUnderTheirReferences(t *testing.T) {
	store, _ := open(t, newRepository(t, "docker.io"), from(Build))
	require.NoError(t, store.Ensure(t.Context(), "hello", "local"))
	var archive bytes.Buffer
	require.NoError(t, store.Archive(t.Context(), &archive, "hello", "local"))

	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	manifest, err := tarball.LoadManifest(opener)
	require.NoError(t, err)
	var tags []string
	for _, image := range manifest {
		tags = append(tags, image.RepoTags...)
	}
	assert.ElementsMatch(t, []string{"docker.io/library/hello:1", "operatorbench.local/local:3"}, tags)

	tag, err := name.NewTag("docker.io/library/hello:1")
	require.NoError(t, err)
	hello, err := tarball.Image(opener, &tag)
	require.NoError(t, err)
	config, err := hello.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, []string{"/hello"}, config.Config.Entrypoint)
	assert.Equal(t, "1000", config.Config.User)
	assert.Equal(t, "hello", config.Config.Labels[labelName])

	err = store.Archive(t.Context(), io.Discard, "there")
	require.ErrorContains(t, err, "the image there")
}

func TestArchiveStopsWithItsContext(t *testing.T) {
	store, _ := open(t, newRepository(t, "docker.io"), from(Build))
	require.NoError(t, store.Ensure(t.Context(), "hello"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user gave up"))
	require.ErrorContains(t, store.Archive(ctx, io.Discard, "hello"), "the user gave up")
}

func TestUnknownImage(t *testing.T) {
	store, _ := open(t, newRepository(t, "docker.io"))
	require.EqualError(t, store.Ensure(t.Context(), "helo"), `no image "helo" in the catalogue: it has hello, there, local`)
}

func TestPull(t *testing.T) {
	host := serve(t, nil)
	root := newRepository(t, host)
	hello := push(t, host+"/library/hello:1")

	t.Run("by tag", func(t *testing.T) {
		store, said := open(t, root, from(Pull))
		require.NoError(t, store.Ensure(t.Context(), "hello"))
		described, err := store.Describe(t.Context(), "hello")
		require.NoError(t, err)
		assert.Equal(t, "pulled", described[0].Source)
		assert.Equal(t, configOf(t, hello), described[0].Digest)
		assert.Contains(t, said.String(), "pulled "+host+"/library/hello:1")
		var archive bytes.Buffer
		require.NoError(t, store.Archive(t.Context(), &archive, "hello"))
	})
	t.Run("by digest, though the tag has moved on", func(t *testing.T) {
		lockTo(t, root, host+"/library/hello:1", digestOf(t, hello))
		push(t, host+"/library/hello:1")
		store, _ := open(t, root, from(Pull))
		require.NoError(t, store.Ensure(t.Context(), "hello"))
		described, err := store.Describe(t.Context(), "hello")
		require.NoError(t, err)
		assert.Equal(t, configOf(t, hello), described[0].Digest)
	})
	t.Run("a new digest in the lock file: pulled anew", func(t *testing.T) {
		newer := push(t, host+"/library/hello:1")
		lockTo(t, root, host+"/library/hello:1", digestOf(t, newer))
		store, _ := open(t, root, from(Pull))
		missing, err := store.Missing(t.Context(), "hello")
		require.NoError(t, err)
		assert.Len(t, missing, 1)
	})
	t.Run("what no registry has is built", func(t *testing.T) {
		store, said := open(t, root, from(Pull))
		require.NoError(t, store.Ensure(t.Context(), "local"))
		assert.Contains(t, said.String(), "built in")
	})
}

// otherManifest answers a request for a manifest by digest with that of a tag.
func otherManifest(digest, tag string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = strings.Replace(r.URL.Path, "/manifests/"+digest, "/manifests/"+tag, 1)
			next.ServeHTTP(w, r)
		})
	}
}

func TestPullRefusesAnotherDigest(t *testing.T) {
	const locked = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	host := serve(t, otherManifest(locked, "1"))
	root := newRepository(t, host)
	push(t, host+"/library/hello:1")
	lockTo(t, root, host+"/library/hello:1", locked)

	for _, source := range []Source{Pull, Auto} {
		t.Run(string(source), func(t *testing.T) {
			store, _ := open(t, root, from(source))
			err := store.Ensure(t.Context(), "hello")
			require.ErrorIs(t, err, errMismatch, "it is not built either: somebody has to look")
			assert.ErrorContains(t, err, "does not have the digest in fixtures/images.lock.yaml")
			assert.ErrorContains(t, err, "opbench images lock")
			missing, err := store.Missing(t.Context(), "hello")
			require.NoError(t, err)
			assert.Len(t, missing, 1, "nothing of it is kept")
		})
	}
}

func TestPullRefusesAnotherLayer(t *testing.T) {
	host := serve(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
				recorded := httptest.NewRecorder()
				next.ServeHTTP(recorded, r)
				raw := recorded.Body.Bytes()
				raw[len(raw)/2] ^= 1
				_, _ = w.Write(raw)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	root := newRepository(t, host)
	push(t, host+"/library/hello:1")
	store, _ := open(t, root, from(Pull))
	require.ErrorIs(t, store.Ensure(t.Context(), "hello"), errMismatch)
}

// silent lets a registry stop in the middle of every layer.
func silent(stop <-chan struct{}) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
				next.ServeHTTP(w, r)
				return
			}
			recorded := httptest.NewRecorder()
			next.ServeHTTP(recorded, r)
			raw := recorded.Body.Bytes()
			w.Header().Set("Content-Length", fmt.Sprint(len(raw)))
			_, _ = w.Write(raw[:len(raw)/2])
			_ = http.NewResponseController(w).Flush()
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		})
	}
}

func TestAStallingRegistryIsGivenUp(t *testing.T) {
	stop := make(chan struct{})
	host := serve(t, silent(stop))
	t.Cleanup(func() { close(stop) }) // before the server's Close, which waits for its handlers
	root := newRepository(t, host)
	push(t, host+"/library/hello:1")
	impatient := func(o *Options) { o.StallTimeout = 100 * time.Millisecond }

	t.Run("pull: an error that says so", func(t *testing.T) {
		store, _ := open(t, root, from(Pull), impatient)
		err := store.Ensure(t.Context(), "hello")
		require.ErrorIs(t, err, errStalled)
		assert.ErrorContains(t, err, "the registry stalled: nothing came from http://"+host)
		assert.ErrorContains(t, err, "for 100ms")
	})
	t.Run("auto: built", func(t *testing.T) {
		store, said := open(t, root, impatient)
		require.NoError(t, store.Ensure(t.Context(), "hello"))
		assert.Contains(t, said.String(), "will be built")
		assert.Contains(t, said.String(), "the registry stalled")
		described, err := store.Describe(t.Context(), "hello")
		require.NoError(t, err)
		assert.Equal(t, "built", described[0].Source)
	})
}

func TestASlowRegistryIsNotAStallingOne(t *testing.T) {
	// Bytes keep coming, each long before the timeout; all of them take longer.
	const pieces = 40
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for range pieces {
			<-ticker.C
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(slow.Close)
	client := http.Client{Transport: stallTransport{silence: 200 * time.Millisecond}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, slow.URL, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Len(t, raw, pieces)
}

func TestHalfOfTheImages(t *testing.T) {
	host := serve(t, nil)
	root := newRepository(t, host)
	push(t, host+"/library/hello:1")

	t.Run("pull: an error that names the others", func(t *testing.T) {
		store, _ := open(t, root, from(Pull))
		err := store.Ensure(t.Context(), "hello", "there")
		require.ErrorContains(t, err, "these images could not be had: there (--images=auto builds what cannot be pulled)")
		require.ErrorContains(t, err, host+"/library/there:2")
		missing, err := store.Missing(t.Context(), "hello", "there")
		require.NoError(t, err)
		assert.Equal(t, []Listed{{Name: "there", Reference: host + "/library/there:2", Why: "not in cache"}}, missing, "what came is kept")
	})
	t.Run("auto: the others are built", func(t *testing.T) {
		store, said := open(t, root)
		require.NoError(t, store.Ensure(t.Context(), "hello", "there"))
		assert.Contains(t, said.String(), "there: will be built")
		described, err := store.Describe(t.Context(), "hello", "there")
		require.NoError(t, err)
		assert.Equal(t, "pulled", described[0].Source)
		assert.Equal(t, "built", described[1].Source)
	})
}

func TestAnUnreachableRegistry(t *testing.T) {
	// A port that nobody listens on: it was had and given back.
	gone := httptest.NewServer(http.NotFoundHandler())
	host := strings.TrimPrefix(gone.URL, "http://")
	gone.Close()
	root := newRepository(t, host)

	store, _ := open(t, root, from(Pull))
	err := store.Ensure(t.Context(), "hello")
	require.ErrorContains(t, err, "the registry "+host+" cannot be reached")

	store, said := open(t, root)
	require.NoError(t, store.Ensure(t.Context(), "hello"))
	assert.Contains(t, said.String(), "will be built")
}

func TestARegistryIsProbedOnce(t *testing.T) {
	var requests atomic.Int32
	stop := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(stop) })
	root := newRepository(t, strings.TrimPrefix(hanging.URL, "http://"))
	store, said := open(t, root, func(o *Options) { o.ProbeTimeout = 100 * time.Millisecond })
	require.NoError(t, store.Ensure(t.Context(), "hello", "there"))
	assert.Equal(t, 2, strings.Count(said.String(), "no answer within 100ms"), "both images hear of it")
	assert.Equal(t, int32(1), requests.Load(), "but only one of them asked")
}

func TestTwoProcessesFillOneCache(t *testing.T) {
	root := newRepository(t, "docker.io")
	cache := filepath.Join(root, "cache")
	_, err := claimCache(cache)
	require.NoError(t, err)
	lock := filepath.Join(cache, "lock")
	unlock, err := lockFile(t.Context(), lock, func(string) { t.Error("nobody else has it") })
	require.NoError(t, err)

	waits := make(chan string)
	store, _ := open(t, root, from(Build), func(o *Options) { o.Progress = sayTo(waits) })
	done := make(chan error, 1)
	go func() { done <- store.Ensure(t.Context(), "hello") }()
	said := <-waits
	assert.Contains(t, said, fmt.Sprintf("waiting for process %d, which fills the same cache (it holds %s)", os.Getpid(), lock))
	unlock()
	for {
		select {
		case <-waits: // progress
			continue
		case err := <-done:
			require.NoError(t, err)
		}
		break
	}

	t.Run("a wait can be called off", func(t *testing.T) {
		unlock, err := lockFile(t.Context(), lock, func(string) {})
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err = lockFile(ctx, lock, func(string) { cancel(errors.New("the user gave up")) })
		require.ErrorContains(t, err, "the user gave up")
		unlock()
		again, err := lockFile(t.Context(), lock, func(string) {})
		require.NoError(t, err, "and leaves the lock to others")
		again()
	})
}

// sayTo is a writer that hands every line on.
type sayTo chan<- string

func (s sayTo) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

func TestLockCommand(t *testing.T) {
	host := serve(t, nil)
	root := newRepository(t, host)
	hello := push(t, host+"/library/hello:1")
	const known = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	lockTo(t, root, host+"/library/there:2", known)

	store, _ := open(t, root)
	err := store.WriteLock(t.Context())
	require.ErrorContains(t, err, "there: ask for the digest of "+host+"/library/there:2")
	assert.NotContains(t, err.Error(), "local", "what no registry has is not asked for")

	lock, err := LoadLock(root)
	require.NoError(t, err)
	assert.Equal(t, digestOf(t, hello), lock.Digest(host+"/library/hello:1"))
	assert.Equal(t, known, lock.Digest(host+"/library/there:2"), "what was known stays")

	push(t, host+"/library/there:2")
	require.NoError(t, store.WriteLock(t.Context()))
	require.NoError(t, store.CheckLock(t.Context()))
}

func TestCheckLock(t *testing.T) {
	host := serve(t, nil)
	root := newRepository(t, host)
	hello := push(t, host+"/library/hello:1")
	there := push(t, host+"/library/there:2")
	check := func() error {
		store, _ := open(t, root)
		return store.CheckLock(t.Context())
	}
	err := check()
	require.ErrorContains(t, err, "hello: "+lockPath+" has no digest for "+host+"/library/hello:1; its registry: "+digestOf(t, hello))
	require.ErrorContains(t, err, "there: ")
	require.ErrorContains(t, err, "run `opbench images lock`")
	assert.NotContains(t, err.Error(), "local", "no registry has it")

	lockTo(t, root, host+"/library/hello:1", digestOf(t, there))
	require.ErrorContains(t, check(), "hello: "+lockPath+" has "+digestOf(t, there)+", which cannot be had")

	lockTo(t, root, host+"/library/hello:1", digestOf(t, hello))
	assert.NotContains(t, check().Error(), "hello: ")

	root = newRepository(t, "127.0.0.1:1") // no registry is there
	require.ErrorContains(t, check(), "its registry: cannot be asked: the registry 127.0.0.1:1 cannot be reached")
}

func TestParseLockExplains(t *testing.T) {
	for text, says := range map[string]string{
		"images: {":    "l.yaml: yaml",
		"pictures: []": "line 1: field pictures not found",
		"images:\n  - {reference: x, digest: 'sha256:1', from: y}":                 `l.yaml:2: reference "x"`,
		"images:\n  - {reference: 'docker.io/x/y:1', digest: 'sha256:1', from: y}": `l.yaml:2: digest "sha256:1"`,
	} {
		_, err := ParseLock("l.yaml", []byte(text))
		require.ErrorContains(t, err, says)
	}
	lock, err := ParseLock("l.yaml", nil)
	require.NoError(t, err)
	assert.Empty(t, lock.Digest("x"))
}

// fakeEngine is a docker that has these images: reference → what inspect says.
func fakeEngine(t *testing.T, has map[string]string, saves string) *engine.Engine {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in\ninfo) ;;\n"
	for reference, says := range has {
		script += fmt.Sprintf("\"image inspect --format {{.Id}} {{.Size}} {{json .Config.Labels}} %s\") echo '%s' ;;\n", reference, says)
		script += fmt.Sprintf("\"image inspect --format {{.Id}} %s\") echo '%s' ;;\n", reference, says)
	}
	// A build leaves the image's id where it is asked to.
	script += "build\\ --iidfile*) for folder; do :; done; [ -f \"$folder/Dockerfile\" ] || exit 1; echo sha256:built >\"$3\"; echo \"$*\" ;;\n\"image rm sha256:built\") ;;\n"
	script += "save*) exec cat '" + saves + "' ;;\nimages*) ;;\n*) echo \"no such image: $*\" >&2; exit 1 ;;\nesac\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return findDocker(t)
}

func findDocker(t *testing.T) *engine.Engine {
	t.Helper()
	found, err := engine.Find(t.Context(), "docker")
	require.NoError(t, err)
	return found
}

// labelled is a random image with labels.
func labelled(t *testing.T, labels map[string]string) v1.Image {
	t.Helper()
	image, err := random.Image(1024, 1)
	require.NoError(t, err)
	image, err = mutate.Config(image, v1.Config{Labels: labels})
	require.NoError(t, err)
	return image
}

func TestWhatTheLocalEngineHas(t *testing.T) {
	image, err := random.Image(1024, 1)
	require.NoError(t, err)
	tag, err := name.NewTag("127.0.0.1:1/library/hello:1")
	require.NoError(t, err)
	saved := filepath.Join(t.TempDir(), "saved.tar")
	require.NoError(t, tarball.WriteToFile(saved, tag, image))
	docker := fakeEngine(t, map[string]string{tag.String(): "sha256:1 5"}, saved)

	store, said := open(t, newRepository(t, "127.0.0.1:1"), func(o *Options) { o.Engine = docker })
	require.NoError(t, store.Ensure(t.Context(), "hello"))
	assert.Contains(t, said.String(), "taken from docker")
	described, err := store.Describe(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, "engine", described[0].Source)
	assert.Equal(t, configOf(t, image), described[0].Digest)

	t.Run("but not where another source was asked for", func(t *testing.T) {
		store, _ := open(t, store.root, from(Pull), func(o *Options) { o.Engine = docker })
		require.ErrorContains(t, store.Ensure(t.Context(), "hello"), "cannot be reached")
	})
}

func TestNode(t *testing.T) {
	root := repository(t)
	lock, err := LoadLock(root)
	require.NoError(t, err)
	plain, _ := open(t, root)
	states, err := plain.states(t.Context(), []string{NodeImage})
	require.NoError(t, err)
	built, pulled := states[0].nodeReference(fromBuild), states[0].nodeReference(fromPull)
	assert.Regexp(t, `^operatorbench\.local/node:v1\.37\.0-[0-9a-f]{16}$`, built)
	assert.Equal(t, "docker.io/kindest/node:v1.37.0@"+lock.Digest(states[0].image.Reference), pulled)

	t.Run("no engine", func(t *testing.T) {
		_, err := plain.Node(t.Context())
		require.ErrorContains(t, err, "there is no container engine to keep it")
	})
	both := map[string]string{built: `sha256:b 7 {"operatorbench.debian-packages":"bash=5.2 dash=0.5"}`, pulled: "sha256:p 9 null"}
	tests := []struct {
		name   string
		has    map[string]string
		source Source
		want   string
		why    string
	}{
		{name: "none", source: Auto, why: "not in the container engine"},
		{name: "auto prefers upstream's", has: both, source: Auto, want: pulled},
		{name: "auto takes the built one", has: map[string]string{built: `sha256:b 7 {"operatorbench.debian-packages":"bash=5.2 dash=0.5"}`}, source: Auto, want: built},
		{name: "build", has: both, source: Build, want: built},
		{name: "pull", has: both, source: Pull, want: pulled},
		{name: "pull, but only built", has: map[string]string{built: `sha256:b 7 {"operatorbench.debian-packages":"bash=5.2 dash=0.5"}`}, source: Pull, why: "not in the container engine"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			docker := fakeEngine(t, test.has, "/dev/null")
			store, _ := open(t, root, from(test.source), func(o *Options) { o.Engine = docker })
			ref, err := store.Node(t.Context())
			if test.why != "" {
				require.ErrorContains(t, err, test.why)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, ref)
			described, err := store.Describe(t.Context(), NodeImage)
			require.NoError(t, err)
			assert.Contains(t, both[ref], described[0].Digest)
			if ref == built {
				assert.Equal(t, []string{"bash=5.2", "dash=0.5"}, described[0].Packages)
			}
		})
	}
}

func TestParseSource(t *testing.T) {
	source, err := ParseSource("pull")
	require.NoError(t, err)
	assert.Equal(t, Pull, source)
	_, err = ParseSource("docker")
	require.EqualError(t, err, `"docker" is no source of images: expected auto, pull or build`)
}
