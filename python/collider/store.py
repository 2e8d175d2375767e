# SPDX-License-Identifier: MIT
"""The results of campaigns as tables. A store is only ever read, and nothing in it runs."""
import json
from ctypes import POINTER, byref

from . import _declarations as c
from ._library import Handle, call, decoded, lib, path, text, words
from .frame import table

tables = words("col_store_tables")
_FLAGS = {"done", "reachable"}  # columns of trials and points that are yes or no


def _values(column, rows, name, flags):
    there = column.is_there[:rows] if rows else []
    if column.type == c.COL_TEXTS:
        return [decoded(column.texts[row]) for row in range(rows)]
    values = (column.numbers if column.type == c.COL_NUMBERS else column.reals)[:rows] if rows else []
    if name in flags:
        values = [bool(value) for value in values]
    return [value if is_there else None for value, is_there in zip(values, there)]


class Store(Handle):
    """A results store of `collider campaign`, open to be read."""

    _what = "store"

    def __init__(self, file):
        self.path = file
        pointer = POINTER(c.col_store)()
        call(lib.col_store_open, byref(pointer), path(file))
        super().__init__(pointer, lib.col_store_close)

    def columns(self, name, plan=None):
        """A table as a dict of columns. Missing values are None."""
        pointer = POINTER(c.col_table)()
        with self._use() as store:
            call(lib.col_store_read, store, text(name, "the table"),
                 None if plan is None else text(plan, "the plan"), byref(pointer))
        try:
            found = pointer.contents
            flags = _FLAGS if name in ("trials", "points") else ()
            return {decoded(column.name): _values(column, found.row_count, decoded(column.name), flags)
                    for column in found.columns[:found.column_count]}
        finally:
            lib.col_table_free(pointer)

    def table(self, name, plan=None, as_dicts=None):
        """One of the tables: plans, trials, points, curves, hits, failures. `plan` is the hash of a
        plan, whose rows come in the order of its grid."""
        return table(self.columns(name, plan), as_dicts)

    def plans(self, as_dicts=None):
        """The plans and how far each has got."""
        return self.table("plans", None, as_dicts)

    def trials(self, plan=None, as_dicts=None):
        """One row for each trial. Settings that a trial was given are columns, too."""
        columns = self.columns("trials", plan)
        given = [json.loads(one) for one in columns.pop("settings")]
        for name in sorted({name for settings in given for name in settings}):
            column = name.replace("-", "_")
            if column not in columns:
                columns[column] = [settings.get(name) for settings in given]
        return table(columns, as_dicts)

    def points(self, as_dicts=None):
        """The coverage points of each design."""
        return self.table("points", None, as_dicts)

    def curves(self, plan=None, as_dicts=None):
        """How coverage rose in each trial."""
        return self.table("curves", plan, as_dicts)

    def hits(self, plan=None, as_dicts=None):
        """How often each trial hit each point, and in which test first."""
        return self.table("hits", plan, as_dicts)

    def failures(self, plan=None, as_dicts=None):
        """The failures that trials found, one for each kind."""
        return self.table("failures", plan, as_dicts)

    def __repr__(self):
        return f"<Store {self.path}{', closed' if self.closed else ''}>"
