#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes collider/_declarations.py from the public C headers: python/declare.py [CHECK]

The C preprocessor expands the headers, and a small parser, which knows only what these headers
use, turns them into ctypes. With the word "check" nothing is written; the exit status says whether
the file is up to date. Sizes and offsets are compared with the C compiler's in tests/python.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "include")
OUTPUT = os.path.join(HERE, "collider", "_declarations.py")
HEADERS = ["problem", "program", "generate", "event", "check", "witness", "duv", "cover", "engine",
           "episode", "shrink", "store"]
PLUGINS = {"col_duv_plugin", "col_engine_plugin"}  # a plug-in defines them, the library does not

PLAIN = {
    "char": "c_char", "bool": "c_bool", "_Bool": "c_bool", "int": "c_int", "unsigned": "c_uint",
    "float": "c_float", "double": "c_double", "size_t": "c_size_t", "int8_t": "c_int8",
    "uint8_t": "c_uint8", "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64",
    "uint64_t": "c_uint64",
}


def expand(compiler):
    """The headers' own text, without comments, macros and what they include from elsewhere."""
    source = "".join(f"#include <collider/{name}.h>\n" for name in HEADERS)
    run = subprocess.run([compiler, "-E", "-std=c17", "-DCOL_STANDARD_C", "-I", INCLUDE, "-xc", "-"],
                         input=source, capture_output=True, text=True, check=True)
    kept, is_ours = [], False
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            name = marker.group(1)
            is_ours = "/collider/" in name and not name.endswith("/compiler.h")
        elif is_ours:
            kept.append(line)
    return "\n".join(kept)


def tokens_of(text):
    return re.findall(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|<<|>>|[^\s\w]", text)


def split(tokens, separator):
    """Parts between separators that stand outside of all brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


class Declarations:
    def __init__(self):
        self.constants = {}
        self.enumerations = set()
        self.structures = {}  # name: lines of fields, None while it is only declared
        self.order = []  # of the structures that have fields
        self.callbacks = {}
        self.functions = {}
        self.variables = {}

    # ---- Types.

    def value(self, tokens):
        text = " ".join(re.sub(r"[uUlL]+$", "", t) if t[0].isdigit() else t for t in tokens)
        return eval(text, {"__builtins__": {}}, dict(self.constants))  # of our own headers

    def base(self, words):
        words = [w for w in words if w not in ("const", "volatile", "struct", "enum", "extern")]
        name = words[-1]
        if name == "void":
            return "void"
        if name in PLAIN:
            return PLAIN[name]
        if name in self.enumerations:
            return "c_int"
        if name in self.callbacks:
            return name
        self.structures.setdefault(name, None)
        return name

    @staticmethod
    def pointer(kind, is_constant):
        if kind == "void":
            return "c_void_p"
        if kind == "c_char" and is_constant:
            return "c_char_p"
        return f"POINTER({kind})"

    def declarator(self, words, rest):
        """The name and type of `rest`, stars, name and bounds behind the words of a base type."""
        rest = list(rest)
        if "(" in rest and rest[rest.index("(") + 1] == "*":  # ret (*name)(arguments)
            at = rest.index("(")
            name = rest[at + 2]
            result, _ = self.stars(words, rest[:at])
            arguments = rest[at + 5:-1]
            return name, self.callback(result, arguments)
        bounds = []
        while rest and rest[-1] == "]":
            at = len(rest) - 1 - rest[::-1].index("[")
            bounds.append(rest[at + 1:-1])
            rest = rest[:at]
        name = rest.pop() if rest and re.match(r"[A-Za-z_]", rest[-1]) and rest[-1] != "const" else None
        kind, _ = self.stars(words, rest)
        for bound in bounds:
            kind = f"{kind} * {self.value(bound)}" if bound else f"POINTER({kind})"
        return name, kind

    def stars(self, words, rest):
        kind = self.base(words)
        is_constant = "const" in words
        for token in rest:
            if token == "*":
                kind = self.pointer(kind, is_constant)
                is_constant = False
        return kind, is_constant

    def callback(self, result, arguments):
        kinds = ["None" if result == "void" else result] + self.arguments(arguments)
        return f"CFUNCTYPE({', '.join(kinds)})"

    def arguments(self, tokens):
        if tokens == ["void"]:
            return []
        kinds = []
        for part in split(tokens, ","):
            words, rest = self.cut(part)
            kind = self.declarator(words, rest)[1]
            if " * " in kind:  # an array as an argument is a pointer
                kind = f"POINTER({kind.split(' * ')[0]})"
            kinds.append(kind)
        return kinds

    def cut(self, tokens):
        """The words of the base type, and what comes behind them."""
        at = 0
        while tokens[at] in ("const", "volatile", "struct", "enum", "extern"):
            at += 1
        at += 1
        while at < len(tokens) and tokens[at] == "const":
            at += 1
        return tokens[:at], tokens[at:]

    # ---- Declarations.

    def enumerate(self, tokens):
        following = 0
        for part in split(tokens, ","):
            if len(part) > 1:
                following = self.value(part[2:])
            self.constants[part[0]] = following
            following += 1

    def fields(self, tokens, owner):
        lines, anonymous = [], []
        for part in split(tokens, ";"):
            if part[0] in ("union", "struct") and part[1] == "{":
                name = f"_{owner}_{len(anonymous)}"
                self.add_structure(name, part[2:-1], "Union" if part[0] == "union" else "Structure")
                anonymous.append(name)
                lines.append((name, name))
                continue
            words, rest = self.cut(part)
            for one in split(rest, ","):
                lines.append(self.declarator(words, one))
        return lines, anonymous

    def add_structure(self, name, tokens, kind="Structure"):
        lines, anonymous = self.fields(tokens, name)
        self.structures[name] = (kind, lines, anonymous)
        self.order.append(name)

    def add(self, tokens):
        if tokens[0] == "typedef":
            self.add_type(tokens[1:])
        elif tokens[:2] == ["enum", "{"]:
            self.enumerate(tokens[2:-1])
        elif tokens[0] == "struct" and len(tokens) == 2:
            self.structures.setdefault(tokens[1], None)
        elif tokens[0] == "extern":
            words, rest = self.cut(tokens)
            name, kind = self.declarator(words, rest)
            if name not in PLUGINS:
                self.variables[name] = kind
        else:
            words, rest = self.cut(tokens)
            at = rest.index("(")
            result, _ = self.stars(words, rest[:at - 1])
            self.functions[rest[at - 1]] = (None if result == "void" else result,
                                            self.arguments(rest[at + 1:-1]))

    def add_type(self, tokens):
        name = tokens[-1]
        if tokens[0] == "enum":
            self.enumerations.add(name)
            self.enumerate(tokens[tokens.index("{") + 1:-2])
        elif tokens[0] == "struct" and "{" in tokens:
            self.add_structure(name, tokens[tokens.index("{") + 1:-2])
        elif tokens[0] == "struct":
            self.structures.setdefault(name, None)
        else:
            words, rest = self.cut(tokens)
            name, kind = self.declarator(words, rest)
            self.callbacks[name] = kind

    # ---- Writing.

    def text(self, version):
        lines = ['# SPDX-License-Identifier: MIT',
                 '"""The C API in ctypes. Written by python/declare.py from include/collider; do not edit."""',
                 "# flake8: noqa",
                 "from ctypes import *", "",
                 f'VERSION = "{version}"', ""]
        lines += [f"{name} = {value}" for name, value in self.constants.items()]
        lines.append("")
        for name, what in self.structures.items():
            kind = what[0] if what else "Structure"
            lines.append(f"class {name}({kind}): pass")
        lines.append("")
        lines += [f"{name} = {kind}" for name, kind in self.callbacks.items()]
        lines.append("")
        for name in self.order:
            _, fields, anonymous = self.structures[name]
            if anonymous:
                lines.append(f"{name}._anonymous_ = {tuple(anonymous)!r}")
            lines.append(f"{name}._fields_ = [")
            lines += [f'    ("{field}", {kind}),' for field, kind in fields]
            lines.append("]")
        lines += ["", "FUNCTIONS = {"]
        for name, (result, arguments) in self.functions.items():
            lines.append(f'    "{name}": ({result}, [{", ".join(arguments)}]),')
        lines += ["}", "", "VARIABLES = {"]
        lines += [f'    "{name}": {kind},' for name, kind in self.variables.items()]
        lines += ["}", ""]
        return "\n".join(lines)


def version_of():
    with open(os.path.join(HERE, "..", "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(collider VERSION ([\d.]+)", file.read()).group(1)


def statements(tokens):
    return split(tokens, ";")


def main():
    declarations = Declarations()
    for statement in statements(tokens_of(expand(os.environ.get("CC", "cc")))):
        declarations.add(statement)
    text = declarations.text(version_of())
    if sys.argv[1:] == ["check"]:
        with open(OUTPUT, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print("collider/_declarations.py is not what the headers say: run python/declare.py",
              file=sys.stderr)
        return 1
    with open(OUTPUT + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(OUTPUT + ".new", OUTPUT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
