#!/bin/sh
# SPDX-License-Identifier: MIT
# Random traffic on rtl/msi or rtl/directory: agents find nothing wrong, and collider check agrees, by
# the model that each build promises and not by the next stronger one. What is covered of rtl/msi is
# what the abstract model of walk.cpp can reach; of rtl/directory all is.
# COLLIDER_RTL_TRACES is the number of traces, of 2000 operations.
#   tests/rtl/traffic.sh MODELS-FOLDER COLLIDER msi-traffic|directory-traffic
set -eu
. "$(dirname "$0")/common.sh"
system=${3%-traffic}
traces=${COLLIDER_RTL_TRACES:-500}

# allowed MODEL FILE, forbidden MODEL FILE: all traces are, or some are not.
allowed() { "$collider" check --quiet --model "$1" "$2" >"$place/verdicts" || fail "$2 is not $1"; }
forbidden() { ! "$collider" check --quiet --model "$1" "$2" >"$place/verdicts" 2>&1 || fail "$2 is $1"; }

# The points of a coverage file that were hit, or with $2, those that were not.
points() {
    hit=${2:-[1-9][0-9]*}
    sed -n "s/^C '.*page.v_user\/\([a-z0-9_]*\).o.\([A-Za-z0-9_]*\).h.*' $hit\$/\1 \2/p" "$1" |
        sed 's/___05F/__/' | sort
}

"$models/$system-tso/system_traffic" --traces "$traces" --trace "$place/tso" --coverage "$place/coverage"
allowed tso "$place/tso"
forbidden sc "$place/tso"
"$models/$system-tso/system_traffic" --traces 50 --seed 2 --replaced no --trace "$place/unordered"
allowed tso "$place/unordered"
points "$place/coverage" >"$place/covered"
points "$place/coverage" 0 >"$place/never"
echo "$(wc -l <"$place/covered") points are covered; never: $(tr '\n' ' ' <"$place/never")"
if [ "$system" = directory ]; then
    [ ! -s "$place/never" ] || fail "some points are not covered"
    exit 0
fi

"$models/walk/walk" 4 >"$place/reachable"
sort "$place/reachable" | diff "$place/covered" - ||
    fail "left of these: covered, but not reachable in the abstract model; right: the contrary"

"$models/msi-sc/system_traffic" --traces $((traces / 4)) --trace "$place/sc"
allowed sc "$place/sc"

"$models/msi-weak/system_traffic" --traces $((traces / 4)) --trace "$place/weak"
allowed rvwmo "$place/weak"
forbidden tso "$place/weak"
