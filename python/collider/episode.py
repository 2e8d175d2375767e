# SPDX-License-Identifier: MIT
"""Episodes: run tests on a design until a budget is spent or an error is found."""
import ctypes
import json
import os
import tempfile
from ctypes import byref
from dataclasses import dataclass, field

from . import _declarations as c
from ._library import (BadInput, Job, call, decoded, handed_over, lib, number, path,
                       problem_of, seconds, text, words)
from .check import Violation, violation_of
from .coverage import Coverage
from .frame import table
from .program import Program

engines = words("col_engines")
outcomes = words("col_outcomes")
endings = words("col_endings")


@dataclass(frozen=True)
class Failure:
    """An instance that failed. `folder` is what replay and shrink take, None if none was written."""
    verdict: str
    reason: str
    test: int
    instance: int
    seed: int
    operations: int
    cycles: int
    seconds: float
    folder: str = None
    reproduced: bool = False
    fingerprint: str = None


@dataclass(frozen=True)
class FailureKind:
    """Failures of the same kind: how many tests failed so, and the smallest of them."""
    count: int
    smallest: Failure


@dataclass
class Episode:
    """What came of an episode. True in a condition if it passed."""
    verdict: str
    ended_by: str
    design: str
    cores: int
    model: str
    tests: int
    instances: int
    operations: int
    cycles: int
    seconds: float
    failures: int
    failure: Failure = None
    kinds: tuple = ()
    coverage: Coverage = field(default=None, repr=False)
    record: dict = field(default=None, repr=False)  # the JSON of docs/episode.md

    def __bool__(self):
        return self.verdict == "pass"

    def curve(self, as_dicts=None):
        """How coverage rose: a row for each test that covered something new."""
        return table(self._curve, as_dicts)

    _curve: dict = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Progress:
    """How far an episode has got, after a test."""
    tests: int
    instances: int
    operations: int
    cycles: int
    seconds: float


def _failure(struct):
    return Failure(verdict=outcomes[struct.outcome], reason=decoded(struct.reason),
                   test=struct.test, instance=struct.instance, seed=struct.seed,
                   operations=struct.operations, cycles=struct.cycles, seconds=struct.seconds,
                   folder=decoded(struct.folder) or None, reproduced=struct.shown_again,
                   fingerprint=decoded(struct.fingerprint.text) or None)


def _word(value, name):
    """A setting as a text of the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return f"{_word(value[0], name)}:{_word(value[1], name)}"
    if isinstance(value, (int, float)):
        value = repr(value)
        return value + "s" if name in ("time", "judge-limit") else value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"the setting {name} must be a text or a number, not {type(value).__name__}")
    return value


class _Run:
    """The settings of an episode and all that they point to, which must live as long."""

    def __init__(self, design, settings, programs, folder, progress, scratch):
        self.settings = c.col_episode_settings()
        self.kept = []
        self.job = Job()
        lib.col_episode_default(byref(self.settings))
        self.settings.seconds = 0
        self.settings.jobs = os.cpu_count() or 1
        self.set("design", design)
        for name, value in settings.items():
            if value is not None:
                self.set(name.replace("_", "-"), value)
        if programs is not None:
            self.give(programs, scratch)
        elif not (self.settings.tests or self.settings.cycles or self.settings.seconds):
            raise BadInput("an episode needs a budget: tests, cycles or time")
        if folder is not None:
            self.settings.folder = self.keep(path(folder, "the folder"))
        if progress is not None:
            self.callback = type(self.settings.progress)(self.notice)
            self.settings.progress = self.callback
        self.settings.stop = ctypes.pointer(self.job.stop)

    def keep(self, encoded):
        self.kept.append(encoded)
        return encoded

    def set(self, name, value):
        encoded = self.keep(text(_word(value, name), f"the setting {name}"))
        call(lib.col_episode_set, byref(self.settings), text(name, "a setting's name"), encoded)

    def give(self, programs, scratch):
        """Programs are given as files, or as objects, which become files."""
        files = []
        for i, program in enumerate([programs] if isinstance(programs, (Program, str, os.PathLike))
                                    else programs):
            if isinstance(program, Program):
                file = os.path.join(scratch, f"program-{i}.txt")
                program.write(file)
                program = file
            files.append(self.keep(path(program, "the program")))
        if not files:
            raise BadInput("there is no program to run")
        self.list = (ctypes.c_char_p * len(files))(*files)
        self.settings.programs = ctypes.cast(self.list, ctypes.POINTER(ctypes.c_char_p))
        self.settings.program_count = len(files)
        self.settings.engine = b"given"

    def notice(self, _context, progress):
        """After each test, in the thread of the episode."""
        p = progress.contents
        self.job.tell(Progress(p.tests, p.instances, p.operations, p.cycles, p.seconds))

    def result(self, episode):
        e = episode
        record = json.loads(handed_over(lib.col_episode_record, byref(self.settings), byref(e)))
        kinds = tuple(FailureKind(k.count, _failure(k.smallest)) for k in e.kinds[:e.kind_count])
        points = e.curve[:e.curve_count]
        # A copy of the pointer: what ctypes reads from a field changes with it.
        coverage = ctypes.cast(e.coverage, ctypes.POINTER(c.col_coverage))
        names = ("seconds", "tests", "operations", "cycles", "structural", "functional")
        result = Episode(verdict=outcomes[e.outcome], ended_by=endings[e.ending],
                         design=decoded(e.design), cores=e.cores, model=decoded(e.model_name),
                         tests=e.tests, instances=e.instances, operations=e.operations,
                         cycles=e.cycles, seconds=e.seconds, failures=e.failures,
                         failure=_failure(e.failure) if e.failures else None, kinds=kinds,
                         coverage=Coverage._of(coverage), record=record,
                         _curve={name: [getattr(p, name) for p in points] for name in names})
        e.coverage = None  # it is the result's from now on
        return result


def run(design, *, programs=None, folder=None, progress=None, **settings):
    """Runs one episode and returns an Episode, also when an error was found in the design.

    The settings are the options of `collider run` without dashes: engine="scout", ops=(64, 256),
    tests=1000, time="10s", until_coverage=0.9, error="...", keep_going=True and so on. `programs`
    are Program objects or files to run instead of an engine's tests. Failures are written to
    `folder`. `progress` is called with a Progress after each test; what it raises ends the episode.
    A design that is native code runs with your rights, as on the command line."""
    with tempfile.TemporaryDirectory(prefix="collider-") as scratch:
        run_ = _Run(design, settings, programs, folder, progress, scratch)
        episode = c.col_episode()
        problem = c.col_problem()
        try:
            status = run_.job.run(lambda: lib.col_episode_run(
                byref(run_.settings), byref(episode), byref(problem)), progress)
            if status != c.COL_OK:
                raise problem_of(status, problem)
            return run_.result(episode)
        finally:
            if run_.job.is_done:
                lib.col_episode_free(byref(episode))


@dataclass(frozen=True)
class Replay:
    """A failure as it was recorded and as it is now. True in a condition if it failed again."""
    was: Failure
    now: Failure
    violation: Violation = None

    def __bool__(self):
        return self.was.verdict == self.now.verdict


def replay(folder, *, allow_code=False):
    """Runs the failure in a folder again. A design that is native code is refused unless
    `allow_code`, since the folder may come from somebody else."""
    was, now, violation = c.col_failure(), c.col_failure(), c.col_violation()
    try:
        call(lib.col_replay, path(folder, "the folder"), bool(allow_code), byref(was), byref(now),
             byref(violation))
        return Replay(_failure(was), _failure(now),
                      violation_of(violation) if violation.reason else None)
    finally:
        lib.col_violation_free(byref(violation))


@dataclass(frozen=True)
class Shrunk:
    """The smallest program that still fails."""
    verdict: str
    reason: str
    folder: str
    operations: tuple  # before and after
    threads: tuple
    locations: tuple
    minimal: bool
    evidence: str
    seed: int
    seconds: float
    program: Program = field(repr=False)


def shrink(folder, *, out=None, time=None, jobs=None, seed=None, allow_code=False):
    """Shrinks the failure in a folder; the result is a failure folder too."""
    settings, shrunk = c.col_shrink_settings(), c.col_shrunk()
    lib.col_shrink_default(byref(settings))
    settings.folder = path(folder, "the folder")
    settings.allow_code = bool(allow_code)
    settings.jobs = number(jobs, "jobs", bits=8, least=1) if jobs is not None else os.cpu_count() or 1
    if out is not None:
        settings.out = path(out, "the folder for the result")
    if time is not None:
        settings.seconds = seconds(time, "time")
    if seed is not None:
        settings.seed = number(seed, "seed", bits=63)
    job = Job()
    settings.stop = ctypes.pointer(job.stop)
    job.run(lambda: call(lib.col_shrink, byref(settings), byref(shrunk)))
    sizes = {name: (getattr(getattr(shrunk, "from"), name), getattr(shrunk.to, name))
             for name in ("operations", "threads", "locations")}
    where = decoded(shrunk.folder)
    return Shrunk(verdict=outcomes[shrunk.outcome], reason=decoded(shrunk.reason), folder=where,
                  minimal=shrunk.minimal, evidence=words("col_evidences")[shrunk.evidence],
                  seed=shrunk.seed, seconds=shrunk.seconds,
                  program=Program.read(os.path.join(where, "program.txt")), **sizes)
