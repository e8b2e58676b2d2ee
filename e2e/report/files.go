package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec"
)

// The names of what is in a results folder.
const (
	RecordingFile   = "recording.jsonl"
	SamplesFile     = "samples.jsonl"
	EnvironmentFile = "environment.json"
	ReportFile      = "report.json"
	BenchFile       = "bench.txt"
	JUnitFile       = "junit.xml"
	SummaryFile     = "summary.md"
	CommentFile     = "comment.md"
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
		{CommentFile, (*Report).Comment},
	}
}

// WriteFiles writes Files, and further ones, into a results folder, side by
// side. Each replaces what was there only once it is whole.
func (r *Report) WriteFiles(dir string, further ...File) error {
	files := append(Files(), further...)
	problems := make([]error, len(files))
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0)) // more would only take more memory
	for i, file := range files {
		all.Go(func() error {
			problems[i] = Replace(filepath.Join(dir, file.Name), func(out io.Writer) error { return file.Print(r, out) })
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

// ReadSamples reads samples as SamplesJSON printed them; an error names the line.
func ReadSamples(in io.Reader) ([]judge.Sample, error) {
	var samples []judge.Sample
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var s judge.Sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return samples, fmt.Errorf("line %d: not a sample: %w", number, err)
		}
		samples = append(samples, s)
	}
	return samples, lines.Err()
}

// Write writes environment.json into a results folder.
func (e *Environment) Write(dir string) error {
	return Replace(filepath.Join(dir, EnvironmentFile), func(out io.Writer) error {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(e)
	})
}

// ReadEnvironment reads environment.json from a results folder. After a run
// that was killed there is none: the error is then fs.ErrNotExist.
func ReadEnvironment(dir string) (*Environment, error) {
	name := filepath.Join(dir, EnvironmentFile)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the environment: %w", err)
	}
	e := &Environment{}
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("read the environment: %s: %w", name, err)
	}
	e.rename()
	return e, nil
}

// rename gives the styles their names of today.
func (e *Environment) rename() {
	for i := range e.Styles {
		e.Styles[i].Name = spec.StyleName(e.Styles[i].Name)
	}
	for i, stage := range e.Stages {
		if doing, style, of := strings.Cut(stage.Name, " "); of {
			e.Stages[i].Name = doing + " " + spec.StyleName(style)
		}
	}
}

// Replace writes a file beside the one of that name, and then puts it in its
// place: whoever reads it finds the old or the new one whole.
func Replace(name string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close() // closed already, or of no use any more
			err = errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(file.Name()))
		}
	}()
	buffered := bufio.NewWriter(file)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
