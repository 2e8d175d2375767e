# SPDX-License-Identifier: MIT
"""The grammars for syntax colours, on all our protocols, models and litmus tests."""
import glob
import json
import os
import re

from harness import DATA, SOURCE, Case, main
from textmate import Grammar

EDITORS = os.path.join(SOURCE, "editors")


def _grammar(name):
    return Grammar(os.path.join(EDITORS, "vscode", "syntaxes", name + ".tmLanguage.json"))


def _keywords(file, macro):
    with open(os.path.join(SOURCE, "src", file), encoding="utf-8") as opened:
        text = opened.read()
    start = text.index("#define " + macro)
    return set(re.findall(r'X\(\w+, "(\w+)"\)', text[start:text.index("\n\n", start)]))


def _scopes(grammar, text):
    """The innermost scope of each character, line by line."""
    lines = [[None] * len(line) for line in text.split("\n")]
    for line, start, end, scope in grammar.tokens(text):
        lines[line][start:end] = [scope] * (end - start)
    return lines


class Grammars(Case):
    def the_package_names_files_that_are_there(self):
        with open(os.path.join(EDITORS, "vscode", "package.json"), encoding="utf-8") as file:
            package = json.load(file)
        paths = [language["configuration"] for language in package["contributes"]["languages"]]
        paths += [grammar["path"] for grammar in package["contributes"]["grammars"]]
        for path in paths:
            with open(os.path.join(EDITORS, "vscode", path), encoding="utf-8") as file:
                json.load(file)
        names = {g["language"]: g["scopeName"] for g in package["contributes"]["grammars"]}
        for name, scope in names.items():
            self.assertEqual(_grammar(name).grammar["scopeName"], scope)
            self.assertGreater(len(_grammar(name).regexes()), 8)

    def have_the_keywords_of_the_scanners(self):
        for name, file, macro in (("slicc", "protocol/slicc/parser.h", "SLICC_KEYWORDS"),
                                  ("cat", "judge/cat/cat_scanner.h", "CAT_KEYWORDS")):
            grammar, keywords = _grammar(name), _keywords(file, macro)
            self.assertGreater(len(keywords), 25)
            for keyword in keywords:
                scope = next(iter(grammar.tokens(keyword + " ")))[3]
                self.assertRegex(scope, "keyword|storage|constant", keyword)
            with open(os.path.join(EDITORS, "vim", "syntax", name + ".vim"), encoding="utf-8") as file:
                words = {word for line in file if line.startswith("syn keyword")
                         for word in line.split()[3:]}
            self.assertEqual(keywords - words, set())

    def every_character_of_our_files_has_a_scope(self):
        sources = {"slicc": glob.glob(os.path.join(SOURCE, "protocols", "*", "*.s*m*")) +
                   glob.glob(os.path.join(SOURCE, "protocols", "*", "*.slicc")),
                   "litmus": glob.glob(os.path.join(DATA, "litmus-out", "*.litmus")),
                   "cat": glob.glob(os.path.join(SOURCE, "models", "*.cat"))}
        for name, files in sources.items():
            grammar = _grammar(name)
            self.assertGreater(len(files), 3, name)
            for file in files:
                with open(file, encoding="utf-8") as opened:
                    text = opened.read()
                for number, (line, scopes) in enumerate(zip(text.split("\n"), _scopes(grammar, text))):
                    for column, (character, scope) in enumerate(zip(line, scopes)):
                        self.assertTrue(scope or character.isspace(),
                                        f"{file}:{number + 1}:{column + 1}: {character!r}")

    def comments_strings_and_declarations_are_told_apart(self):
        grammar = _grammar("slicc")
        text = 'action(a_take, "a", desc="if // no") { /* if\n if */ peek(q, M) { x := State:I; } } // if\n' \
               'transition({I, S}, if_odd, M) { a_take; }'
        scopes = _scopes(grammar, text)

        def at(word, line=0, skip=0):
            place = -1
            for _ in range(skip + 1):
                place = text.split("\n")[line].index(word, place + 1)
            found = set(scopes[line][place:place + len(word)])
            self.assertEqual(len(found), 1, word)
            return found.pop()
        self.assertEqual(at("action"), "keyword.declaration.slicc")
        self.assertEqual(at("a_take"), "entity.name.function.slicc")
        self.assertEqual(at("if // no"), "string.quoted.double.slicc")
        self.assertEqual(at("desc"), "entity.other.attribute-name.slicc")
        self.assertEqual(at("/* if"), "comment.block.slicc")
        self.assertEqual(at(" if */", 1), "comment.block.slicc")
        self.assertEqual(at("peek", 1), "keyword.control.slicc")
        self.assertEqual(at("State", 1), "entity.name.type.slicc")
        self.assertEqual(at("// if", 1), "comment.line.double-slash.slicc")
        self.assertEqual(at("if_odd", 2), "entity.name.tag.slicc")
        nested = _scopes(_grammar("cat"), "(* a (* b *) let *) let x = po")
        self.assertEqual(nested[0][14], "comment.block.cat")
        self.assertEqual(nested[0][21], "keyword.control.cat")


main()
