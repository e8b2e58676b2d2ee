package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"operatorbench/e2e/environment/images"
	job "operatorbench/e2e/run"
	"operatorbench/e2e/spec/schema"
	"operatorbench/fixtures"
	"operatorbench/operators"
)

// parse reads a subcommand's flags, which may stand behind arguments, and says of a mistake what was probably meant.
func parse(flags *flag.FlagSet, args []string) error {
	flags.SetOutput(io.Discard) // its errors are printed once, by exitStatus
	var arguments []string
	for {
		err := flags.Parse(args)
		if name, unknown := strings.CutPrefix(fmt.Sprint(err), "flag provided but not defined: -"); unknown {
			return fmt.Errorf("%w%s", err, schema.Suggestion(name, flagNames(flags)))
		}
		if err != nil {
			return err
		}
		rest := flags.Args()
		if first := len(args) - len(rest); len(rest) == 0 || first > 0 && args[first-1] == "--" { // whoever writes that means arguments
			arguments = append(arguments, rest...)
			break
		}
		arguments, args = append(arguments, rest[0]), rest[1:]
	}
	return errors.Join(job.NoEmpty(flags), flags.Parse(append([]string{"--"}, arguments...))) // which are its Args from here on
}

// helpError is the help that was asked for: it is no mistake, and is printed.
type helpError string

func (h helpError) Error() string { return string(h) }

// parseWith is parse for a subcommand that explains itself.
func parseWith(flags *flag.FlagSet, args []string, usage string) error {
	switch err := parse(flags, args); {
	case errors.Is(err, flag.ErrHelp):
		return helpError(usage)
	case err != nil:
		return usageError{fmt.Sprintf("%v\n%s", err, usage)}
	}
	return nil
}

func flagNames(flags *flag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// parseRun is parse for the subcommands that take the flags of a run. Some flags are not for this subcommand.
func parseRun(flags *flag.FlagSet, args []string, notFor ...string) error {
	err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		return describeFlags(flags, notFor)
	}
	if err != nil {
		return usageError{err.Error()}
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("%s takes only flags, not %q", strings.TrimPrefix(flags.Name(), "opbench "), flags.Arg(0))}
	}
	flags.Visit(func(f *flag.Flag) {
		switch {
		case slices.Contains(notFor, f.Name):
			err = usageError{fmt.Sprintf("--%s is not for %s: it makes its shards and their clusters itself, measures nothing, and compares with no base; use `opbench run` for that", f.Name, flags.Name())}
		case f.Name == "rounds" && f.Value.String() == "0":
			err = usageError{"--rounds=0: expected a number from 1 to 10000; leave the flag out for the default"}
		case f.Name == "budget" && f.Value.String() == "0s":
			err = usageError{"--budget=0: expected a duration from 1m to 24h, such as 20m; leave the flag out for the profile's"}
		}
	})
	return err
}

// describeFlags explains the flags of a run, but for some.
func describeFlags(flags *flag.FlagSet, but []string) helpError {
	shown := flag.NewFlagSet("", flag.ContinueOnError)
	flags.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(but, f.Name) {
			shown.Var(f.Value, f.Name, f.Usage)
			shown.Lookup(f.Name).DefValue = f.DefValue
		}
	})
	var text strings.Builder
	shown.SetOutput(&text)
	shown.PrintDefaults()
	return helpError(fmt.Sprintf("Usage: %s [flags]\n\nFlags:\n%s", flags.Name(), text.String()))
}

// outFile is an error where --out is to be a file and is a folder.
func outFile(out, example string) error {
	if info, err := os.Stat(out); err == nil && info.IsDir() { // of "" there is an error
		return usageError{fmt.Sprintf("--out=%s is a folder, expected a file to write, such as --out=%s", out, example)}
	}
	return nil
}

// outFolder is an error where --out is to be a folder and is a file.
func outFolder(out string) error {
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return usageError{fmt.Sprintf("--out=%s is a file, expected a folder to write into", out)}
	}
	return nil
}

// findHome returns the repository around the working folder. Where there is none, root is a copy of the embedded files,
// and here the working folder, from which paths are then; else here is empty.
func findHome() (root, here string, err error) {
	root, err = images.FindRoot(".")
	if !errors.Is(err, images.ErrNoClone) {
		return root, "", err
	}
	if here, err = os.Getwd(); err != nil {
		return "", "", err
	}
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return "", "", err
	}
	root, err = images.Unpack(cache, map[string]fs.FS{"fixtures": fixtures.Files, "operators": operators.Files})
	return root, here, err
}
