package interrupt_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/interrupt"
)

// asProgram makes this binary one of the programs that are interrupted.
const asProgram = "OPERATORBENCH_INTERRUPTED"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "at once":
		interrupt.AtOnce(os.Exit)
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin) // as one that reads from a pipe
	case "gently":
		ctx, stop := interrupt.Gently(context.Background(), os.Stderr, os.Exit)
		interrupt.Leaves(ctx, func() string { return "a cluster is left; make clean removes it" })
		interrupt.Leaves(ctx, func() string { return "" })
		fmt.Println("ready")
		<-ctx.Done()
		fmt.Println("removing")
		_, _ = io.Copy(io.Discard, os.Stdin) // a removal that takes its time
		status := interrupt.Caught(ctx).Status()
		stop()
		os.Exit(status)
	default:
		os.Exit(m.Run())
	}
}

// program is this binary, run as one that is interrupted.
type program struct {
	*exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Scanner
	stderr bytes.Buffer
}

func start(t *testing.T, how string) *program {
	t.Helper()
	caught := make(chan os.Signal, 1) // under nohup SIGHUP is ignored, and so by children, but for what is caught here
	signal.Notify(caught, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // else it ends by SIGKILL
	t.Cleanup(cancel)
	p := &program{Cmd: exec.CommandContext(ctx, os.Args[0])}
	p.Env, p.Stderr = append(os.Environ(), asProgram+"="+how), &p.stderr
	stdout, err := p.StdoutPipe()
	require.NoError(t, err)
	p.lines = bufio.NewScanner(stdout)
	p.stdin, err = p.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	p.says(t, "ready")
	return p
}

func (p *program) says(t *testing.T, line string) {
	t.Helper()
	if !p.lines.Scan() {
		status := p.status() // what it wrote is all there then
		require.FailNow(t, "no line "+line, "status %d: %s: %v", status, p.stderr.String(), p.lines.Err())
	}
	require.Equal(t, line, p.lines.Text())
}

// status is how it ended.
func (p *program) status() int {
	_ = p.Wait() // an exit status is no error here
	return p.ProcessState.ExitCode()
}

func ending() map[syscall.Signal]int {
	return map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129}
}

func TestAProgramThatOnlyReadsEndsAtOnce(t *testing.T) {
	for signal, status := range ending() {
		t.Run(signal.String(), func(t *testing.T) {
			p := start(t, "at once")
			require.NoError(t, p.Process.Signal(signal))
			assert.Equal(t, status, p.status())
		})
	}
}

func TestTheFirstSignalLetsAProgramRemoveWhatItMade(t *testing.T) {
	for signal, status := range ending() {
		t.Run(signal.String(), func(t *testing.T) {
			p := start(t, "gently")
			require.NoError(t, p.Process.Signal(signal))
			p.says(t, "removing")
			require.NoError(t, p.stdin.Close()) // it is done
			assert.Equal(t, status, p.status())
			assert.Empty(t, p.stderr.String())
		})
	}
}

func TestTheSecondSignalEndsItAndSaysWhatIsLeft(t *testing.T) {
	p := start(t, "gently")
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	p.says(t, "removing")
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	assert.Equal(t, 130, p.status())
	assert.Equal(t, "operatorbench: ended at once by a second signal (interrupt)\na cluster is left; make clean removes it\n", p.stderr.String())
}

// Where the terminal has gone, or whoever a pipe leads to, the removal goes on.
func TestTheEndOfTheReaderIsNoEnd(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env, cmd.Stdout = append(os.Environ(), asProgram+"=gently"), writer
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, writer.Close())
	line, err := bufio.NewReader(reader).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	require.NoError(t, reader.Close())
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, stdin.Close())
	_ = cmd.Wait()
	assert.Equal(t, 143, cmd.ProcessState.ExitCode(), "not ended by SIGPIPE")
}

func TestLeavesWithoutSignals(t *testing.T) {
	interrupt.Leaves(t.Context(), func() string { return "" })
	assert.Nil(t, interrupt.Caught(t.Context()))
}
