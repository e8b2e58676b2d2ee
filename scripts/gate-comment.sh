#!/usr/bin/env bash
# Posts what a gate says as a comment of a pull request, or replaces the one that is there: one comment, however often it runs.
#   GH_TOKEN=… GH_REPO=owner/name NUMBER=… LINK=URL scripts/gate-comment.sh gate.md
set -euo pipefail
text=$1
[[ -s $text ]] || { echo "there is no $text: no operator changed, or the run broke"; exit 0; }
most=65000 # GitHub refuses a comment of more than 65,536 characters
if (($(wc -m <"$text") > most)); then
	cut="_This comment is cut: GitHub takes 65,536 characters. [The artifact gate]($LINK) has all of it, in gate.md._"
	{ head -c "$most" "$text" | iconv -c -f UTF-8 -t UTF-8 | sed '$d'; printf '\n</details>\n\n%s\n' "$cut"; } >"$text.cut"
	mv "$text.cut" "$text"
fi
mine='.[] | select(.user.login == "github-actions[bot]" and (.body | contains("<!-- operatorbench gate -->"))) | .id'
id=$(gh api --paginate "repos/$GH_REPO/issues/$NUMBER/comments" --jq "$mine" | sed -n 1p)
if [[ -n $id ]]; then
	gh api --method PATCH "repos/$GH_REPO/issues/comments/$id" -F body=@"$text" --silent
else
	gh pr comment "$NUMBER" --body-file "$text"
fi
