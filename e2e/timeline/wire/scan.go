package wire

import (
	"encoding/binary"
	"math/bits"
)

// scanner walks over compact JSON, as recordings hold it, and passes over what nobody asks for without taking it apart.
// Whatever it does not know (white space, escapes) makes it fail: the caller then reads the text with a whole parser,
// which has the last word.
type scanner struct {
	text   []byte
	at     int
	failed bool
}

// done reports whether all of the text was walked over.
func (s *scanner) done() bool { return !s.failed && s.at == len(s.text) }

func (s *scanner) fail() { s.failed, s.at = true, len(s.text) }

// peek is the next byte; 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// take passes over the byte, if it is the next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// object calls visit with each key of the object that comes next. visit may
// read the value; otherwise it is passed over.
func (s *scanner) object(visit func(key []byte)) {
	if !s.take('{') {
		s.fail()
		return
	}
	for more := !s.take('}'); more && !s.failed; more = s.more('}') {
		key := s.plain()
		if !s.take(':') {
			s.fail()
			return
		}
		s.value(func() { visit(key) })
	}
}

func (s *scanner) value(visit func()) {
	before := s.at
	visit()
	if s.at == before {
		s.skip()
	}
}

// more reports whether another member follows, or the end.
func (s *scanner) more(end byte) bool {
	if s.take(',') {
		return true
	}
	if !s.take(end) {
		s.fail()
	}
	return false
}

// plain reads a string that has nothing to decode.
func (s *scanner) plain() []byte {
	if !s.take('"') {
		s.fail()
		return nil
	}
	text := s.text[s.at:]
	for i, c := range text {
		if c == '"' {
			s.at += i + 1
			return text[:i]
		}
		if c == '\\' || c < ' ' || c > '~' {
			break
		}
	}
	s.fail()
	return nil
}

// skip passes over a value.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		from := s.at
		for s.at < len(s.text) && !isEnd(s.text[s.at]) {
			s.at++
		}
		if s.at == from {
			s.fail()
		}
	}
}

func isEnd(c byte) bool { return c == ',' || c == '}' || c == ']' }

// skipString passes over a string: it ends with the first quote that has an even number of backslashes before it.
func (s *scanner) skipString() {
	for at := s.at + 1; ; {
		if at = quote(s.text, at); at < 0 {
			s.fail()
			return
		}
		slashes := 0
		for s.text[at-1-slashes] == '\\' {
			slashes++
		}
		at++
		if slashes%2 == 0 {
			s.at = at
			return
		}
	}
}

// quote returns where the next quote is; below zero: there is none. Most strings of an object are so short that to call
// bytes.IndexByte takes longer than to look at eight bytes at a time: a byte is zero exactly if subtracting one borrows
// into its highest bit, while that was not set before (Warren, Hacker's Delight, 6-1).
func quote(text []byte, at int) int {
	const (
		ones   = 0x0101010101010101
		highs  = 0x8080808080808080
		quotes = ones * '"'
	)
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:]) ^ quotes
		if found := (word - ones) &^ word & highs; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for ; at < len(text); at++ {
		if text[at] == '"' {
			return at
		}
	}
	return -1
}

// skipNested passes over an object or array. That brackets match by kind is not looked at.
func (s *scanner) skipNested() {
	depth := 0
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.at++
				return
			}
		}
		s.at++
	}
	s.fail()
}
