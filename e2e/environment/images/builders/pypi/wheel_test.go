package pypi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
)

func TestUnpack(t *testing.T) {
	file, _ := newWheel(t, t.TempDir(), nil)
	unpacked := func(w Wheels) (map[string]builders.Entry, []string) {
		entries, versions, err := unpack([]string{file}, w)
		require.NoError(t, err)
		assert.Equal(t, []string{"greet=1.0"}, versions)
		files := map[string]builders.Entry{}
		var names []string
		for _, e := range entries {
			files[e.Name] = e
			names = append(names, e.Name)
		}
		return files, names
	}
	files, names := unpacked(Wheels{To: "/opt", Remove: []string{"greet/test/"}})
	assert.ElementsMatch(t, []string{
		"opt/greet/__init__.py", "opt/bin/wave", "opt/bin/greet", "opt/fast.so", "opt/greet-1.0.dist-info/METADATA",
		"opt/greet-1.0.dist-info/WHEEL", "opt/greet-1.0.dist-info/RECORD", "opt/greet-1.0.dist-info/entry_points.txt",
	}, names)
	assert.Equal(t, "#!/usr/bin/env python3\nprint('bye')\n", string(files["opt/bin/wave"].Data))
	assert.Equal(t, "#!/usr/bin/env python3\nimport sys\n\nfrom greet import main\n\nsys.exit(main())\n", string(files["opt/bin/greet"].Data))
	assert.Equal(t, int64(0o755), files["opt/bin/greet"].Mode)
	assert.Equal(t, int64(0o644), files["opt/greet/__init__.py"].Mode)

	_, names = unpacked(Wheels{To: "/opt", Keep: []string{"greet/", "bin/greet"}, Remove: []string{"*/test/"}})
	assert.ElementsMatch(t, []string{"opt/greet/__init__.py", "opt/bin/greet"}, names)
}

func TestUnpackExplains(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text-1.0-py3-none-any.whl")
	require.NoError(t, os.WriteFile(text, []byte("no zip"), 0o644))
	good, _ := newWheel(t, t.TempDir(), nil)
	bad, _ := newWheel(t, t.TempDir(), map[string]string{"../outside.py": ""})
	for name, test := range map[string]struct {
		file string
		w    Wheels
		says string
	}{
		"no zip":          {text, Wheels{}, "text-1.0-py3-none-any.whl: zip: not a valid zip file"},
		"no wheel's name": {filepath.Join(folder, "x.whl"), Wheels{}, "a wheel's name has five parts"},
		"a way out":       {bad, Wheels{}, `it has the file "../outside.py", which leads elsewhere`},
		"nothing is kept": {good, Wheels{Requirements: "r.txt", Keep: []string{"other/"}}, "nothing is left of the wheels of r.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unpack([]string{test.file}, test.w)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add("[console_scripts]\nkopf = kopf.cli:main\nx=y : z.w [extra]\n[other]\na = b:c\n")
	f.Fuzz(func(t *testing.T, entryPoints string) {
		for name, text := range programs([]byte(entryPoints)) {
			assert.True(t, filepath.IsLocal(name), name)
			assert.False(t, strings.ContainsAny(name, "/\n"), name)
			assert.Equal(t, 6, strings.Count(text, "\n"), "one import and one call: nothing else comes into the program")
		}
	})
}
