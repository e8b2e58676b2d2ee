package run

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
)

// readHost gathers the machine's facts from a root folder, usually "/". What the kernel does not tell stays empty:
// virtual machines and containers often do not show all.
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

// readMachine reads what the CPUs have done since the machine was started, from a root folder; nil: the kernel does not
// say.
func readMachine(root string) *record.Machine {
	proc, err := procfs.NewFS(filepath.Join(root, "proc"))
	if err != nil {
		return nil
	}
	stat, err := proc.Stat()
	if err != nil {
		return nil
	}
	of, time := stat.CPUTotal, func(seconds ...float64) (ns int64) { // a sum of sums would not be exact
		for _, one := range seconds {
			ns += int64(math.Round(one * 1e9))
		}
		return ns
	}
	return &record.Machine{
		Idle: time(of.Idle, of.Iowait), Stolen: time(of.Steal), // what guests take is part of User
		All:     time(of.User, of.Nice, of.System, of.Idle, of.Iowait, of.IRQ, of.SoftIRQ, of.Steal),
		Running: max(int(stat.ProcessesRunning)-1, 0),
	}
}

// readFairness asks an API server what its API Priority and Fairness does; nil: it does not say.
func readFairness(ctx context.Context, client rest.Interface) *record.Fairness {
	raw, err := client.Get().AbsPath("/debug/api_priority_and_fairness/dump_priority_levels").DoRaw(ctx)
	if err != nil {
		return nil
	}
	return parseFairness(raw)
}

// parseFairness reads its table of priority levels; nil: it is none.
func parseFairness(raw []byte) *record.Fairness {
	table := csv.NewReader(bytes.NewReader(raw))
	table.TrimLeadingSpace, table.FieldsPerRecord = true, -1
	rows, err := table.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	f := &record.Fairness{}
	for column, sum := range map[string]*int64{"WaitingRequests": &f.Waiting, "RejectedRequests": &f.Rejected} {
		i := slices.Index(rows[0], column)
		if i < 0 {
			return nil
		}
		for _, row := range rows[1:] {
			if i < len(row) && row[0] != "exempt" {
				n, _ := strconv.ParseInt(row[i], 10, 64) // a level without queues says <none>
				*sum += n
			}
		}
	}
	return f
}
