package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	job "operatorbench/e2e/run"
	"operatorbench/e2e/spec/schema"
)

const imagesUsage = `Usage: opbench images [list]            which images there are, and why one would be got
       opbench images ensure [NAME...]  get those that are missing (default: all)
       opbench images missing [NAME...] say which of them are missing, and exit with status 1 if any is
       opbench images archive [NAME...] write them to standard output, for ctr images import or docker load
       opbench images programs NAME...  compile the programs of images, and print the folder that has them
       opbench images lock [--check]    ask the registries for digests and write the lock file; --check only says what it lacks

Flags:
  --operator=STYLE,...       ensure, missing: all images that a run of these styles needs (names, folders, or all)
  --images=auto|pull|build   where images may come from (default auto: cache or local engine, else pull, else build)
`

// runImages is `opbench images`.
func runImages(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	verb := "list"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		verb, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("opbench images "+verb, flag.ContinueOnError)
	source := flags.String("images", string(images.Auto), "")
	check := false
	if verb == "lock" {
		flags.BoolVar(&check, "check", false, "")
	}
	styles := flags.String("operator", "", "")
	if err := parseWith(flags, args, imagesUsage); err != nil {
		return err
	}
	if (verb == "list" || verb == "lock") && flags.NArg() > 0 {
		return usageError{fmt.Sprintf("opbench images %s takes no names; got %q", verb, flags.Args())}
	}
	verbs := []string{"list", "ensure", "missing", "archive", "programs", "lock"}
	if !slices.Contains(verbs, verb) {
		return usageError{fmt.Sprintf("unknown verb %q: expected list, ensure, missing, archive, programs or lock%s\n%s", verb, schema.Suggestion(verb, verbs), imagesUsage)}
	}
	if *styles != "" && verb != "ensure" && verb != "missing" {
		return usageError{fmt.Sprintf("opbench images %s takes no --operator: only ensure and missing do", verb)}
	}
	if verb == "lock" {
		if _, err := images.FindRoot("."); err != nil {
			return fmt.Errorf("opbench images lock is for the repository's own file: %w", err)
		}
	}
	names, own, err := withStyles(flags.Args(), *styles)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, *source, own, stderr)
	if err != nil {
		return err
	}
	switch verb {
	case "ensure":
		return store.Ensure(ctx, names...)
	case "missing":
		return missingImages(ctx, store, names)
	case "archive":
		return store.Archive(ctx, stdout, names...)
	case "programs":
		folder, err := store.Programs(ctx, names...)
		if err == nil {
			_, err = fmt.Fprintln(stdout, folder)
		}
		return err
	case "lock":
		if check {
			return store.CheckLock(ctx)
		}
		return store.WriteLock(ctx)
	default:
		return listImages(ctx, store, stdout)
	}
}

// withStyles adds the images that a run of styles needs; own are those that the styles bring along.
func withStyles(names []string, styles string) (all []string, own []images.Image, err error) {
	if styles == "" {
		return names, nil, nil
	}
	root, here, err := findHome()
	if err != nil {
		return nil, nil, err
	}
	needed, own, err := job.ImagesOf(root, cmp.Or(here, root), styles)
	return append(needed, names...), own, err
}

// missingImages is an error that names the images that are missing, if any is.
func missingImages(ctx context.Context, store *images.Store, names []string) error {
	missing, err := store.Missing(ctx, names...)
	if err != nil || len(missing) == 0 {
		return err
	}
	each := plain.Map(missing, func(m images.Listed) string { return fmt.Sprintf("%s (%s)", m.Name, m.Why) })
	return fmt.Errorf("missing images: %s", strings.Join(each, ", "))
}

// openStore opens the store of the repository around the working folder, with images of styles' own.
func openStore(ctx context.Context, source string, own []images.Image, progress io.Writer) (*images.Store, error) {
	from, err := images.ParseSource(source)
	if err != nil {
		return nil, usageError{"--images: " + err.Error()}
	}
	root, _, err := findHome()
	if err != nil {
		return nil, err
	}
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return nil, err
	}
	found, err := engine.Find(ctx, os.Getenv(engine.ProviderVariable))
	if err != nil {
		// Every image but the node can be had without an engine, and the list is worth having then too.
		_, _ = fmt.Fprintf(progress, "no container engine: %v\n", err)
	}
	return images.Open(images.Options{Root: root, Cache: cache, Source: from, Own: own, Engine: found, Progress: progress})
}

// listImages prints one line for each image.
func listImages(ctx context.Context, store *images.Store, stdout io.Writer) error {
	list, err := store.List(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "NAME\tREFERENCE\tSIZE\tSOURCE\tSTATE") // nothing is written before the end
	for _, image := range list {
		size, source, state := "-", "-", image.Why
		if image.Have != nil {
			size, source, state = plain.Bytes(image.Have.Size), image.Have.Source, "cached"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", image.Name, image.Reference, size, source, state)
	}
	return table.Flush()
}
