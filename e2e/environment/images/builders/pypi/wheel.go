package pypi

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"operatorbench/e2e/environment/images/builders"
)

// unpack reads wheels: their files below w.To, as installing lays them out, without
// what would differ between two machines; and "name=version" of each.
func unpack(wheels []string, w Wheels) (entries []builders.Entry, versions []string, err error) {
	for _, file := range wheels {
		parts := strings.Split(filepath.Base(file), "-")
		if len(parts) < 5 {
			return nil, nil, fmt.Errorf("unpack %s: a wheel's name has five parts, as in kopf-1.45.2-py3-none-any.whl", file)
		}
		versions = append(versions, parts[0]+"="+parts[1])
		unpacked, err := w.one(file)
		if err != nil {
			return nil, nil, fmt.Errorf("unpack %s: %w", file, err)
		}
		entries = append(entries, unpacked...)
	}
	if len(entries) == 0 {
		return nil, nil, fmt.Errorf("nothing is left of the wheels of %s: look at keep and remove", w.Requirements)
	}
	return entries, versions, nil
}

// one reads one wheel.
func (w Wheels) one(file string) ([]builders.Entry, error) {
	wheel, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = wheel.Close() }() // only read
	var entries []builders.Entry
	for _, f := range wheel.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !filepath.IsLocal(f.Name) {
			return nil, fmt.Errorf("it has the file %q, which leads elsewhere", f.Name)
		}
		unpacked, err := w.file(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		entries = append(entries, unpacked...)
	}
	return entries, nil
}

// inData is a file of a wheel that does not go to the modules by its own path: it is
// in a folder <package>.data, below the name of the scheme that it is installed by.
var inData = regexp.MustCompile(`^[^/]+\.data/([^/]+)/(.+)$`)

// file is what one file of a wheel comes to: itself, or the programs that it names.
func (w Wheels) file(f *zip.File) ([]builders.Entry, error) {
	name, program := f.Name, false
	if parts := inData.FindStringSubmatch(name); parts != nil {
		switch name = parts[2]; parts[1] {
		case "scripts":
			name, program = "bin/"+name, true
		case "headers":
			return nil, nil
		}
	}
	listsPrograms := strings.HasSuffix(name, ".dist-info/entry_points.txt")
	if !w.wanted(name) && !listsPrograms {
		return nil, nil
	}
	raw, err := read(f)
	if err != nil {
		return nil, err
	}
	var entries []builders.Entry
	if listsPrograms {
		for name, text := range programs(raw) {
			if w.wanted("bin/" + name) {
				entries = append(entries, w.entry("bin/"+name, 0o755, []byte(text)))
			}
		}
	}
	if !w.wanted(name) {
		return entries, nil
	}
	mode := int64(0o644)
	if program || f.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if rest, found := bytes.CutPrefix(raw, []byte("#!python")); found && program { // what an installer replaces
		raw = append([]byte(interpreter), rest[max(0, bytes.IndexByte(rest, '\n')):]...)
	}
	return append(entries, w.entry(name, mode, raw)), nil
}

func (w Wheels) entry(name string, mode int64, raw []byte) builders.Entry {
	return builders.Entry{Name: strings.TrimPrefix(path.Join(w.To, name), "/"), Mode: mode, Data: raw}
}

// wanted says whether a path below To goes into the layer.
func (w Wheels) wanted(name string) bool {
	return !builders.MatchAny(w.Remove, name) && (len(w.Keep) == 0 || builders.MatchAny(w.Keep, name))
}

func read(f *zip.File) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read
	return io.ReadAll(in)
}

// interpreter is the first line of every program, without its end: whichever Python
// the image has in its PATH.
const interpreter = "#!/usr/bin/env python3"

// program is a line of entry_points.txt: a name, a module, what is called in it.
var program = regexp.MustCompile(`^([\w.-]+)\s*=\s*([\w.]+)\s*:\s*([\w.]+)\s*(?:\[.*\])?$`)

// programs are those that a wheel's entry_points.txt asks an installer to write.
func programs(entryPoints []byte) map[string]string {
	texts := map[string]string{}
	wanted := false
	for lines := bufio.NewScanner(bytes.NewReader(entryPoints)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			wanted = line == "[console_scripts]"
			continue
		}
		parts := program.FindStringSubmatch(line)
		if !wanted || parts == nil || !filepath.IsLocal(parts[1]) {
			continue
		}
		called, _, _ := strings.Cut(parts[3], ".")
		texts[parts[1]] = fmt.Sprintf("%s\nimport sys\n\nfrom %s import %s\n\nsys.exit(%s())\n", interpreter, parts[2], called, parts[3])
	}
	return texts
}
