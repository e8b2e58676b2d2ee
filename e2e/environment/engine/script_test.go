package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scriptRun is what scripts/engine-up.sh did on a machine made of fake programs.
type scriptRun struct {
	status int
	said   string
	calls  string // one line for each fake program that was run, with its arguments
}

// engineUp runs the script with nothing in PATH but these programs, a shell's
// usual ones, and no way to change this machine.
func engineUp(t *testing.T, programs map[string]string, env ...string) scriptRun {
	t.Helper()
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	for _, name := range []string{"bash", "sed", "dirname", "tail", "touch", "sleep", "chmod", "cat", "rm", "timeout"} {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	for name, body := range programs {
		text := "#!" + filepath.Join(dir, "bash") + "\necho \"" + name + " $*\" >>" + calls + "\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	script, err := filepath.Abs("../../../scripts/engine-up.sh")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "bash"), script)
	cmd.Env = append([]string{"PATH=" + dir, "STATE=" + dir, "DOCKERD_LOG=" + filepath.Join(dir, "dockerd.log")}, env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	made, err := os.ReadFile(calls)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return scriptRun{status: cmd.ProcessState.ExitCode(), said: string(said), calls: string(made)}
}

const (
	root   = `echo 0`
	nobody = `echo 65534`
	// dockerUp is a docker that works once dockerd has been started.
	dockerUp = `[[ -e $STATE/up ]] && echo 20.10`
	detach   = `exec "$@"`
	// installs makes apt-get put docker and dockerd into PATH.
	installs = `
[[ $1 == install ]] || exit 0
printf '#!%s/bash\n[[ -e $STATE/up ]] && echo 20.10\n' "$STATE" >"$STATE/docker"
printf '#!%s/bash\ntouch $STATE/up\n' "$STATE" >"$STATE/dockerd"
chmod 755 "$STATE/docker" "$STATE/dockerd"`
)

func TestEngineUp(t *testing.T) {
	tests := []struct {
		name     string
		programs map[string]string
		env      []string
		status   int
		says     []string
		calls    []string
		not      []string // is neither said nor run
	}{
		{
			name: "a working engine: nothing", programs: map[string]string{"docker": "true", "id": root, "apt-get": "true"},
			not: []string{"engine-up", "apt-get"},
		},
		{
			name: "podman works: nothing", programs: map[string]string{"docker": "exit 1", "podman": "true", "apt-get": "true"},
			not: []string{"engine-up", "apt-get"},
		},
		{
			name: "none and not root", programs: map[string]string{"id": nobody, "apt-get": "true"}, status: 1,
			says: []string{"no container engine is installed: run this as root"}, not: []string{"apt-get"},
		},
		{
			name: "no answer and not root", programs: map[string]string{"id": nobody, "docker": "exit 1"}, status: 1,
			says: []string{"no container engine answers this user", "usermod"},
		},
		{
			name: "another engine is asked for", programs: map[string]string{"id": root, "docker": "true", "podman": "exit 1"},
			env: []string{"KIND_EXPERIMENTAL_PROVIDER=podman"}, status: 1, says: []string{"podman does not work"},
		},
		{
			name: "the user's engine is elsewhere", programs: map[string]string{"id": root, "docker": "exit 1", "dockerd": "true", "systemctl": "true", "apt-get": "true", "setsid": detach},
			env: []string{"DOCKER_HOST=tcp://192.0.2.1:2375"}, status: 1,
			says: []string{"DOCKER_HOST is tcp://192.0.2.1:2375, and nothing answers there", "nothing was installed or started here"},
			not:  []string{"apt-get install", "dockerd", "systemctl", "setsid"},
		},
		{
			name: "the user's engine is elsewhere, and nothing is installed", programs: map[string]string{"id": root, "apt-get": "true"},
			env: []string{"DOCKER_HOST=ssh://me@192.0.2.1"}, status: 1,
			says: []string{"DOCKER_HOST is ssh://me@192.0.2.1"}, not: []string{"apt-get install", "apt-get --simulate"},
		},
		{
			name: "the user's context is another one",
			programs: map[string]string{
				"id": root, "dockerd": "true", "systemctl": "true", "apt-get": "true", "setsid": detach,
				"docker": `case "$1 $2" in "context show") echo remote;; "context inspect") [[ $3 == remote ]] && echo ssh://me@192.0.2.1;; *) exit 1;; esac`,
			},
			status: 1, says: []string{"the context remote of docker leads to ssh://me@192.0.2.1, and nothing answers there"},
			not: []string{"apt-get", "dockerd", "systemctl", "setsid"},
		},
		{
			name: "the user's context is asked for", programs: map[string]string{"id": root, "docker": "exit 1", "dockerd": "true", "systemctl": "true", "setsid": detach},
			env: []string{"DOCKER_CONTEXT=far"}, status: 1, says: []string{"the context far of docker"}, not: []string{"dockerd", "systemctl", "setsid"},
		},
		{
			name: "the user's podman is elsewhere", programs: map[string]string{"id": root, "podman": "exit 1", "apt-get": "true"},
			env: []string{"CONTAINER_HOST=ssh://me@192.0.2.1"}, status: 1, says: []string{"CONTAINER_HOST is ssh://me@192.0.2.1"}, not: []string{"apt-get"},
		},
		{
			name: "the user names this machine's own engine",
			programs: map[string]string{
				"id": root, "docker": dockerUp, "dockerd": "touch $STATE/up", "setsid": detach, "go": "true", "systemctl": "touch $STATE/up",
			},
			env: []string{"DOCKER_HOST=unix:///var/run/docker.sock"}, says: []string{"Docker 20.10 answers"},
		},
		{
			name: "apt-get's plan would upgrade what runs",
			programs: map[string]string{
				"id": root, "apt-get": `[[ $1 == --simulate ]] || exit 1
echo "Inst libnss3 [3.87] (3.90 Debian:12 [amd64])"
echo "Inst containerd [1.6.20] (1.7.27 Debian:12 [amd64]) []"
echo "Inst docker.io (20.10.24 Debian:12 [amd64])"`,
			},
			status: 1,
			says:   []string{"this would UPGRADE containerd, which may run: stopped, nothing was changed", "apt-get install podman"},
			calls:  []string{"apt-get --simulate install"}, not: []string{"apt-get install -y", "apt-get update", "systemctl", "UPGRADE libnss3"},
		},
		{
			name: "no apt-get", programs: map[string]string{"id": root}, status: 1,
			says: []string{"neither Debian nor Ubuntu"},
		},
		{
			name:     "a bare machine",
			programs: map[string]string{"id": root, "apt-get": installs, "setsid": detach, "go": "true", "systemctl": "touch $STATE/up"},
			says:     []string{"installing docker.io", "starting", "Docker 20.10 answers"},
			calls:    []string{"apt-get --simulate install -y --no-install-recommends docker.io iptables\napt-get install -y -o DPkg::Lock::Timeout=120 --no-remove --no-install-recommends docker.io iptables\n"},
		},
		{
			name: "package lists are out of date",
			programs: map[string]string{
				"id": root, "setsid": detach, "go": "true", "systemctl": "touch $STATE/up",
				"apt-get": `if [[ $1 == update ]]; then touch "$STATE/updated"; fi; [[ -e $STATE/updated ]] || exit 100` + installs,
			},
			says: []string{"Docker 20.10 answers"}, calls: []string{"apt-get update -q"},
		},
		{
			name: "apt-get's plan would remove a package",
			programs: map[string]string{
				"id": root, "apt-get": `[[ $1 == --simulate ]] || exit 1
echo "Remv containerd.io [1.7.27-1]"
echo "Inst docker.io (20.10.24 Debian:12 [amd64])"`,
			},
			status: 1,
			says: []string{
				"Remv containerd.io", "Inst docker.io (20.10.24", "this would REMOVE containerd.io: stopped, nothing was changed",
				"apt-get install docker-ce", "podman",
			},
			calls: []string{"apt-get --simulate install"}, not: []string{"apt-get install -y", "apt-get update", "systemctl"},
		},
		{
			name: "apt-get fails", programs: map[string]string{"id": root, "apt-get": "echo 'E: no network' >&2; exit 100"}, status: 1,
			says: []string{"E: no network", "apt-get could not install docker.io"}, calls: []string{"apt-get update -q"},
		},
		{
			name: "dockerd ends",
			programs: map[string]string{
				"id": root, "docker": dockerUp, "dockerd": "echo 'failed to start daemon: no iptables' >&2; exit 1", "setsid": detach, "go": "true",
				"systemctl": "exit 1", "journalctl": "echo 'failed to start daemon: no iptables'",
			},
			status: 1, says: []string{"failed to start daemon: no iptables"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := engineUp(t, test.programs, test.env...)
			assert.Equal(t, test.status, got.status, got.said)
			for _, part := range test.says {
				assert.Contains(t, got.said, part)
			}
			for _, part := range test.calls {
				assert.Contains(t, got.calls, part)
			}
			for _, part := range test.not {
				assert.NotContains(t, got.said+got.calls, part)
			}
		})
	}
}

// Packages of a machine with Docker's own containerd.io, as any kubeadm node has it, and of Debian's docker.io.
const (
	containerdIO = "Package: containerd.io\nVersion: 1.7.27-1\nArchitecture: amd64\nMaintainer: a test\nDescription: of a test\n" +
		"Provides: containerd, runc\nConflicts: containerd, runc\nReplaces: containerd, runc\n"
	docker = "Package: docker.io\nVersion: 20.10.24\nArchitecture: amd64\nMaintainer: a test\nDescription: of a test\n" +
		"Depends: containerd (>= 1.4), runc\nFilename: ./docker.deb\nSize: 1\n"
	containerd = "Package: containerd\nVersion: 1.6.20\nArchitecture: amd64\nMaintainer: a test\nDescription: of a test\n" +
		"Depends: runc\nFilename: ./containerd.deb\nSize: 1\n"
	runc = "Package: runc\nVersion: 1.1.5\nArchitecture: amd64\nMaintainer: a test\nDescription: of a test\nFilename: ./runc.deb\nSize: 1\n"
)

// TestAptInstallRemovesNothing asks the real apt-get, with a state of the test's own and without dpkg.
func TestAptInstallRemovesNothing(t *testing.T) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skip("there is no apt-get here")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
		return file
	}
	write("archive/Packages", docker+"\n"+containerd+"\n"+runc)
	status := write("status", containerdIO+"Status: install ok installed\n")
	for _, name := range []string{"state/lists/partial", "cache/archives/partial", "log"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	touched := filepath.Join(dir, "touched")
	config := write("apt.conf", fmt.Sprintf(`Dir::State %[1]q; Dir::State::status %[2]q; Dir::Cache %[3]q; Dir::Log %[4]q;
Dir::Etc::SourceList %[5]q; Dir::Etc::SourceParts "/dev/null"; Dir::Bin::dpkg %[6]q;
APT::Architecture "amd64"; APT::Sandbox::User "root"; Debug::NoLocking "true";
`, filepath.Join(dir, "state"), status, filepath.Join(dir, "cache"), filepath.Join(dir, "log"),
		write("sources.list", "deb [trusted=yes] file:"+filepath.Join(dir, "archive")+" ./\n"),
		write("dpkg", "#!/bin/sh\necho \"$@\" >>"+touched+"\nexit 1\n")))
	script, err := filepath.Abs("../../../scripts/apt-install.sh")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), script, "docker.io")
	cmd.Env = append(os.Environ(), "APT_CONFIG="+config)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, string(said))
	assert.Equal(t, 3, exit.ExitCode(), string(said))
	for _, part := range []string{"Remv containerd.io", "Inst docker.io (20.10.24", "this would REMOVE containerd.io: stopped, nothing was changed"} {
		assert.Contains(t, string(said), part)
	}
	asked, err := os.ReadFile(touched) // for the names of architectures
	require.NoError(t, err)
	for _, change := range []string{"--unpack", "--configure", "--remove", "--purge"} {
		assert.NotContains(t, string(asked), change)
	}
}
