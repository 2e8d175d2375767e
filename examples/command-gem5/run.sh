#!/bin/sh
# SPDX-License-Identifier: MIT
# IMAGE COMMITS HARTS SEED: runs the image in gem5, and turns its trace into a commit log.
set -e
"$GEM5/build/RISCV/gem5.opt" --outdir=out --debug-flags=Exec,-ExecSymbol --debug-file=trace.txt \
    "$GEM5/configs/example/riscv/fs_linux.py" --bare-metal --kernel="$1" --num-cpus="$3" \
    --mem-size=128MB --cpu-type=O3CPU --caches --l2cache --abs-max-tick="${TICKS:-2000000000}"
python3 "$(dirname "$0")/commits.py" out/trace.txt >"$2"
