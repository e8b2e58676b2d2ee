package run

import (
	"bufio"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"operatorbench/e2e/record"
)

// readHost gathers the machine's facts from a root file system, usually
// os.DirFS("/").
func readHost(root fs.FS) (record.Host, error) {
	h := record.Host{Arch: runtime.GOARCH}
	kernel, err := fs.ReadFile(root, "proc/sys/kernel/osrelease")
	if err != nil {
		return h, fmt.Errorf("read the kernel's version: %w", err)
	}
	h.Kernel = strings.TrimSpace(string(kernel))
	err = eachField(root, "proc/cpuinfo", func(key, value string) error {
		switch key {
		case "processor":
			h.CPUs++
		case "model name":
			h.CPU = value
		}
		return nil
	})
	if err != nil {
		return h, err
	}
	return h, eachField(root, "proc/meminfo", func(key, value string) error {
		if key != "MemTotal" {
			return nil
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(value, " kB"), 10, 64)
		h.Memory = kib << 10
		return err
	})
}

// eachField calls f with each "key : value" line of a file of /proc.
func eachField(root fs.FS, name string, f func(key, value string) error) error {
	file, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("read the machine's facts: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if err := f(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s: line %q: %w", name, lines.Text(), err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
