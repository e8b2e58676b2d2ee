package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What only reads ends at once, also where it waits for what never comes.
func TestReadingEndsBySignal(t *testing.T) {
	caught := make(chan os.Signal, 1) // under nohup SIGHUP is ignored, and so by children, but for what is caught here
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, command := range []string{"judge", "report", "gate"} {
		for signal, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
			t.Run(command+" "+signal.String(), func(t *testing.T) {
				fifo := filepath.Join(t.TempDir(), "recording.jsonl")
				require.NoError(t, syscall.Mkfifo(fifo, 0o600))
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // else it ends by SIGKILL
				defer cancel()
				cmd := exec.CommandContext(ctx, "opbench", command, fifo) // of TestMain
				require.NoError(t, cmd.Start())
				writer, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when it is read
				require.NoError(t, err)
				defer writer.Close()
				require.NoError(t, cmd.Process.Signal(signal))
				_ = cmd.Wait() // an exit status is no error here
				assert.Equal(t, status, cmd.ProcessState.ExitCode())
			})
		}
	}
}

// What a revision's files were written to goes with the command that compared them.
func TestStylesEndBySignal(t *testing.T) {
	programs, temporary := t.TempDir(), t.TempDir()
	fifo := filepath.Join(programs, "reached")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	git := `#!/bin/sh
case "$*" in
*show-toplevel*) echo "$2" ;;
*rev-parse*) echo 0123456789abcdef ;;
*diff*) echo operators/native/style.yaml ;;
*"worktree add"*) echo add >"$REACHED"; exec sleep 60 ;;
esac
`
	require.NoError(t, os.WriteFile(filepath.Join(programs, "git"), []byte(git), 0o755)) //nolint:gosec // it is run
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)                      // else it ends by SIGKILL
	defer cancel()
	cmd := exec.CommandContext(ctx, "opbench", "styles", "--since=main")
	cmd.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+temporary, "REACHED="+fifo)
	reached, err := os.OpenFile(fifo, os.O_RDWR, 0)
	require.NoError(t, err)
	defer reached.Close()
	require.NoError(t, reached.SetReadDeadline(time.Now().Add(10*time.Second)))
	require.NoError(t, cmd.Start())
	_, err = reached.Read(make([]byte, 1))
	require.NoError(t, err, "git was not asked for the files")
	made, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Len(t, made, 1)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // an exit status is no error here
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestCleanOfAnExistingCluster(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no engine is asked for
	code, _, stderr := opbench(t, "clean", "--context=production")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "--context needs --kubeconfig=FILE")
	code, _, stderr = opbench(t, "clean", "--kubeconfig=/nowhere", "--run=abc123")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "kubeconfig /nowhere")
}
