#!/bin/sh
# SPDX-License-Identifier: MIT
# What a user does with rtl/msi or rtl/directory: `collider run` with no options finds nothing wrong,
# finds an error that is selected within a minute, replays it to the cycle, and shrinks it to at most
# 16 operations. With `all` every error, and a million operations of which only reads are shown; else
# a short run and one error.
# COLLIDER_RTL_TIME and COLLIDER_RTL_SHRINK are the times to find and to shrink an error in, for
# machines that are busy; COLLIDER_RTL_ERRORS, the errors to select.
#   tests/rtl/found.sh SOURCE-FOLDER COLLIDER msi|directory [all]
set -eu
. "$(dirname "$0")/common.sh"
source=$1
system=$3
time=${COLLIDER_RTL_TIME:-60s}
design=$source/rtl/$system/$system.yaml
export XDG_CACHE_HOME="${COLLIDER_RTL_CACHE:-$place}"
export LC_ALL=C

# Compile it before any clock runs.
"$collider" run "$design" --tests 1 --quiet --out "$place/first" >"$place/said" || fail "$(cat "$place/said")"

# clean OPTIONS...: nothing is found.
clean() {
    "$collider" run "$design" --quiet --out "$place/clean" --force "$@" >"$place/said" 2>&1 || fail "$(cat "$place/said")"
    echo "clean: $(head -n 1 "$place/said")"
}

# found ERROR: a line of a table.
found() {
    out=$place/error-$1
    status=0
    "$collider" run "$design" --options "error_select=$1" --time "$time" --quiet --out "$out" >"$place/said" 2>&1 || status=$?
    [ "$status" = 1 ] || fail "error $1 is not found: $(head -n 1 "$place/said")"
    tests=$(sed -n '1s/.* seed [0-9]*: \([0-9]*\) tests\{0,1\},.* \([0-9]*\) operations,.* in \(.*\)$/\1 | \2 | \3/p' "$place/said")
    verdict=$(sed -n 's/^\(violation\|deadlock\|protocol-error\): .*/\1/p' "$place/said")
    folder=$(echo "$out"/failure-*)
    "$collider" replay "$folder" --allow-code --quiet >"$place/said" 2>&1 || true
    grep -q ', as recorded$' "$place/said" || fail "error $1 does not replay: $(cat "$place/said")"
    "$collider" shrink "$folder" --allow-code --quiet --time "${COLLIDER_RTL_SHRINK:-60s}" >"$place/said" 2>&1 || true
    operations=$(sed -n 's/^to *\([0-9]*\) operations\{0,1\}.*/\1/p' "$place/said")
    [ "${operations:-99}" -le 16 ] || fail "error $1 does not shrink: $(cat "$place/said")"
    "$collider" replay "$folder/shrunk" --allow-code --quiet >"$place/said" 2>&1 || true
    grep -q ', as recorded$' "$place/said" || fail "error $1 does not replay once shrunk: $(cat "$place/said")"
    echo "| $1 | $verdict | $tests | $operations |"
}

if [ "${4:-}" != all ]; then
    clean --tests 30
    COLLIDER_RTL_SHRINK=10s
    case $system in
    msi) found 1 ;;
    *) found 23 ;;
    esac
    exit 0
fi

clean --reads-only --ops 2Ki --tests 200 --instances 3
clean --ops 2Ki --tests 200 --instances 3
case $system in
msi) errors=$(seq 1 18) ;;
*) errors="4 5 6 7 10 17 $(seq 19 29)" ;; # those of the ports, and its own
esac
echo "| error | verdict | tests | operations | time | after shrinking |"
for error in ${COLLIDER_RTL_ERRORS:-$errors}; do
    (found "$error") || missed="${missed:-} $error"
done
[ -z "${missed:-}" ] || fail "not as it should be:${missed:-}"
