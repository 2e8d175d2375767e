#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/tutorial/python.ipynb from docs/tutorial/python.py, with what its cells really print:
tools/notebook.py [check]. With `check` nothing is written, and the exit status says whether the notebook
is what running it gives.

The source has cells in the percent format, which editors know: `# %%` begins code, `# %% [markdown]`
begins text in comments. No Jupyter is needed; the result is nbformat 4.5."""
import ast
import contextlib
import io
import json
import os
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "tutorial")
SOURCE = os.path.abspath(os.path.join(FOLDER, "python.py"))
NOTEBOOK = os.path.abspath(os.path.join(FOLDER, "python.ipynb"))


def cells_of(text):
    """Pairs of the kind of a cell and its text."""
    for part in text.split("# %%")[1:]:
        head, body = part.split("\n", 1)
        body = body.strip("\n")
        if "[markdown]" in head:
            lines = [line[2:] if line.startswith("# ") else line.lstrip("#") for line in body.split("\n")]
            yield "markdown", "\n".join(lines)
        else:
            yield "code", body


def lines_of(text):
    return text.splitlines(keepends=True)


def run(code, names, count):
    """What a cell gives: what it prints, and the value of its last line if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs, value = io.StringIO(), [], None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines_of(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines_of(repr(value))}
        if hasattr(value, "_repr_svg_"):
            data["image/svg+xml"] = lines_of(value._repr_svg_())
        outputs.append({"data": data, "execution_count": count, "metadata": {},
                        "output_type": "execute_result"})
    return outputs


def make():
    with open(SOURCE, encoding="utf-8") as file:
        text = file.read()
    names, cells, count = {}, [], 0
    for number, (kind, body) in enumerate(cells_of(text)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines_of(body)}
        if kind == "code":
            count += 1
            cell.update(execution_count=count, outputs=run(body, names, count))
        cells.append(cell)
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"}, "license": "SPDX-License-Identifier: MIT"}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5},
                      indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        made = make()
        os.chdir("/")
    if sys.argv[1:] == ["check"]:
        with open(NOTEBOOK, encoding="utf-8") as file:
            if file.read() == made:
                return 0
        print("docs/tutorial/python.ipynb is not what running it gives: run tools/notebook.py",
              file=sys.stderr)
        return 1
    with open(NOTEBOOK, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
