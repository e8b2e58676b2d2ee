package usage

import (
	"os"
	"strconv"
	"strings"

	"operatorbench/e2e/record"
)

// Machine has each look record what a function says of this machine, too. It is called before anything is looked at that
// is to be told of.
func (s *Sampler) Machine(read func() *record.Machine) {
	n := s.nodes[0] // one is enough
	n.mu.Lock()
	n.machine = read
	n.mu.Unlock()
}

// ReadMachine reads the present values; nil: the kernel does not say.
func ReadMachine() *record.Machine {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil
	}
	return parseMachine(string(text))
}

// parseMachine reads the line of all CPUs: user, nice, system, idle, iowait, irq, softirq and steal; what guests take is in
// user already. And that of the processes which run or wait for a CPU, of which this one is one.
func parseMachine(text string) *record.Machine {
	const idle, iowait, steal = 3, 4, 7
	line, rest, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < steal+2 || fields[0] != "cpu" {
		return nil
	}
	m := &record.Machine{}
	for i, field := range fields[1 : steal+2] {
		ticks, err := strconv.ParseUint(field, 10, 48)
		if err != nil {
			return nil
		}
		m.All += ticks
		switch i {
		case idle, iowait:
			m.Idle += ticks
		case steal:
			m.Stolen = ticks
		}
	}
	_, running, _ := strings.Cut(rest, "procs_running ")
	running, _, _ = strings.Cut(running, "\n")
	if n, err := strconv.ParseUint(running, 10, 31); err == nil && n > 0 {
		m.Running = int(n) - 1
	}
	return m
}
