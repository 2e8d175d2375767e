#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds guest_top.sv, twice, with the library that it calls.
#   tests/rtl/guest_build.sh SOURCE-FOLDER MODELS-FOLDER LIBRARY
set -eu
source=$1
models=$2
library=$3
mkdir -p "$models/guest"
command -v ccache >/dev/null && export OBJCACHE=ccache
for clears in 0 1; do
    verilator --binary --timing --assert -Wno-lint -Wno-style -F "$source/rtl/msi/msi.f" \
        -F "$source/rtl/guest/guest.f" \
        "$source/tests/rtl/guest_top.sv" --top guest_top -GCLEARS="1'b$clears" \
        --Mdir "$models/guest/$clears" -o guest_top -MAKEFLAGS OPT_FAST=-O1 -MAKEFLAGS OPT_SLOW=-O0 \
        -LDFLAGS "$library -Wl,-rpath,$(dirname "$library")" >"$models/guest/log$clears" 2>&1 ||
        { tail -n 20 "$models/guest/log$clears" >&2; exit 1; }
done
