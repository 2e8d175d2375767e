# SPDX-License-Identifier: MIT
"""The part of TextMate's tokenizer that our grammars use: match, begin and end, captures, include."""
import json
import re


class Grammar:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.grammar = json.load(file)
        self.compiled = {}

    def _regex(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(text)
        return self.compiled[text]

    def _flat(self, patterns):
        for pattern in patterns:
            if "include" in pattern:
                yield from self._flat([self.grammar["repository"][pattern["include"][1:]]])
            elif "match" in pattern or "begin" in pattern:
                yield pattern
            else:
                yield from self._flat(pattern["patterns"])

    def regexes(self):
        """All regular expressions of the grammar, compiled."""
        def walk(value):
            if isinstance(value, dict):
                for key, inner in value.items():
                    if key in ("match", "begin", "end"):
                        yield self._regex(inner)
                    else:
                        yield from walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    yield from walk(inner)
        return list(walk(self.grammar))

    def tokens(self, text):
        """Rows (line, start, end, scope), for what has a scope; the innermost one."""
        stack = []  # patterns with an end that are open
        for number, line in enumerate(text.split("\n")):
            at = 0
            while True:
                inner = stack[-1].get("patterns", []) if stack else self.grammar["patterns"]
                best, rule = None, None
                if stack:
                    best = self._regex(stack[-1]["end"]).search(line, at)
                    rule = "end"
                for pattern in self._flat(inner):
                    found = self._regex(pattern.get("match") or pattern["begin"]).search(line, at)
                    if found and (best is None or found.start() < best.start()):
                        best, rule = found, pattern
                if best is None:
                    if stack and "name" in stack[-1] and at < len(line):
                        yield number, at, len(line), stack[-1]["name"]
                    break
                if stack and "name" in stack[-1] and best.start() > at:
                    yield number, at, best.start(), stack[-1]["name"]
                name = stack[-1].get("name") if rule == "end" else rule.get("name")
                captures = (stack[-1].get("endCaptures", {}) if rule == "end" else
                            rule.get("captures") or rule.get("beginCaptures", {}))
                if name and best.end() > best.start():
                    yield number, best.start(), best.end(), name
                for group, capture in captures.items():
                    if best.start(int(group)) >= 0:
                        yield number, best.start(int(group)), best.end(int(group)), capture["name"]
                if rule == "end":
                    stack.pop()
                elif "begin" in rule:
                    stack.append(rule)
                elif best.end() == at:
                    break  # nothing would change any more
                if best.end() == len(line) and rule == "end" and best.end() == best.start():
                    break
                at = best.end()
