package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Line is a line of a recording. An entry of the most frequent kinds has only its kind until a Parser has parsed it;
// they may be parsed in any order, and many at once.
type Line struct {
	Entry
	text []byte // nil: it is parsed
	at   place
}

// Unparsed is how many bytes there are to parse.
func (l *Line) Unparsed() int { return len(l.text) }

// place is where a line stands.
type place struct {
	file   string // empty, or the file's name and what parts it from what follows
	number int
}

func (p place) wrap(err error) error { return fmt.Errorf("%sline %d: %w", p.file, p.number, err) }

// Parser parses lines. It keeps the words that come again and again. It is not
// safe for concurrent use; the zero Parser is ready.
type Parser struct {
	words map[string]string
}

// Parse parses a line, if it is not parsed yet. A request in the audit log is
// read into memory of the caller's, since of most nothing is kept; nil: into new.
func (p *Parser) Parse(l *Line, into *Audit) error {
	if l.text == nil {
		return nil
	}
	if into == nil && l.Kind == KindAudit {
		into = new(Audit)
	}
	e, err := p.line(l.Kind, l.text, into)
	if err == nil && e.Kind != l.Kind {
		err = fmt.Errorf("not an entry of a recording: it is of two kinds, %q and %q", l.Kind, e.Kind)
	}
	if err != nil {
		l.Entry = Entry{}
		return l.at.wrap(err)
	}
	l.Entry, l.text = e, nil
	return nil
}

// line reads the entry of a line that begins as those of a kind do.
func (p *Parser) line(kind Kind, line []byte, into *Audit) (Entry, error) {
	var e Entry
	var ok bool
	switch kind {
	case KindWatch:
		e, ok = p.watch(line)
	case KindAudit:
		e, ok = p.audit(line, into)
	}
	if ok {
		return e, nil
	}
	return parse(line, false)
}

// frequent is the kind of a line that begins as the most frequent ones do; empty: it is not one of them.
func frequent(line []byte) Kind {
	f := fields{line, true}
	f.number(`{"t":`)
	f.literal(`,"kind":"`)
	for _, kind := range []Kind{KindWatch, KindAudit, KindUsage} {
		if f.ok && len(f.rest) > len(kind) && f.rest[len(kind)] == '"' && string(f.rest[:len(kind)]) == string(kind) {
			return kind
		}
	}
	return ""
}

// parse reads one entry and checks that it holds what its kind says.
func parse(line []byte, first bool) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not an entry of a recording: %w", err)
	}
	if err := e.check(first); err != nil {
		return e, err
	}
	return e, nil
}

func (e *Entry) check(first bool) error {
	if first != (e.Kind == KindHeader) {
		if first {
			return fmt.Errorf("not a recording: it begins with kind %q, expected %q", e.Kind, KindHeader)
		}
		return errors.New("a second header: were two recordings joined? Give them as two files")
	}
	if first && e.Header != nil && e.Header.Schema != Schema {
		return fmt.Errorf("the recording has schema %d, this program reads schema %d: use the version of operatorbench that wrote it", e.Header.Schema, Schema)
	}
	held := reflect.ValueOf(e).Elem().FieldByNameFunc(func(name string) bool { return strings.ToLower(name) == string(e.Kind) })
	switch {
	case !held.IsValid() || held.Kind() != reflect.Pointer:
		return fmt.Errorf("unknown kind of entry %q", e.Kind)
	case held.IsNil():
		return fmt.Errorf("a %s entry without its %q field", e.Kind, e.Kind)
	}
	return nil
}

// watch reads a watch event as Recorder writes it, field by field in that order, and takes the object as it stands:
// nearly all of a recording is objects, and a reader looks into few. False: it is not of this form.
func (p *Parser) watch(line []byte) (Entry, bool) {
	f := fields{line, true}
	t := time.Duration(f.number(`{"t":`))
	event, resource := f.word(`,"kind":"watch","watch":{"event":`), f.word(`,"resource":`)
	namespace := f.optional(`,"namespace":`)
	name, uid := f.word(`,"name":`), f.word(`,"uid":`)
	f.literal(`,"object":`)
	object, whole := bytes.CutSuffix(f.rest, []byte("}}"))
	if !f.ok || !whole || len(object) < 2 || object[0] != '{' || object[len(object)-1] != '}' {
		return Entry{}, false
	}
	own := string(name) + string(uid)
	return Entry{Time: t, Kind: KindWatch, Watch: &Watch{
		Event: p.known(event), Resource: p.known(resource), Namespace: p.known(namespace),
		Name: own[:len(name)], UID: own[len(name):], Object: object[:len(object):len(object)],
	}}, true
}

// audit does the same for a request in the audit log, the most frequent of all.
func (p *Parser) audit(line []byte, a *Audit) (Entry, bool) {
	f := fields{line, true}
	t := time.Duration(f.number(`{"t":`))
	received := f.time(`,"kind":"audit","audit":{"received":`)
	*a = Audit{
		Received: received, Answered: f.time(`,"answered":`),
		User: p.known(f.word(`,"user":`)), Pod: p.known(f.optional(`,"pod":`)), Agent: p.known(f.optional(`,"agent":`)),
		Verb: p.known(f.word(`,"verb":`)), Resource: p.known(f.optional(`,"resource":`)), Subresource: p.known(f.optional(`,"subresource":`)),
		Namespace: p.known(f.optional(`,"namespace":`)), Name: string(f.optional(`,"name":`)),
		Code: int(f.number(`,"code":`)),
	}
	f.literal("}}")
	if !f.ok || len(f.rest) > 0 {
		return Entry{}, false
	}
	return Entry{Time: t, Kind: KindAudit, Audit: a}, true
}

// known returns a word that is likely to come again, without a new copy each time.
func (p *Parser) known(word []byte) string {
	const most = 1000
	if known, ok := p.words[string(word)]; ok {
		return known
	}
	if p.words == nil || len(p.words) == most {
		p.words = map[string]string{}
	}
	s := string(word)
	p.words[s] = s
	return s
}

// fields reads the fields of an entry in their order.
type fields struct {
	rest []byte
	ok   bool
}

// literal passes over text that has to come next.
func (f *fields) literal(text string) {
	rest, found := bytes.CutPrefix(f.rest, []byte(text))
	f.rest, f.ok = rest, f.ok && found
}

// number reads a number that is no fraction and not below zero, behind its key.
func (f *fields) number(key string) int64 {
	f.literal(key)
	var n int64
	digits := 0
	for digits < len(f.rest) && f.rest[digits] >= '0' && f.rest[digits] <= '9' {
		n = n*10 + int64(f.rest[digits]-'0')
		digits++
	}
	if digits == 0 || digits > 18 || (digits > 1 && f.rest[0] == '0') {
		f.ok = false
	}
	f.rest = f.rest[digits:]
	return n
}

// word reads a string behind its key that has nothing to decode.
func (f *fields) word(key string) []byte {
	f.literal(key)
	if !f.ok || len(f.rest) == 0 || f.rest[0] != '"' {
		f.ok = false
		return nil
	}
	for i, c := range f.rest[1:] {
		switch {
		case c == '"':
			word := f.rest[1 : 1+i]
			f.rest = f.rest[i+2:]
			return word
		case c == '\\' || c < ' ' || c > '~':
			f.ok = false
			return nil
		}
	}
	f.ok = false
	return nil
}

// time reads a moment behind its key.
func (f *fields) time(key string) time.Time {
	var t time.Time
	if word := f.word(key); f.ok {
		f.ok = t.UnmarshalText(word) == nil
	}
	return t
}

// optional is word for a field that may be absent.
func (f *fields) optional(key string) []byte {
	if !f.ok || !bytes.HasPrefix(f.rest, []byte(key)) {
		return nil
	}
	return f.word(key)
}
