#!/usr/bin/env bash
# Posts what a gate says as a comment of a pull request, or replaces the one that is there: one comment, however often it runs. Where the gate
# has compared nothing there is no comment, but one that is there says so. KEY tells several gates of one pull request apart.
#   GH_TOKEN=… GH_REPO=owner/name NUMBER=… LINK=URL [KEY=TEXT] [VERDICT=WORD] scripts/gate-comment.sh gate.md
set -euo pipefail
text=$1
marker="<!-- operatorbench gate -->" key="<!-- of ${KEY:-all} -->"
most=65000 # GitHub refuses a comment of more than 65,536 characters
if [[ -s $text ]] && (($(wc -m <"$text") > most)); then
	cut="_This comment is cut: GitHub takes 65,536 characters. [The artifact gate]($LINK) has all of it, in gate.md._"
	{ head -c "$most" "$text" | iconv -c -f UTF-8 -t UTF-8 | sed '$d'; printf '\n</details>\n\n%s\n' "$cut"; } >"$text.cut"
	mv "$text.cut" "$text"
fi
# Only what a program wrote, or whoever the token is of: a person may quote a comment.
me=$(gh api user --jq .login 2>/dev/null) || me="github-actions[bot]"
mine=".[] | select((.user.type == \"Bot\" or .user.login == \"$me\") and (.body | contains(\"$marker\")) and (.body | contains(\"$key\"))) | .id"
id=$(gh api --paginate "repos/$GH_REPO/issues/$NUMBER/comments" --jq "$mine" | sed -n 1p)
if [[ ! -s $text ]]; then
	[[ -n $id ]] || { echo "there is no $text: no operator changed, or the run broke; there is nothing to comment"; exit 0; }
	text=$(mktemp)
	printf '%s\n## operatorbench gate: %s\n\nNothing was compared this time: [the job](%s) says why. What stood here was of an earlier commit.\n' "$marker" "${VERDICT:-no answer}" "$LINK" >"$text"
fi
printf '\n%s\n' "$key" >>"$text"
if [[ -n $id ]]; then
	gh api --method PATCH "repos/$GH_REPO/issues/comments/$id" -F body=@"$text" --silent
else
	gh pr comment "$NUMBER" --body-file "$text"
fi
