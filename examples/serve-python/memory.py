#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A design behind Collider's serve protocol (docs/serve.md), in plain Python: copy it as a start.

A sequentially consistent memory. A step of a core takes effect at once, and the seed decides whose
step is next. It shows events, or with --reads what reads returned and the final memory.

    collider run 'serve:python3 examples/serve-python/memory.py'
    collider run 'serve:python3 examples/serve-python/memory.py --reads --bug stale'
"""

import argparse
import random
import sys

VERSION = 1
BUGS = ("stale", "lost", "deadlock")
READS = ("load", "await", "swap", "add")
WRITES = ("store", "swap", "add")


class Program:
    """Threads of operations [kind, location, value], numbered through the whole program."""

    def __init__(self, lines):
        self.locations = 0
        self.threads = []
        self.operations = []
        for line in lines:
            words = line.split("#")[0].split()
            if not words or words[0] in ("collider", "word", "end"):
                continue
            if words[0] == "location":
                self.locations += 1
            elif words[0] == "thread":
                self.threads.append([])
            else:
                self.threads[-1].append(len(self.operations))
                self.operations.append(self.operation(words))

    @staticmethod
    def operation(words):
        location = int(words[1][1:]) if len(words) > 1 and words[1][0] == "a" else None
        value = int(words[2], 0) if words[0] in ("store", "swap", "add", "await") else None
        return words[0], location, value


class Memory:
    """What happens when a program runs."""

    def __init__(self, cores, bug):
        self.cores = cores
        self.bug = bug
        self.program = None

    def run(self, seed, show):
        """One instance: calls show(cycle, number, kind, word, old) for each access, in the order of
        memory; a step is a cycle. Returns how it ended and after how many cycles."""
        chance = random.Random(seed)
        program = self.program
        memory = [0] * program.locations
        before = [0] * program.locations  # what each location held before its last write
        waiting = [list(reversed(thread)) for thread in program.threads]
        cycle = idle = 0
        while any(waiting):
            cycle += 1
            thread = chance.choice([t for t in waiting if t])
            number = thread[-1]
            kind, location, value = program.operations[number]
            if kind == "await" and memory[location] != value:
                idle += 1
                if idle > 1000 * len(waiting):
                    return "deadlock", cycle
                continue
            idle = 0
            thread.pop()
            if location is None or kind == "flush":
                continue  # a fence or delay: all is in order, and nothing takes time
            word = old = memory[location]
            if kind in WRITES:
                word = old + (value << 32) if kind == "add" else value
                lost = self.bug == "lost" and kind == "add" and chance.random() < 0.05
                before[location] = old
                memory[location] = old if lost else word
            elif kind == "load" and self.bug == "stale" and chance.random() < 0.01:
                word = before[location]
            if self.bug == "deadlock" and chance.random() < 0.001:
                return "deadlock", cycle
            show(cycle, number, kind, word, old)
        self.final = memory
        return "complete", cycle


class Server:
    """The protocol: lines in, lines out."""

    def __init__(self, arguments):
        self.reads = arguments.reads
        self.memory = Memory(4, arguments.bug)

    def say(self, *words):
        sys.stdout.write(" ".join(str(word) for word in words) + "\n")

    def describe(self):
        self.say("name memory")
        self.say("cores", self.memory.cores)
        self.say("model sc")
        self.say("shows", "reads" if self.reads else "events")
        self.say("end")

    def load(self):
        lines = []
        while not lines or lines[-1].split() != ["end"]:
            lines.append(sys.stdin.readline())
            if not lines[-1]:
                sys.exit("standard input ended in a program")
        self.memory.program = Program(lines)
        self.say("ok")

    def show_event(self, cycle, number, kind, word, old):
        self.say("cycle", cycle)
        if kind in WRITES:
            self.say("store", number, word, old, *([old] if kind in READS else []))
        else:
            self.say("load", number, word)

    def show_read(self, _, number, kind, word, old):
        if kind in READS:
            self.say("read", number, old if kind in WRITES else word)

    def run(self, seed):
        how, cycles = self.memory.run(seed, self.show_read if self.reads else self.show_event)
        if how == "complete" and self.reads:
            for location, word in enumerate(self.memory.final):
                self.say("final", f"a{location}", word)
        self.say("end", how, cycles)

    def options(self, text):
        if not text.startswith("bug=") or text[4:] not in BUGS:
            self.say("failed the option of this memory is bug=" + " or bug=".join(BUGS))
            return
        self.memory.bug = text[4:]

    def serve(self):
        for line in sys.stdin:
            words = line.split()
            if not words or words[0] == "stop":
                continue  # a stop that came too late
            if words[0] == "quit":
                break
            if words[0] == "hello":
                self.say("hello", VERSION)
            elif words[0] == "cores":
                self.memory.cores = int(words[1])
            elif words[0] == "options":
                self.options(words[1])
            elif words[0] == "describe":
                self.describe()
            elif words[0] == "load":
                self.load()
            elif words[0] == "run":
                self.run(int(words[1]))
            else:
                self.say("failed to understand", line.strip())
            sys.stdout.flush()  # an answer that stays in a buffer is silence


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reads", action="store_true", help="show what reads returned alone")
    parser.add_argument("--bug", choices=BUGS, help="an error to find")
    Server(parser.parse_args()).serve()


if __name__ == "__main__":
    main()
