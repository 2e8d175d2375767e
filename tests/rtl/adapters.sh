#!/bin/sh
# SPDX-License-Identifier: MIT
# The adapters of rtl/adapters on memory systems of their own (rtl/adapters/tests): clean without an
# error, and every error is found by collider run. NAME is adapters- and a design file there; with
# -traffic behind it, a million operations are clean.
#   tests/rtl/adapters.sh MODELS-FOLDER COLLIDER NAME
set -eu
. "$(dirname "$0")/common.sh"
designs=$(cd "$(dirname "$0")/../../rtl/adapters/tests" && pwd)
XDG_CACHE_HOME=$models/adapters # compiled once for both tests
COLLIDER_OPTIMISATION=-O0
export XDG_CACHE_HOME COLLIDER_OPTIMISATION
mkdir -p "$XDG_CACHE_HOME"
name=${3#adapters-}
name=${name%-errors}
cd "$place"

# run DESIGN ARGUMENTS...: `said` is what it says.
run() {
    design=$1
    shift
    status=0
    "$collider" run "$designs/$design.yaml" --quiet --out out "$@" >said 2>&1 || status=$?
    rm -rf out
}

case $name in
*-traffic) # of 2000 operations, three times each
    run "${name%-traffic}" --engine chain-bias --tests 210 --ops 2000
    [ $status -eq 0 ] || fail "$(cat said)"
    grep -m 1 operations said
    exit 0
    ;;
axi4) errors="$(seq 1 9) 11 12 13" ;;
axi4-exclusive) errors=14 ;;
axi4-caches) errors="4 10" ;;
tilelink-caches) errors="4 9" ;;
tilelink) errors=$(seq 1 9) ;;
wishbone) errors="1 2 3 4 6 8 9 11" ;;
wishbone-pipelined) errors="1 2 3 4 5 6 8 9 11" ;;
ahb) errors="$(seq 1 10) 11 12 13" ;;
apb) errors="1 2 6 7 8 11" ;;
obi) errors="$(seq 1 11)" ;;
esac

run "$name" --tests 20
[ $status -eq 0 ] || fail "without an error: $(cat said)"
for error in $errors; do
    run "$name" --tests 200 --options "error_select=$error"
    [ $status -eq 1 ] || fail "error $error is not found: $(cat said)"
    echo "error $error: $(grep -m 1 . said)"
done
