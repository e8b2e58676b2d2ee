package builders

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// keyFormat is raised when the code of this package begins to make different
// images from the same recipe.
const keyFormat = 2

// Key is everything that an image, or a step towards it, is made from. What has
// the same key is not made again: no field is renamed, and a new one is left out
// where it is empty.
type Key struct {
	Format  int
	Go      string
	Arch    string
	Debian  any               `json:",omitempty"` // the suite and the snapshot
	Image   any               `json:",omitempty"` // what the catalogue says of it
	Recipes map[string]any    `json:",omitempty"` // what the catalogue says of them
	Files   map[string]string `json:",omitempty"` // path in the repository → SHA-256
	Kind    string            `json:",omitempty"` // kind's version, for the node
	Parts   map[string]string `json:",omitempty"` // image inside → its key
	Labels  []string          `json:",omitempty"` // that the image is to have beside name and recipe
}

// NewKey is the key of nothing yet, made by this compiler for this architecture.
func NewKey() *Key {
	return &Key{
		Format: keyFormat, Go: runtime.Version(), Arch: runtime.GOARCH,
		Recipes: map[string]any{}, Files: map[string]string{}, Parts: map[string]string{},
	}
}

// KeyOf is the key of parts alone, as text.
func KeyOf(parts ...Part) (string, error) {
	key := NewKey()
	for _, part := range parts {
		if err := part.AddTo(key); err != nil {
			return "", err
		}
	}
	return key.Sum()
}

// Sum is the key as text, 16 hexadecimal digits. encoding/json sorts maps, so it
// is stable.
func (k *Key) Sum() (string, error) {
	raw, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("hash a recipe: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

// AddFiles adds files below root: their paths there, and what is in them.
func (k *Key) AddFiles(root string, files ...string) error {
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return fmt.Errorf("hash the recipe: %w", err)
		}
		sum := sha256.Sum256(raw)
		k.Files[filepath.ToSlash(file)] = hex.EncodeToString(sum[:])
	}
	return nil
}
