#!/usr/bin/env bash
# Gives the Go module another path, so that others can import it: once its address is fixed.
# scripts/rename-module.sh PATH, in the root of a clone; git diff shows what it changed.
set -euo pipefail

old=$(go list -m)
new=${1:?"scripts/rename-module.sh: which path shall the module have? For example example.org/you/operatorbench"}

go mod edit -module "$new"
# Imports alone: a line of its own that is the module's path or one below it.
git ls-files -z '*.go' | xargs -0 sed -i -E "s#^(import |	)([A-Za-z_.]+ )?\"$old(/[^\" ]*)?\"\$#\1\2\"$new\3\"#"
git ls-files -z '*.go' | xargs -0 gofmt -w
# Modules below this one, of image recipes and styles, have its path as their prefix.
git ls-files -z '*go.mod' | xargs -0 sed -i -E "s#(^module |^tool |^	)$old/#\1$new/#"
grep -rlZ --include=*.yml --include=*.yaml --include=Makefile --include=.golangci.yml -e "$old/e2e" . | xargs -0 -r sed -i "s#$old/e2e#$new/e2e#g"
