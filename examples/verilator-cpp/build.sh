#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes mailboxes.so, a design: collider run ./mailboxes.so.
#   examples/verilator-cpp/build.sh OUTPUT-FOLDER [FOLDER-OF-COLLIDER'S-HEADERS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
headers=${2:-$here/../../include}
runtime=$(verilator --getenv VERILATOR_ROOT)/include
mkdir -p "$out"
verilator --cc --no-timing --assert --coverage-user --flatten -Wno-fatal -O3 --prefix Vmailboxes \
    --Mdir "$out/model" "$here/mailboxes.sv"
"${CXX:-c++}" -std=c++17 -O1 -w -fPIC -fvisibility=hidden -shared -Wl,-Bsymbolic \
    -DVM_COVERAGE=1 -DVM_SC=0 -DVM_TRACE=0 -I"$headers" -I"$out/model" -I"$runtime" -I"$runtime/vltstd" \
    "$here/design.cpp" "$here/runtime.cpp" "$out"/model/*.cpp -o "$out/mailboxes.so"
