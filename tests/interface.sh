#!/bin/sh
# SPDX-License-Identifier: MIT
# The options of the command and the keys of its JSON that docs/promises.md promises are all there:
#   tests/interface.sh COLLIDER SOURCE-FOLDER          compares with tests/data/interface
#   tests/interface.sh --fix COLLIDER SOURCE-FOLDER    takes additions over, for a release
# COLLIDER_INTERFACE names another folder than tests/data/interface.
set -eu
fixes=
if [ "$1" = --fix ]; then
    fixes=1
    shift
fi
collider=$1
promised=${COLLIDER_INTERFACE:-$2/tests/data/interface}
data=$2/tests/data
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
LC_ALL=C
HOME=$place
export LC_ALL HOME
unset COLLIDER_DESIGNS COLLIDER_ERRORS COLLIDER_PLANS COLLIDER_PROTOCOLS
cd "$place"

# COMMAND --option
"$collider" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
    "$collider" help "$command" | sed -n "s/^  *\(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/$command --\2/p"
done | sort -u >options.txt

# Every key, with the keys that it is under: run.coverage.structural. Elements of lists are [], names of machines *.
cat >keys.py <<'END'
import json, sys
def walk(value, path):
    if isinstance(value, dict):
        for key, below in value.items():
            key = "*" if key[0].isupper() else key  # machines, which designs name
            print(path + "." + key)
            walk(below, path + "." + key)
    elif isinstance(value, list):
        for below in value:
            walk(below, path + "[]")
walk(json.load(sys.stdin), sys.argv[1])
END
keys() { # NAME WORDS...: of what the command writes with --json -
    name=$1
    shift
    status=0
    "$collider" "$@" --json - --quiet >"$name.json" 2>"$name.err" || status=$?
    if [ $status -gt 1 ]; then
        echo "interface: collider $*: $(cat "$name.err")" >&2
        exit 1
    fi
    sed -n '/^[{[]/,$p' "$name.json" | python3 keys.py "$name"
}
{
    keys run run msi --cores 2 --ops 32 --locations 2 --tests 3 --witness --out passed
    keys run run mesi3 --error D9 --engine chain-bias --ops 1Ki --seed 3 --out found
    keys replay replay found/failure-1-1
    cp -r "$data/formats/1.0/failure" small
    keys shrink shrink small
    keys check check "$data/formats/1.0/failure/events.trace"
    keys generate generate --ops 8 --out tests
    keys explore explore mi
    sed 's/seed: 1/seed: 1..2/' "$data/formats/plan.yaml" >plan.yaml # statistics want several seeds
    keys campaign campaign plan.yaml --out kept.db --jobs 1
    keys report report kept.db --out report.html
    keys coverage coverage show passed
    keys design design list
    python3 keys.py failure <found/failure-1-1/failure.json
    python3 keys.py episode <found/episode.json
} >keys.unsorted
sort -u keys.unsorted >keys.txt

result=0
for list in options keys; do
    [ -s $list.txt ] || { echo "interface: no $list found" >&2 && exit 1; }
    [ -n "$fixes" ] && [ ! -e "$promised/$list.txt" ] && cp $list.txt "$promised/"
    comm -23 "$promised/$list.txt" $list.txt >gone
    if [ -s gone ]; then
        echo "interface: $list that are promised are gone:" >&2
        sed 's/^/  - /' gone >&2
        result=1
    elif [ -n "$fixes" ]; then
        cp $list.txt "$promised/"
    fi
done
[ $result -ne 0 ] || echo "interface: $(wc -l <"$promised/options.txt") options, $(wc -l <"$promised/keys.txt") keys as promised"
exit $result
