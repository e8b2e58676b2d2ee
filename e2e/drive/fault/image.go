package fault

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// errForeign says that the machine below the cluster is not the harness's.
var errForeign = errors.New("the cluster is not the harness's own: nothing below Kubernetes is touched; use --cluster=kind")

// image is one in the node's containerd.
type image struct {
	node      Node
	reference string
	kept      string // another name, so that its content stays
	registry  string // the folder that says how its registry is reached
	id        string // as the kubelet knows it
}

// removeImage takes the image that the reference's pods run from the node, as far as the kubelet can see, and
// its registry out of reach. It returns when the kubelet cannot get it. What runs
// of it runs on: its content stays under another name.
func (i *Injector) removeImage(ctx context.Context, _ string, _ Target) (Broken, error) {
	reference, known := i.Workload.Image()
	if !known {
		return Broken{}, fmt.Errorf("remove an image: the workload %s has no reference that runs one", i.Workload.Name)
	}
	if i.Node == nil {
		return Broken{}, fmt.Errorf("remove the image %s: %w", reference, errForeign)
	}
	registry, repository, _ := strings.Cut(reference, "/")
	img := image{
		node: i.Node, reference: reference, kept: "operatorbench.invalid/" + repository,
		registry: "/etc/containerd/certs.d/" + registry,
	}
	var err error
	if img.id, err = img.lookUp(ctx); err != nil {
		return Broken{}, fmt.Errorf("remove the image %s: it is not in the node: %w", reference, err)
	}
	broken := Broken{Objects: []string{"images/" + reference}}
	for _, command := range [][]string{
		{"mkdir", "-p", path.Dir(img.registry)},
		{"mkdir", img.registry}, // an error if somebody has said already how it is reached: that stays
		{"sh", "-c", `echo 'server = "https://127.0.0.1:1"' >"$1/hosts.toml"`, "sh", img.registry},
		{"ctr", "-n", "k8s.io", "images", "tag", "--force", reference, img.kept},
		{"ctr", "-n", "k8s.io", "images", "rm", "--sync", reference},
	} {
		if _, err := i.Node.Exec(ctx, command...); err != nil {
			return broken, fmt.Errorf("remove the image %s: %w", reference, err)
		}
		if slices.Contains(command, img.registry) {
			broken.Undo = img.restore
		}
	}
	return broken, until(ctx, "the image "+reference+" to be out of reach", func(ctx context.Context) (bool, string, error) {
		if _, err := img.lookUp(ctx); err == nil {
			return false, "it is still there", nil
		}
		if _, err := i.Node.Exec(ctx, "crictl", "pull", reference); err == nil {
			return false, "it was pulled", nil
		}
		return true, "", nil
	})
}

// lookUp returns the id of the image, as the kubelet would find it.
func (img image) lookUp(ctx context.Context) (string, error) {
	return img.node.Exec(ctx, "crictl", "inspecti", "--output", "go-template", "--template", "{{.status.id}}", img.reference)
}

// restore gives the image its name back, and returns when the kubelet finds it.
func (img image) restore(ctx context.Context) error {
	const script = `set -e
rm -rf "$3"
if ctr -n k8s.io images ls -q | grep -qxF "$2"; then
  ctr -n k8s.io images tag --force "$2" "$1"
  ctr -n k8s.io images rm --sync "$2"
fi`
	if _, err := img.node.Exec(ctx, "sh", "-c", script, "sh", img.reference, img.kept, img.registry); err != nil {
		return fmt.Errorf("the node still lacks the image %s: tag it: %w; by hand, in the node: ctr -n k8s.io images tag %s %s; rm -r %s", img.reference, err, img.kept, img.reference, img.registry)
	}
	return until(ctx, "the node to have the image "+img.reference, func(ctx context.Context) (bool, string, error) {
		id, err := img.lookUp(ctx)
		return id == img.id, id, err
	})
}
