# SPDX-License-Identifier: MIT
"""docs/python.md and the notebook run as they are written. `test_page.py --fix` writes what the page
prints, tools/notebook.py the notebook."""
import contextlib
import io
import json
import os
import re
import subprocess
import sys

from harness import SOURCE, Case, main

PAGE = os.path.join(SOURCE, "docs", "python.md")
PLAN = """plan: small
title: A small plan
defaults: {design: mesi3, cores: 4, locations: 16, instances: 2, tests: 6, ops: 256}
grids:
  - {engine: [plain-bias, chain-bias], seed: 1..2}
"""


def _printed(code, names, where):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, where, "exec"), names)
    return out.getvalue()


class Documents(Case):
    def setUp(self):
        super().setUp()
        with open(self.path("small.yaml"), "w", encoding="utf-8") as file:
            file.write(PLAN)
        self.command("campaign", "small.yaml", "--out", "results.db", "--quiet")
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def the_page_prints_what_it_says(self):
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        blocks = list(re.finditer(r"```python\n(.*?)```\n\n```text\n(.*?)```\n", text, re.S))
        self.assertEqual(len(blocks), text.count("```python\n"))
        names, fixed, at = {}, "", 0
        for block in blocks:
            printed = "\n".join(line.rstrip() for line in
                                _printed(block[1], names, "python.md").strip().splitlines()) + "\n"
            fixed += text[at:block.start(2)] + printed
            at = block.end(2)
            if "--fix" not in sys.argv:
                self.assertEqual(printed, block[2])
        if "--fix" in sys.argv:
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(fixed + text[at:])

    def the_notebook_is_what_running_it_gives(self):
        run = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "notebook.py"), "check"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(os.path.join(SOURCE, "docs", "tutorial", "python.ipynb"), encoding="utf-8") as file:
            notebook = json.load(file)
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
        self.assertGreater(sum(cell["cell_type"] == "code" for cell in notebook["cells"]), 7)
        self.assertEqual(len({cell["id"] for cell in notebook["cells"]}), len(notebook["cells"]))


main()
