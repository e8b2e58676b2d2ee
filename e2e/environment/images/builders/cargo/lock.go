package cargo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// manifest is what a Cargo.toml says, as far as it matters here.
type manifest struct {
	Package struct {
		Name        string `toml:"name"`
		RustVersion string `toml:"rust-version"`
	} `toml:"package"`
}

// readManifest reads a Cargo.toml below root.
func readManifest(root, file string) (manifest, error) {
	var m manifest
	if _, err := toml.DecodeFile(filepath.Join(root, file), &m); err != nil {
		return m, fmt.Errorf("read %s: %w", file, err)
	}
	if m.Package.Name == "" || !version(m.Package.RustVersion) {
		return m, fmt.Errorf("%s: found name %q and rust-version %q in [package], expected a name, and the least version of the compiler as in \"1.89\"",
			file, m.Package.Name, m.Package.RustVersion)
	}
	return m, nil
}

// lock is what a Cargo.lock says.
type lock struct {
	direct int // crates that the package itself asks for
	all    int // these, and those that they ask for, on any machine
}

// readLock reads a Cargo.lock below root.
func readLock(root, file string) (lock, error) {
	raw, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return lock{}, fmt.Errorf("read which crates there are to be: %w", err)
	}
	found, err := parseLock(string(raw))
	if err != nil {
		return lock{}, fmt.Errorf("%s: %w", file, err)
	}
	return found, nil
}

// parseLock reads a lock of one package, the only one that is of this repository:
// every other must come from a registry, by its checksum.
func parseLock(text string) (lock, error) {
	var says struct {
		Package []struct {
			Name         string   `toml:"name"`
			Version      string   `toml:"version"`
			Source       string   `toml:"source"`
			Checksum     string   `toml:"checksum"`
			Dependencies []string `toml:"dependencies"`
		} `toml:"package"`
	}
	if _, err := toml.Decode(text, &says); err != nil {
		return lock{}, err
	}
	var found lock
	own := ""
	for _, p := range says.Package {
		switch {
		case p.Source == "" && own != "":
			return lock{}, fmt.Errorf("both %s and %s come from a folder: only crates of a registry have a checksum", own, p.Name)
		case p.Source == "":
			own, found.direct = p.Name, len(p.Dependencies)
		case len(p.Checksum) != 64:
			return lock{}, fmt.Errorf("%s %s from %s has no checksum: take it from a registry", p.Name, p.Version, p.Source)
		default:
			found.all++
		}
	}
	if own == "" {
		return lock{}, errors.New("it names no package of this repository")
	}
	return found, nil
}

// version tells whether a text is a version of two or three numbers.
func version(text string) bool {
	_, ok := numbers(text)
	return ok
}

// atLeast compares versions of two or three numbers.
func atLeast(have, least string) bool {
	a, okA := numbers(have)
	b, okB := numbers(least)
	return okA && okB && (a[0] > b[0] || a[0] == b[0] && a[1] >= b[1])
}

// numbers are the first two of a version, which are what compilers differ in.
func numbers(text string) (found [2]int, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return found, false
	}
	for i := range found {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 {
			return found, false
		}
		found[i] = n
	}
	return found, true
}
