package styles

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"operatorbench/e2e/spec"
)

// SecretsFile says in a style's folder which service accounts may read secrets, and why.
const SecretsFile = "secrets.yaml"

// SecretReaders lists the service accounts that may read secrets for a reason, as
// the style's own folder says, and those of the styles that it is made from.
func (s Style) SecretReaders() ([]spec.SecretReader, error) {
	bases, err := s.Bases()
	if err != nil {
		return nil, err
	}
	var all []spec.SecretReader
	for _, one := range append(bases, s) {
		own, err := one.ownSecretReaders()
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	return all, nil
}

func (s Style) ownSecretReaders() ([]spec.SecretReader, error) {
	name := filepath.Join(s.Folder, SecretsFile)
	text, err := s.tree().Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []spec.SecretReader
	if err == nil {
		err = yaml.UnmarshalStrict(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read who may read secrets, and why: %s: %w", name, err)
	}
	for i, r := range list {
		if r.ServiceAccount == "" || r.Reason == "" {
			return nil, fmt.Errorf("%s: entry %d: expected serviceAccount and reason", name, i+1)
		}
	}
	return list, nil
}
