// Package nodetest finds, for tests that make clusters, the images that `make images` has made ready.
package nodetest

import (
	"context"
	"os"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images"
)

// Store opens the store of this repository's images, for a test in any of its folders.
func Store(ctx context.Context) (*images.Store, error) {
	root, err := images.FindRoot(".")
	if err != nil {
		return nil, err
	}
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return nil, err
	}
	found, err := engine.Find(ctx, os.Getenv(engine.ProviderVariable))
	if err != nil {
		return nil, err
	}
	return images.Open(images.Options{Root: root, Cache: cache, Engine: found})
}

// Image returns the reference of the node image in the container engine; it is an error if the image is missing.
func Image(ctx context.Context) (string, error) {
	store, err := Store(ctx)
	if err != nil {
		return "", err
	}
	return store.Node(ctx)
}
