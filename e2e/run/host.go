package run

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"operatorbench/e2e/record"
)

// readHost gathers the machine's facts from a root file system, usually os.DirFS("/").
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
		case "cpu family":
			h.Family = cmp.Or(h.Family, value)
		case "model":
			h.Model = cmp.Or(h.Model, value)
		case "stepping":
			h.Stepping = cmp.Or(h.Stepping, value)
		case "microcode":
			h.Microcode = cmp.Or(h.Microcode, value)
		case "cache size":
			h.Cache = cmp.Or(h.Cache, value)
		case "cpu MHz":
			mhz, _ := strconv.ParseFloat(value, 64) // what is no number is not known
			h.MHz = cmp.Or(h.MHz, mhz)
		}
		return nil
	})
	if err != nil {
		return h, err
	}
	optional := func(name string) string { // virtual machines and containers often do not show it
		text, _ := fs.ReadFile(root, name)
		return strings.TrimSpace(string(text))
	}
	h.Boot = optional("proc/sys/kernel/random/boot_id")
	h.Product = strings.TrimSpace(optional("sys/class/dmi/id/sys_vendor") + " " + optional("sys/class/dmi/id/product_name"))
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
