#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/abi.sh notices what breaks programs that are compiled already, and tells additions from it:
#   tests/abi_planted.sh LIBRARY SOURCE-FOLDER
set -eu
library=$1
source=$2
command -v clang >/dev/null || exit 77
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# planted NAME FILE EDIT WORDS: with this edit of a header, abi.sh fails with these words, --fix or not.
planted() {
    rm -rf "$place/tree"
    mkdir -p "$place/tree/tests/data"
    cp -r "$source/include" "$place/tree"
    cp -r "$source/tests/data/abi" "$place/tree/tests/data"
    sed -i "$3" "$place/tree/include/collider/$2"
    if cmp -s "$place/tree/include/collider/$2" "$source/include/collider/$2"; then
        echo "abi-planted: $1: the edit does nothing" >&2
        exit 1
    fi
    for fix in "" --fix; do
        # shellcheck disable=SC2086
        if "$source/tests/abi.sh" $fix "$library" "$place/tree" >"$place/said" 2>&1; then
            [ "$fix $4" = "--fix new" ] && continue
            echo "abi-planted: $1 is not noticed" >&2
            exit 1
        fi
        if [ "$fix $4" = "--fix new" ] || ! grep -q "$4" "$place/said"; then
            echo "abi-planted: $1: $(cat "$place/said")" >&2
            exit 1
        fi
    done
}
planted "a wider member" problem.h 's/uint32_t line;/uint64_t line;/' "gone or changed"
planted "another value" problem.h 's/COL_FAILURE = 3/COL_FAILURE = 4/' "gone or changed"
planted "another parameter" problem.h 's/const col_problem \*problem, char/col_problem *problem, char/' "gone or changed"
planted "a new constant" problem.h 's/COL_FAILURE = 3/COL_FAILURE = 3, COL_NOVELTY = 9/' new

# A library that lacks a function.
echo 'int col_version;' | cc -shared -fPIC -xc - -o "$place/poor.so"
if "$source/tests/abi.sh" "$place/poor.so" "$source" >"$place/said" 2>&1; then
    echo "abi-planted: missing functions are not noticed" >&2
    exit 1
fi
grep -q '  - col_problem_text' "$place/said"
