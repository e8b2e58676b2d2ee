package builders

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Kept is a layer of packages in the cache, with the versions that they had when it
// was made: "name=version", in name order.
type Kept struct {
	*Layer `json:"-"`

	Hash     string   `json:"hash"` // SHA-256, hexadecimal
	Size     int64    `json:"size"` // bytes
	Versions []string `json:"versions"`
}

// ReadLayer reads base.tar's description from base.json.
func ReadLayer(base string) (*Kept, error) {
	raw, err := os.ReadFile(base + ".json")
	if err != nil {
		return nil, err
	}
	kept := &Kept{}
	if err := json.Unmarshal(raw, kept); err != nil {
		return nil, err
	}
	info, err := os.Stat(base + ".tar")
	if err != nil {
		return nil, err
	}
	if info.Size() != kept.Size {
		return nil, fmt.Errorf("%s.tar has %d bytes, not %d", base, info.Size(), kept.Size)
	}
	kept.Layer = &Layer{Path: base + ".tar", Hash: v1.Hash{Algorithm: "sha256", Hex: kept.Hash}, Bytes: kept.Size}
	return kept, nil
}

// KeepLayer moves a layer to base.tar and, last, describes it in base.json.
func KeepLayer(layer *Layer, versions []string, base string) error {
	raw, err := json.MarshalIndent(Kept{Hash: layer.Hash.Hex, Size: layer.Bytes, Versions: versions}, "", "  ")
	if err != nil {
		return err
	}
	description := layer.Path + ".json"
	if err := os.WriteFile(description, raw, 0o644); err != nil {
		return err
	}
	if err := Move(layer.Path, base+".tar"); err != nil {
		return err
	}
	return Move(description, base+".json")
}

// MatchAny reports whether a glob matches name; one with a final slash matches
// everything below the folders that it names, and these.
func MatchAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		folder, below := strings.CutSuffix(pattern, "/")
		for at := name; at != "."; at = path.Dir(at) {
			if ok, err := path.Match(folder, at); err == nil && ok {
				return true
			}
			if !below {
				break
			}
		}
	}
	return false
}
