package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
)

// runVersion is `opbench version`.
func runVersion(_ context.Context, args []string, stdout, _ io.Writer) error {
	const usage = "Usage: opbench version\n\nPrints the version and revision of opbench, and the Go that built it.\n"
	flags := flag.NewFlagSet("opbench version", flag.ContinueOnError)
	if err := parseWith(flags, args, usage); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("opbench version takes no arguments, got %q", args)}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, err := fmt.Fprintln(stdout, describeBuild(info))
	return err
}

// stamp is a revision and its time, for builds that Go does not stamp: -ldflags="-X 'main.stamp=REVISION of TIME'".
var stamp string

// describeBuild says what a program was built of.
func describeBuild(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version, revision := info.Main.Version, settings["vcs.revision"]
	if version == "" {
		version = "(devel)"
	}
	switch {
	case revision == "" && stamp != "":
		revision = stamp
	case revision == "":
		revision = "unknown (it was built with -buildvcs=false, or of no repository)"
	}
	if at := settings["vcs.time"]; at != "" {
		revision += " of " + at
	}
	if settings["vcs.modified"] == "true" {
		revision += ", with changes"
	}
	return fmt.Sprintf("opbench %s, revision %s, %s", version, revision, info.GoVersion)
}
