package run

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func TestReadHost(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	assert.Equal(t, record.Host{Arch: runtime.GOARCH}, readHost(root), "nothing is told")
	write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
	write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7B13\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 7B13\n")
	write("proc/meminfo", "MemTotal:       24567890 kB\nMemFree: 1 kB\n")
	h := readHost(root)
	assert.Equal(t, record.Host{Kernel: "6.1.0-18-amd64", CPU: "AMD EPYC 7B13", CPUs: 2, Memory: 24567890 << 10, Arch: runtime.GOARCH}, h)
	assert.Equal(t, "AMD EPYC 7B13, 2 CPUs, 23 GiB, Linux 6.1.0-18-amd64", h.String())

	// One brand stands for several models: what else can be asked tells machines apart.
	write("proc/cpuinfo", "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0x1000065\ncpu MHz\t\t: 2596.130\ncache size\t: 1024 KB\n")
	write("proc/sys/kernel/random/boot_id", "10d344ad-747a\n")
	write("sys/class/dmi/id/sys_vendor", "Some Vendor\n")
	write("sys/class/dmi/id/product_name", "A Machine\n")
	h = readHost(root)
	assert.Equal(t, "AMD EPYC (family 25, model 17, stepping 1), 1 CPU, 23 GiB, Linux 6.1.0-18-amd64", h.String())
	assert.Equal(t, "CPU model (family 25, model 17, stepping 1), microcode 0x1000065, cache 1024 KB, clock 2596 MHz at the start, product Some Vendor A Machine, boot 10d344ad-747a", h.Details())
	assert.Equal(t, "CPU model not known, microcode not known, cache not known, clock not known, product not known, boot not known", record.Host{}.Details())

	write("proc/meminfo", "MemTotal: lots\n")
	assert.Zero(t, readHost(root).Memory)
}

func TestReadMachine(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "proc"), 0o750))
	assert.Nil(t, readMachine(root), "nothing is told")
	for text, want := range map[string]*record.Machine{
		"cpu  100 1 50 800 50 2 3 20 70 0\ncpu0 1 2 3\nctxt 5\nprocs_running 4\nprocs_blocked 0\n": {Idle: 8.5e9, Stolen: 0.2e9, All: 10.26e9, Running: 3},
		"cpu 1 2 3 four 5 6 7 8\n": nil,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "proc", "stat"), []byte(text), 0o600))
		assert.Equal(t, want, readMachine(root), text)
	}
}

// Who else was too slow is said where it was, in the results, too.
func TestWhoElseWasTooSlow(t *testing.T) {
	said := &strings.Builder{}
	e := &environment{recording: &recording{job: &job{console: &console{out: said}}}}
	e.strained()
	assert.Empty(t, e.notes)
	e.observers.busy, e.observers.putOff = []string{"argo, wave 2: 97%"}, []string{"native, ramp 1/1: 3 times"}
	e.strained()
	require.Len(t, e.notes, 2)
	assert.Contains(t, e.notes[0], "the machine's CPUs were busy nearly all the time (argo, wave 2: 97%): what was late there")
	assert.Contains(t, e.notes[1], "the API server throttled the harness, with 429 Too Many Requests (native, ramp 1/1: 3 times): what took long there was the API server")
	assert.Contains(t, said.String(), "the API server throttled the harness")
}

func TestThisHost(t *testing.T) {
	h, now := readHost("/"), readMachine("/")
	require.NotNil(t, now)
	assert.Greater(t, now.All, now.Idle)
	assert.NotEmpty(t, h.Kernel)
	assert.Positive(t, h.CPUs)
	assert.Positive(t, h.Memory)
}

func TestReadFairness(t *testing.T) {
	for text, want := range map[string]*record.Fairness{
		"PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n" +
			"exempt,            0,            false,  false,       0,               40,                900,                0,                0,                0\n" +
			"workload-low,      2,            false,  false,       12,              7,                 300,                3,                0,                0\n" +
			"catch-all,         <none>,       <none>, <none>,      <none>,          <none>\n" +
			"workload-high,     0,            true,   false,       1,               2,                 30,                 1,                0,                0\n": {Waiting: 13, Rejected: 4},
		"PriorityLevelName, ActiveQueues\nexempt, 0\n": nil,
		"<html>": nil, "": nil, "a\"b": nil,
	} {
		assert.Equal(t, want, parseFairness([]byte(text)), text)
	}
}
