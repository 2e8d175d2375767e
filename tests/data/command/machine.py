#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine for tests: every read returns the initial value. It runs no code, but leaves behind what an
image would, as map.json says: of programs that store 1 to a0 and 2 to a1, and each once. The first
word says what it does besides. If there is a file `starts` beside it, it notes there how many programs it ran."""
import json
import os
import signal
import subprocess
import sys
import time

folder, how, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(os.path.join(folder, "map.json")) as file:
    said = json.load(file)
images = said.get("programs", [said])
number = lambda text: int(text, 16) if isinstance(text, str) else text
window = images[0]["results"].get("all", images[0]["results"])
results = bytearray(b"\xff" * number(window["size"]))
NEVER, DONE, ALONE, GAVE_UP, TRAPPED = 0, 2, 3, 4, 5


class Image:
    """A program of the image."""

    def __init__(self, said):
        self.said, self.results, self.threads = said, said["results"], said["threads"]
        self.rounds, self.word = said["rounds"], said["word"]
        self.base = number(self.results["base"]) - number(window["base"])

    def salt(self, turn):
        salt = self.said["salt"]
        return (salt.get("first", 0) + turn + 1) * number(salt["step"]) & number(salt["mask"])

    def put(self, at, value, size=8):
        results[self.base + at:self.base + at + size] = value.to_bytes(size, "little")

    def record(self, hart, state, turn=0, cause=0, pc=0):
        base = hart * self.results["record"]
        fields = [0x434F4C00 + state, turn, cause, pc, 0, self.said["image"]]
        for place, value in enumerate(fields):
            self.put(base + 8 * place, value)

    def run(self):
        for thread in self.threads:
            self.record(thread["hart"], DONE, self.rounds - 1)
        for turn in range(self.rounds):
            part = self.results["log"] + turn * self.results["stride"]
            for thread in self.threads:
                for slot in range(thread["slots"]):
                    self.put(part + thread["offset"] + slot * self.word, self.salt(turn), self.word)
            if self.results["finals"] is not None:
                finals = part + self.results["finals"]
                for location in range(2):
                    self.put(finals + location * self.word, self.salt(turn) + location + 1, self.word)

    def traps(self):
        pc = number(self.threads[1]["operations"][0]["pc"])
        self.record(1, TRAPPED, 2, cause=5, pc=pc)

    def commits(self):
        for turn in range(self.rounds):
            for thread in self.threads:
                yield "core %d: 3 %s (0x13)" % (thread["hart"], thread["entry"])
                for site in thread["operations"]:
                    if "slot" in site:
                        yield "core %d: 3 %s (0x53683) %s 0x%x mem 0x80010040" % (
                            thread["hart"], site["pc"], site["register"], self.salt(turn))

    def is_long(self):
        return len(self.threads[0]["operations"]) > 2


images = [Image(said) for said in images]
image = images[0]
commits = [line for one in images for line in one.commits()]
for one in images:
    one.run()
starts = os.path.join(os.path.dirname(sys.argv[0]), "starts")
if os.path.exists(starts):
    with open(starts, "a") as file:
        print(len(images), file=file)
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
    image.put(image.results["log"] + image.threads[1]["offset"], (1 << 8 * image.word) - 1, image.word)
elif how == "other":
    image.put(40, image.said["image"] + 1)
elif how == "alone":
    image.record(0, ALONE, 2, cause=1)
    image.record(1, NEVER)
elif how == "waits":
    image.record(1, GAVE_UP, 2)
elif how == "traps":
    image.traps()
elif how == "dies-long" and any(one.is_long() for one in images):  # nobody knows in which program
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "dies-together" and len(images) > 1:
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "traps-long":  # and what comes after that program never runs
    places = [place for place, one in enumerate(images) if one.is_long()]
    if places:
        images[places[0]].traps()
        commits = [line for one in images[:places[0]] for line in one.commits()]
        for one in images[places[0] + 1:]:
            for thread in one.threads:
                one.record(thread["hart"], NEVER)
elif how == "dumps":
    with open(os.path.join(folder, "memory"), "wb") as file:
        file.truncate(number(image.said["ram"]["size"]))
        file.seek(number(window["base"]) - number(image.said["ram"]["base"]))
        file.write(results)
elif how == "short":
    with open(os.path.join(folder, "memory"), "wb") as file:
        file.write(b"x")
elif how == "mkdir":
    os.mkdir(os.path.join(folder, "memory"))
elif how == "commits":
    with open(os.path.join(folder, "commits"), "w") as file:
        file.write("\n".join(commits) + "\n")
if how == "prints" or "prints" in rest:
    print("\n".join(commits))
if how == "signature":
    with open(os.path.join(folder, "log"), "w") as file:
        for at in range(0, len(results), 16):
            file.write(results[at:at + 16].ljust(16, b"\0")[::-1].hex() + "\n")
elif how not in ("nothing", "dumps", "short", "mkdir", "commits", "prints"):
    with open(os.path.join(folder, "log"), "wb") as file:
        file.write(results)
sys.exit(int(rest[0]) if how == "exit" else 0)
