package run

import (
	"io/fs"
	"os"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func TestReadHost(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	root := fstest.MapFS{
		"proc/sys/kernel/osrelease": file("6.1.0-18-amd64\n"),
		"proc/cpuinfo":              file("processor\t: 0\nmodel name\t: AMD EPYC 7B13\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 7B13\n"),
		"proc/meminfo":              file("MemTotal:       24567890 kB\nMemFree: 1 kB\n"),
	}
	h, err := readHost(root)
	require.NoError(t, err)
	assert.Equal(t, record.Host{Kernel: "6.1.0-18-amd64", CPU: "AMD EPYC 7B13", CPUs: 2, Memory: 24567890 << 10, Arch: runtime.GOARCH}, h)
	assert.Equal(t, "AMD EPYC 7B13, 2 CPUs, 23 GiB, Linux 6.1.0-18-amd64", h.String())

	// One brand stands for several models: what else can be asked tells machines apart.
	root["proc/cpuinfo"] = file("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0x1000065\ncpu MHz\t\t: 2596.130\ncache size\t: 1024 KB\n")
	root["proc/sys/kernel/random/boot_id"] = file("10d344ad-747a\n")
	root["sys/class/dmi/id/sys_vendor"], root["sys/class/dmi/id/product_name"] = file("Some Vendor\n"), file("A Machine\n")
	h, err = readHost(root)
	require.NoError(t, err)
	assert.Equal(t, "AMD EPYC (family 25, model 17, stepping 1), 1 CPU, 23 GiB, Linux 6.1.0-18-amd64", h.String())
	assert.Equal(t, "CPU model (family 25, model 17, stepping 1), microcode 0x1000065, cache 1024 KB, clock 2596 MHz at the start, product Some Vendor A Machine, boot 10d344ad-747a", h.Details())
	assert.Equal(t, "CPU model not known, microcode not known, cache not known, clock not known, product not known, boot not known", record.Host{}.Details())

	root["proc/meminfo"] = file("MemTotal: lots\n")
	_, err = readHost(root)
	require.ErrorContains(t, err, `proc/meminfo: line "MemTotal: lots"`)
	delete(root, "proc/cpuinfo")
	_, err = readHost(root)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestThisHost(t *testing.T) {
	h, err := readHost(os.DirFS("/"))
	require.NoError(t, err)
	assert.NotEmpty(t, h.Kernel)
	assert.Positive(t, h.CPUs)
	assert.Positive(t, h.Memory)
}
