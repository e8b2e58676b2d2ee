package images

import (
	"context"
	"io"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// writeArchive writes one archive in Docker's format with all images under their
// references.
func writeArchive(ctx context.Context, w io.Writer, images map[string]v1.Image) error {
	tagged := map[name.Reference]v1.Image{}
	for ref, image := range images {
		tag, err := name.NewTag(ref)
		if err != nil {
			return err
		}
		tagged[tag] = image
	}
	return tarball.MultiRefWrite(tagged, contextWriter{ctx, w})
}

// contextWriter stops writing when its context ends.
type contextWriter struct {
	ctx context.Context //nolint:containedctx // io.Writer has no place for one
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}
