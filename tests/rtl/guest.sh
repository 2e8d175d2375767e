#!/bin/sh
# SPDX-License-Identifier: MIT
# Collider as a guest of a simulation of rtl/msi: it finds what it finds as the host, in the same
# cycle, with the same record; runs a list of programs; replays a failure of either; and the exit
# status says what came of it.
#   tests/rtl/guest.sh MODELS-FOLDER COLLIDER SOURCE-FOLDER
set -eu
. "$(dirname "$0")/common.sh"
source=$3
design=$source/rtl/msi/msi.yaml
export XDG_CACHE_HOME="${COLLIDER_RTL_CACHE:-$place}"

# guest CLEARS STATUS COMMAND: what it prints is in $place/said.
guest() {
    "$models/guest/$1/guest_top" "+collider=$3" >"$place/said" 2>&1 || fail "$(cat "$place/said")"
    grep -q "^guest_top: status $2\$" "$place/said" || fail "collider $3: $(cat "$place/said")"
}

# The host's failure and the guest's are the same, byte by byte. Their pictures differ: the guest
# was told of no cover points.
for error in 4 11 12; do
    run="run $design --engine chain-bias --options error_select=$error --tests 60 --quiet"
    status=0
    # shellcheck disable=SC2086 # these are words
    "$collider" $run --out "$place/host-$error" >/dev/null 2>&1 || status=$?
    [ "$status" = 1 ] || fail "the host does not find error $error"
    guest 0 1 "$run --out $place/guest-$error"
    failure=$(basename "$place/host-$error"/failure-*)
    for file in program.txt events.trace failure.json; do
        cmp "$place/host-$error/$failure/$file" "$place/guest-$error/$failure/$file"
    done
    # Only the host can make waveforms, and says how.
    sed '/^$/{N;/\nWaveform: /d}' "$place/host-$error/$failure/failure.txt" | cmp - "$place/guest-$error/$failure/failure.txt"
    guest 0 1 "replay --quiet $place/host-$error/$failure"
    grep -q ', as recorded$' "$place/said" || fail "$(cat "$place/said")"
done

# Memory that no reset clears: the guest stores zeros first.
guest 1 0 "run $design --tests 20 --quiet --out $place/clean"
grep -q '^  ports  *2 of  *2 ' "$place/said" || fail "cover points: $(cat "$place/said")"
grep -q '^  functional  *8 of  *8 ' "$place/said" || fail "cover points: $(cat "$place/said")"
guest 1 1 "run $design --options error_select=12 --tests 60 --quiet --out $place/found"
guest 1 0 "run $design --program $place/host-4/$(basename "$place"/host-4/failure-*)/program.txt --instances 2 --quiet --out $place/given"
guest 1 2 "run no-such.yaml --quiet"
guest 1 2 "run $design --options no_such=1 --quiet --out $place/none"
