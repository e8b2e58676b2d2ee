package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/install/kustomize"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/learn"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/propose"
)

const initUsage = `Usage: opbench init --operator=PATH [--crd=FILE] [--kind=KIND] [--learn=RECORDING] [FOLDER]

Writes style.yaml, workload.yaml and cr.yaml into FOLDER (default ./operatorbench), from
what the operator's repository has: its manifests or kustomization at PATH, the
definition among them or in FILE, its roles, and a sample of the custom resource.
Each guess stands with its evidence; what nobody but you can say is marked TODO.
No cluster is needed, and no file that is there already is written.

Flags:
  --operator=PATH  a folder with a kustomization, or a folder or file of YAML; of a
                   ClusterServiceVersion, what it stands for is written
  --crd=FILE       the CustomResourceDefinition, where the manifests lack it
  --kind=KIND      the custom resource, where several are defined
  --learn=FILE     a recording of a run of the first proposal: what the operator's
                   accounts made (audit log) are the children, and what its status
                   said whenever one was as asked for is when it is ready

Then opbench check ./operatorbench says what is missing, and
opbench run --operator=./operatorbench --rounds=1 makes the recording for --learn.
`

// runInit is `opbench init`.
func runInit(_ context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("opbench init", flag.ContinueOnError)
	operator, crd, kind := flags.String("operator", "", ""), flags.String("crd", "", ""), flags.String("kind", "", "")
	from := flags.String("learn", "", "")
	if err := parseWith(flags, args, initUsage); err != nil {
		return err
	}
	folder := "operatorbench"
	switch {
	case *operator == "":
		return usageError{"opbench init needs --operator=PATH, where the operator's manifests are\n" + initUsage}
	case flags.NArg() > 1:
		return usageError{"opbench init writes one folder\n" + initUsage}
	case flags.NArg() == 1:
		folder = flags.Arg(0)
	}
	sources, err := initSources(*operator, *crd, *kind, folder)
	if err != nil {
		return err
	}
	if *from != "" {
		if sources.Learned, err = learned(*from); err != nil {
			return fmt.Errorf("learn from %s: %w", *from, err)
		}
	}
	proposal, err := propose.Of(*sources)
	if err != nil {
		return fmt.Errorf("propose a style for %s: %w", *operator, err)
	}
	made, err := writeNew(folder, proposal.Files)
	if err != nil {
		for _, file := range made { // so that the same command can be given again
			err = errors.Join(err, os.Remove(file))
		}
		return err
	}
	for _, file := range made {
		fmt.Fprintln(stdout, "wrote "+file)
	}
	for _, open := range proposal.Open {
		fmt.Fprintln(stdout, "to be said: "+open)
	}
	if filepath.IsLocal(folder) {
		folder = "./" + folder
	}
	_, err = fmt.Fprintf(stdout, "next: opbench check %s\n", filepath.ToSlash(folder))
	return err
}

// writeNew writes files that are not there yet, and returns the names of those that it made.
func writeNew(folder string, texts map[string][]byte) (made []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return made, err
		}
		out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return made, fmt.Errorf("%s is there already: nothing that is there is overwritten; remove it, or name another folder", file)
		}
		if err != nil {
			return made, err
		}
		made = append(made, file)
		_, err = out.Write(texts[name])
		if err := errors.Join(err, out.Close()); err != nil {
			return made, err
		}
	}
	return made, nil
}

// learned is what a recording, or that of a results folder, shows of the operator. A large one has another name once it
// has ended.
func learned(name string) (*propose.Learned, error) {
	folder := name
	if filepath.Base(name) == record.FileName {
		folder = filepath.Dir(name)
	}
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		if name, err = record.Find(folder); err != nil {
			return nil, err
		}
	}
	in, err := record.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return learn.From(record.Read(in))
}

// initSources reads what a proposal is made from. The manifests are read in the tree in which the new folder is.
func initSources(operator, crd, kind, folder string) (*propose.Sources, error) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	manifests, err := filepath.Abs(operator)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(at)
	tree := files.Tree(root)
	s := &propose.Sources{Name: filepath.Base(at), Kind: kind}
	if _, err := os.Stat(filepath.Join(manifests, "Chart.yaml")); err == nil {
		return nil, fmt.Errorf("%s is a Helm chart: `helm template NAME %[1]s --include-crds --namespace NAMESPACE` prints its manifests; commit them with their Namespace, and name that file with --operator", operator)
	}
	if within, err := filepath.Rel(manifests, at); err == nil && filepath.IsLocal(within) && kustomize.Of(manifests) {
		return nil, fmt.Errorf("%s contains %s, and kustomize builds nothing that contains what asks for it: `kubectl kustomize %[1]s` prints its manifests; commit them, and name that file with --operator", operator, folder)
	}
	if s.Objects, err = install.Render(tree, manifests); err != nil {
		return nil, err
	}
	if s.Manifests, err = resources(tree, manifests, filepath.Join(at, "manifests"), slices.ContainsFunc(s.Objects, propose.IsBundle)); err != nil {
		return nil, err
	}
	s.Build = builtFrom(root)
	if crd != "" {
		found, err := render(tree, crd)
		if err != nil {
			return nil, err
		}
		if s.Definitions = plain.Where(found, kube.IsDefinition); len(s.Definitions) == 0 {
			return nil, fmt.Errorf("%s has no CustomResourceDefinition", crd)
		}
	}
	for _, samples := range propose.SamplesIn(root) {
		if found, err := render(tree, samples); err == nil { // a repository need not have any
			s.Samples = append(s.Samples, found...)
		}
	}
	return s, nil
}

// builtFrom is what builds the operator's image, as a style.yaml in a folder of the repository says it: the Dockerfile
// that ships it, or a main package.
func builtFrom(root string) string {
	if info, err := os.Stat(filepath.Join(root, "Dockerfile")); err == nil && info.Mode().IsRegular() {
		return "dockerfile: .."
	}
	mains, _ := fs.Glob(os.DirFS(root), "cmd/*/main.go") // the pattern is valid
	for _, main := range append([]string{"cmd/main.go", "main.go"}, mains...) {
		if _, err := os.Stat(filepath.Join(root, main)); err == nil {
			return "go: " + path.Join("..", path.Dir(main))
		}
	}
	return ""
}

// resources are what a kustomization in a folder names to have the manifests at a path: another kustomization, or each
// file.
func resources(tree files.Tree, manifests, from string, bundle bool) ([]string, error) {
	list := []string{manifests}
	if info, err := os.Stat(manifests); err == nil && info.IsDir() && !kustomize.Of(manifests) {
		if _, list, err = install.Read(tree, manifests); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(file string) bool { // of a ClusterServiceVersion, what it stands for is written
		if !bundle {
			return false
		}
		objects, err := install.Render(tree, file)
		return err == nil && slices.ContainsFunc(objects, propose.IsBundle)
	})
	for i, file := range list {
		relative, err := filepath.Rel(from, file)
		if err != nil {
			return nil, err
		}
		list[i] = filepath.ToSlash(relative)
	}
	return list, nil
}

func render(tree files.Tree, path string) ([]*unstructured.Unstructured, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return install.Render(tree, at)
}
