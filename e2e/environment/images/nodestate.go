package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"operatorbench/e2e/environment/images/builders"
)

// builtNodeRepository is where a node image that was built is found in the
// container engine; the tag is the recipe's hash. It is not kind's own name, so
// that nobody takes it for kind's.
const builtNodeRepository = "operatorbench.local/node"

// nodeReference is where the engine has the node of that origin: under the
// recipe's hash if it was built, else under kind's own name.
func (st state) nodeReference(origin string) string {
	if origin == fromBuild {
		_, tag, _ := strings.Cut(st.image.Reference, ":")
		return builtNodeRepository + ":" + tag + "-" + st.recipe
	}
	if st.locked != "" {
		return st.image.Reference + "@" + st.locked
	}
	return st.image.Reference
}

// nodeState asks the engine for the node.
func (s *Store) nodeState(ctx context.Context, st state) (state, error) {
	if s.Engine == nil {
		st.why = "there is no container engine to keep it"
		return st, nil
	}
	for _, origin := range s.acceptable(st) {
		if origin == fromEngine {
			continue // the node always comes from the engine
		}
		ref := st.nodeReference(origin)
		out, err := s.Engine.Run(ctx, "image", "inspect", "--format", "{{.Id}} {{.Size}} {{json .Config.Labels}}", ref)
		if ctx.Err() != nil {
			return state{}, context.Cause(ctx)
		}
		if err != nil {
			continue // not there
		}
		var labels map[string]string
		st.have = st.description(origin)
		id, rest, _ := strings.Cut(out, " ")
		size, text, _ := strings.Cut(rest, " ")
		st.have.Digest = id
		if st.have.Size, err = strconv.ParseInt(size, 10, 64); err != nil {
			return state{}, fmt.Errorf("read the size of %s from %s's answer %q: %w", ref, s.Engine.Name(), out, err)
		}
		if err := json.Unmarshal([]byte(text), &labels); err != nil {
			return state{}, fmt.Errorf("read the labels of %s from %s's answer %q: %w", ref, s.Engine.Name(), out, err)
		}
		if origin == fromBuild {
			st.have.Packages = strings.Fields(labels[builders.LabelPackages])
		}
		return st, nil
	}
	st.why = "not in the container engine"
	if older, err := s.Engine.Run(ctx, "images", "--quiet", builtNodeRepository); err == nil && older != "" {
		st.why = "recipe changed"
	}
	return st, nil
}

// pullNode lets the engine pull the node, which keeps the digest's name.
func (s *Store) pullNode(ctx context.Context, st state) error {
	if s.Engine == nil {
		return errors.New("the kind node image is kept by a container engine, and there is none")
	}
	if _, err := s.puller.at(ctx, st.image.Reference, ""); err != nil {
		return err
	}
	if root := s.engineFolder(ctx); root != "" {
		if err := checkSpace([]need{{root, st.image.Size, st.image.Name}}, s.free); err != nil {
			return err
		}
	}
	ref := st.nodeReference(fromPull)
	s.Progress.Say("%s pulls %s", s.Engine.Name(), ref)
	_, err := s.Engine.Run(ctx, "pull", "--quiet", ref)
	return err
}

// engineFolder is where the engine keeps images; empty where that is not on this
// machine or not known.
func (s *Store) engineFolder(ctx context.Context) string {
	format := map[string]string{"docker": "{{.DockerRootDir}}", "podman": "{{.Store.GraphRoot}}"}[s.Engine.Name()]
	if format == "" {
		return ""
	}
	root, err := s.Engine.Run(ctx, "info", "--format", format)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(root); err != nil {
		return ""
	}
	return root
}
