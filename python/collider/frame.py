# SPDX-License-Identifier: MIT
"""Tables: data frames where pandas is installed, otherwise lists of dictionaries."""

_pandas = None
_is_looked_for = False


def pandas():
    """The module, or None. It is imported when the first table is made, not before."""
    global _pandas, _is_looked_for
    if not _is_looked_for:
        _is_looked_for = True
        try:
            import pandas as found
            _pandas = found
        except ImportError:
            _pandas = None
    return _pandas


def _series(module, values):
    """Whole numbers stay whole where some are missing, which NaN would not allow."""
    numbers = [v for v in values if v is not None]
    if len(numbers) < len(values) and numbers and all(type(v) is int for v in numbers):
        return module.array(values, dtype="UInt64" if max(numbers) >= 1 << 63 else "Int64")
    return values


def table(columns, as_dicts=None):
    """From columns, a dict of names to lists of one length. `as_dicts` True gives a list of
    dictionaries, False a data frame, None a data frame if pandas is there."""
    module = None if as_dicts else pandas()
    if module is None and as_dicts is False:
        raise ImportError("data frames need pandas, which is not installed")
    if module is None:
        names = list(columns)
        return [dict(zip(names, row)) for row in zip(*columns.values())]
    return module.DataFrame({name: _series(module, values) for name, values in columns.items()})
