# SPDX-License-Identifier: MIT
"""Test programs: threads of memory operations on shared locations."""
import ctypes
from ctypes import byref
from dataclasses import dataclass, field

from . import _declarations as c
from ._library import (Handle, call, choice, handed_over, lib, number, path, text)

_traits = c.VARIABLES["col_kinds"].in_dll(lib, "col_kinds")
kinds = tuple(trait.name.decode() for trait in _traits)
_dependencies = (None, "address", "data", "control")


@dataclass(frozen=True)
class Operation:
    """One operation. `location` is None for fences and delays; `value` is what a store, swap or add
    writes or what an await waits for; `cycles` is for delays."""
    kind: str
    location: int = None
    value: int = None
    acquire: bool = False
    release: bool = False
    dependency: str = None  # "address", "data" or "control"
    distance: int = 0  # of the dependency: how many operations back the read is
    fence: int = 0  # of a fence: a set of 1 (rr), 2 (rw), 4 (wr), 8 (ww)
    cycles: int = None
    thread: int = field(default=None, compare=False)  # of an operation of a program
    index: int = field(default=None, compare=False)  # in its thread

    def _write(self, to):
        kind = choice(self.kind, kinds, "the kind of an operation")
        is_delay = kind == c.COL_DELAY
        place = self.cycles if is_delay else self.location if _traits[kind].located else 0
        to.kind = kind
        to.location = number(0 if place is None else place, "cycles" if is_delay else "location")
        to.value = number(self.value or 0, "value")
        to.order = (c.COL_ACQUIRE if self.acquire else 0) | (c.COL_RELEASE if self.release else 0)
        to.dependency = choice(self.dependency, _dependencies, "the dependency of an operation") \
            if self.dependency is not None else 0
        to.distance = number(self.distance, "distance")
        is_fence = kind == c.COL_FENCE
        to.fence = number(self.fence or c.COL_FULL_FENCE, "fence", bits=4) if is_fence else 0


def _operation(from_, thread, index):
    is_delay = from_.kind == c.COL_DELAY
    writes = _traits[from_.kind].writes or from_.kind == c.COL_AWAIT
    return Operation(kind=kinds[from_.kind],
                     location=from_.location if _traits[from_.kind].located else None,
                     value=from_.value if writes else None,
                     acquire=bool(from_.order & c.COL_ACQUIRE),
                     release=bool(from_.order & c.COL_RELEASE),
                     dependency=_dependencies[from_.dependency], distance=from_.distance,
                     fence=from_.fence, cycles=from_.location if is_delay else None,
                     thread=thread, index=index)


class Program(Handle):
    """A test program. It never changes; iterate over it for its operations, thread by thread."""

    _what = "program"

    def __init__(self):
        self._struct = c.col_program()
        super().__init__(byref(self._struct), lib.col_program_free)

    # ---- Making one.

    @classmethod
    def parse(cls, source, name="<text>"):
        """From its text form, which docs/program.md describes."""
        program = cls()
        encoded = text(source, "a program's text")
        call(lib.col_program_read, program._pointer, encoded, len(encoded), text(name, "the name"))
        return program

    @classmethod
    def read(cls, file):
        """From a file in the text form."""
        program = cls()
        call(lib.col_program_read_file, program._pointer, path(file))
        return program

    @classmethod
    def build(cls, threads, addresses):
        """From threads, lists of Operation, and the addresses of the locations."""
        threads = [list(thread) for thread in threads]
        addresses = [number(address, "an address", bits=64) for address in addresses]
        lengths = (ctypes.c_uint32 * max(len(threads), 1))(
            *[number(len(thread), "the length of a thread") for thread in threads])
        program = cls()
        call(lib.col_program_shape, program._pointer, number(len(threads), "threads"), lengths,
             number(len(addresses), "locations"))
        at = 0
        for thread in threads:
            for operation in thread:
                if not isinstance(operation, Operation):
                    raise TypeError("a thread is a list of Operation")
                operation._write(program._struct.operations[at])
                at += 1
        for i, address in enumerate(addresses):
            program._struct.addresses[i] = address
        call(lib.col_program_check, program._pointer)
        return program

    # ---- What is in it.

    def threads(self):
        """A list of threads, each a list of Operation."""
        with self._use():
            s = self._struct
            return [[_operation(s.operations[at], t, at - s.thread_start[t])
                     for at in range(s.thread_start[t], s.thread_start[t + 1])]
                    for t in range(s.thread_count)]

    def __iter__(self):
        return iter([operation for thread in self.threads() for operation in thread])

    def __len__(self):
        with self._use() as pointer:
            return lib.col_program_operations(pointer)

    @property
    def thread_count(self):
        with self._use():
            return self._struct.thread_count

    @property
    def addresses(self):
        """The byte address of each location."""
        with self._use():
            return list(self._struct.addresses[:self._struct.location_count])

    @property
    def word_bytes(self):
        with self._use() as pointer:
            return lib.col_program_word_bytes(pointer)

    @property
    def hash(self):
        """128 bits of the content, in hexadecimal: the same on any machine."""
        with self._use() as pointer:
            found = lib.col_program_hash(pointer)
        return f"{found.high:016x}{found.low:016x}"

    @property
    def text(self):
        """The text form."""
        with self._use() as pointer:
            return handed_over(lib.col_program_write, pointer)

    def write(self, file):
        """Writes the text form to a file, whole or not at all."""
        with self._use() as pointer:
            call(lib.col_program_write_file, pointer, path(file))

    def __eq__(self, other):
        if not isinstance(other, Program):
            return NotImplemented
        with self._use() as one, other._use() as another:
            return lib.col_program_equal(one, another)

    def __hash__(self):
        return hash(self.hash)

    def __repr__(self):
        if self.closed:
            return "<Program, closed>"
        return f"<Program: {self.thread_count} threads, {len(self)} operations, " \
               f"{len(self.addresses)} locations>"


class _Generator(Handle):
    _what = "generator"

    def __init__(self):
        pointer = lib.col_generator_new()
        if not pointer:
            raise MemoryError("no memory for a generator")
        super().__init__(pointer, lib.col_generator_free)


sharings = ("true", "mixed", "false")


def generate(*, threads=8, operations=1024, locations=16, seed=1, test=0, chained=False, mix="full",
             sets=0, sharing=None, count=None):
    """A random program; with `count`, an iterator over that many of the same settings.

    `sets` is the number of cache sets that the locations compete for, 0 for any addresses. The same
    settings, seed and test number give the same program on any machine."""
    settings = c.col_generation()
    lib.col_generation_default(byref(settings))
    settings.chained = bool(chained)
    settings.threads = number(threads, "threads")
    settings.operations = number(operations, "operations")
    settings.locations = number(locations, "locations")
    parse, to = ((lib.col_category_mix_parse, settings.categories) if chained
                 else (lib.col_instruction_mix_parse, settings.instructions))
    call(parse, text(mix, "the mix"), byref(to))
    if sets:
        lib.col_addressing_bias(byref(settings.addressing), number(sets, "sets"))
    if sharing is not None:
        settings.addressing.sharing = choice(sharing, sharings, "sharing")
    seed, test = number(seed, "seed", bits=64), number(test, "test", bits=64)
    generator = _Generator()

    def make(which):
        program = Program()
        with generator._use() as pointer:
            call(lib.col_generate, pointer, byref(settings), seed, which, program._pointer)
        return program

    if count is None:
        return make(test)
    return (make(test + i) for i in range(number(count, "count")))
