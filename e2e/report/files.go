package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"operatorbench/e2e/record"
)

// The names of the files in a results folder.
const (
	SamplesFile = "samples.jsonl"
	ReportFile  = "report.json"
	BenchFile   = "bench.txt"
	JUnitFile   = "junit.xml"
	SummaryFile = "summary.md"
)

// File is a file of a results folder, and what prints it.
type File struct {
	Name  string
	Print func(*Report, io.Writer) error
}

// Files are those that are computed from a recording by this package.
func Files() []File {
	return []File{
		{SamplesFile, (*Report).SamplesJSON},
		{ReportFile, (*Report).JSON},
		{BenchFile, (*Report).Bench},
		{JUnitFile, (*Report).JUnit},
		{SummaryFile, (*Report).Markdown},
	}
}

// WriteFiles writes Files, and further ones, into a results folder, side by
// side. Each replaces what was there only once it is whole.
func (r *Report) WriteFiles(dir string, further ...File) error {
	return r.Write(dir, append(Files(), further...)...)
}

// Write is WriteFiles of nothing but these.
func (r *Report) Write(dir string, files ...File) error {
	problems := make([]error, len(files))
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0)) // more would only take more memory
	for i, file := range files {
		all.Go(func() error {
			name := filepath.Join(dir, filepath.FromSlash(file.Name))
			if path.Dir(file.Name) != "." {
				if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
					problems[i] = fmt.Errorf("write %s: %w", name, err)
					return nil
				}
			}
			problems[i] = record.Replace(name, func(out io.Writer) error { return file.Print(r, out) })
			return nil // the other files are written all the same
		})
	}
	return errors.Join(append(problems, all.Wait())...)
}

// SamplesJSON prints all samples as JSON Lines.
func (r *Report) SamplesJSON(out io.Writer) error {
	encoder := json.NewEncoder(out)
	for _, s := range r.Samples {
		if err := encoder.Encode(s); err != nil {
			return fmt.Errorf("write the samples: %w", err)
		}
	}
	return nil
}
