# SPDX-License-Identifier: MIT
"""What checks the documents notices what it is there for: test_tools.py TOOLS COLLIDER"""
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS, COLLIDER = sys.argv[1:3]


def run(tool, *words):
    done = subprocess.run([sys.executable, os.path.join(TOOLS, tool), *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Documents(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def write(self, name, text):
        path = os.path.join(self.place.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def page(self, text, *options):
        path = self.write("page.md", text)
        status, output = run("transcript", *options, COLLIDER, path)
        with open(path, encoding="utf-8") as file:
            return status, output, file.read()

    def test_a_page_whose_output_is_as_shown_passes(self):
        self.assertEqual(self.page("```\n$ echo one; echo two\none\ntwo\n```\n")[0], 0)

    def test_other_output_is_noticed(self):
        status, output, text = self.page("```\n$ echo one\nother\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("--- printed\none", output)
        self.assertIn("other", text)  # the page stays as it is

    def test_another_status_is_noticed_either_way(self):
        self.assertEqual(self.page("```\n$ false\n```\n")[0], 1)
        self.assertEqual(self.page("<!-- status 1 -->\n```\n$ true\n```\n")[0], 1)
        self.assertEqual(self.page("<!-- status 1 -->\n```\n$ true\n$ false\n```\n")[0], 0)

    def test_an_error_behind_a_pipe_is_noticed(self):
        self.assertEqual(self.page("```\n$ build/release/collider nonsense 2>&1 | tail -1\n?\n```\n", "--fix")[0], 1)

    def test_the_shell_keeps_its_folder_and_variables(self):
        self.assertEqual(self.page("```\n$ mkdir a && cd a\n$ export B=2\n```\n\n```\n$ basename $PWD; echo $B\na\n2\n```\n")[0], 0)

    def test_commands_go_on_after_a_backslash_and_in_a_here_document(self):
        self.assertEqual(self.page("```\n$ echo \\\n  one\none\n$ cat <<'END'\ntwo\nEND\ntwo\n```\n")[0], 0)

    def test_dots_are_any_lines_and_only_those(self):
        self.assertEqual(self.page("```\n$ seq 9\n1\n...\n9\n```\n")[0], 0)
        self.assertEqual(self.page("```\n$ seq 9\n1\n...\n5\n...\n9\n```\n")[0], 0)
        self.assertEqual(self.page("```\n$ seq 9\n1\n...\n8\n```\n")[0], 1)
        self.assertEqual(self.page("```\n$ seq 9\n2\n...\n9\n```\n")[0], 1)

    def test_times_vary_and_counts_do_not(self):
        self.assertEqual(self.page("```\n$ echo '5 tests in 1.5 s'\n5 tests in 0.1 s\n```\n")[0], 0)
        self.assertEqual(self.page("```\n$ echo '6 tests in 1.5 s'\n5 tests in 0.1 s\n```\n")[0], 1)
        self.assertEqual(self.page("<!-- varies: job \\d+ -->\n```\n$ echo job 7\njob 12\n```\n")[0], 0)

    def test_fix_writes_what_was_printed(self):
        status, _, text = self.page("```\n$ seq 5\n?\n...\n?\n```\n", "--fix")
        self.assertEqual((status, text), (0, "```\n$ seq 5\n1\n...\n5\n```\n"))

    def test_what_is_missing_or_slow_is_skipped(self):
        self.assertEqual(self.page("<!-- needs: no-such-command -->\n```\n$ false\n```\n")[0], 77)
        self.assertEqual(self.page("<!-- slow -->\n```\n$ false\n```\n")[0], 77)
        self.assertEqual(self.page("<!-- slow -->\n```\n$ false\n```\n", "--all")[0], 1)
        self.assertEqual(self.page("<!-- slow block -->\n```\n$ false\n```\n")[0], 0)
        status, output, _ = self.page("<!-- block needs: NO_SUCH -->\n```\n$ false\n```\n", "--all")
        self.assertEqual(status, 0)
        self.assertIn("line 1: a block is left out, as there is no NO_SUCH", output)

    def test_a_page_without_commands_is_no_pass(self):
        self.assertEqual(self.page("nothing\n")[0], 1)

    def test_a_picture_is_that_of_the_commands(self):
        text = "```\n$ echo new >made.svg\n```\n<!-- picture: made.svg shown.svg -->\n"
        shown = self.write("shown.svg", "old\n")
        self.assertEqual(self.page(text)[0], 1)
        self.assertEqual(self.page(text, "--fix")[0], 0)
        with open(shown, encoding="utf-8") as file:
            self.assertEqual(file.read(), "new\n")

    def claims(self, *rows):
        head = "| # | claim | theirs | ours | verdict |\n| --- | --- | --- | --- | --- |\n"
        self.write("README.md", "<!-- claims -->\n<!-- end of claims -->\n")
        self.write("paper.md", head + "".join(f"| {row} |\n" for row in rows) + "\n| 2 | no | claim |\n")
        return run("results", "--fix", self.place.name), run("results", self.place.name)

    def test_the_table_of_claims_is_that_of_the_pages(self):
        fixed, checked = self.claims("1 | a | 2 | 3 | reproduced, nearly", "2 | b | 2 | 3 | not reproduced",
                                     "3 | c | 2 | 3 | in part: half", "4 | d | our question | 3 | no")
        self.assertEqual((fixed[0], checked), (0, (0, "")))
        with open(os.path.join(self.place.name, "README.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("3 claims: 1 reproduced, 1 in part, 1 not reproduced, 0 undecided; and 1 question of ours.", text)
        self.assertIn("| [paper 2](paper.md) | b | not reproduced |", text)
        self.write("paper.md", "")
        self.assertEqual(run("results", self.place.name)[0], 1)

    def test_claims_have_one_of_four_verdicts(self):
        for row in ("1 | a | 2 | 3 | perhaps", "1 | a | 2 | reproduced"):
            self.assertIn("paper.md:3:", self.claims(row)[1][1])

    def links(self, **pages):
        for name, text in pages.items():
            self.write(name.replace("__", "/") + ".md", text)
        return run("links", self.place.name)

    def test_links_that_lead_somewhere_pass(self):
        status, output = self.links(README="# A\n[b](docs/b.md#it-s-b--c)\n", docs__README="[b](b.md)\n",
                                    docs__b="# It-s `b` (+ c)\n[up](../README.md#a) [this](#it-s-b--c)\n```\n[no](no.md)\n```\n")
        self.assertEqual((status, output), (0, output))

    def test_missing_files_anchors_and_unlisted_pages_are_told_apart(self):
        status, output = self.links(README="[b](docs/c.md)\n`[x](y.md)`\n", docs__README="# I\n[i](#j)\n", docs__b="# B\n")
        self.assertEqual(status, 1)
        self.assertIn("README.md:1: there is no docs/c.md", output)
        self.assertIn("docs/README.md:2: there is no #j", output)
        self.assertIn("docs/b.md: is not listed", output)
        self.assertIn("3 broken", output)

    def test_source_files_named_in_code_diagrams_and_comments_exist(self):
        self.write("src/room/here.c", "/* As here.c, not gone.h. */\n#include <stdio.h>\n\nconst char *other = \"lost.c\"; /* see\n * room/gone.c */\n")
        status, output = self.links(README="# A\n", docs__README="[b](b.md)\n",
                                    docs__b="# B\n`here.c` `src/room` `tests/room`\n```\n  here.c ──► away.c\n$ cc mine.c\n```\n")
        self.assertEqual(status, 1)
        for line in ("docs/b.md:2: there is no tests/room", "docs/b.md:4: there is no away.c",
                     "src/room/here.c:1: there is no gone.h", "src/room/here.c:5: there is no room/gone.c"):
            self.assertIn(line, output)
        self.assertIn("4 broken", output)

    def test_links_of_a_site_are_checked_with_their_anchors(self):
        self.write("a.html", '<p id="x"><a href="b.html#y">b</a><img src="no.svg"><a href="https://example.org/">e</a>')
        self.write("b.html", '<a href="a.html#x">a</a>')
        status, output = run("links", "--site", self.place.name)
        self.assertEqual(status, 1)
        self.assertIn("there is no #y", output)
        self.assertIn("there is no no.svg", output)
        self.assertIn("2 broken", output)

    def test_headers_are_still_c_with_their_comments_rewritten(self):
        include = os.path.join(TOOLS, "..", "include")
        headers = sorted(name for name in os.listdir(os.path.join(include, "collider")) if name.endswith(".h"))
        self.assertGreater(len(headers), 10)
        for name in headers:
            text = subprocess.run(["sh", os.path.join(TOOLS, "docs-comments"), os.path.join(include, "collider", name)],
                                  capture_output=True, text=True, check=True).stdout
            self.assertIn("/** @file", text, name)
            compiled = subprocess.run(["cc", "-std=c17", "-fsyntax-only", "-I", include, "-xc", "-"], input=text,
                                      capture_output=True, text=True)
            self.assertEqual((compiled.returncode, compiled.stderr), (0, ""), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
