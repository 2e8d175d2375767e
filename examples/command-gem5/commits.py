#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gem5's trace of instructions (Exec,-ExecSymbol) as a commit log: hart, program counter, register, value."""
import re
import sys

NAMES = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
         "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()
# 25007500: system.cpu0: T0 : 0x80004024 : ld a3, 0(a0) : MemRead : D=0x0000000000000005 A=0x80010040
LINE = re.compile(r"\s*\d+: system\.(?:cpu|cpus)(\d*)\S*\s+T0 : (0x[0-9a-f]+)(?:\.\d+)?\s*:\s*"
                  r"\S+\s+(\w+).*\bD=(0x[0-9a-f]+)")

for line in open(sys.argv[1]):
    found = LINE.match(line)
    if found and found[3] in NAMES:
        print(int(found[1] or 0), found[2], "x%d" % NAMES.index(found[3]), found[4])
