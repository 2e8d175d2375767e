#!/bin/sh
# SPDX-License-Identifier: MIT
# `collider design new` on our own RTL: the design file that it writes runs as it is, or with a platform
# alone, and finds nothing wrong. No register changes its state in a way that is not in the file. With
# -traffic a million operations each.
#   tests/rtl/attach.sh MODELS-FOLDER COLLIDER attach|attach-traffic
set -eu
. "$(dirname "$0")/common.sh"
rtl=$(cd "$(dirname "$0")/../../rtl" && pwd)
XDG_CACHE_HOME=$models/attach
COLLIDER_OPTIMISATION=-O0
export XDG_CACHE_HOME COLLIDER_OPTIMISATION
mkdir -p "$XDG_CACHE_HOME"
cd "$place"
case $3 in
*-traffic) ports="--ops 2Ki --tests 250 --instances 2" chip="--ops 256 --tests 1500" ;;
*) ports="--ops 256 --tests 20" chip="--ops 64 --tests 10" ;;
esac

# attach LIST TOP OPTIONS...: the file is there already if it needed more.
attach() {
    list=$1 top=$2
    shift 2
    [ -e "$top.yaml" ] || "$collider" design new --verilog "$rtl/$list" --top "$top" --quiet
    "$collider" run "$top.yaml" --quiet --engine chain-bias --out "$top" "$@" >said 2>&1 || fail "$(cat said)"
    # "cache.states 49 of 324 points": all of them are among the possible ones.
    sed -n 's/^  \([a-z_]*\.[a-z_]*\) *\([0-9]*\) of .* points, .*; \([0-9]*\) of .*/\1 \2 \3/p' said >machines
    [ -s machines ] || fail "$top has no state register: $(cat said)"
    awk '$2 != $3 { print $1 " changes in a way that the source does not show"; wrong = 1 } END { exit wrong }' \
        machines || fail "$(cat said)"
    head -n 1 said
}

# shellcheck disable=SC2086
{
    attach msi/msi.f msi_system $ports
    attach directory/directory.f directory_system $ports
    "$collider" design new --verilog "$rtl/cores/chip.f" --top chip --quiet
    echo 'platform: rtl-chip' >>chip.yaml
    attach cores/chip.f chip $chip
}
