package install

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/spec"
)

// What is not as wanted tells why, in what an installer writes beside it and where a style says that more is told.
func TestFieldTellsWhy(t *testing.T) {
	requirement := func(kind, status string) any {
		return map[string]any{"kind": kind, "name": "m", "status": status, "version": "v1"}
	}
	field := spec.Field{Path: "status.phase", Equals: []string{"Succeeded"}, Tells: `status.parts.#(status!="Present")#.{kind,name,status}`}
	for name, test := range map[string]struct {
		parts []any
		seen  string
	}{
		"what is missing": {[]any{requirement("Role", "Present"), requirement("ServiceAccount", "NotPresent")}, `: [{"kind":"ServiceAccount","name":"m","status":"NotPresent"}]`},
		"nothing more":    {[]any{requirement("Role", "Present")}, ""},
		"nothing at all":  {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status := map[string]any{"phase": "Pending", "reason": "RequirementsNotMet", "message": "there is something missing"}
			if test.parts != nil {
				status["parts"] = test.parts
			}
			done, seen := holds(&unstructured.Unstructured{Object: map[string]any{"status": status}}, field)
			assert.False(t, done)
			assert.Equal(t, `status.phase is "Pending": RequirementsNotMet: there is something missing`+test.seen, seen)
		})
	}
}

func TestFieldHolds(t *testing.T) {
	for name, test := range map[string]struct {
		status map[string]any
		path   string
		equals []string
		want   bool
		seen   string
	}{
		"wanted":         {map[string]any{"phase": "Succeeded"}, "status.phase", []string{"Succeeded"}, true, `status.phase is "Succeeded"`},
		"any of several": {map[string]any{"phase": "Done"}, "status.phase", []string{"Succeeded", "Done"}, true, `status.phase is "Done"`},
		"another":        {map[string]any{"phase": "Failed", "message": "no such role"}, "status.phase", []string{"Succeeded"}, false, `status.phase is "Failed": no such role`},
		"not there":      {map[string]any{}, "status.phase", []string{"Succeeded"}, false, "status.phase is not there"},
		"a number":       {map[string]any{"ready": int64(2)}, "status.ready", []string{"2"}, true, `status.ready is "2"`},
		"a truth":        {map[string]any{"up": true}, "status.up", []string{"true"}, true, `status.up is "true"`},
		"one of a list": {
			map[string]any{"parts": []any{map[string]any{"name": "a", "state": "Up"}, map[string]any{"name": "b", "state": "Down"}}},
			`status.parts.#(name=="b").state`,
			[]string{"Up"},
			false, `status.parts.#(name=="b").state is "Down"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &unstructured.Unstructured{Object: map[string]any{"kind": "Thing", "apiVersion": "x.io/v1", "status": test.status}}
			done, seen := holds(obj, spec.Field{Path: test.path, Equals: test.equals})
			assert.Equal(t, test.want, done)
			assert.Equal(t, test.seen, seen)
		})
	}
}
