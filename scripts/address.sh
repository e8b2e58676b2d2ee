#!/usr/bin/env bash
# Gives the repository its address: modules and imports, the documents' `go install` line, and the line that uses the action.
#   scripts/address.sh ADDRESS [REVISION]    such as github.com/you/operatorbench v1.0.0, in the root of a clone; git diff shows what it changed
set -euo pipefail
new=${1:-} revision=${2:-main}
[[ $new =~ ^[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._-]+)+$ ]] || { echo "address.sh: ${new:+$new is no address: }expected HOST/OWNER/NAME, such as github.com/you/operatorbench" >&2; exit 2; }
old=$(go list -m)

# A path of the module, wherever it is written: not the name of a folder or of a label, which begin with it.
path="s#(^|[^A-Za-z0-9_./-])${old//./\\.}/(e2e|fixtures|operators|docs)(/|[^A-Za-z0-9_-]|\$)#\1$new/\2\3#g"
git ls-files -z '*.go' '*go.mod' '*.yml' '*.yaml' Makefile | xargs -0 sed -i -E "$path"
# The module itself, where another one needs it.
git ls-files -z '*go.mod' | xargs -0 sed -i -E "s#^(module |	|replace )${old//./\\.}( v0\.0\.0| => |\$)#\1$new\2#"
sed -i -E "s#(pkg: )${old//./\\.},#\1$new,#" .golangci.yml
git ls-files -z '*.go' | xargs -0 gofmt -w
go mod tidy -C e2e/selftest # the order of what it requires

# What the documents say between these marks.
install="\`go install $new/e2e/cmd/opbench@$revision\` installs"
git ls-files -z '*.md' | xargs -0 sed -i -E "s#<!-- install -->.*<!-- end -->#<!-- install -->$install<!-- end -->#"
# GitHub names an action by owner and name; another host's is left as it is.
if [[ $new == github.com/*/* ]]; then
	git ls-files -z '*.md' | xargs -0 sed -i -E "s#OWNER/operatorbench@REVISION#${new#github.com/}@$revision#g"
fi
git ls-files -z '*.md' | xargs -0 sed -i "s#https://github.com/OWNER/operatorbench#https://$new#g"
