#!/usr/bin/env bash
# Writes the held-out operators into a folder: the correct one, and for each patch a copy of it with that fault. Prints their folders, with commas.
# Usage: make.sh FOLDER [NAME...]   NAME: correct, or a patch without its ending (default: all)
set -euo pipefail
[[ $# -gt 0 ]] || { sed -n 2,3p "$0" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
if [[ $# == 0 ]]; then
  mapfile -t patches < <(cd "$here" && ls -- *.patch)
  set -- correct "${patches[@]%.patch}"
fi
made=()
for name in "$@"; do
  [[ $name == correct || -f $here/$name.patch ]] || { echo "make.sh: there is no $here/$name.patch" >&2; exit 2; }
  rm -rf "${out:?}/$name"
  cp -r "$here/correct" "$out/$name"
  # Else git looks for the repository that the folder may be in, and takes the paths as that one's.
  [[ $name == correct ]] || (cd "$out/$name" && GIT_CEILING_DIRECTORIES=$out git apply -p0 "$here/$name.patch")
  sed -i "s/^name: correct\$/name: $name/" "$out/$name/style.yaml"
  made+=("$out/$name")
done
(IFS=, && echo "${made[*]}")
