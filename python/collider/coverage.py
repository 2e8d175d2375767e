# SPDX-License-Identifier: MIT
"""Coverage of a design's transitions: which were taken, how often, and which were not."""
from ctypes import POINTER, byref, c_uint32
from dataclasses import dataclass

from . import _declarations as c
from ._library import Handle, call, choice, decoded, lib, path, text, words
from .frame import table

metrics = words("col_metrics")


@dataclass(frozen=True)
class Covered:
    """How much is covered: of all points, of those known to be reachable in the protocol, and of
    those that these tests can reach. The latter two are None where nothing is known."""
    covered: int
    total: int
    fraction: float
    reached: int = None
    reachable: int = None
    reached_fraction: float = None
    here: int = None
    here_total: int = None
    here_fraction: float = None


class Coverage(Handle):
    """A set of coverage points of a design. Sets of the same points merge."""

    _what = "coverage set"

    def __init__(self, design):
        """An empty set of the points of an open Design."""
        pointer = POINTER(c.col_coverage)()
        with design._use() as duv:
            call(lib.col_coverage_new, byref(pointer), lib.col_duv_describe(duv))
        super().__init__(pointer, lib.col_coverage_free)

    @classmethod
    def _of(cls, pointer):
        """Takes a set over from the library."""
        coverage = cls.__new__(cls)
        Handle.__init__(coverage, pointer, lib.col_coverage_free)
        return coverage

    @property
    def design(self):
        cores = c_uint32()
        with self._use() as pointer:
            return decoded(lib.col_coverage_design(pointer, byref(cores)))

    @property
    def machines(self):
        """The names of the kinds of controllers."""
        with self._use() as pointer:
            found = []
            while True:
                name = lib.col_coverage_machine(pointer, len(found))
                if name is None:
                    return found
                found.append(decoded(name))

    def of(self, metric="structural", machine=None):
        """How much of a metric is covered, of one machine or of all."""
        which = choice(metric, metrics, "the metric")
        machines = self.machines
        place = c.COL_ALL_MACHINES if machine is None else choice(machine, machines, "the machine")
        with self._use() as pointer:
            all_ = lib.col_coverage_of(pointer, c.COL_CUMULATIVE, which, place)
            here = lib.col_coverage_here(pointer, which, place)
        known, here_known = all_.reachable_known, here.known
        return Covered(covered=all_.covered, total=all_.total, fraction=all_.fraction,
                       reached=all_.reached if known else None,
                       reachable=all_.reachable if known else None,
                       reached_fraction=all_.reached_fraction if known else None,
                       here=here.covered if here_known else None,
                       here_total=here.total if here_known else None,
                       here_fraction=here.fraction if here_known else None)

    @property
    def fraction(self):
        """Of the structural metric, of all machines."""
        return self.of().fraction

    def points(self, as_dicts=None):
        """The transitions as a table: machine, state, event, hits, reachable, file, line."""
        names = ("machine", "state", "event", "hits", "reachable", "file", "line")
        columns = {name: [] for name in names}
        facts = c.col_point_facts()
        with self._use() as pointer:
            point = 0
            while lib.col_coverage_point(pointer, point, byref(facts)):
                point += 1
                if not facts.counts:
                    continue
                row = (decoded(facts.machine), decoded(facts.state), decoded(facts.event),
                       facts.hits, facts.reachable, decoded(facts.file), facts.line or None)
                for name, value in zip(names, row):
                    columns[name].append(value)
        return table(columns, as_dicts)

    def merge(self, other):
        """Adds the points and hits of another set of the same design; returns how many structural
        and functional points are new."""
        if not isinstance(other, Coverage):
            raise TypeError("only another Coverage can be merged")
        gain = c.col_gain()
        first, second = sorted((self, other), key=id)  # two threads lock them in the same order
        with first._use(), second._use():
            call(lib.col_coverage_merge, self._pointer, other._pointer, byref(gain))
        return tuple(gain.points)

    def read(self, file):
        """Merges a coverage file into this set."""
        with self._use() as pointer:
            call(lib.col_coverage_read_file, pointer, path(file))

    def parse(self, source, name="<text>"):
        """The same for the text of a coverage file."""
        encoded = text(source, "a coverage text")
        with self._use() as pointer:
            call(lib.col_coverage_read, pointer, encoded, len(encoded), text(name, "the name"))

    def write(self, file):
        """Writes the set to a file that `collider coverage` reads."""
        with self._use() as pointer:
            call(lib.col_coverage_write_file, pointer, path(file))

    def __repr__(self):
        if self.closed:
            return "<Coverage, closed>"
        all_ = self.of()
        return f"<Coverage of {self.design}: {all_.covered} of {all_.total} transitions>"
