package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets this binary be opbench itself, for scripts and for signals, and a
// program that panics where nobody can recover it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"opbench": main, "panics": func() {
		go panic("as asked")
		select {}
	}})
}

// Each script of testdata/script is a conversation with opbench: what is typed,
// the exit status, what is printed. None makes a cluster.
func TestScripts(t *testing.T) {
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPO", top)
			env.Setenv("HANDMADE", filepath.Join(top, "e2e/report/testdata/hand-made"))
			env.Setenv("OPERATORBENCH_CACHE", filepath.Join(env.WorkDir, "cache"))
			git, err := exec.LookPath("git")
			if err != nil {
				return err
			}
			env.Setenv("GIT", filepath.Join(env.WorkDir, "git"))
			if err := errors.Join(os.Mkdir(env.Getenv("GIT"), 0o755), os.Symlink(git, filepath.Join(env.Getenv("GIT"), "git"))); err != nil {
				return err
			}
			env.Setenv("PATH", filepath.SplitList(os.Getenv("PATH"))[0]) // opbench alone: no container engine
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"refuses": refuses,
		},
	})
}

// exits runs a program, which has to end with a status: exits STATUS PROGRAM ARGUMENT...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	status, err := 0, ts.Exec(args[1], args[2:]...)
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		status, err = ended.ExitCode(), nil
	}
	ts.Check(err)
	if status != want {
		ts.Fatalf("exit status %d, expected %d", status, want)
	}
}

// refuses runs opbench, which has to say once, on stderr alone, what is wrong:
// refuses STATUS TEXT ARGUMENT...
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refuses STATUS TEXT ARGUMENT...")
	}
	exits(ts, false, append([]string{args[0], "opbench"}, args[2:]...))
	said := ts.ReadFile("stderr")
	switch {
	case ts.ReadFile("stdout") != "":
		ts.Fatalf("there is something on stdout")
	case !strings.Contains(said, args[1]):
		ts.Fatalf("stderr does not say %q", args[1])
	case strings.Count(said, "opbench: ")-strings.Count(said, "opbench: warning: ") != 1:
		ts.Fatalf("stderr does not say it once")
	}
}
