# SPDX-License-Identifier: MIT
"""Collider finds design errors in the shared memory of multicore chips.

Programs, episodes, checks, coverage and results stores, over Collider's C library. docs/python.md
has the guide; `help(collider.run)` and the like the details.
"""
from ._library import BadInput, MachineTrouble, Problem
from ._library import version as __version__
from .check import Judgement, Mention, Step, Violation, check, check_file, models, verdicts
from .coverage import Coverage, Covered, metrics
from .design import Design, Instance
from .episode import (Episode, Failure, FailureKind, Progress, Replay, Shrunk, endings, engines,
                      outcomes, replay, run, shrink)
from .program import Operation, Program, generate, kinds
from .store import Store

__all__ = [
    "BadInput", "Coverage", "Covered", "Design", "Episode", "Failure", "FailureKind", "Instance",
    "Judgement", "MachineTrouble", "Mention", "Operation", "Problem", "Program", "Progress",
    "Replay", "Shrunk", "Step", "Store", "Violation", "check", "check_file", "endings", "engines",
    "generate", "kinds", "metrics", "models", "outcomes", "replay", "run", "shrink", "verdicts",
]
