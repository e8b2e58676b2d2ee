package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// nodeReference is where the engine has the node of that origin: where the program that
// builds it leaves it, else under kind's own name.
func (st state) nodeReference(origin string) string {
	switch {
	case st.image.given != "":
		return st.image.given
	case origin == fromBuild:
		return st.built.Engine
	case st.locked != "":
		return st.image.Reference + "@" + st.locked
	}
	return st.image.Reference
}

// nodeIn asks the engine for the node of that origin.
func (s *Store) nodeIn(ctx context.Context, st state, origin string) (state, error) {
	if s.engine == nil || origin == fromEngine { // the node always comes from the engine
		return st, nil
	}
	ref := st.nodeReference(origin)
	out, err := s.engine.Run(ctx, "image", "inspect", "--format", "{{.Id}} {{.Size}} {{json .Config.Labels}}", ref)
	if ctx.Err() != nil {
		return st, context.Cause(ctx)
	}
	if err != nil {
		return st, nil //nolint:nilerr // it is not there
	}
	have := st.description(origin)
	id, rest, _ := strings.Cut(out, " ")
	size, text, _ := strings.Cut(rest, " ")
	have.Digest = id
	if have.Size, err = strconv.ParseInt(size, 10, 64); err != nil {
		return st, fmt.Errorf("read the size of %s from %s's answer %q: %w", ref, s.engine.Name(), out, err)
	}
	var said map[string]string
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return st, fmt.Errorf("read the labels of %s from %s's answer %q: %w", ref, s.engine.Name(), out, err)
	}
	have.read(said)
	st.have = have
	return st, nil
}

// pullNode lets the engine pull the node, which keeps the digest's name.
func (s *Store) pullNode(ctx context.Context, st state) error {
	if s.engine == nil {
		return errors.New("the kind node image is kept by a container engine, and there is none")
	}
	if _, err := s.puller.at(ctx, st.image.source(), ""); err != nil {
		return err
	}
	ref := st.nodeReference(fromPull)
	s.progress.say("%s pulls %s", s.engine.Name(), ref)
	_, err := s.engine.Run(ctx, "pull", "--quiet", ref)
	return err
}
