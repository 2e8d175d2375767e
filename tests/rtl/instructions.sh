#!/bin/sh
# SPDX-License-Identifier: MIT
# The core of rtl/cores computes what QEMU computes: random instructions leave the same registers and
# memory. COLLIDER_RTL_PROGRAMS is the number of programs, of 3000 instructions.
#   tests/rtl/instructions.sh MODELS-FOLDER COLLIDER
set -eu
. "$(dirname "$0")/common.sh"
programs=${COLLIDER_RTL_PROGRAMS:-6}
command -v qemu-system-riscv32 >/dev/null || { echo "skipped: qemu-system-riscv32 is not installed"; exit 77; }

bytes=1152
for seed in $(seq 1 "$programs"); do
    "$models/instructions/instructions" "$seed" 3000 "$place/program"
    rm -f "$place/memory"
    timeout 1500 qemu-system-riscv32 -machine virt,memory-backend=ram -m 512M -bios none -nographic \
        -object memory-backend-file,id=ram,size=512M,mem-path="$place/memory",share=on \
        -device loader,file="$place/program",addr=0x80000000,force-raw=on
    dd if="$place/memory" of="$place/expected" bs=1 skip=$((0x10000000)) count=$bytes 2>"$place/said"
    for model in cluster-tso cluster-weak; do
        "$models/$model/cluster_run" "$place/program" --seed "$seed" --cycles 2000000 \
            --dump "$place/computed" --base 0x90000000 --size $bytes >"$place/said"
        cmp "$place/expected" "$place/computed"
    done
    [ "$(tr -d '\0' <"$place/expected" | wc -c)" -gt 100 ] # it did run
done
echo "$programs programs of 3000 instructions leave what they leave under QEMU"
