package run

import (
	"os"
	"strconv"
	"strings"
)

// processor is how long the machine's CPUs have been idle, and in all, since it was
// started, in the kernel's ticks: the first line of /proc/stat (proc(5)). The zero value:
// the kernel does not say.
type processor struct{ idle, all uint64 }

// readProcessor reads the present values.
func readProcessor() processor {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return processor{}
	}
	return parseProcessor(string(text))
}

// parseProcessor reads the line of all CPUs: user, nice, system, idle, iowait, irq, softirq and
// steal; what guests take is in user already.
func parseProcessor(text string) processor {
	const idle, iowait, steal = 3, 4, 7
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < steal+2 || fields[0] != "cpu" {
		return processor{}
	}
	var p processor
	for i, field := range fields[1 : steal+2] {
		ticks, err := strconv.ParseUint(field, 10, 48)
		if err != nil {
			return processor{}
		}
		p.all += ticks
		if i == idle || i == iowait {
			p.idle += ticks
		}
	}
	return p
}

// busyFrom is the share of busy time above which a machine has too little left for what it
// runs: with three clusters on two CPUs, 79% to 91% were seen.
const busyFrom = 0.95

// busySince is the share of the time since then in which the CPUs worked; 0: not known.
func (p processor) busySince(then processor) float64 {
	if then.all == 0 || p.all <= then.all || p.idle < then.idle {
		return 0
	}
	return max(1-float64(p.idle-then.idle)/float64(p.all-then.all), 0)
}
