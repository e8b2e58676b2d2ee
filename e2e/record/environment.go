package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
)

// Environment is where a run took place and what with: environment.json.
type Environment struct {
	Run     string    `json:"run"`
	Began   time.Time `json:"began"` // wall clock
	Program string    `json:"program"`

	Cluster    string `json:"cluster"`        // kind or existing
	Kind       string `json:"kind,omitempty"` // kind's version
	Engine     string `json:"engine,omitempty"`
	Kubernetes string `json:"kubernetes"` // the API server's version
	// Nodes are those of an existing cluster; nil: it has one node, on the harness's machine, or they are not known.
	Nodes []Node `json:"nodes,omitempty"`

	Styles []StyleFacts `json:"styles"`
	Images []ImageFacts `json:"images"`
	Host   Host         `json:"host"`

	Go       string `json:"go"`
	Revision string `json:"revision,omitempty"` // git's commit
	Dirty    bool   `json:"dirty,omitempty"`    // the working tree differed from it

	Flags  map[string]string `json:"flags"`
	Seed   uint64            `json:"seed"`   // 0: there are several
	Stages []Stage           `json:"stages"` // in the order in which they ran
	Notes  []string          `json:"notes,omitempty"`
	// Undriven is what was asked for and not driven, where the run ended early.
	Undriven string `json:"undriven,omitempty"`
	// Early says that the run ended before all of its rounds were driven.
	Early bool `json:"early,omitempty"`

	// Planned is how many rounds of each style a comparison with a base had time for, by what was known before its
	// first one: the error probabilities of its sequential tests are shared out over these.
	Planned map[string]int `json:"planned,omitempty"`

	Comparison *Comparison `json:"comparison,omitempty"` // nil: nothing was compared with a base
}

// Comparison is what a run compared with a base, and how.
type Comparison struct {
	Asked   string `json:"asked"`          // the base, as it was named
	Base    string `json:"base"`           // its commit; that of head is Environment.Revision
	Command string `json:"command"`        // that compares the same again
	Link    string `json:"link,omitempty"` // to the job that ran it
	// Profile is how much was driven, and Effect the slowdown that must not pass, as a share.
	Profile string  `json:"profile,omitempty"`
	Effect  float64 `json:"effect,omitempty"`
	// Budget is how long base and head might take turns, and Driven how long they have; seconds.
	Budget float64 `json:"budget,omitempty"`
	Driven float64 `json:"driven"`
	// Gone is what the base has and head has not; New are styles that only head has.
	Gone []Gone   `json:"gone,omitempty"`
	New  []string `json:"new,omitempty"`
	// Groups are those of the scenarios that were to be driven. Undriven has what was not driven at all, and why.
	Groups   []string   `json:"groups"`
	Undriven []Undriven `json:"undriven,omitempty"`
}

// Gone is a style, a scenario, or an oracle that a scenario expected.
type Gone struct {
	Style    string `json:"style,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	Oracle   string `json:"oracle,omitempty"`
	Why      string `json:"why"`
}

// Undriven is a group of scenarios that was not driven; of every style, or of one.
type Undriven struct {
	Group string `json:"group"`
	Style string `json:"style,omitempty"`
	Why   string `json:"why"`
}

// StyleFacts identify what was compared, and say what it is made of.
type StyleFacts struct {
	Name      string            `json:"name"`
	Variant   string            `json:"variant,omitempty"`
	Versions  map[string]string `json:"versions,omitempty"` // of what the operator is made of
	Manifests string            `json:"manifests"`          // hash of the rendered manifests
	Images    []string          `json:"images,omitempty"`   // names, as in Environment.Images; the custom resource's own included
	Owned     *Owned            `json:"owned,omitempty"`    // nil: not counted
	// PodSecurity is the Pod Security Standard that is enforced on the style's
	// namespaces, by their names: restricted, baseline or privileged. Nil: not known.
	PodSecurity map[string]string `json:"podSecurity,omitempty"`
	// Privileges are what the style's manifests ask for that reaches beyond a
	// container, such as "hostNetwork of Deployment system/operator".
	Privileges []string `json:"privileges,omitempty"`
	// Flaky are the scenarios that the style's verdicts.yaml says pass or fail from run
	// to run, where the style is compared with a base.
	Flaky []string `json:"flaky,omitempty"`
}

// Owned is what the maintainer of an operator keeps: what a style's folder
// holds, without tests and without what is copied unchanged from upstream.
type Owned struct {
	Files int `json:"files"`
	Lines int `json:"lines"` // neither blank nor comment
	// Scaffold are those of Lines that a generator of such projects wrote and
	// nobody changed; 0: there are none, or they are not told apart.
	Scaffold int `json:"scaffold,omitempty"`
	// Languages are these lines by language: YAML, Go. A script within a manifest counts as the manifest's.
	Languages map[string]int `json:"languages,omitempty"`
	Rules     int            `json:"rules"` // of RBAC: distinct rights (verb, resource) that the operator's accounts hold
	// Wildcards are those of them with a *, as "verb resource.group".
	Wildcards []string `json:"wildcards,omitempty"`
}

// OnlyYAML reports whether all lines are YAML or JSON, and there are some.
func (o *Owned) OnlyYAML() bool {
	for language := range o.Languages {
		if language != "YAML" && language != "JSON" {
			return false
		}
	}
	return len(o.Languages) > 0
}

// ImageFacts identify an image.
type ImageFacts struct {
	Name      string `json:"name"` // in the catalogue
	Reference string `json:"reference"`
	// Published is upstream's image of the same program; empty: it has none, or it is Reference.
	Published string `json:"published,omitempty"`
	Digest    string `json:"digest,omitempty"`
	Source    string `json:"source"`          // local, pulled or built
	Bytes     int64  `json:"bytes,omitempty"` // 0: not known
	// Packages are the Debian packages of an image that was built, as in
	// "bash=5.2.15-2+b13": they may be those of the day on which it was.
	Packages []string `json:"packages,omitempty"`
	// Dependencies of an image that nobody else builds; nil: not recorded.
	Dependencies *Dependencies `json:"dependencies,omitempty"`
}

// Dependencies are how many packages of an ecosystem (Go modules, Python packages) something is built from.
type Dependencies struct {
	Direct int `json:"direct"` // those that its own code asks for
	All    int `json:"all"`    // these, and those that they ask for in turn
}

// Custom reports whether nobody else publishes the image: who runs the operator must build it. Its registry is then
// under .local, which RFC 6762 keeps out of the public name space.
func (i ImageFacts) Custom() bool {
	registry, _, _ := strings.Cut(i.Reference, "/")
	return i.Published == "" && strings.HasSuffix(registry, ".local")
}

// Stage is a part of the run.
type Stage struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`         // in all
	Times   int     `json:"times,omitempty"` // how often it was done
}

// Host is the machine. What the kernel does not tell is empty.
type Host struct {
	Kernel string `json:"kernel"`
	CPU    string `json:"cpu,omitempty"` // the brand, as /proc/cpuinfo calls it
	CPUs   int    `json:"cpus"`
	Memory int64  `json:"memory"`         // bytes
	Arch   string `json:"arch,omitempty"` // as Go names it: amd64, arm64

	// Of the first CPU, as /proc/cpuinfo has them: a brand may stand for several models.
	Family    string  `json:"family,omitempty"`
	Model     string  `json:"model,omitempty"`
	Stepping  string  `json:"stepping,omitempty"`
	Microcode string  `json:"microcode,omitempty"`
	Cache     string  `json:"cache,omitempty"`   // with its unit
	MHz       float64 `json:"mhz,omitempty"`     // when the run began
	Product   string  `json:"product,omitempty"` // vendor and product, as the firmware names them
	// Boot is the kernel's random id of this boot. Two runs with the same one took place on one machine.
	Boot string `json:"boot,omitempty"`
}

// Node is a node of an existing cluster, as it describes itself.
type Node struct {
	Name    string `json:"name"`
	Off     bool   `json:"off,omitempty"` // it takes no pods that tolerate no taint
	CPUs    int64  `json:"cpus"`
	Memory  int64  `json:"memory"` // bytes
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"`
	Kernel  string `json:"kernel"`
	Boot    string `json:"boot,omitempty"` // as Host.Boot
}

// String says what it is, but for its name and where.
func (n Node) String() string {
	text := fmt.Sprintf("%s, %.0f GiB, kubelet %s, %s, Linux %s", plain.Plural(int(n.CPUs), "CPU"), float64(n.Memory)/(1<<30), n.Kubelet, strings.Replace(n.Runtime, "://", " ", 1), n.Kernel)
	if n.Off {
		text += ", takes no pods of operators"
	}
	return text
}

// NodesText names the nodes, and says which are on the harness's machine; empty: they are not known.
func (e *Environment) NodesText() string {
	if len(e.Nodes) == 0 {
		return ""
	}
	alike := plain.Grouped(e.Nodes, Node.String)
	text := strings.Join(plain.Map(alike.Keys, func(is string) string {
		return fmt.Sprintf("%s (%s)", plain.List(plain.Map(alike.Of[is], func(n Node) string { return n.Name })), is)
	}), "; ")
	here := plain.Where(e.Nodes, func(n Node) bool { return n.Boot != "" && n.Boot == e.Host.Boot })
	return fmt.Sprintf("%s, %d of them on the machine of the harness: %s", plain.Plural(len(e.Nodes), "node"), len(here), text)
}

// MachineNote says what is not known of a machine.
const MachineNote = "Two machines may have the same description: runs are known to be of one machine only if they name the same boot."

// String is the host in one line, without what changes from one boot to the next.
func (h Host) String() string {
	var parts []string
	if h.CPU != "" {
		parts = append(parts, h.CPU+h.model())
	}
	return strings.Join(append(parts, plain.Plural(h.CPUs, "CPU"), fmt.Sprintf("%.0f GiB", float64(h.Memory)/(1<<30)), "Linux "+h.Kernel), ", ")
}

// model is that of the CPU, which several brands may share; empty: not known.
func (h Host) model() string {
	if h.Family == "" && h.Model == "" && h.Stepping == "" {
		return ""
	}
	return fmt.Sprintf(" (family %s, model %s, stepping %s)", cmp.Or(h.Family, "?"), cmp.Or(h.Model, "?"), cmp.Or(h.Stepping, "?"))
}

// Details are the further facts of the host in one line; it says which are not known.
func (h Host) Details() string {
	mhz := ""
	if h.MHz > 0 {
		mhz = fmt.Sprintf("%.0f MHz at the start", h.MHz)
	}
	var parts []string
	for _, one := range [][2]string{
		{"CPU model", strings.TrimSpace(h.model())}, {"microcode", h.Microcode}, {"cache", h.Cache}, {"clock", mhz}, {"product", h.Product}, {"boot", h.Boot},
	} {
		parts = append(parts, one[0]+" "+cmp.Or(one[1], "not known"))
	}
	return strings.Join(parts, ", ")
}

// Machine describes the machine; empty: not known. Two machines may have the same description.
func (e *Environment) Machine() string {
	if e == nil {
		return ""
	}
	return e.Host.String()
}

// Place identifies what kind of cluster it was; empty: not known.
func (e *Environment) Place() string {
	if e == nil {
		return ""
	}
	return strings.TrimSpace(e.Cluster + " " + e.Kind + ", Kubernetes " + e.Kubernetes)
}

// Facts returns what is known of a style, by its label; nil: nothing.
func (e *Environment) Facts(label string) *StyleFacts {
	if e == nil {
		return nil
	}
	for i := range e.Styles {
		if Label(e.Styles[i].Name, e.Styles[i].Variant) == label {
			return &e.Styles[i]
		}
	}
	return nil
}

// Sources says where the images come from; empty: there are none.
func (e *Environment) Sources() string {
	of := plain.Grouped(e.Images, func(image ImageFacts) string { return image.Source }).Of
	said := map[string]string{"built": "built from source on this machine", "": "of unknown source"}
	var parts []string
	for _, source := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%d %s", len(of[source]), cmp.Or(said[source], source)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "images: " + strings.Join(parts, ", ")
}

// Lines describe the environment for people.
func (e *Environment) Lines() []string {
	var cluster []string
	for _, part := range []struct{ name, value string }{{"Kubernetes", e.Kubernetes}, {"kind", e.Kind}, {"engine", e.Engine}, {"", e.Go}} {
		if part.value != "" {
			cluster = append(cluster, strings.TrimSpace(part.name+" "+part.value))
		}
	}
	lines := []string{e.Host.String(), strings.Join(cluster, ", "), e.Host.Details()}
	if nodes := e.NodesText(); nodes != "" {
		lines = append(lines, nodes)
	}
	if e.Revision != "" {
		revision := "revision " + e.Revision
		if e.Dirty {
			revision += " with changes"
		}
		if e.Seed != 0 {
			revision += fmt.Sprintf(", seed %d", e.Seed)
		}
		lines = append(lines, revision)
	}
	if sources := e.Sources(); sources != "" {
		lines = append(lines, sources)
	}
	stages := plain.Map(e.Stages, func(s Stage) string { return fmt.Sprintf("%s %s", s.Name, plain.Duration(s.Seconds)) })
	if len(stages) > 0 {
		lines = append(lines, "stages: "+strings.Join(stages, ", "))
	}
	return append(lines, e.Notes...)
}

// EnvironmentFile is the name of an Environment's file in a results folder.
const EnvironmentFile = "environment.json"

// Write writes environment.json into a results folder.
func (e *Environment) Write(dir string) error {
	return Replace(filepath.Join(dir, EnvironmentFile), func(out io.Writer) error {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(e)
	})
}

// WriteCompressed writes environment.json.zst, as a published run has it.
func (e *Environment) WriteCompressed(dir string) error {
	return Replace(filepath.Join(dir, EnvironmentFile+compression), func(out io.Writer) error {
		text, err := Compressor(out)
		if err != nil {
			return err
		}
		return errors.Join(json.NewEncoder(text).Encode(e), text.Close())
	})
}

// ReadEnvironment reads environment.json, compressed or not, from a results folder. After a run
// that was killed there is none: the error is then fs.ErrNotExist.
func ReadEnvironment(dir string) (*Environment, error) {
	name := filepath.Join(dir, EnvironmentFile)
	in, err := Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		name += compression
		in, err = Open(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the environment: %w", err)
	}
	defer in.Close()
	e := &Environment{}
	data, err := io.ReadAll(io.LimitReader(in, MaxLine+1))
	switch {
	case len(data) > MaxLine:
		err = fmt.Errorf("longer than %d bytes: not an environment", MaxLine)
	case err == nil:
		err = json.Unmarshal(data, e)
	}
	if err != nil {
		return nil, fmt.Errorf("read the environment: %s: %w", name, err)
	}
	return e, nil
}

// ImagesOf are what is known of a style's images.
func (e *Environment) ImagesOf(facts *StyleFacts) []ImageFacts {
	return plain.Where(e.Images, func(image ImageFacts) bool { return slices.Contains(facts.Images, image.Name) })
}
