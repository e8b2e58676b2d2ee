package wire

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
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
	left  []int // indices of the paths that gjson must read
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
func (v Value) String() string {
	if v == nil {
		return ""
	}
	if text, ok := v.plain(); ok {
		return string(text)
	}
	return gjson.ParseBytes(v).String()
}

// plain is a string without anything to decode.
func (v Value) plain() ([]byte, bool) {
	if len(v) < 2 || v[0] != '"' {
		return nil, false
	}
	text := v[1 : len(v)-1]
	return text, bytes.IndexByte(text, '\\') < 0
}

// is reports whether the value is printed as this text.
func (v Value) is(text string) bool {
	if plain, ok := v.plain(); ok {
		return string(plain) == text
	}
	return v.String() == text
}

// IsAny reports whether the value is printed as one of these texts.
func (v Value) IsAny(list []string) bool { return slices.ContainsFunc(list, v.is) }

// decode leaves to encoding/json what is no usual text or integer: a null, say, which changes nothing.
func (v Value) decode(into any) error {
	switch into := into.(type) {
	case *string:
		s := &scanner{text: v}
		if text := s.plain(); s.done() {
			*into = string(text)
			return nil
		}
	case *int:
		if number, err := strconv.Atoi(string(v)); err == nil {
			*into = number
			return nil
		}
	case *int64:
		if number, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			*into = number
			return nil
		}
	}
	return json.Unmarshal(v, into)
}

// decodeAll decodes the values that there are, each into its own place.
func decodeAll(found []Value, into ...any) error {
	for slot, text := range found {
		if text != nil {
			if err := text.decode(into[slot]); err != nil {
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
	l := &Lookup{paths: paths}
	for i, path := range paths {
		if keysOnly.MatchString(path) {
			at := l.tree.at(path)
			at.slots = append(at.slots, i)
			continue
		}
		m := oneMember.FindStringSubmatch(path)
		if m == nil || !keysOnly.MatchString(m[1]) || !keysOnly.MatchString(m[4]) || !l.member(i, m[1], m[2], m[3], m[4]) {
			l.left = append(l.left, i)
		}
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

// In returns the values in an object, parallel to the paths. An error means that it is not JSON. What takes more than
// the one pass is asked of spend: nothing is found where it does not allow for the steps, see Walks.
func (l *Lookup) In(object []byte, spend func(steps int) bool) ([]Value, error) {
	found := make([]Value, len(l.paths))
	s := &scanner{text: object}
	s.walk(&l.tree, found)
	if s.done() {
		for _, i := range l.left {
			found[i] = l.gjson(object, i, spend)
		}
		return found, nil
	}
	if err := wellFormed(object); err != nil {
		return nil, err
	}
	for i := range l.paths {
		found[i] = l.gjson(object, i, spend)
	}
	return found, nil
}

func (l *Lookup) gjson(object []byte, i int, spend func(steps int) bool) Value {
	if !spend(Walks(l.paths[i], object)) {
		return nil
	}
	r := gjson.GetBytes(object, l.paths[i])
	if !r.Exists() {
		return nil
	}
	return Value(r.Raw)
}

// walk fills in what a tree wants of the value that comes next.
func (s *scanner) walk(t *tree, found []Value) {
	if s.peek() != '{' {
		// Nothing is found in what is no object, but for a list of members.
		if t.members != nil {
			s.fail()
		}
		return
	}
	if t.members != nil {
		s.walkMembers(t, found)
		return
	}
	s.object(func(key []byte) { s.visit(t, key, found) })
}

func (s *scanner) visit(t *tree, key []byte, found []Value) {
	for i := range t.branches {
		b := &t.branches[i]
		if b.key != string(key) {
			continue
		}
		from := s.at
		s.value(func() { s.walk(&b.tree, found) })
		for _, slot := range b.slots {
			if found[slot] == nil && !s.failed { // of two equal keys the first counts
				found[slot] = s.text[from:s.at]
			}
		}
		return
	}
}

// walkMembers goes through the members of an object.
func (s *scanner) walkMembers(t *tree, found []Value) {
	m := t.members
	var room [8]Value
	own := append(room[:0], make([]Value, m.size)...)
	claimed := make([]bool, len(m.want))
	s.object(func(key []byte) {
		from := s.at
		s.visit(t, key, found)
		s.at = from
		clear(own)
		s.value(func() { s.walk(&m.tree, own) })
		name, plain := own[0].plain()
		if own[0] != nil && !plain {
			s.fail() // gjson compares numbers and escapes in its own way
			return
		}
		for i, w := range m.want {
			if own[0] != nil && !claimed[i] && w.equals == string(name) {
				claimed[i], found[w.to] = true, own[w.from]
			}
		}
	})
}

// wellFormed is an error where an object is not one JSON text. Recordings are read without looking into objects: this
// is where damage to them is noticed. An event may come without an object.
func wellFormed(object json.RawMessage) error {
	if len(object) == 0 {
		return nil
	}
	var text json.RawMessage
	return json.Unmarshal(object, &text)
}
