package maven

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// lock is what a file jars.sha256 says: the hash of each jar, by its name.
type lock struct {
	file  string
	jars  map[string]string
	where string // beside it
}

// lockLine is a line as sha256sum writes and reads it.
var lockLine = regexp.MustCompile(`^([0-9a-f]{64})  ([A-Za-z0-9_][A-Za-z0-9_.-]*\.jar)$`)

// readLock reads a lock below root.
func readLock(root, file string) (lock, error) {
	raw, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return lock{}, fmt.Errorf("read which jars there are to be: %w", err)
	}
	jars, err := parseLock(string(raw))
	if err != nil {
		return lock{}, fmt.Errorf("%s:%w", file, err)
	}
	return lock{file: file, jars: jars, where: filepath.Join(filepath.Dir(file), "pom.xml")}, nil
}

// parseLock reads a lock; its errors begin with the line's number.
func parseLock(text string) (map[string]string, error) {
	jars := map[string]string{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found := lockLine.FindStringSubmatch(line)
		if found == nil {
			return nil, fmt.Errorf("%d: found %q, expected a SHA-256, two spaces and the name of a jar, as sha256sum writes them", number, line)
		}
		if jars[found[2]] != "" {
			return nil, fmt.Errorf("%d: %s is there twice", number, found[2])
		}
		jars[found[2]] = found[1]
	}
	if len(jars) == 0 {
		return nil, errors.New("1: it names no jar")
	}
	return jars, nil
}

// check returns the names of the jars in a folder, in order, if they are those of
// the lock.
func (l lock) check(folder string) ([]string, error) {
	there, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, path := range there {
		name := filepath.Base(path)
		sum, err := hashOf(path)
		switch want := l.jars[name]; {
		case err != nil:
			errs = append(errs, err)
		case want == "":
			errs = append(errs, fmt.Errorf("%s is not in %s: add it, with the SHA-256 %s, if %s is to bring it", name, l.file, sum, l.where))
		case want != sum:
			errs = append(errs, fmt.Errorf("%s has the SHA-256 %s, and %s has %s: delete it in Maven's local repository (~/.m2/repository), where it may be damaged, and try again; "+
				"if it is the same then, do not trust it", name, sum, l.file, want))
		}
	}
	names := slices.Sorted(maps.Keys(l.jars))
	for _, name := range names {
		if !slices.Contains(there, filepath.Join(folder, name)) {
			errs = append(errs, fmt.Errorf("%s is in %s, and Maven did not bring it: %s asks for something else now, or the line is wrong", name, l.file, l.where))
		}
	}
	return names, errors.Join(errs...)
}

// hashOf is the SHA-256 of a file.
func hashOf(file string) (string, error) {
	in, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }() // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return "", fmt.Errorf("hash %s: %w", file, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
