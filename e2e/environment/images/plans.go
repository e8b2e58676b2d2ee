package images

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

// plansFolder is the folder of the cache in which a clone leaves what its catalogue's images are made from, for
// programs that were copied away with the same catalogue.
const plansFolder = "plans"

// planFile is where the plan of the store's catalogue is.
func (s *Store) planFile() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, catalogueFile))
	return filepath.Join(s.cache, plansFolder, fmt.Sprintf("%x.json", sha256.Sum256(text))), err
}

// remembered is what a clone left last; nil where none did.
func (s *Store) remembered() map[string]planned {
	var all map[string]planned
	file, err := s.planFile()
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// remember leaves a plan in a cache that is there. What cannot be left is asked anew.
func (s *Store) remember(plan map[string]planned) {
	if _, err := os.Stat(filepath.Join(s.cache, cacheMark)); err != nil || len(plan) == 0 {
		return
	}
	file, err := s.planFile()
	if err != nil {
		return
	}
	all := s.remembered()
	if all == nil {
		all = map[string]planned{}
	}
	maps.Copy(all, plan)
	text, err := json.Marshal(all)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	beside := fmt.Sprintf("%s.%d", file, os.Getpid())
	if os.WriteFile(beside, text, 0o644) == nil {
		_ = os.Rename(beside, file)
	}
}
