package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestNewRunID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewRunID()
		require.NoError(t, spec.CheckRun(id))
		require.False(t, seen[id], "%s came twice", id)
		seen[id] = true
	}
}

func TestNewKindRefusesBadOptions(t *testing.T) {
	for name, test := range map[string]struct {
		opts KindOptions
		err  string
	}{
		"no run id":       {KindOptions{NodeImage: "node"}, `run id ""`},
		"upper case":      {KindOptions{Run: "ABCDEF", NodeImage: "node"}, "lower-case letters and digits"},
		"too short":       {KindOptions{Run: "abc", NodeImage: "node"}, "6 to 32"},
		"another's label": {KindOptions{Run: "../../etc", NodeImage: "node"}, "run id"},
		"no node image":   {KindOptions{Run: "abcdef"}, "no node image"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewKind(test.opts)
			require.ErrorContains(t, err, test.err)
		})
	}
}

func TestKindConfig(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp") // the golden files name the run's folder
	for name, host := range map[string]engine.Host{
		"ordinary": {}, "many": {}, "cgroup-v1": {CgroupV1: true}, "no-sys-resource": {LacksSysResource: true},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := yaml.Marshal(kindConfig(KindOptions{Run: "abcdef", NodeImage: "node:v1", Many: name == "many"}, host))
			require.NoError(t, err)
			golden := filepath.Join("testdata", name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, text, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(text))
		})
	}
}

func TestStep(t *testing.T) {
	for message, want := range map[string]string{
		" • Starting control-plane 🕹️  ...\n":            "Starting control-plane",
		" • Ensuring node image (kindest/node) 🖼  ...\n": "Ensuring node image (kindest/node)",
	} {
		text, begins := step(message)
		assert.True(t, begins)
		assert.Equal(t, want, text)
	}
	_, begins := step(" ✓ Starting control-plane 🕹️\n")
	assert.False(t, begins, "it was announced when it began")
}

func TestRunDir(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir, lock, err := newRunDir("abcdef", "docker")
	require.NoError(t, err)
	who, err := dir.owner("abcdef")
	require.NoError(t, err)
	assert.Equal(t, os.Getpid(), who.PID)
	assert.Equal(t, here(), who.place)
	assert.False(t, dir.kept())

	_, _, err = newRunDir("abcdef", "docker")
	require.ErrorContains(t, err, "run id abcdef is taken")

	second, err := dir.hold()
	require.NoError(t, err)
	assertAlive(t, true, dir)
	require.NoError(t, lock.Close())
	assertAlive(t, true, dir)
	require.NoError(t, second.Close())
	assertAlive(t, false, dir)
	assertAlive(t, false, dirOf("absent"))
}

func assertAlive(t *testing.T, want bool, dir runDir) {
	t.Helper()
	alive, err := dir.alive()
	require.NoError(t, err)
	assert.Equal(t, want, alive)
}

// fakeEngine puts a docker into PATH, and nothing else, that runs a shell script.
func fakeEngine(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n"+script), 0o755)) //nolint:gosec // a program
	t.Setenv("PATH", dir)
	t.Setenv("TMPDIR", t.TempDir())
}

func TestCreateExplainsWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		script, err string
	}{
		"no permission": {`echo "permission denied while trying to connect to the Docker daemon socket" >&2; exit 1`, "this user may not use it"},
		"no daemon":     {`echo "Cannot connect to the Docker daemon" >&2; exit 1`, "daemon does not run"},
		"no image":      {`case "$1" in image) echo "No such image: node:v1" >&2; exit 1;; esac`, "node image node:v1 is not in docker: `make images`"},
		"name taken":    {`case "$1" in ps) echo 0123456789ab;; esac`, "the name is taken: docker has a container"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeEngine(t, test.script)
			k, err := NewKind(KindOptions{Run: "abcdef", NodeImage: "node:v1"})
			require.NoError(t, err)
			_, err = k.Create(t.Context())
			require.ErrorContains(t, err, "creating kind cluster operatorbench-abcdef: ")
			require.ErrorContains(t, err, test.err)
			assert.NoDirExists(t, string(dirOf("abcdef")))
		})
	}
	t.Run("no engine", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		k, err := NewKind(KindOptions{Run: "abcdef", NodeImage: "node:v1"})
		require.NoError(t, err)
		_, err = k.Create(t.Context())
		require.ErrorContains(t, err, "no container engine is installed")
	})
}

// kind hands this machine's proxies to the node, with their passwords.
func TestANodeThatDoesNotStartTellsNoPassword(t *testing.T) {
	fakeEngine(t, `case "$1" in info) echo '{}';; network) echo 172.18.0.0/16;; run) echo "bad proxy $HTTPS_PROXY" >&2; exit 125;; esac`)
	t.Setenv("HTTPS_PROXY", "http://bob:hunter2@127.0.0.1:9")
	t.Setenv("KIND_EXPERIMENTAL_DOCKER_NETWORK", "") // the reaper sets it
	config := kindConfig(KindOptions{Run: "abcdef", NodeImage: "node:v1"}, engine.Host{})
	dir, lock, err := newRunDir("abcdef", "docker")
	require.NoError(t, err)
	defer lock.Close()
	line, err := json.Marshal(order{Run: "abcdef", Engine: "docker", Dir: dir, KindConfig: config})
	require.NoError(t, err)
	var told, logged strings.Builder
	log.SetOutput(withholding{&logged})
	defer log.SetOutput(os.Stderr)
	r := &reaper{events: json.NewEncoder(&told)}
	stdin, parent := io.Pipe()
	defer parent.Close()
	go func() { _, _ = parent.Write(append(line, '\n')) }()
	err = r.run(stdin)
	require.ErrorContains(t, err, "docker run ")
	log.Print(err)
	r.report(event{Error: err.Error()})
	for _, text := range []string{told.String(), logged.String()} {
		assert.Contains(t, text, "HTTPS_PROXY=(withheld)")
		assert.NotContains(t, text, "hunter2")
	}
}

func TestNotCreated(t *testing.T) {
	k, err := NewKind(KindOptions{Run: "abcdef", NodeImage: "node:v1"})
	require.NoError(t, err)
	require.NoError(t, k.Delete(t.Context()), "there is nothing to delete")
	require.ErrorContains(t, k.LoadImages(t.Context(), nil), "it was not created")
	require.ErrorContains(t, k.CollectLogs(t.Context(), t.TempDir()), "it was not created")
}

func TestProgramThatIsNoReaper(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		within time.Duration
		says   []string
		not    string
	}{
		"it ends without a word": {"exit 0", time.Minute, []string{
			"did not become a reaper when it was started again, but ended (exit status 0)", "must call cluster.ReapIfAsked first", "; its log is empty",
		}, "busy"},
		"it ends with a reason": {"echo no more processes >&2; exit 3", time.Minute, []string{
			"but ended (exit status 3)", "; its log says:\n  | no more processes",
		}, "busy"},
		"it is slow": {"echo it boots; exec /bin/sleep 600", 500 * time.Millisecond, []string{
			"said nothing for 500ms and was killed", "too busy", "cluster.ReapIfAsked", "; its log says:\n  | it boots",
		}, "did not become a reaper"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			program := filepath.Join(t.TempDir(), "program")
			require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755)) //nolint:gosec // a program
			dir, lock, err := newRunDir("abcdef", "docker")
			require.NoError(t, err)
			defer lock.Close()
			_, err = startReaper(dir, program, test.within)
			require.ErrorContains(t, err, program)
			for _, part := range test.says {
				require.ErrorContains(t, err, part)
			}
			assert.NotContains(t, err.Error(), test.not)
		})
	}
}

// The log goes with the run's folder: what it says of a reaper's end is in the error.
func TestReaperThatCrashes(t *testing.T) {
	trace := strings.Repeat("main.f()\n\t/src/f.go:1\n", 100)
	for name, test := range map[string]struct{ log, says, not string }{
		"an ordinary end": {"first\n" + strings.Repeat("next\n", outputTail), "; its log says:\n  | next\n", "first"},
		"a crash":         {"before\npanic: no such node\n\ngoroutine 1 [running]:\n" + trace, "; its log says:\n  | panic: no such node\n", "before"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := runDir(t.TempDir())
			require.NoError(t, os.WriteFile(dir.file(reaperLog), []byte(test.log), 0o600))
			l := &link{dir: dir, events: make(chan event)}
			close(l.events)
			_, err := l.await(t.Context(), func(string) {})
			require.ErrorIs(t, err, errReaperGone)
			require.ErrorContains(t, err, test.says)
			assert.NotContains(t, err.Error(), test.not)
			assert.LessOrEqual(t, strings.Count(err.Error(), "\n"), outputTail)
		})
	}
}

func TestReaperMakesNoClusters(t *testing.T) {
	t.Setenv(envReaper, "1")
	k, err := NewKind(KindOptions{Run: "abcdef", NodeImage: "node:v1"})
	require.NoError(t, err)
	_, err = k.Create(t.Context())
	require.ErrorContains(t, err, "a reaper does not make clusters")
}

func TestClean(t *testing.T) {
	// An engine with one node of run deadrun1.
	fakeEngine(t, `echo "$@" >> "$0.log"
case "$*" in
"ps -a -q --filter label=io.x-k8s.kind.cluster"|"ps -a -q --filter label=io.x-k8s.kind.cluster=operatorbench-deadrun1") echo 111111111111 ;;
"inspect --format "*) echo operatorbench-deadrun1 ;;
esac`)
	temporary := filepath.Join(t.TempDir(), "of [me]") // no pattern
	require.NoError(t, os.Mkdir(temporary, 0o700))
	t.Setenv("TMPDIR", temporary)
	dead, lock, err := newRunDir("deadrun1", "docker")
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	alive, lock, err := newRunDir("alive123", "docker")
	require.NoError(t, err)
	defer lock.Close()
	kept, keptLock, err := newRunDir("kept1234", "docker")
	require.NoError(t, err)
	require.NoError(t, keptLock.Close())
	require.NoError(t, os.WriteFile(kept.file(keptFile), nil, 0o600))
	foreign := filepath.Join(os.TempDir(), "operatorbench-somebody")
	require.NoError(t, os.Mkdir(foreign, 0o700)) // ours by its name only

	var dry, wet strings.Builder
	require.NoError(t, Clean(t.Context(), CleanOptions{DryRun: true}, &dry))
	assert.Contains(t, dry.String(), "would remove run deadrun1: cluster operatorbench-deadrun1 (1 node containers), folder "+string(dead))
	assert.NotContains(t, commands(t), "rm ")
	assert.DirExists(t, string(dead))

	require.NoError(t, Clean(t.Context(), CleanOptions{}, &wet))
	assert.Contains(t, wet.String(), "kept, still running: run alive123")
	assert.Contains(t, wet.String(), "kept on purpose (delete it: opbench clean --run kept1234): run kept1234")
	assert.Contains(t, commands(t), "rm -f -v 111111111111\n")
	assert.NoDirExists(t, string(dead))
	assert.DirExists(t, string(alive))
	assert.DirExists(t, string(kept))
	assert.DirExists(t, foreign)

	require.NoError(t, Clean(t.Context(), CleanOptions{Run: "kept1234"}, &wet))
	assert.NoDirExists(t, string(kept))
	require.ErrorContains(t, Clean(t.Context(), CleanOptions{Run: "unknown1"}, &wet), "nothing of run unknown1 is on this machine (looked in docker)")
}

// What a program has beside its clusters goes, too, and needs no engine for that.
func TestCleanRemovesTheFoldersOfKilledPrograms(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	killed, lock, err := newRunDir("killed12", "")
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	alive, remove, err := NewFolder()
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, Clean(t.Context(), CleanOptions{DryRun: true}, &out))
	assert.Contains(t, out.String(), "would remove run killed12: folder "+string(killed))
	require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
	assert.Contains(t, out.String(), "removed run killed12: folder "+string(killed))
	assert.NoDirExists(t, string(killed))
	assert.DirExists(t, alive)
	require.NoError(t, remove())
	require.NoError(t, remove(), "again")
	assert.NoDirExists(t, alive)
}

// TestCleanAsksForBuilds: what a killed build left is something of this project, and belongs to no run.
func TestCleanAsksForBuilds(t *testing.T) {
	const nothing = "nothing of this project is left"
	for name, test := range map[string]struct {
		found bool
		err   error
		run   string
		asked int
		says  string
		not   string
		fails string
	}{
		"nothing":   {asked: 1, says: nothing},
		"something": {found: true, asked: 1, not: nothing},
		"an error":  {err: errors.New("the disk is full"), asked: 1, fails: "looking for what killed builds of images left in docker: the disk is full", not: nothing},
		"one run":   {found: true, run: "abcdef", fails: "nothing of run abcdef is on this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeEngine(t, "")
			asked := 0
			var out strings.Builder
			err := Clean(t.Context(), CleanOptions{Run: test.run, Builds: func(_ context.Context, e *engine.Engine, _ io.Writer) (bool, error) {
				assert.Equal(t, "docker", e.Name())
				asked++
				return test.found, test.err
			}}, &out)
			if test.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.fails)
			}
			assert.Equal(t, test.asked, asked)
			assert.Contains(t, out.String(), test.says)
			if test.not != "" {
				assert.NotContains(t, out.String(), test.not)
			}
		})
	}
}

// fakeNetwork is an engine with the network of run labelled, which has these labels besides its run.
func fakeNetwork(t *testing.T, labels map[string]string) {
	t.Helper()
	labels[runLabel] = "labelled"
	text, err := json.Marshal(labels)
	require.NoError(t, err)
	fakeEngine(t, `echo "$@" >> "$0.log"
case "$*" in
"network ls --filter label=operatorbench.run"*) echo operatorbench-labelled ;;
"network inspect"*) cat <<'END'
`+string(text)+`
END
;;
esac`)
	t.Setenv("PATH", os.Getenv("PATH")+":/bin") // for cat
}

// TestCleanByLabels: runs whose folder cannot be seen.
func TestCleanByLabels(t *testing.T) {
	const (
		removes = "removed run labelled: network operatorbench-labelled"
		unknown = "kept, may still be running: it was made "
		kept    = "kept on purpose (delete it: opbench clean --run labelled): run labelled"
	)
	for name, test := range map[string]struct {
		labels func(now place) map[string]string
		says   string
	}{
		"an older version's": {func(place) map[string]string { return map[string]string{dirLabel: "/nowhere/operatorbench-labelled"} }, unknown + "on a machine that is not known"},
		"another container's, or with a private temporary folder": {func(now place) map[string]string {
			return map[string]string{machineLabel: now.Machine, bootLabel: now.Boot}
		}, unknown + "on this machine"},
		"another machine's": {func(place) map[string]string {
			return map[string]string{machineLabel: "elsewhere", bootLabel: "another"}
		}, unknown + "on another machine"},
		"this machine's, started anew since": {func(now place) map[string]string {
			return map[string]string{machineLabel: now.Machine, bootLabel: "another"}
		}, removes},
		"this machine's, started anew since, kept": {func(now place) map[string]string {
			return map[string]string{machineLabel: now.Machine, bootLabel: "another", keepLabel: "true"}
		}, kept},
	} {
		t.Run(name, func(t *testing.T) {
			labels := test.labels(here())
			fakeNetwork(t, labels)
			var out strings.Builder
			require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
			assert.Contains(t, out.String(), test.says)
			if test.says != removes {
				assert.NotContains(t, commands(t), "rm ")
				require.NoError(t, Clean(t.Context(), CleanOptions{Run: "labelled"}, &out), "named, it is removed")
				assert.Contains(t, out.String(), removes)
			}
			assert.Contains(t, commands(t), "network rm operatorbench-labelled\n")
		})
	}
}

// A folder of a run's name in the temporary folder proves nothing: anybody can make one.
func TestCleanBelievesNoPlantedFolder(t *testing.T) {
	plant := func(t *testing.T) string {
		t.Helper()
		dir := string(dirOf("labelled"))
		require.NoError(t, os.Mkdir(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ownerFile), []byte(`{"run":"labelled","engine":"docker"}`), 0o600))
		return dir
	}
	t.Run("beside what the network names", func(t *testing.T) {
		fakeNetwork(t, map[string]string{dirLabel: "/elsewhere/operatorbench-labelled"})
		dir := plant(t)
		var out strings.Builder
		require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
		assert.Contains(t, out.String(), "kept, may still be running: it was made on a machine that is not known")
		assert.NotContains(t, commands(t), "rm ")
		assert.DirExists(t, dir)
		require.NoError(t, Clean(t.Context(), CleanOptions{Run: "labelled"}, &out))
		assert.Contains(t, commands(t), "network rm operatorbench-labelled\n", "named, it is removed")
		assert.DirExists(t, dir, "but for a folder that is not its own")
	})
	t.Run("while the run lives", func(t *testing.T) {
		elsewhere := t.TempDir()
		fakeNetwork(t, map[string]string{dirLabel: filepath.Join(elsewhere, "operatorbench-labelled")})
		plant(t)
		planted := os.Getenv("TMPDIR")
		t.Setenv("TMPDIR", elsewhere)
		_, lock, err := newRunDir("labelled", "docker")
		require.NoError(t, err)
		defer lock.Close()
		t.Setenv("TMPDIR", planted)
		var out strings.Builder
		require.NoError(t, Clean(t.Context(), CleanOptions{Run: "labelled"}, &out))
		assert.Contains(t, out.String(), "kept, still running: run labelled")
		assert.NotContains(t, commands(t), "rm ")
	})
	t.Run("of another user", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can give a folder to another user")
		}
		for _, name := range []string{"", ownerFile} {
			fakeNetwork(t, map[string]string{})
			require.NoError(t, os.Chown(filepath.Join(plant(t), name), 65534, 65534))
			var out strings.Builder
			require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
			assert.Contains(t, out.String(), "kept, may still be running: it was made on a machine that is not known")
			assert.NotContains(t, commands(t), "rm ")
		}
	})
}

// TestCleanTouchesNoFolderButARunsOwn: a label can name any folder.
func TestCleanTouchesNoFolderButARunsOwn(t *testing.T) {
	write := func(t *testing.T, dir, run string) string {
		t.Helper()
		require.NoError(t, os.MkdirAll(dir, 0o700))
		text, err := json.Marshal(owner{Run: run, Engine: "docker"})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, ownerFile), text, 0o600))
		return dir
	}
	for name, prepare := range map[string]func(t *testing.T, parent string) string{
		"another name, though with an owner": func(t *testing.T, parent string) string {
			return write(t, filepath.Join(parent, "precious"), "labelled")
		},
		"no owner": func(t *testing.T, parent string) string {
			dir := filepath.Join(parent, "operatorbench-labelled")
			require.NoError(t, os.Mkdir(dir, 0o700))
			return dir
		},
		"another run's owner": func(t *testing.T, parent string) string {
			return write(t, filepath.Join(parent, "operatorbench-labelled"), "another1")
		},
		"a link": func(t *testing.T, parent string) string {
			link := filepath.Join(parent, "operatorbench-labelled")
			require.NoError(t, os.Symlink(write(t, filepath.Join(parent, "precious"), "labelled"), link))
			return link
		},
		"an owner that is a link": func(t *testing.T, parent string) string {
			dir := filepath.Join(parent, "operatorbench-labelled")
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Symlink(filepath.Join(write(t, filepath.Join(parent, "other"), "labelled"), ownerFile), filepath.Join(dir, ownerFile)))
			return dir
		},
		"a path with dots": func(t *testing.T, parent string) string {
			write(t, filepath.Join(parent, "operatorbench-labelled"), "labelled")
			return parent + "/x/../operatorbench-labelled"
		},
		"a relative path": func(t *testing.T, parent string) string {
			write(t, filepath.Join(parent, "operatorbench-labelled"), "labelled")
			t.Chdir(parent)
			return "operatorbench-labelled"
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(parent, "x"), 0o700))
			dir := prepare(t, parent)
			fakeNetwork(t, map[string]string{dirLabel: dir})
			var out strings.Builder
			require.NoError(t, Clean(t.Context(), CleanOptions{Run: "labelled"}, &out))
			assert.Contains(t, out.String(), "removed run labelled: network operatorbench-labelled\n")
			_, err := os.Stat(dir)
			assert.NoError(t, err, "it is still there")
		})
	}
	t.Run("its own", func(t *testing.T) {
		dir := write(t, filepath.Join(t.TempDir(), "operatorbench-labelled"), "labelled")
		fakeNetwork(t, map[string]string{dirLabel: dir})
		var out strings.Builder
		require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
		assert.Contains(t, out.String(), "removed run labelled: network operatorbench-labelled, folder "+dir)
		assert.NoDirExists(t, dir)
	})
}

// TestCleanFindsAClusterByItsName: of a run whose network and folder are gone.
func TestCleanFindsAClusterByItsName(t *testing.T) {
	fakeEngine(t, `echo "$@" >> "$0.log"
case "$*" in
"ps -a -q --filter label=io.x-k8s.kind.cluster") echo 111111111111 222222222222 ;;
"ps -a -q --filter label=io.x-k8s.kind.cluster=operatorbench-nameonly") echo 111111111111 ;;
"inspect --format {{index .Config.Labels \"io.x-k8s.kind.cluster\"}} 111111111111 222222222222") echo operatorbench-nameonly; echo mine ;;
esac`)
	var out strings.Builder
	require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
	assert.Equal(t, "kept, may still be running: it was made on a machine that is not known "+
		"(if it has ended, delete it: opbench clean --run nameonly): run nameonly: cluster operatorbench-nameonly (1 node containers)\n", out.String())
	assert.NotContains(t, commands(t), "rm ")
	require.NoError(t, Clean(t.Context(), CleanOptions{Run: "nameonly"}, &out))
	assert.Contains(t, commands(t), "rm -f -v 111111111111\n")
}

// TestCleanLooksInEveryEngine: one that hangs or is broken hides no other.
func TestCleanLooksInEveryEngine(t *testing.T) {
	fakeEngine(t, `[ "$1" = info ] || exit 3; echo "database schema is too new" >&2; exit 125`)
	podman := "#!/bin/sh\n[ \"$1 $2\" != \"network ls\" ] || echo operatorbench-labelled\n" +
		"[ \"$1 $2\" != \"network inspect\" ] || echo '{\"operatorbench.run\":\"labelled\"}'\n"
	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "podman"), []byte(podman), 0o755)) //nolint:gosec // a program
	var out strings.Builder
	require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
	assert.Contains(t, out.String(), "not looked at: docker is installed but does not work")
	assert.Contains(t, out.String(), "run labelled: network operatorbench-labelled")
	assert.NotContains(t, out.String(), "nerdctl", "it is not installed")

	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "podman"), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // a program
	out.Reset()
	require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
	assert.Contains(t, out.String(), "nothing of this project is left in podman\n", "of docker nobody knows")
}

// commands returns what the fake engine was asked to do.
func commands(t *testing.T) string {
	t.Helper()
	dir, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	text, err := os.ReadFile(filepath.Join(dir, "docker.log"))
	require.NoError(t, err)
	return string(text)
}

func TestCleanWithoutEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out strings.Builder
	require.NoError(t, Clean(t.Context(), CleanOptions{}, &out))
	assert.Contains(t, out.String(), "no container engine is installed")
}

// kubeconfig writes a kubeconfig for a server and returns its path.
func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	config := map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "here",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": server}}},
		"contexts": []any{map[string]any{"name": "here", "context": map[string]any{"cluster": "c", "user": ""}}},
	}
	text, err := json.Marshal(config)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

func TestExistingExplainsItself(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	defer refusing.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + closed.Addr().String()
	require.NoError(t, closed.Close())

	for name, test := range map[string]struct {
		existing Existing
		want     []string
	}{
		"no such file":    {Existing{Kubeconfig: "/nowhere/kubeconfig"}, []string{"/nowhere/kubeconfig", "--kubeconfig and --context"}},
		"no file":         {Existing{Kubeconfig: "/dev/zero"}, []string{"kubeconfig /dev/zero is no regular file"}},
		"no such context": {Existing{Kubeconfig: kubeconfig(t, nobody), Context: "absent"}, []string{"absent", "--kubeconfig and --context"}},
		"nobody there":    {Existing{Kubeconfig: kubeconfig(t, nobody)}, []string{nobody, "does not answer", "connection refused", "--cluster=kind"}},
		"refused":         {Existing{Kubeconfig: kubeconfig(t, refusing.URL)}, []string{refusing.URL, "does not answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.existing.Create(t.Context())
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestExistingThatDoesNotAnswer(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer silent.Close()
	defer close(release)
	ctx, cancel := context.WithCancelCause(t.Context())
	tired := errors.New("tired of waiting")
	existing := Existing{Kubeconfig: kubeconfig(t, silent.URL)}
	failed := make(chan error, 1)
	go func() {
		_, err := existing.Create(ctx)
		failed <- err
	}()
	cancel(tired) // as the provider's own deadline does after answerWithin
	require.ErrorIs(t, <-failed, tired)
}

func TestExistingTouchesNothing(t *testing.T) {
	existing := Existing{Kubeconfig: "/nowhere"}
	require.NoError(t, existing.Delete(t.Context()))
}

// What is printed can be pasted: it leads to the same cluster from any folder, and whatever the current context is
// then.
func TestExistingSaysWhereItLeads(t *testing.T) {
	file := kubeconfig(t, "https://192.0.2.7:6443")
	target, err := (&Existing{Kubeconfig: file}).Target()
	require.NoError(t, err)
	assert.Equal(t, "https://192.0.2.7:6443 (kubeconfig "+file+", context here)", target)
	assert.Equal(t, "--kubeconfig="+file+" --context=here", (&Existing{Kubeconfig: file}).Flags())
	assert.Equal(t, `--kubeconfig='/my files/it'\''s mine' --context=arn:aws:eks:eu-1:1:cluster/a`, (&Existing{Kubeconfig: "/my files/it's mine", Context: "arn:aws:eks:eu-1:1:cluster/a"}).Flags())
	t.Chdir(filepath.Dir(file))
	assert.Equal(t, "--kubeconfig="+file+" --context=here", (&Existing{Kubeconfig: filepath.Base(file)}).Flags())
	_, err = (&Existing{Kubeconfig: file, Context: "absent"}).Target()
	require.ErrorContains(t, err, "absent")
}
