#!/bin/sh
# SPDX-License-Identifier: MIT
# All of rtl/ is clean under Verilator's -Wall, with parameters at their ends.
#   tests/rtl/lint.sh SOURCE-FOLDER
set -eu
rtl=$1/rtl

lint() {
    list=$1
    top=$2
    shift 2
    echo "lint $top $*"
    verilator --lint-only -Wall "$@" -F "$rtl/$list" --top "$top"
}

lint msi/msi.f msi_system
lint msi/msi.f msi_system -GCACHES=2 -GSETS=1 -GWAYS=1 -GDATA_BITS=32 -GSTORE_BUFFER=0
lint msi/msi.f msi_system -GCACHES=8 -GBLOCK_BYTES=32 -GSTORE_BUFFER=8 -GLATENCY=0
lint msi/msi.f msi_system -GCACHES=3 -GSETS=3 -GWAYS=3 -GSTORE_BUFFER=3 -GIN_ORDER=0
lint directory/directory.f directory_system
lint directory/directory.f directory_system -GCACHES=2 -GSETS=1 -GWAYS=1 -GDATA_BITS=32 -GSTORE_BUFFER=0
lint directory/directory.f directory_system -GCACHES=8 -GBLOCK_BYTES=32 -GTRANSACTIONS=2 -GSTORE_BUFFER=8
lint directory/directory.f directory_system -GCACHES=3 -GTRANSACTIONS=3 -GIN_ORDER=0 -GLATENCY=0
lint cores/cluster.f cluster
lint cores/cluster.f cluster -GHARTS=2 -GBLOCK_BYTES=32 -GSTORE_BUFFER=0
for bits in 32 64 128; do
    for bus in axi4 tilelink wishbone ahb apb obi; do
        lint adapters/adapters.f "collider_${bus}_adapter" -GBUS_BITS=$bits
        lint adapters/adapters.f "collider_${bus}_checker" -GBUS_BITS=$bits
    done
done
lint adapters/adapters.f collider_axi4_adapter -GID_BITS=1 -GIDS=1 -GADDRESS_BITS=12
lint adapters/adapters.f collider_axi4_adapter -GBURSTS=2 -GBUS_BITS=128 "-GEXCLUSIVE=1'b1"
lint adapters/adapters.f collider_ahb_adapter -GBURSTS=2 -GBUS_BITS=64 "-GSTROBES=1'b1"
lint adapters/adapters.f collider_wishbone_adapter "-GPIPELINED=1'b1" "-GWORDS=1'b1"
for system in axi4_system tilelink_system wishbone_system in_order_system; do
    lint adapters/tests/systems.f $system -F "$rtl/adapters/adapters.f"
    lint adapters/tests/systems.f $system -F "$rtl/adapters/adapters.f" "-GCACHES=1'b1" -GBUS_BITS=32
done
lint cores/chip.f chip
lint cores/chip.f chip -GHARTS=2 -GBLOCK_BYTES=32 -GSTORE_BUFFER=0
lint cores/chip.f chip_wishbone
lint cores/chip.f chip_wishbone -GHARTS=3 -GPIPELINED="1'b1"
lint cores/chip.f chip_axi4
lint cores/chip.f chip_tilelink -GHARTS=3
lint cores/chip.f chip_in_order
lint cores/chip.f chip_in_order -GBUS=1
lint cores/chip.f chip_in_order -GBUS=2

# A testbench: DPI-C has whole ints, and what is to be done in a cycle is known before it is done.
lint guest/guest.f collider_guest -Wno-UNUSEDSIGNAL -Wno-BLKSEQ

# Nothing is left out of the lists.
for file in "$rtl"/*/*.sv "$rtl"/*/tests/*.sv; do
    cat "$rtl"/*/*.f "$rtl"/*/tests/*.f | grep -qE "(^|/)$(basename "$file")\$" ||
        { echo "$file is in no list" >&2; exit 1; }
done
