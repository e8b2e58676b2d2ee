package styles

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/spec/files"
)

// Lines are the files of one language.
type Lines struct {
	Language string `json:"language"`
	Files    int    `json:"files"`
	// Lines that are neither empty nor a comment alone. What another language
	// says within a file, such as Python in a ConfigMap, counts as the file's.
	Lines int `json:"lines"`
}

// languages by a file's extension. What has none here counts as "other".
var languages = map[string]string{
	".go": "Go", ".yaml": "YAML", ".yml": "YAML", ".json": "JSON", ".py": "Python", ".sh": "Shell", ".jq": "jq",
	".ts": "TypeScript", ".js": "JavaScript", ".rs": "Rust", ".java": "Java",
}

// about lists the files in which this project says something of a style.
func about() []string { return []string{files.StyleFile, "verdicts.yaml", "secrets.yaml"} }

// ownFiles are the files that a style says are owned, each once; if it says nothing, its whole folder. What only this
// project asks of a style (see about) is none of them, nor are tests, testdata and README.md: not every style has them.
func (s Style) ownFiles() (map[string]bool, error) {
	owned := map[string]bool{}
	paths := s.Owned
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		folder := filepath.Join(s.Folder, path)
		if _, err := os.Stat(filepath.Join(folder, files.StyleFile)); err == nil { // this style's, or a base's
			for _, file := range about() {
				owned[filepath.Join(folder, file)] = false
			}
		}
		if err := findFiles(folder, owned); err != nil {
			return nil, fmt.Errorf("look for the files that are owned: %w", err)
		}
	}
	maps.DeleteFunc(owned, func(_ string, counts bool) bool { return !counts })
	return owned, nil
}

// ownedFiles are those, and what an overlay uses of the files that its bases own.
func (s Style) ownedFiles() (map[string]bool, error) {
	files, err := s.ownFiles()
	if err != nil {
		return nil, err
	}
	bases, err := s.bases()
	if err != nil || len(bases) == 0 {
		return files, err
	}
	objs, err := s.Objects()
	if err != nil {
		return nil, err
	}
	for _, base := range bases {
		owned, err := base.style.ownFiles()
		if err != nil {
			return nil, err
		}
		for _, file := range base.files {
			if owned[file] && !s.dropped(file, objs) {
				files[file] = true
			}
		}
	}
	return files, nil
}

// scaffoldFiles are those of the owned files that a generator wrote.
func (s Style) scaffoldFiles(owned map[string]bool) (map[string]bool, error) {
	files := map[string]bool{}
	for _, path := range s.Scaffold {
		if err := findFiles(filepath.Join(s.Folder, path), files); err != nil {
			return nil, fmt.Errorf("look for the files of the scaffold: %w", err)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !owned[file] {
			return nil, fmt.Errorf("%s is listed as scaffold, and is not owned: list it with owned, too", file)
		}
	}
	return files, nil
}

// dropped reports whether a file holds objects, and an overlay has none of them, not even under a longer name.
func (s Style) dropped(file string, overlay []*unstructured.Unstructured) bool {
	objs, err := install.Render(s.tree(), file)
	if err != nil || len(objs) == 0 {
		return false // it is something else, such as a kustomization
	}
	return !slices.ContainsFunc(objs, func(obj *unstructured.Unstructured) bool {
		return slices.ContainsFunc(overlay, func(kept *unstructured.Unstructured) bool {
			return kept.GroupVersionKind() == obj.GroupVersionKind() && kept.GetNamespace() == obj.GetNamespace() && strings.Contains(kept.GetName(), obj.GetName())
		})
	})
}

// countLines counts the lines of files by language.
func (s Style) countLines(counted map[string]bool) ([]Lines, error) {
	byLanguage := map[string]Lines{}
	for file := range counted {
		text, err := s.tree().Read(file)
		if err != nil {
			return nil, fmt.Errorf("count lines: %w", err)
		}
		language := languages[filepath.Ext(file)]
		if language == "" {
			language = "other"
		}
		so := byLanguage[language]
		byLanguage[language] = Lines{Language: language, Files: so.Files + 1, Lines: so.Lines + linesOf(language, text)}
	}
	return slices.SortedFunc(maps.Values(byLanguage), func(a, b Lines) int { return strings.Compare(a.Language, b.Language) }), nil
}

// findFiles notes the files at or below a path that count, and leaves those that are noted already as they are.
func findFiles(path string, found map[string]bool) error {
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case !entry.Type().IsRegular(), entry.Name() == "README.md", strings.HasSuffix(entry.Name(), "_test.go"):
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() > files.Most {
			return err // nobody wrote so much by hand
		}
		if _, noted := found[file]; !noted {
			found[file] = true
		}
		return nil
	})
}

// linesOf counts the lines that say something. Text with a zero byte has none.
func linesOf(language string, text []byte) int {
	if bytes.IndexByte(text, 0) >= 0 {
		return 0
	}
	switch language {
	case "Go", "JavaScript", "TypeScript", "Rust", "Java":
		return blockLines(string(text))
	case "Python":
		return pythonLines(string(text))
	}
	count := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			count++
		}
	}
	return count
}

// blockLines counts the lines of a language whose comments are // and /* */, outside of texts in double quotes, and in
// back quotes, which may have several lines.
func blockLines(text string) int {
	count, comment, raw := 0, false, false
	for line := range strings.Lines(text) {
		says, quoted := raw, false
		for i := 0; i < len(line); i++ {
			rest := line[i:]
			switch {
			case comment:
				if strings.HasPrefix(rest, "*/") {
					comment, i = false, i+1
				}
			case raw:
				raw = line[i] != '`'
			case quoted && line[i] == '\\', !quoted && (strings.HasPrefix(rest, `'"'`) || strings.HasPrefix(rest, "'`'")):
				says, i = true, i+1
			case line[i] == '"':
				says, quoted = true, !quoted
			case !quoted && line[i] == '`':
				says, raw = true, true
			case !quoted && strings.HasPrefix(rest, "//"):
				i = len(line)
			case !quoted && strings.HasPrefix(rest, "/*"):
				comment, i = true, i+1
			case line[i] > ' ':
				says = true
			}
		}
		if says {
			count++
		}
	}
	return count
}

// pythonLines counts the lines of Python. A docstring, a text in three quotes that begins a file or follows a line
// which ends with a colon, is a comment; another such text is code.
func pythonLines(text string) int {
	count, open, documents, last := 0, "", false, ":"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		literal := strings.TrimLeft(line, "rRuU")
		quote := literal[:min(3, len(literal))]
		switch {
		case open != "":
			if !documents {
				count++
			}
			if strings.Contains(line, open) {
				open = ""
			}
		case line == "", line[0] == '#':
		case (quote == `"""` || quote == "'''") && strings.HasSuffix(last, ":"):
			last = ""
			if !strings.Contains(literal[3:], quote) {
				open, documents = quote, true
			}
		default:
			count, last = count+1, line
			for _, quote := range []string{`"""`, "'''"} {
				if strings.Count(line, quote)%2 == 1 {
					open, documents = quote, false
				}
			}
		}
	}
	return count
}
