# SPDX-License-Identifier: MIT
"""Judging traces, the values that reads returned, by a memory model."""
from ctypes import POINTER, byref, c_bool, c_int
from dataclasses import dataclass, field

from . import _declarations as c
from ._library import Handle, call, choice, decoded, handed_over, lib, path, seconds, text, words

models = words("col_models")
verdicts = ("allowed", "forbidden", "undecided")
_relations = words("col_relations")


@dataclass(frozen=True)
class Mention:
    """An operation that an explanation names; thread and place count from 0."""
    thread: int
    place: int
    line: int
    text: str


@dataclass(frozen=True)
class Step:
    """One step of a cycle: the first operation comes before the second, by this relation."""
    before: Mention
    after: Mention
    relation: str  # po, fence, rf, co, fr and so on
    because: Mention = None


@dataclass(frozen=True)
class Violation:
    """What is wrong with an execution: a sentence, and the cycle if there is one."""
    reason: str
    steps: tuple = ()
    explanation: str = field(default="", repr=False)  # the text that collider check prints
    dot: str = field(default="", repr=False)
    svg: str = field(default="", repr=False)

    def _repr_svg_(self):
        """What a notebook shows."""
        return self.svg


@dataclass(frozen=True)
class Judgement:
    """What a model says about a trace: allowed, forbidden, or undecided in the time given. True in
    a condition if it is allowed."""
    verdict: str
    model: str
    violation: Violation = None

    def __bool__(self):
        return self.verdict == "allowed"

    @property
    def reason(self):
        return None if self.violation is None else self.violation.reason

    @property
    def explanation(self):
        return None if self.violation is None else self.violation.explanation


def violation_of(struct):
    """From the library's structure, which stays the caller's."""
    mentions = [Mention(m.thread_name if m.line else m.thread, m.place, m.line or None,
                        decoded(m.text)) for m in struct.mentions[:struct.mention_count]]
    steps = tuple(Step(mentions[s.__getattribute__("from")], mentions[s.to], _relations[s.relation],
                       None if s.note == c.COL_NO_MENTION else mentions[s.note])
                  for s in struct.steps[:struct.step_count])
    written = [handed_over(lib.col_violation_write, byref(struct), form)
               for form in (c.COL_WORDS, c.COL_DOT, c.COL_SVG)]
    return Violation(decoded(struct.reason), steps, *written)


class _Trace(Handle):
    _what = "trace"

    def __init__(self):
        self._struct = c.col_trace()
        super().__init__(byref(self._struct), lib.col_trace_free)


class _TraceFile(Handle):
    _what = "file of traces"

    def __init__(self, file):
        pointer = POINTER(c.col_trace_file)()
        call(lib.col_trace_open, byref(pointer), path(file))
        super().__init__(pointer, lib.col_trace_close)


def _judge(trace, settings, model):
    verdict = c_int()
    violation = c.col_violation()
    try:
        call(lib.col_trace_check, trace._pointer, byref(settings), byref(verdict), byref(violation))
        found = None
        if verdict.value == c.COL_FORBIDDEN:
            lib.col_trace_name(trace._pointer, byref(violation))
            found = violation_of(violation)
    finally:
        lib.col_violation_free(byref(violation))
    return Judgement(verdicts[verdict.value], model, found)


def _settings(model, budget, ignore_times):
    return c.col_trace_settings(model=choice(model, models, "the model"),
                                ignore_times=bool(ignore_times),
                                budget=seconds(budget, "the budget"))


def check(trace, model="sc", *, budget=0, ignore_times=False, name="<text>"):
    """Judges one trace, given as text (docs/checking-traces.md), by a model.

    `budget` is in seconds, 0 for no limit; beyond it the verdict is "undecided"."""
    settings = _settings(model, budget, ignore_times)
    encoded = text(trace, "a trace")
    with _Trace() as read:
        call(lib.col_trace_read, read._pointer, encoded, len(encoded), text(name, "the name"))
        return _judge(read, settings, model)


def check_file(file, model="sc", *, budget=0, ignore_times=False):
    """Judges the traces of a file, text or recorded, one after another: an iterator."""
    settings = _settings(model, budget, ignore_times)
    traces = _TraceFile(file)

    def judgements():
        with traces, _Trace() as trace:
            found = c_bool()
            while True:
                call(lib.col_trace_next, traces._pointer, trace._pointer, byref(found))
                if not found.value:
                    return
                yield _judge(trace, settings, model)

    return judgements()
