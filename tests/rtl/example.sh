#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/verilator-cpp: it builds, is clean, and its error is found, replayed and shrunk.
#   tests/rtl/example.sh SOURCE-FOLDER COLLIDER
set -eu
. "$(dirname "$0")/common.sh"
"$1/examples/verilator-cpp/build.sh" "$place/built" >"$place/said" 2>&1 || fail "$(tail -n 20 "$place/said")"
design=$place/built/mailboxes.so
"$collider" run "$design" --tests 30 --quiet --out "$place/clean" >"$place/said" || fail "$(cat "$place/said")"
grep -q ' 4 of *4 points\| 4 of *4 transitions' "$place/said" || fail "not all is covered: $(cat "$place/said")"
status=0
"$collider" run "$design" --options broken=1 --tests 200 --quiet --out "$place/broken" >"$place/said" 2>&1 || status=$?
[ "$status" = 1 ] || fail "the error is not found: $(cat "$place/said")"
"$collider" shrink --quiet --allow-code --time 10s "$place"/broken/failure-* >"$place/said" 2>&1 || true
"$collider" replay --quiet --allow-code "$place"/broken/failure-*/shrunk >"$place/said" 2>&1 || true
grep -q ', as recorded$' "$place/said" || fail "$(cat "$place/said")"
