package main

import (
	"errors"
	"io/fs"
	"os"

	"operatorbench/e2e/environment/images"
	"operatorbench/fixtures"
	"operatorbench/operators"
)

// findHome returns the repository around the working folder. Where there is none, root is a copy of the embedded files,
// and here the working folder, from which paths are then; else here is empty.
func findHome() (root, here string, err error) {
	root, err = images.FindRoot(".")
	if !errors.Is(err, images.ErrNoClone) {
		return root, "", err
	}
	if here, err = os.Getwd(); err != nil {
		return "", "", err
	}
	cache, err := images.CacheFolder(os.Getenv)
	if err != nil {
		return "", "", err
	}
	root, err = images.Unpack(cache, map[string]fs.FS{"fixtures": fixtures.Files, "operators": operators.Files})
	return root, here, err
}
