# SPDX-License-Identifier: MIT
"""Neovim, set up as docs/editors.md says, with the language server. Without nvim, 77: skipped."""
import json
import os
import re
import shutil
import subprocess
import sys

from harness import COMMAND, SOURCE, Case, main

NEOVIM = shutil.which("nvim")
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "neovim.lua")
WRONG = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | FOO EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""


def _version():
    text = subprocess.run([NEOVIM, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.search(r"v(\d+)\.(\d+)", text).groups())


def _configuration():
    """What the page says for this version."""
    with open(os.path.join(SOURCE, "docs", "editors.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Neovim\n")[1].split("\n## ")[0]
    newer, older = re.findall(r"```lua\n(.*?)```", section, re.S)
    return newer if _version() >= (0, 11) else older


TAKEN = "transition(I, Load, IS)"


def _place(text, word, offset=0):
    """The line, from 1, and the column, from 0, of an ASCII word's first occurrence."""
    at = text.index(word)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at) - 1 + offset


class Neovim(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(SOURCE, "protocols", "mesi3"), self.path("mesi3"))
        os.mkdir(self.path("bin"))
        os.symlink(COMMAND, self.path("bin", "collider"))
        vim = os.path.join(SOURCE, "editors", "vim")
        with open(self.path("init.lua"), "w", encoding="utf-8") as file:
            file.write(f"vim.opt.runtimepath:append({json.dumps(vim)})\n" + _configuration())

    def _edit(self, name, script):
        """Opens the file, runs the steps, and tells what each step says."""
        with open(self.path("steps.json"), "w", encoding="utf-8") as file:
            json.dump(script, file)
        environment = {**os.environ, "HOME": self.folder, "PATH": f"{self.path('bin')}:{os.environ['PATH']}",
                       "XDG_CONFIG_HOME": self.path("config"), "XDG_STATE_HOME": self.path("state"),
                       "XDG_DATA_HOME": self.path("data"), "XDG_CACHE_HOME": self.path("cache"),
                       "STEPS": self.path("steps.json"), "SAID": self.path("said.json")}
        run = subprocess.run([NEOVIM, "--headless", "-n", "-u", self.path("init.lua"), self.path(name),
                              "-c", f"luafile {DRIVER}"], env=environment, timeout=1500, cwd=self.folder,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(self.path("said.json"), encoding="utf-8") as file:
            said = json.load(file)
        self.assertNotIn("error", said, said)
        return said["said"]

    def _text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def a_correct_protocol_has_no_diagnostics_and_a_mistake_shows_as_it_is_typed(self):
        name = os.path.join("mesi3", "mesi3-l1.sm")
        text = self._text(name)
        line, column = _place(text, TAKEN, TAKEN.index("IS"))
        kind, clean, wrong, mended = self._edit(name, [
            {"do": "filetype"}, {"do": "diagnostics", "count": 0},
            {"do": "type", "line": line, "from": "Load, IS", "to": "Load, NOWHERE", "count": 1},
            {"do": "type", "line": line, "from": "Load, NOWHERE", "to": "Load, IS", "count": 0}])
        self.assertEqual(kind, "slicc")
        self.assertEqual((clean, mended), ([], []))
        self.assertEqual(len(wrong), 1)
        self.assertEqual((wrong[0]["line"], wrong[0]["column"]), (line, column))
        self.assertIn("NOWHERE", wrong[0]["message"])
        self.assertEqual(wrong[0]["severity"], 1)

    def the_cursor_jumps_to_definitions_also_in_other_files(self):
        name = os.path.join("mesi3", "mesi3-l1.sm")
        text = self._text(name)
        line, column = _place(text, TAKEN, TAKEN.index("IS"))
        state, = self._edit(name, [{"do": "definition", "line": line, "column": column}])
        declared = re.search(r"^    IS, +AccessPermission", text, re.M).group(0)
        line, column = _place(text, declared, 4)
        self.assertEqual(state, {"file": os.path.realpath(self.path(name)), "line": line, "column": column})
        listed = os.path.join("mesi3", "mesi3.slicc")
        line, column = _place(self._text(listed), "mesi3-l1.sm", 2)
        file, = self._edit(listed, [{"do": "definition", "line": line, "column": column}])
        self.assertEqual(file["file"], os.path.realpath(self.path(name)))

    def a_window_shows_the_row_of_a_transition(self):
        name = os.path.join("mesi3", "mesi3-l1.sm")
        text = self._text(name)
        at = text.index(TAKEN)
        actions = [word.strip() for word in text[text.index("{", at) + 1:text.index("}", at)].split(";")][:-1]
        line, column = _place(text, TAKEN)
        lines, = self._edit(name, [{"do": "hover", "line": line, "column": column}])
        self.assertIn(f"I × Load → IS: {', '.join(actions)}", "\n".join(lines))

    def references_fill_the_quickfix_list(self):
        name = os.path.join("mesi3", "mesi3-l1.sm")
        text = self._text(name)
        line, column = _place(text, TAKEN, TAKEN.index("IS"))
        found, = self._edit(name, [{"do": "references", "line": line, "column": column}])
        uses = len(re.findall(r"\bIS\b", re.sub(r'//.*|"[^"]*"', "", text)))
        self.assertEqual(len(found), uses)
        self.assertTrue(all("IS" in line for line in found))

    def a_litmus_test_has_its_first_mistake_shown(self):
        with open(self.path("sb.litmus"), "w", encoding="utf-8") as file:
            file.write(WRONG)
        kind, wrong = self._edit("sb.litmus", [{"do": "filetype"}, {"do": "diagnostics", "count": 1}])
        self.assertEqual(kind, "litmus")
        self.assertEqual([d["line"] for d in wrong], [5])
        self.assertIn("'foo'", wrong[0]["message"])


if __name__ == "__main__":
    if NEOVIM is None:
        print("nvim is not installed")
        sys.exit(77)
    main()
