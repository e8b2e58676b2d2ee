package images

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"operatorbench/e2e/environment/images/builders"
)

// FreeSpace tells the bytes that are free for this user on the disk of a folder,
// and which disk that is.
type FreeSpace func(dir string) (free int64, disk uint64, err error)

// diskFree asks the kernel. A folder that does not exist yet counts as the
// nearest one above it that does.
func diskFree(dir string) (int64, uint64, error) {
	for {
		var fs syscall.Statfs_t
		var info syscall.Stat_t
		err := syscall.Statfs(dir, &fs)
		if err == nil {
			err = syscall.Stat(dir, &info)
		}
		if err == nil {
			return int64(fs.Bavail) * int64(fs.Bsize), uint64(info.Dev), nil //nolint:unconvert // other systems have other types
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0, 0, fmt.Errorf("ask for the free space of %s: %w", dir, err)
		}
		dir = filepath.Dir(dir)
	}
}

// need is an amount of disk space that a step takes in a folder.
type need struct {
	dir  string
	size builders.Size
	what string
}

// checkSpace returns an error that names every disk that is too full, what needs
// space on it and how much is free.
func checkSpace(needs []need, free FreeSpace) error {
	type disk struct {
		free, total builders.Size
		parts       []string
	}
	disks := map[uint64]*disk{}
	var order []*disk
	for _, n := range needs {
		if n.size == 0 {
			continue
		}
		bytes, id, err := free(n.dir)
		if err != nil {
			return err
		}
		if disks[id] == nil {
			disks[id] = &disk{free: builders.Size(bytes)}
			order = append(order, disks[id])
		}
		disks[id].total += n.size
		disks[id].parts = append(disks[id].parts, fmt.Sprintf("%s in %s for %s", n.size, n.dir, n.what))
	}
	var errs []error
	for _, d := range order {
		if d.total > d.free {
			errs = append(errs, fmt.Errorf("the disk is too full for the images: they need about %s (%s), and %s is free: make room, "+
				"or set OPERATORBENCH_CACHE and GOCACHE to folders on a larger disk", d.total, strings.Join(d.parts, ", "), d.free))
		}
	}
	return errors.Join(errs...)
}
