package images

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// programOf is a clone whose program that builds images is main, a Go function's body.
func programOf(t *testing.T, main string) (clone string) {
	t.Helper()
	clone = t.TempDir()
	write(t, filepath.Join(clone, Folder), map[string]string{
		"go.mod": "module example.org/images\n\ngo 1.26\n",
		"cmd/images/main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() {\n" + main + "\n}\n" +
			"\nvar _, _, _ = fmt.Fprint, io.Copy, os.Args\n",
	})
	return clone
}

func by(clone string) func(*Options) { return func(o *Options) { o.Clone = clone } }

// Any program that keeps the contract will do: what it leaves in the folder that it names is the image.
func TestThereIsNothingToAProgramButItsContract(t *testing.T) {
	store, _ := open(t, newRepository(t, "127.0.0.1:1"), from(Build), by(programOf(t, `
	folder := "images/hello/built-by-hand"
	if os.Args[1] == "build" {
		cache := os.Args[4][len("--cache="):]
		_ = os.MkdirAll(cache+"/"+folder, 0o755)
		_ = os.CopyFS(cache+"/"+folder, os.DirFS("`+oneLayout(t)+`"))
		fmt.Fprintln(os.Stderr, "images    0s hello: made by hand")
	}
	fmt.Printf("{\"images\": [{\"name\": \"hello\", \"key\": \"by-hand\", \"folder\": %q}]}", folder)`)))
	require.NoError(t, store.Ensure(t.Context(), "hello"))
	described, err := store.Describe(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, []string{"a=1", "b=2"}, described[0].Packages)
	assert.Equal(t, &Dependencies{Direct: 1, All: 2}, described[0].Depends)
}

// oneLayout is an OCI layout of an image with labels.
func oneLayout(t *testing.T) string {
	t.Helper()
	root := newRepository(t, "docker.io")
	store, _ := open(t, root)
	image := labelled(t, map[string]string{labelDepends: "direct=1 all=2", labels + "z-packages": "b=2", labels + "a-packages": "a=1", labelName: "n=1", "other": "c=3"})
	require.NoError(t, os.MkdirAll(store.work(), 0o755))
	st := state{image: Image{Name: "x", Reference: "example.org/x:1"}}
	require.NoError(t, store.save(st, fromPull, image))
	return store.folder(st, fromPull)
}

func TestWhereNoImageCanBeBuilt(t *testing.T) {
	host := serve(t, nil)
	root := newRepository(t, host)
	push(t, host+"/library/hello:1")
	for name, test := range map[string]struct {
		clone, says string
		without     bool // the program go
	}{
		"no Go":                 {repository(t), `the program that builds them is compiled by Go: exec: "go": executable file not found in $PATH: install Go`, true},
		"no clone":              {t.TempDir(), "the program that builds them is in a clone of operatorbench, which this is not", false},
		"it cannot be compiled": {programOf(t, "here is a mistake"), "cmd/images/main.go:10", false},
		"it says nothing":       {programOf(t, ""), "unexpected end of JSON input", false},
	} {
		t.Run(name, func(t *testing.T) {
			if test.without {
				t.Setenv("PATH", t.TempDir())
			}
			cache := func(o *Options) { o.Cache = t.TempDir() }
			store, said := open(t, root, by(test.clone), cache)
			require.NoError(t, store.Ensure(t.Context(), "hello"), "what can be pulled, is")
			missing, err := store.Missing(t.Context(), "hello", "local")
			require.NoError(t, err)
			assert.Equal(t, []Listed{{Name: "local", Reference: "operatorbench.local/local:3", Why: "not in cache"}}, missing)
			assert.Contains(t, said.String(), "no image can be built here: ")
			assert.Contains(t, said.String(), test.says)
			err = store.Ensure(t.Context(), "local")
			require.ErrorIs(t, err, errNoProgram)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestWhatTheProgramSaysIsWrong(t *testing.T) {
	store, _ := open(t, newRepository(t, "127.0.0.1:1"), by(programOf(t, `fmt.Println("{\"error\": \"there is no flour\"}"); os.Exit(1)`)))
	require.EqualError(t, store.Ensure(t.Context(), "hello"), "there is no flour")
}

// The programs of an image inside another are had like those of the others.
func TestProgramsOfAPart(t *testing.T) {
	store, _ := open(t, repository(t), func(o *Options) { o.Cache = t.TempDir() }, by(programOf(t, `fmt.Printf("{\"folder\": \"%s\"}", os.Args[len(os.Args)-1])`)))
	folder, err := store.Programs(t.Context(), "etcd")
	require.NoError(t, err)
	assert.Equal(t, "etcd", folder)
	_, err = store.Programs(t.Context(), "etdc")
	require.ErrorContains(t, err, `the catalogue has no image "etdc"`)
}

// The program ends with the context, after it has cleaned up.
func TestTheProgramEndsWithTheContext(t *testing.T) {
	ended := filepath.Join(t.TempDir(), "ended")
	store, said := open(t, newRepository(t, "127.0.0.1:1"), from(Build), by(programOf(t, `
	if os.Args[1] == "build" {
		fmt.Fprintln(os.Stderr, "images    0s begun")
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = os.WriteFile("`+ended+`", nil, 0o644)
	}
	fmt.Println("{\"images\": [{\"name\": \"hello\", \"key\": \"k\", \"folder\": \"f\"}]}")`)))
	ctx, cancel := context.WithCancelCause(t.Context())
	heard := make(chan string)
	store.program.out = sayTo(heard)
	go func() {
		for range heard { // until the test ends; more than one line may come
			cancel(errors.New("the user gave up"))
		}
	}()
	require.ErrorContains(t, store.Ensure(ctx, "hello"), "the user gave up")
	assert.FileExists(t, ended)
	close(heard)
	assert.Empty(t, said.String())
}

// What a killed build of the node left is removed before the next one, the image after the containers that use it.
func TestEnsureRemovesWhatAKilledBuildLeft(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(`#!/bin/sh
echo "$@" >>"$0.log"
case "$1" in
ps) echo 111111111111; echo 222222222222 ;;
images) case "$3" in *cache-*) echo 333333333333 ;; esac ;;
image) exit 1 ;;
esac
`), 0o755))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	root := repository(t)
	program := programOf(t, `
	if os.Args[1] == "build" {
		fmt.Println("{\"error\": \"built enough\"}")
	} else {
		fmt.Println("{\"images\": [{\"name\": \"node\", \"key\": \"k\", \"engine\": \"example.org/node:k\"}]}")
	}`)
	docker := findDocker(t)
	store, _ := open(t, root, from(Build), by(program), func(o *Options) { o.Cache, o.Engine = t.TempDir(), docker })
	require.ErrorContains(t, store.Ensure(t.Context(), NodeImage), "built enough")
	log, err := os.ReadFile(filepath.Join(bin, "docker.log"))
	require.NoError(t, err)
	mark, err := os.ReadFile(filepath.Join(store.cache, cacheMark))
	require.NoError(t, err)
	id := strings.TrimSpace(string(mark))
	assert.Contains(t, string(log), "ps --all --quiet --filter name=operatorbench-node-build- --filter label=operatorbench.node-build="+id+"\nimages --quiet operatorbench.local/node-build:cache-"+id+"\n"+
		"rm --force --volumes 111111111111 222222222222\nrmi operatorbench.local/node-build:cache-"+id+"\n")
}

// The module that builds images is one of its own: the harness imports nothing of it.
func TestTheHarnessImportsNoBuilder(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	list := exec.CommandContext(ctx, "go", "list", "-deps", "./e2e/...", "./operators/...")
	list.Dir = repository(t)
	out, err := list.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "operatorbench/e2e/environment/images\n")
	assert.NotContains(t, string(out), "operatorbench/fixtures/images")
	list = exec.CommandContext(ctx, "go", "list", "-deps", "./...")
	list.Dir = filepath.Join(repository(t), Folder)
	out, err = list.Output()
	require.NoError(t, err)
	assert.NotContains(t, string(out), "operatorbench/e2e")
}

// A program that has ended is not waited for.
func TestNothingIsExplainedOnceTheProgramHasEnded(t *testing.T) {
	var out strings.Builder
	progress := &progressLines{out: &out}
	_, err := progress.Write([]byte("images fetches\nno such file\n"))
	require.NoError(t, err)
	assert.Equal(t, "no such file", progress.end())
	progress.explain("fixtures/images")
	assert.Equal(t, "images fetches\n", out.String())
	silent := &progressLines{out: &out}
	assert.Empty(t, silent.end())
	silent.explain("fixtures/images")
	assert.Equal(t, "images fetches\n", out.String())
}
