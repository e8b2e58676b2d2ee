package wire

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Lookup finds the values of many paths, in gjson's syntax, in one pass over an object. Styles name up to twenty paths
// into a Workflow of 13 KB; to walk it anew for each would be most of the work of judging.
//
// Two forms of path are taken along in the pass: keys ("status.phase"), and the member of an object whose own key has a
// value ("status.nodes.@values.#(displayName=="a").phase"). The others, and objects that are not as expected, are left
// to gjson.
type Lookup struct {
	paths []string
	tree  tree
	left  []bool // parallel to paths: gjson must read it
}

// tree says what is wanted of an object.
type tree struct {
	branches []branch
	members  *members // by @values; nil: none
}

type branch struct {
	key   string
	slots []int // where the value goes
	tree  tree
}

// members says what is wanted of the members of an object: of the first whose
// key has a value, the values of further paths.
type members struct {
	key  string
	tree tree // slot 0 is key's
	size int  // slots of tree
	want []wanted
}

type wanted struct {
	equals string
	from   int // slot of the members' tree
	to     int // slot of the lookup
}

// Value is JSON text; nil: there is none.
type Value []byte

// Exists reports whether there is a value.
func (v Value) Exists() bool { return v != nil }

// String is the value as gjson prints it.
func (v Value) String() string { return gjson.ParseBytes(v).String() }

// IsAny reports whether the value is printed as one of these texts.
func (v Value) IsAny(list []string) bool { return slices.Contains(list, v.String()) }

// decodeAll decodes the values that there are, each into its own place.
func decodeAll(found []Value, into ...any) error {
	for slot, text := range found {
		if text != nil {
			if err := json.Unmarshal(text, into[slot]); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	// A key of digits would be an index into an array; other signs are gjson's.
	keysOnly  = regexp.MustCompile(`^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*$`)
	oneMember = regexp.MustCompile(`^([\w.-]+)\.@values\.#\(([A-Za-z][\w-]*)=="([\w .-]*)"\)\.([\w.-]+)$`)
)

// NewLookup returns a Lookup of paths in the syntax of gjson.
func NewLookup(paths []string) *Lookup {
	l := &Lookup{paths: paths, left: make([]bool, len(paths))}
	for i, path := range paths {
		if keysOnly.MatchString(path) {
			at := l.tree.at(path)
			at.slots = append(at.slots, i)
			continue
		}
		m := oneMember.FindStringSubmatch(path)
		l.left[i] = m == nil || !keysOnly.MatchString(m[1]) || !keysOnly.MatchString(m[4]) || !l.member(i, m[1], m[2], m[3], m[4])
	}
	return l
}

// Walks is how many steps gjson takes at most to look up a path in an object, of eight bytes each: through all of it,
// and once more for each modifier and each list whose elements it looks at.
func Walks(path string, object []byte) int {
	return (1 + strings.Count(path, "#") + strings.Count(path, "@")) * len(object) / 8
}

// at returns the branch of a path, and makes it if need be.
func (t *tree) at(path string) *branch {
	key, rest, more := strings.Cut(path, ".")
	i := slices.IndexFunc(t.branches, func(b branch) bool { return b.key == key })
	if i < 0 {
		i = len(t.branches)
		t.branches = append(t.branches, branch{key: key})
	}
	if b := &t.branches[i]; !more {
		return b
	}
	return t.branches[i].tree.at(rest)
}

// member takes up a path to a member; false: another key already tells the members of that object apart.
func (l *Lookup) member(slot int, object, key, equals, rest string) bool {
	t := &l.tree.at(object).tree
	if t.members == nil {
		t.members = &members{key: key, size: 1}
		t.members.tree.at(key).slots = []int{0}
	}
	m := t.members
	if m.key != key {
		return false
	}
	at := m.tree.at(rest)
	if len(at.slots) == 0 {
		at.slots = []int{m.size}
		m.size++
	}
	m.want = append(m.want, wanted{equals, at.slots[0], slot})
	return true
}

// In returns the values in an object, parallel to the paths. What takes more than the one pass is asked of spend: nothing
// is found where it does not allow for the steps, see Walks. Of a text that is no JSON, see Check, it returns anything.
func (l *Lookup) In(object []byte, spend func(steps int) bool) []Value {
	found := make([]Value, len(l.paths))
	expected := l.tree.walk(gjson.ParseBytes(object), found)
	for i, path := range l.paths {
		if expected && !l.left[i] {
			continue
		}
		if found[i] = nil; !spend(Walks(path, object)) {
			continue
		}
		if r := gjson.GetBytes(object, path); r.Exists() {
			found[i] = Value(r.Raw)
		}
	}
	return found
}

// Check returns an error, with the place, unless an object is JSON: recordings are read without looking into objects.
// gjson is quick, and calls itself for each level: what may be very deep is left to encoding/json, which refuses it.
func Check(object []byte) error {
	const deep = 10_000
	shallow := len(object) <= deep || bytes.Count(object, []byte("{"))+bytes.Count(object, []byte("[")) <= deep
	if len(object) == 0 || shallow && gjson.ValidBytes(object) { // an event may come without an object
		return nil
	}
	var text json.RawMessage
	return json.Unmarshal(object, &text)
}

// walk fills in what a tree wants of a value. False: its members are not as expected.
func (t *tree) walk(value gjson.Result, found []Value) (expected bool) {
	if !value.IsObject() {
		return t.members == nil // nothing is found in what is no object, but for a list of members
	}
	if len(t.branches) == 0 && t.members == nil {
		return true
	}
	expected = true
	var claimed []bool
	if t.members != nil {
		claimed = make([]bool, len(t.members.want))
	}
	wanted := len(t.branches)
	value.ForEach(func(key, value gjson.Result) bool {
		if i := slices.IndexFunc(t.branches, func(b branch) bool { return b.key == key.Str }); i >= 0 {
			wanted--
			expected = t.branches[i].take(value, found)
		}
		expected = expected && (t.members == nil || t.members.walk(value, claimed, found))
		return expected && (wanted > 0 || t.members != nil) // no key is there twice
	})
	return expected
}

// take fills in what is wanted of a value, and in it.
func (b *branch) take(value gjson.Result, found []Value) (expected bool) {
	for _, slot := range b.slots {
		found[slot] = Value(value.Raw)
	}
	return b.tree.walk(value, found)
}

// walk fills in what is wanted of a member, but for what one before it was claimed for.
func (m *members) walk(member gjson.Result, claimed []bool, found []Value) (expected bool) {
	own := make([]Value, m.size)
	m.tree.walk(member, own)
	if own[0] == nil {
		return true
	}
	name := own[0].String()
	for i, w := range m.want {
		if !claimed[i] && w.equals == name {
			claimed[i], found[w.to] = true, own[w.from]
		}
	}
	return own[0][0] == '"' && !bytes.Contains(own[0], []byte(`\`)) // gjson compares numbers and escapes in its own way
}
