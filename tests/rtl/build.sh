#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds one of the programs that test rtl/ into a folder of its name.
#   tests/rtl/build.sh SOURCE-FOLDER MODELS-FOLDER MODEL
set -eu
source=$1
models=$2
model=$3
tests=$source/tests/rtl
mkdir -p "$models/$model"

command -v ccache >/dev/null && export OBJCACHE=ccache

# verilate LIST TOP FLAGS PROGRAM SOURCES-AND-PARAMETERS...
verilate() {
    list=$1
    top=$2
    flags=$3
    program=$4
    shift 4
    verilator --cc --exe --build -O3 --assert --coverage-user --x-initial unique --x-assign unique \
        -Wall -F "$source/rtl/$list" --top "$top" \
        -CFLAGS "-O2 -std=c++17 -Wall -Wextra $flags" -MAKEFLAGS OPT_FAST=-O1 -MAKEFLAGS OPT_SLOW=-O0 \
        --Mdir "$models/$model" -o "$program" "$@" >"$models/$model/log" 2>&1 ||
        { tail -n 20 "$models/$model/log" >&2; exit 1; }
}

# system LIST TOP PORTS PARAMETERS...
system() {
    list=$1
    top=$2
    ports=$3
    shift 3
    verilate "$list" "$top" "-DPORTS=$ports -DBLOCK_BYTES=16 -DMODEL=V$top -DMODEL_HEADER=\\\"V$top.h\\\"" \
        system_traffic "$tests/system_traffic.cpp" "$tests/traffic.cpp" -GCACHES="$ports" "$@"
}

msi() { system msi/msi.f msi_system "$@"; }

directory() { system directory/directory.f directory_system "$@"; }

cluster() {
    verilate cores/cluster.f cluster -DHARTS=4 cluster_run "$tests/cluster_run.cpp" -GHARTS=4 "$@"
}

case $model in
msi-tso) msi 4 -GSETS=2 ;;
msi-sc) msi 3 -GSETS=2 -GSTORE_BUFFER=0 ;;
msi-weak) msi 3 -GSETS=4 -GSTORE_BUFFER=5 -GIN_ORDER=0 ;;
directory-tso) directory 4 -GSETS=2 ;;
cluster-tso) cluster -GSETS=8 -GLATENCY=20 ;;
cluster-weak) cluster -GSETS=8 -GIN_ORDER=0 -GLATENCY=20 ;;
buses)
    c++ -O1 -std=c++17 -w -DVM_TRACE=0 -DVM_COVERAGE=1 -DVM_SC=0 -I"$source/include" \
        -I"$(verilator --getenv VERILATOR_ROOT)/include" "$tests/buses.cpp" -o "$models/buses/buses"
    ;;
walk | instructions) c++ -O2 -std=c++17 -Wall -Wextra -Wshadow "$tests/$model.cpp" -o "$models/$model/$model" ;;
*)
    echo "build.sh: unknown model '$model'" >&2
    exit 2
    ;;
esac
