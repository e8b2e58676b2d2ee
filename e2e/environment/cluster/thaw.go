package cluster

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
)

// freezers is where cgroup v1 has the frozen state of processes.
const freezers = "/sys/fs/cgroup/freezer"

// thaw lets what is frozen within containers go on, and reports whether anything was. In cgroup v1, runc freezes a pod for
// a moment while it changes what the pod may take: of a node that is killed in that moment processes stay behind which no
// signal ends, and the engine cannot remove it.
func thaw(root string, ids []string) (thawed bool) {
	for _, id := range ids {
		containers, _ := filepath.Glob(filepath.Join(root, "*", "*"+id+"*"))
		for _, container := range containers {
			_ = filepath.WalkDir(container, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.Name() != "freezer.state" {
					return nil //nolint:nilerr // what has gone meanwhile is not frozen
				}
				if state, err := os.ReadFile(path); err == nil && bytes.HasPrefix(state, []byte("FROZEN")) {
					thawed = os.WriteFile(path, []byte("THAWED"), 0) == nil || thawed
				}
				return nil
			})
		}
	}
	return thawed
}
