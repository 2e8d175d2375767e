#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine for tests: every read returns the initial value. It runs no code, but leaves behind what an
image would, as map.json says: of a program that stores 1 to a0 and 2 to a1, and each once. The first
word says what it does besides."""
import json
import os
import signal
import subprocess
import sys
import time

folder, how, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(os.path.join(folder, "map.json")) as file:
    image = json.load(file)
number = lambda text: int(text, 16) if isinstance(text, str) else text
threads, rounds, word = image["threads"], image["rounds"], image["word"]
results = bytearray(b"\xff" * number(image["results"]["size"]))
DONE, ALONE, GAVE_UP, TRAPPED = 2, 3, 4, 5


def salt(turn):
    return (turn + 1) * number(image["salt"]["step"]) & number(image["salt"]["mask"])


def put(at, value, size=8):
    results[at:at + size] = value.to_bytes(size, "little")


def record(hart, state, turn=0, cause=0, pc=0):
    base = hart * image["results"]["record"]
    for place, value in enumerate([0x434F4C00 + state, turn, cause, pc, 0, image["image"]]):
        put(base + 8 * place, value)


def run_rounds():
    for turn in range(rounds):
        part = image["results"]["log"] + turn * image["results"]["stride"]
        for thread in threads:
            for slot in range(thread["slots"]):
                put(part + thread["offset"] + slot * word, salt(turn), word)
        if image["results"]["finals"] is not None:
            finals = part + image["results"]["finals"]
            for location in range(2):
                put(finals + location * word, salt(turn) + location + 1, word)


def commits():
    for turn in range(rounds):
        for thread in threads:
            yield "core %d: 3 %s (0x13)" % (thread["hart"], thread["entry"])
            for site in thread["operations"]:
                if "slot" in site:
                    yield "core %d: 3 %s (0x53683) %s 0x%x mem 0x80010040" % (
                        thread["hart"], site["pc"], site["register"], salt(turn))


for thread in threads:
    record(thread["hart"], DONE, rounds - 1)
run_rounds()
print("the machine does:", how, *rest, flush=True)
if how == "hang":
    subprocess.Popen(["sleep", "1000"])
    time.sleep(1000)
elif how == "signal":
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "loud":
    print("\n".join("line %d" % line for line in range(20000)))
    sys.exit(1)
elif how == "exit":
    print("no licence", file=sys.stderr)
elif how == "lost":
    put(image["results"]["log"] + threads[1]["offset"], (1 << 8 * word) - 1, word)
elif how == "other":
    put(40, image["image"] + 1)
elif how == "alone":
    record(0, ALONE, 2, cause=1)
    record(1, 0)
elif how == "waits":
    record(1, GAVE_UP, 2)
elif how == "traps":
    record(1, TRAPPED, 2, cause=5, pc=number(threads[1]["operations"][0]["pc"]))
elif how == "dumps":
    with open(os.path.join(folder, "memory"), "wb") as file:
        file.truncate(number(image["ram"]["size"]))
        file.seek(number(image["results"]["base"]) - number(image["ram"]["base"]))
        file.write(results)
elif how == "commits":
    with open(os.path.join(folder, "commits"), "w") as file:
        file.write("\n".join(commits()) + "\n")
elif how == "prints":
    print("\n".join(commits()))
if how == "signature":
    with open(os.path.join(folder, "log"), "w") as file:
        for at in range(0, len(results), 16):
            file.write(results[at:at + 16].ljust(16, b"\0")[::-1].hex() + "\n")
elif how not in ("nothing", "dumps", "commits", "prints"):
    with open(os.path.join(folder, "log"), "wb") as file:
        file.write(results)
sys.exit(int(rest[0]) if how == "exit" else 0)
