package run

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/prometheus/procfs"

	"operatorbench/e2e/record"
)

// readHost gathers the machine's facts from a root folder, usually "/". What the kernel does not tell stays empty: virtual
// machines and containers often do not show all.
func readHost(root string) record.Host {
	text := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(root, name))
		return strings.TrimSpace(string(text))
	}
	h := record.Host{
		Arch: runtime.GOARCH, Kernel: text("proc/sys/kernel/osrelease"), Boot: text("proc/sys/kernel/random/boot_id"),
		Product: strings.TrimSpace(text("sys/class/dmi/id/sys_vendor") + " " + text("sys/class/dmi/id/product_name")),
	}
	proc, err := procfs.NewFS(filepath.Join(root, "proc"))
	if err != nil {
		return h
	}
	if memory, err := proc.Meminfo(); err == nil && memory.MemTotalBytes != nil {
		h.Memory = int64(*memory.MemTotalBytes)
	}
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 {
		c := cpus[0]
		h.CPUs, h.CPU, h.Family, h.Model = len(cpus), c.ModelName, c.CPUFamily, c.Model
		h.Stepping, h.Microcode, h.Cache, h.MHz = c.Stepping, c.Microcode, c.CacheSize, c.CPUMHz
	}
	return h
}

// processor is how long the machine's CPUs have been idle, and in all, since it was started, in seconds. The zero value:
// the kernel does not say.
type processor struct{ idle, all float64 }

// readProcessor reads the present values.
func readProcessor() processor {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return processor{}
	}
	stat, err := proc.Stat()
	if err != nil {
		return processor{}
	}
	c := stat.CPUTotal // what guests take is in user already
	idle := c.Idle + c.Iowait
	return processor{idle, idle + c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal}
}

// busyFrom is the share of busy time above which a machine has too little left for what it
// runs: with three clusters on two CPUs, 79% to 91% were seen.
const busyFrom = 0.95

// busySince is the share of the time since then in which the CPUs worked; 0: not known.
func (p processor) busySince(then processor) float64 {
	if then.all == 0 || p.all <= then.all || p.idle < then.idle {
		return 0
	}
	return max(1-(p.idle-then.idle)/(p.all-then.all), 0)
}
