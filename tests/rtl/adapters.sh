#!/bin/sh
# SPDX-License-Identifier: MIT
# The adapters of rtl/adapters on memory systems of their own (rtl/adapters/tests): clean without an
# error, and every error is found by collider run. NAME is that of a design file there, or with
# -traffic behind it: a million operations.
#   tests/rtl/adapters.sh MODELS-FOLDER COLLIDER NAME
set -eu
. "$(dirname "$0")/common.sh"
designs=$(dirname "$0")/../../rtl/adapters/tests
XDG_CACHE_HOME=$models/adapters # compiled once for both tests
COLLIDER_OPTIMISATION=-O1
export XDG_CACHE_HOME COLLIDER_OPTIMISATION
mkdir -p "$XDG_CACHE_HOME"
name=${3#adapters-}
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
*-traffic) # 40 tests of 25000 operations
    run "${name%-traffic}" --tests 40 --ops 25000
    [ $status -eq 0 ] || fail "$(cat said)"
    exit 0
    ;;
axi4) errors=$(seq 1 9) ;;
axi4-caches) errors="4 10" ;;
tilelink) errors=$(seq 1 9) ;;
wishbone) errors="1 2 3 4 6 8 9" ;;
wishbone-pipelined) errors="1 2 3 4 5 6 8 9" ;;
esac

run "$name" --tests 20
[ $status -eq 0 ] || fail "without an error: $(cat said)"
for error in $errors; do
    run "$name" --tests 200 --options "error_select=$error"
    [ $status -eq 1 ] || fail "error $error is not found: $(cat said)"
    echo "error $error: $(grep -m 1 . said)"
done
