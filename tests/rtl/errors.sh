#!/bin/sh
# SPDX-License-Identifier: MIT
# Every error of rtl/msi or rtl/directory is found: by agents that know what words hold, by collider
# check on the whole trace, or because nothing moves any more.
#   tests/rtl/errors.sh MODELS-FOLDER COLLIDER msi-errors|directory-errors
set -eu
. "$(dirname "$0")/common.sh"
system=${3%-errors}
traffic=$models/$system-tso/system_traffic
traces=25
case $system in
msi) errors=$(seq 1 18) ;;
*) errors="4 5 6 7 10 17 $(seq 19 29)" ;; # those of the ports, and its own
esac

# ask_agents ERROR TRACES: `by` is what they say.
ask_agents() {
    status=0
    "$traffic" --error "$1" --traces "$2" >"$place/said" || status=$?
    case $status in
    0) ;;
    1) by="agents: $(head -n 1 "$place/said")" ;;
    4) by="hang: $(head -n 1 "$place/said")" ;;
    *) fail "$(cat "$place/said")" ;;
    esac
}

# What agents say, and what the checker says of whole traces.
judge() {
    by=
    ask_agents "$1" $traces
    "$traffic" --error "$1" --traces $traces --complains no --trace "$place/trace" >"$place/said" || true
    "$collider" check --quiet --model tso "$place/trace" >"$place/verdicts" 2>"$place/complaints" || true
    bad=$(grep -c NO "$place/verdicts" || true)
    [ "$bad" -eq 0 ] || by="${by:+$by; }checker: $bad of $(wc -l <"$place/verdicts") traces"
}

judge 0
[ -z "$by" ] || fail "without an error: $by"
for error in $errors; do
    judge "$error"
    [ -n "$by" ] || ask_agents "$error" $((10 * traces)) # a rare one
    [ -n "$by" ] || fail "error $error is not found"
    echo "error $error: $by"
done
