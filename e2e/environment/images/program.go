package images

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// errNoProgram says that images cannot be built here.
var errNoProgram = errors.New("no image can be built here")

// program is the one of a clone that builds images: fixtures/images/cmd/images. Its
// contract is that an image is an OCI layout in a folder of the cache.
type program struct {
	clone string   // whose program it is; the repository that images are built from may be another
	args  []string // for every verb
	out   io.Writer
}

// newProgram is the program with what it must know for every image.
func newProgram(o Options) (program, error) {
	p := program{clone: cmp.Or(o.Clone, o.Root), out: cmp.Or(o.Progress, io.Discard)}
	var err error
	if p.clone, err = filepath.Abs(p.clone); err != nil {
		return p, err
	}
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return p, err
	}
	cache, err := filepath.Abs(cmp.Or(o.Cache, os.DevNull)) // where nothing is looked for, there is none
	if err != nil {
		return p, err
	}
	p.args = []string{"--root=" + root, "--cache=" + cache}
	if o.Engine != nil {
		p.args = append(p.args, "--engine="+o.Engine.Name())
	}
	return p, nil
}

// planned is what the program says of an image before it is built.
type planned struct {
	Name   string `json:"name"`
	Key    string `json:"key"`    // of all that the image is made from
	Folder string `json:"folder"` // of the cache, where the image is once it is built, or
	Engine string `json:"engine"` // the reference under which the engine has it
	Error  string `json:"error"`  // why the rest is not known
}

// answer is what the program says.
type answer struct {
	Images []planned `json:"images"`
	Folder string    `json:"folder"`
	Error  string    `json:"error"`
}

// inClone reports whether there is such a program at all.
func (p program) inClone() bool {
	_, err := os.Stat(filepath.Join(p.clone, Folder, "go.mod"))
	return err == nil
}

// plan asks what images are made from.
func (p program) plan(ctx context.Context, names ...string) (map[string]planned, error) {
	plan := map[string]planned{}
	if len(names) == 0 {
		return plan, nil
	}
	said, err := p.run(ctx, "plan", nil, names...)
	problems := []error{err}
	for _, image := range said.Images {
		plan[image.Name] = image
		if image.Error != "" {
			problems = append(problems, errors.New(image.Error))
		}
	}
	return plan, errors.Join(problems...)
}

// compiling is how long nothing is heard of the program before that is explained.
const compiling = 5 * time.Second

// run runs the program, compiled by the go command of this machine, which keeps it. Its lines of progress are handed
// on. The program ends when its standard input does: with the context, and also where this process is killed.
func (p program) run(ctx context.Context, verb string, flags []string, names ...string) (answer, error) {
	module := filepath.Join(p.clone, Folder)
	if !p.inClone() {
		return answer{}, fmt.Errorf("%w: the program that builds them is in a clone of operatorbench, which this is not: let images be pulled where their registries can be reached, give one with --image=NAME=REFERENCE, or run `opbench images ensure` once in a clone: they share a cache", errNoProgram)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return answer{}, fmt.Errorf("%w: the program that builds them is compiled by Go: %w: install Go, or let images be pulled from a machine that reaches their registries", errNoProgram, err)
	}
	args := slices.Concat([]string{"run", "-C", module, "./cmd/images", verb, "--until-eof"}, p.args, flags, names)
	cmd := exec.CommandContext(ctx, "go", args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return answer{}, err
	}
	said, progress := &bytes.Buffer{}, &progressLines{out: p.out}
	cmd.Stdout, cmd.Stderr = said, progress
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off") // whatever the caller's own are
	cmd.Cancel, cmd.WaitDelay = stdin.Close, time.Minute
	explain := time.AfterFunc(compiling, func() { progress.explain(module) })
	defer explain.Stop()
	err = cmd.Run()
	others := progress.end()
	var a answer
	switch decoded := json.Unmarshal(said.Bytes(), &a); {
	case ctx.Err() != nil:
		return a, context.Cause(ctx)
	case decoded == nil && a.Error != "":
		return a, errors.New(a.Error)
	case err == nil && decoded == nil:
		return a, nil
	default:
		return a, fmt.Errorf("%w: go run -C %s ./cmd/images %s: %w: %s", errNoProgram, module, verb, errors.Join(err, decoded), others)
	}
}

// progressLines hands on the lines of progress, and keeps what else is written.
type progressLines struct {
	out io.Writer

	mutex  sync.Mutex
	line   []byte // not yet ended
	others []byte
	heard  bool
}

// progressMark begins each line of progress.
const progressMark = "images "

func (p *progressLines) Write(text []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.line = append(p.line, text...)
	for {
		line, rest, found := bytes.Cut(p.line, []byte("\n"))
		if !found {
			return len(text), nil
		}
		if bytes.HasPrefix(line, []byte(progressMark)) {
			p.heard = true
			_, _ = fmt.Fprintf(p.out, "%s\n", line) // a report that cannot be written is no reason to stop
		} else {
			p.others = append(append(p.others, line...), '\n')
		}
		p.line = bytes.Clone(rest)
	}
}

// explain says why nothing is heard, if nothing is.
func (p *progressLines) explain(module string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.heard {
		_, _ = fmt.Fprintf(p.out, "%sgo compiles the program that builds images (%s); the first time on a machine this takes minutes\n", progressMark, module)
	}
}

// end returns the last lines that report no progress. Nothing is explained any more.
func (p *progressLines) end() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.heard = true
	const most = 4 << 10
	text := strings.TrimSpace(string(p.others) + string(p.line))
	return text[max(0, len(text)-most):]
}

// plansFolder is the folder of the cache in which a clone leaves what its catalogue's images are made from, for
// programs that were copied away with the same catalogue.
const plansFolder = "plans"

// planFile is where the plan of the store's catalogue is.
func (s *Store) planFile() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, catalogueFile))
	return filepath.Join(s.cache, plansFolder, fmt.Sprintf("%x.json", sha256.Sum256(text))), err
}

// remembered is what a clone left last; nothing where none did.
func (s *Store) remembered() map[string]planned {
	var all map[string]planned
	if file, err := s.planFile(); err == nil {
		text, _ := os.ReadFile(file)
		_ = json.Unmarshal(text, &all) // what cannot be read is asked anew
	}
	return all
}

// remember leaves a plan in a cache that is there. What cannot be left is asked anew.
func (s *Store) remember(plan map[string]planned) {
	if _, err := os.Stat(filepath.Join(s.cache, cacheMark)); err != nil || len(plan) == 0 {
		return
	}
	all := map[string]planned{}
	maps.Copy(all, s.remembered())
	maps.Copy(all, plan)
	file, err := s.planFile()
	text, problem := json.Marshal(all)
	if errors.Join(err, problem) == nil && os.MkdirAll(filepath.Dir(file), 0o755) == nil {
		_ = writeWhole(file, text)
	}
}

// writeWhole replaces a file: a reader sees all of it or none, whoever else writes it.
func writeWhole(file string, text []byte) error {
	beside := file + "." + rand.Text()
	err := os.WriteFile(beside, text, 0o644)
	if err == nil {
		err = os.Rename(beside, file)
	}
	if err != nil {
		_ = os.Remove(beside) // it may not be there
	}
	return err
}

// Recipes knows the hash of all that each image is made from, of repositories as they are
// now: equal hashes build equal images. The program of Clone is asked once for all images
// of a repository's catalogue; without one they are their references.
type Recipes struct {
	Clone string

	known map[string]map[string]planned // repository → image
}

// Of returns the hashes of the named images of the catalogue under root and of a style's
// own, by name. An image that nothing here builds has its reference.
func (r *Recipes) Of(ctx context.Context, root string, own []Image, names ...string) (map[string]string, error) {
	if r.known[root] == nil {
		catalogue, err := Load(root)
		if err != nil {
			return nil, err
		}
		if r.known == nil {
			r.known = map[string]map[string]planned{}
		}
		if r.known[root], err = r.plan(ctx, root, catalogue.Names()); err != nil {
			return nil, err
		}
	}
	all, err := load(root, own)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for _, name := range names {
		image, err := all.Image(name)
		if err != nil {
			return nil, err
		}
		made := r.known[root][name]
		if image.builtHere() {
			if made, err = planOwn(ctx, image); err != nil {
				return nil, err
			}
		}
		switch {
		case made.Error != "":
			return nil, errors.New(made.Error)
		case made.Key == "":
			hashes[name] = image.Reference
		default:
			hashes[name] = made.Key
		}
	}
	return hashes, nil
}

// plan asks the program; what it says of single images is in their Error.
func (r *Recipes) plan(ctx context.Context, root string, names []string) (map[string]planned, error) {
	p, err := newProgram(Options{Clone: r.Clone, Root: root})
	if err != nil || !p.inClone() {
		return nil, err // what is the same reference is the same image
	}
	plan, err := p.plan(ctx, names...)
	if len(plan) == len(names) {
		err = nil
	}
	return plan, err
}
