# SPDX-License-Identifier: MIT
"""Designs under verification: what they are, and single instances of a program on them."""
from ctypes import POINTER, byref
from dataclasses import dataclass, field

from . import _declarations as c
from ._library import Handle, call, decoded, lib, number, path, text, words
from .check import Violation, models, violation_of
from .frame import table
from .program import Program

_ends = words("col_run_ends")
_event_names = ("load", "store", "transition", "eviction", "protocol-error", "deadlock",
                "invariant-broken", "message-sent", "message-received", "issued", "bound",
                "squashed", "merged", "returned", "final", "output")


@dataclass(frozen=True)
class Instance:
    """One execution of a program. `violation` is what the design's memory model forbids in it;
    `events` are dicts of what happened, if they were asked for."""
    end: str
    cycles: int
    operations: int
    message: str = None
    violation: Violation = None
    events: list = field(default=None, repr=False)


class _Checker(Handle):
    _what = "checker"

    def __init__(self, model):
        pointer = POINTER(c.col_checker)()
        call(lib.col_checker_new, byref(pointer), model)
        super().__init__(pointer, lib.col_checker_free)


class Design(Handle):
    """An open design: a name, a design file, a protocol (.slicc, .sm) or a plug-in (.so), which is
    native code and runs with your rights."""

    _what = "design"

    def __init__(self, name, *, cores=None, options=None, error=None, mutant=None):
        settings = c.col_duv_settings()
        named = path(name, "the design")
        settings.name = named
        settings.cores = number(cores, "cores", bits=16, least=1) if cores is not None else 0
        settings.options = text(options, "options") if options is not None else None
        settings.error = path(error, "the error") if error is not None else None
        settings.mutant = number(mutant, "mutant", least=1) if mutant is not None else 0
        pointer = POINTER(c.col_duv)()
        call(lib.col_duv_open, byref(pointer), named, byref(settings))
        self._loaded = None
        super().__init__(pointer, lib.col_duv_close)

    def _describe(self):
        with self._use() as pointer:
            return lib.col_duv_describe(pointer).contents

    @property
    def name(self):
        return decoded(self._describe().name)

    @property
    def cores(self):
        return self._describe().cores

    @property
    def model(self):
        """The memory model that it promises."""
        return models[self._describe().model]

    def points(self, as_dicts=None):
        """The transitions that count as coverage points: machine, state, event, reachable."""
        columns = {"machine": [], "state": [], "event": [], "reachable": []}
        with self._use():
            d = self._describe()
            for m in d.machines[:d.machine_count]:
                for p in d.points[m.first_point:m.first_point + m.point_count]:
                    columns["machine"].append(decoded(m.name))
                    columns["state"].append(decoded(p.state))
                    columns["event"].append(decoded(p.event) or None)
                    columns["reachable"].append(p.reachable if d.reachable_known else None)
        return table(columns, as_dicts)

    def run(self, program, seed=1, *, events=False):
        """Runs one instance of a program; the seed perturbs its timing. A design that shows the
        order of events is judged by its model; one that shows only what reads returned is not: use
        collider.run with `programs`."""
        if not isinstance(program, Program):
            raise TypeError("a design runs a Program")
        seed = number(seed, "seed", bits=64)
        with self._use() as duv, program._use() as loaded:
            d = self._describe()
            judged = d.shows == c.COL_SHOWS_EVENTS
            call(lib.col_duv_load, duv, loaded)
            self._loaded = program  # it must not be freed while it is loaded
            with _Checker(d.model) as checker:
                call(lib.col_checker_load, checker._pointer, loaded)
                return self._run(duv, seed, checker._pointer, judged, events)

    def _run(self, duv, seed, checker, judged, events):
        result, seen, raised = c.col_run(), [], []
        observer = lib.col_checker_observer(checker)

        def notice(_context, event):
            try:
                e = event.contents
                seen.append(_event(e))
            except BaseException as reason:  # noqa: B902: raised below
                raised.append(reason)
            if judged:
                lib.col_checker_notice(checker, event)

        if events:
            kept = type(observer.notice)(notice)
            observer = c.col_observer(None, kept, (1 << c.COL_EVENT_KINDS) - 1)
        call(lib.col_duv_run, duv, seed, byref(observer), None, byref(result))
        if raised:
            raise raised[0]
        violation = None
        complete = result.end == c.COL_RUN_COMPLETE
        if judged and not lib.col_checker_finish(checker, complete):
            violation = violation_of(lib.col_checker_violation(checker).contents)
        return Instance(end=_ends[result.end], cycles=result.cycles, operations=result.operations,
                        message=None if complete else decoded(result.message), violation=violation,
                        events=seen if events else None)

    def __repr__(self):
        if self.closed:
            return "<Design, closed>"
        return f"<Design {self.name}: {self.cores} cores, {self.model}>"


def _event(e):
    """A copy of what an event says; it is valid only while it is told."""
    row = {"event": _event_names[e.kind], "cycle": e.cycle}
    if e.kind in (c.COL_LOAD_PERFORMED, c.COL_STORE_PERFORMED, c.COL_VALUE_RETURNED):
        row.update(core=e.core, operation=e.operation, word=e.word)
        if e.kind == c.COL_STORE_PERFORMED:
            row.update(overwritten=e.overwritten, read=e.read)
    elif e.kind == c.COL_TRANSITION:
        row.update(machine=e.machine, controller=e.controller, block=e.block)
    elif e.kind in (c.COL_OPERATION_ISSUED, c.COL_LOAD_SQUASHED, c.COL_STORE_MERGED):
        row.update(core=e.core, operation=e.operation)
    elif e.kind == c.COL_EVICTION:
        row.update(core=e.core, block=e.block)
    elif e.kind == c.COL_FINAL_VALUE:
        row.update(location=e.location, word=e.word)
    if e.message is not None and e.kind not in (c.COL_LOAD_PERFORMED, c.COL_STORE_PERFORMED):
        row["message"] = decoded(e.message)
    return row
