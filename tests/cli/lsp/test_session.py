# SPDX-License-Identifier: MIT
"""Sessions of a scripted editor with the language server."""
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess

from client import COMMAND, Editor
from harness import DATA, SOURCE, Case, main

PROTOCOLS = os.path.join(SOURCE, "protocols")
SMALL = """machine(MachineType:L1Cache, "A small cache")
 : MessageBuffer * mandatoryQueue;
{
  state_declaration(State, desc="States", default="L1Cache_State_I") {
    I, AccessPermission:Invalid, desc="Not here";
    V, AccessPermission:Read_Write, desc="Here";
  }
  enumeration(Event, desc="Events") {
    Load, desc="A load";
    Store, desc="A store";
  }
  action(a_take, "a", desc="Take it") {
    mandatoryQueue.dequeue(clockEdge());
  }
  transition(I, Load, V) {
    a_take;
  }
  transition(V, {Load, Store}) {
    a_take;
  }
}
"""


def _place(text, word, skip=0):
    """Line and UTF-16 units of the word's occurrence, counted from 0."""
    at = -1
    for _ in range(skip + 1):
        at = text.index(word, at + 1)
    before = text[:at]
    line = before.count("\n")
    units = len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2
    return line, units


def _start(location):
    return location["range"]["start"]["line"], location["range"]["start"]["character"]


class Sessions(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(PROTOCOLS, "mesi3"), self.path("mesi3"))
        self.l1 = self.path("mesi3", "mesi3-l1.sm")
        with open(self.l1, encoding="utf-8") as file:
            self.text = file.read()

    def _editor(self, *arguments, **settings):
        editor = Editor(*arguments, **settings)

        def end():
            editor.process.kill()
            editor.process.wait()
            for stream in (editor.process.stdin, editor.process.stdout, editor.process.stderr):
                if not stream.closed:
                    try:
                        stream.close()
                    except BrokenPipeError:
                        pass
        self.addCleanup(end)
        return editor

    # ---- Diagnostics.

    def our_protocols_have_no_mistakes(self):
        editor = self._editor()
        files = glob.glob(os.path.join(PROTOCOLS, "*", "*.s*m*")) + \
            glob.glob(os.path.join(PROTOCOLS, "*", "*.slicc"))
        self.assertGreater(len(files), 15)
        for file in files:
            editor.open(file)
            found = editor.found(file)
            self.assertEqual([d for d in found if d["severity"] == 1], [], file)
            editor.close(file)
        self.assertEqual(editor.end(), (0, ""))

    def mistakes_are_those_of_the_command(self):
        folder = os.path.join(DATA, "slicc-bad")
        files = glob.glob(os.path.join(folder, "*.sm")) + glob.glob(os.path.join(folder, "*.slicc"))
        self.assertGreater(len(files), 10)
        editor, compared = self._editor(), 0
        for file in files:
            with open(file, "rb") as opened:
                raw = opened.read()
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                continue
            if "\0" in text:
                continue
            editor.open(file)
            said = editor.found(file)
            run = subprocess.run([COMMAND, "design", "show", file], capture_output=True, text=True,
                                 check=False)
            wanted = set()
            for line in run.stderr.splitlines():
                parts = line.split(":", 4)
                if len(parts) == 5 and parts[0] == file and parts[3] in (" error", " warning"):
                    lines = raw.decode("utf-8").lstrip("\ufeff").split("\n")
                    prefix = lines[int(parts[1]) - 1].encode()[:int(parts[2]) - 1] \
                        if int(parts[1]) <= len(lines) else b""
                    units = len(prefix.decode("utf-8", "replace").encode("utf-16-le")) // 2
                    wanted.add((int(parts[1]) - 1, units, parts[4].strip()))
            if "\r" in text:
                continue
            got = {(*_start(d), d["message"]) for d in said}
            self.assertTrue(wanted <= got, f"{file}: {wanted - got}")
            compared += len(wanted)
            editor.close(file)
        self.assertGreater(compared, 20)
        self.assertEqual(editor.end(), (0, ""))

    def more_mistakes_are_told_than_the_command_prints(self):
        editor = self._editor()
        wrong = SMALL.replace("a_take;\n  }\n}", "".join(f"no_{i}; " for i in range(50)) + "\n  }\n}")
        editor.open(self.path("wrong.sm"), wrong)
        found = editor.found(self.path("wrong.sm"))
        self.assertEqual(sum("no_" in d["message"] for d in found), 50)

    def what_is_not_saved_counts(self):
        editor = self._editor()
        editor.open(self.l1)
        self.assertEqual(editor.found(self.l1), [])
        changed = self.text.replace("transition(I, Load, IS)", "transition(I, Load, NOWHERE)", 1)
        editor.change(self.l1, changed)
        found = editor.found(self.l1)
        self.assertEqual(len(found), 1)
        self.assertIn("NOWHERE", found[0]["message"])
        self.assertEqual(_start(found[0]), _place(changed, "NOWHERE"))
        self.assertEqual(found[0]["range"]["end"]["character"] -
                         found[0]["range"]["start"]["character"], len("NOWHERE"))
        editor.change(self.l1, self.text)
        self.assertEqual(editor.found(self.l1), [])

    def a_mistake_shows_in_the_other_files_of_the_protocol(self):
        messages = self.path("mesi3", "mesi3-msg.sm")
        with open(messages, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("InvAck", text)
        editor = self._editor()
        editor.open(messages, text.replace("InvAck", "InvAckOther"))
        editor.found(messages)
        elsewhere = editor.diagnostics.get(editor.uri(self.l1), [])
        self.assertTrue(any("InvAck" in d["message"] for d in elsewhere))
        editor.change(messages, text)
        editor.found(messages)
        self.assertEqual(editor.diagnostics[editor.uri(self.l1)], [])

    def a_file_on_disk_counts_again_when_it_is_closed(self):
        editor = self._editor()
        other = self.path("mesi3", "mesi3-l0.sm")
        editor.open(other)
        editor.open(self.l1, "machine(")
        self.assertNotEqual(editor.found(self.l1), [])
        editor.close(self.l1)
        self.assertEqual(editor.found(other), [])
        self.assertEqual(editor.diagnostics[editor.uri(self.l1)], [])

    def nothing_is_written(self):
        def state():
            return {name: hashlib.sha256(open(self.path("mesi3", name), "rb").read()).hexdigest()
                    for name in os.listdir(self.path("mesi3"))}
        before = state()
        editor = self._editor(cwd=self.path("mesi3"),
                              env={**os.environ, "HOME": self.path("home"),
                                   "XDG_CACHE_HOME": self.path("cache"), "CC": "/bin/false"})
        editor.open(self.l1)
        editor.change(self.l1, self.text.replace("getState", "get"))
        self.assertNotEqual(editor.found(self.l1), [])
        self.assertEqual(editor.end(), (0, ""))
        self.assertEqual(state(), before)
        self.assertEqual(os.listdir(self.folder), ["mesi3"])

    # ---- Questions.

    def definitions_lead_to_states_events_actions_functions_types_and_ports(self):
        editor = self._editor()
        editor.open(self.l1)
        text = self.text
        at = text.index("transition(I, Load, IS)")
        line, column = _place(text, "transition(I, Load, IS)")
        wanted = {"I": (r"^    I, +AccessPermission", 11), "Load": (r"^    Load,", 14),
                  "IS": (r"^    IS, +AccessPermission", 20)}
        for name, (declared, offset) in wanted.items():
            found = editor.at("definition", self.l1, line, column + offset)
            declared_line = text.count("\n", 0, re.search(declared, text, re.M).start())
            self.assertEqual([_start(f) for f in found], [(declared_line, 4)], name)
        action = text[text.index("{", at) + 1:].split(";")[0].strip()
        where = _place(text[at:], action)
        found = editor.at("definition", self.l1, line + where[0], where[1] + 1)
        self.assertEqual(_start(found[0]), _place(text, action)[0:1] + (9,))
        for word, declared in (("getState(tbe", "State getState("), ("TBETable TBEs", "structure(TBETable")):
            if word not in text:
                continue
            line_, column_ = _place(text, word)
            found = editor.at("definition", self.l1, line_, column_ + 2)
            name = declared.replace("structure(", "").replace("State ", "").rstrip("(")
            expected = _place(text, declared)
            self.assertEqual(_start(found[0]), (expected[0], expected[1] + declared.index(name)), word)

    def a_declared_state_leads_to_its_transitions(self):
        editor = self._editor()
        path = self.path("small.sm")
        editor.open(path, SMALL)
        lines = [line for line, text in enumerate(SMALL.split("\n")) if "transition(" in text]
        for word, wanted in (("    V, Acc", lines[1:]), ("    Load, desc", lines),
                             ("    Store, desc", lines[1:])):
            line, column = _place(SMALL, word)
            found = editor.at("definition", path, line, column + 4)
            self.assertEqual([_start(f)[0] for f in found], wanted, word)

    def references_are_all_uses_in_all_files(self):
        editor = self._editor()
        path = self.path("small.sm")
        editor.open(path, SMALL)
        line, column = _place(SMALL, "    a_take")
        found = editor.at("references", path, line, column + 5)
        self.assertEqual([_start(f) for f in found],
                         [_place(SMALL, "a_take", skip) for skip in range(3)])
        editor.open(self.l1)
        line, column = _place(self.text, "transition(I, Load, IS)")
        found = editor.at("references", self.l1, line, column + 20)  # IS
        texts = {}
        for one in found:
            name = one["uri"].rsplit("/", 1)[1]
            if name not in texts:
                with open(self.path("mesi3", name), encoding="utf-8") as file:
                    texts[name] = file.read().split("\n")
            at_line, at_column = _start(one)
            self.assertEqual(texts[name][at_line][at_column:at_column + 2], "IS")
        self.assertEqual(set(texts), {"mesi3-l1.sm"})  # other machines have states of this name
        uses = len(re.findall(r"\bIS\b", re.sub(r'//.*|"[^"]*"', "", self.text)))
        self.assertEqual(len(found), uses)

    def definitions_lead_to_other_files(self):
        listed = self.path("mesi3", "mesi3.slicc")
        with open(listed, encoding="utf-8") as file:
            text = file.read()
        editor = self._editor()
        editor.open(listed, text)
        line, column = _place(text, "mesi3-l1.sm")
        found = editor.at("definition", listed, line, column + 3)
        self.assertEqual([f["uri"] for f in found], [editor.uri(self.l1)])

    def hover_shows_the_row_of_a_transition(self):
        editor = self._editor()
        editor.open(self.path("small.sm"), SMALL)
        path = self.path("small.sm")

        def said(word, skip=0, offset=0):
            line, column = _place(SMALL, word, skip)
            answer = editor.at("hover", path, line, column + offset)
            return None if answer is None else answer["contents"]["value"]
        self.assertEqual(said("transition(I"), "```slicc\nI × Load → V: a_take\n```\n")
        self.assertEqual(said("transition(V"),
                         "```slicc\nV × Load → V: a_take\nV × Store → V: a_take\n```\n")
        self.assertEqual(said("{Load, Store}", offset=8),
                         "```slicc\n// A store\nV × Store → V: a_take\n```\n")
        self.assertEqual(said("    V, Acc", offset=4),
                         "```slicc\nState:V (Read_Write)\n// Here\nV × Load → V: a_take\n"
                         "V × Store → V: a_take\n```\n")
        self.assertIn("I × Load → V", said("    Load, desc", offset=4))
        self.assertIn("// Take it\n// transitions that use it: 2", said("    a_take", offset=5))
        self.assertIn("MessageBuffer * mandatoryQueue", said("mandatoryQueue.", offset=2))
        self.assertIsNone(said("\n{", offset=0))

    def hover_is_plain_for_editors_that_do_not_know_markdown(self):
        editor = self._editor(capabilities={})
        editor.open(self.path("small.sm"), SMALL)
        line, column = _place(SMALL, "transition(I")
        answer = editor.at("hover", self.path("small.sm"), line, column)
        self.assertEqual(answer["contents"], {"kind": "plaintext", "value": "I × Load → V: a_take\n"})
        flat = editor.ask("textDocument/documentSymbol",
                          {"textDocument": {"uri": editor.uri(self.path("small.sm"))}})
        self.assertIn(("a_take", "L1Cache"), [(s["name"], s.get("containerName")) for s in flat])

    def symbols_are_a_tree_within_the_text(self):
        editor = self._editor()
        for name in ("mesi3-l1.sm", "mesi3-msg.sm"):
            path = self.path("mesi3", name)
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
            editor.open(path)
            symbols = editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": editor.uri(path)}})
            count = 0

            def check(symbol, around):
                nonlocal count
                count += 1
                ends = [symbol["range"]["start"], symbol["selectionRange"]["start"],
                        symbol["selectionRange"]["end"], symbol["range"]["end"]]
                flat = [(e["line"], e["character"]) for e in ends]
                self.assertEqual(flat, sorted(flat), symbol["name"])
                self.assertLess(flat[-1][0], len(lines))
                if around is not None:
                    self.assertLessEqual(around[0], flat[0])
                    self.assertLessEqual(flat[-1], around[1])
                if "×" not in symbol["name"]:
                    self.assertTrue(lines[flat[1][0]][flat[1][1]:].startswith(symbol["name"]))
                for child in symbol.get("children", ()):
                    check(child, (flat[0], flat[-1]))
            for symbol in symbols:
                check(symbol, None)
            self.assertGreater(count, 20)

    def places_count_utf_16_units(self):
        text = SMALL.replace("Not here", "Nicht hier 𝄞 größer")
        text = text.replace('I, AccessPermission:Invalid, desc="Nicht hier 𝄞 größer";',
                            '/* 𝄞é */ I, AccessPermission:Invalid, desc="x"; /* 𝄞𝄞 */ Q oops')
        editor = self._editor()
        path = self.path("wide.sm")
        editor.open(path, text)
        found = editor.found(path)
        oops = _place(text, "oops")
        self.assertIn(oops, [_start(d) for d in found])
        line, column = _place(text, "I, AccessPermission")
        self.assertEqual(column, 4 + len("/* **é */ "))
        answer = editor.at("hover", path, line, column)
        self.assertIn("State:I", answer["contents"]["value"])

    # ---- Litmus tests.

    def litmus_tests_are_understood(self):
        files = sorted(glob.glob(os.path.join(DATA, "litmus-out", "*.litmus")))[:20]
        editor = self._editor()
        for file in files:
            editor.open(file, language="litmus")
            self.assertEqual(editor.found(file), [], file)
            editor.close(file)
        text = "X86_64 SB\n\"store buffering\"\n{ x=0; y=3; 0:rax=5; }\n P0 | P1 ;\n" \
               " movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\n" \
               "exists (0:rax=0 /\\ 1:rax=0)\n"
        path = self.path("sb.litmus")
        editor.open(path, text, language="litmus")
        self.assertEqual(editor.found(path), [])
        line, column = _place(text, "(y),%eax")
        self.assertIn("y: a location, at the start 3",
                      editor.at("hover", path, line, column + 1)["contents"]["value"])
        self.assertIn("0:eax: a register of 32 bits, at the start 5",
                      editor.at("hover", path, line, column + 6)["contents"]["value"])
        self.assertEqual([_start(d) for d in editor.at("definition", path, line, column + 1)],
                         [_place(text, "y=3")])
        tree = editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": editor.uri(path)}})
        self.assertEqual([c["name"] for c in tree[0]["children"]], ["x", "y", "P0", "P1", "exists"])
        editor.change(path, text.replace("movl (x),%eax", "movq (x),%%eax"))
        found = editor.found(path)
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["range"]["start"]["line"], 5)
        self.assertEqual(editor.end(), (0, ""))


class Robustness(Case):
    def _raw(self, data, timeout=1500):
        run = subprocess.run([COMMAND, "lsp"], input=data, capture_output=True, timeout=timeout,
                             check=False)
        messages, rest = [], run.stdout
        while rest:
            head, rest = rest.split(b"\r\n\r\n", 1)
            length = int(head.split(b":")[1])
            messages.append(json.loads(rest[:length]))
            rest = rest[length:]
        return run.returncode, messages, run.stderr.decode()

    @staticmethod
    def _frame(*messages):
        out = b""
        for message in messages:
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            out += b"Content-Length: %d\r\n\r\n" % len(body) + body
        return out

    def exits_as_the_protocol_demands(self):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
        shutdown = {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}
        leave = {"jsonrpc": "2.0", "method": "exit"}
        self.assertEqual(self._raw(self._frame(hello, shutdown, leave))[0], 0)
        self.assertEqual(self._raw(self._frame(hello, leave))[0], 1)
        self.assertEqual(self._raw(self._frame(leave))[0], 1)
        self.assertEqual(self._raw(self._frame(hello, shutdown))[0], 1)
        self.assertEqual(self._raw(b"")[0], 1)

    def refuses_requests_out_of_turn(self):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
        hover = {"jsonrpc": "2.0", "id": "h", "method": "textDocument/hover", "params": {}}
        _, said, _ = self._raw(self._frame(hover, hello, hello, hover, {
            "jsonrpc": "2.0", "id": 9, "method": "workspace/symbol", "params": {}}, {
            "jsonrpc": "2.0", "method": "$/anything"}, {
            "jsonrpc": "2.0", "id": 5, "result": None}, {
            "jsonrpc": "2.0", "id": 2, "method": "shutdown"}, hover))
        self.assertEqual([(m["id"], m.get("error", {}).get("code")) for m in said],
                         [("h", -32002), (1, None), (1, -32600), ("h", None), (9, -32601), (2, None),
                          ("h", -32600)])

    def survives_what_is_not_json(self):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
        wrong = [b"", b"{", b"[]", b"null", b"3", b"\xff\xfe", b"[" * 100000, b'{"id": {}}', b'{"id": 7}',
                 b'{"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": [1]}',
                 b'{"jsonrpc": "2.0", "id": 4, "method": "textDocument/hover", "params": '
                 b'{"textDocument": 3, "position": {"line": -1, "character": 1e99}}}',
                 b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": []}}',
                 b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {}}']
        status, said, error = self._raw(self._frame(hello, *wrong, {
            "jsonrpc": "2.0", "id": 8, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}))
        self.assertEqual((status, error), (0, ""))
        self.assertEqual([(m["id"], m.get("error", {}).get("code")) for m in said],
                         [(1, None), (None, -32700), (None, -32700), (None, -32600), (None, -32700),
                          (None, -32700), (None, -32700), (None, -32700), (None, -32600),
                          (7, -32600), (3, -32602), (4, None), (8, None)])

    def ends_with_a_sentence_when_frames_are_lost(self):
        for data, sentence in (
                (b"Content-Length: 99999999999999999999\r\n\r\n{}", "Content-Length"),
                (b"Content-Length: 67108865\r\n\r\n{}", "Content-Length"),
                (b"Content-Length: -1\r\n\r\n{}", "Content-Length"),
                (b"Content-Length: 5x\r\n\r\n{}", "Content-Length"),
                (b"Content-Type: x\r\n\r\n{}", "Content-Length"),
                (b"Content-Length: 10\r\n\r\n{}", "end within"),
                (b"Content-Length: 10\r\n", "end within"),
                (b"x" * 100000, "too long")):
            status, said, error = self._raw(data)
            self.assertEqual((status, said), (2, []), data[:40])
            self.assertIn(sentence, error)
            self.assertEqual(error.count("\n"), 1)

    def takes_frames_in_any_pieces(self):
        editor = Editor(capabilities=False)
        data = self._frame({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                            "params": {"capabilities": {}}})
        data = data.replace(b"Content-Length", b"content-length").replace(
            b"\r\n\r\n", b"\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n")
        for i in range(len(data)):
            editor.send_bytes(data[i:i + 1])
        self.assertEqual(editor.receive()["id"], 1)
        self.assertEqual(editor.end()[0], 0)

    def a_large_length_costs_no_memory_before_it_is_sent(self):
        limit = 256 << 20
        run = subprocess.run([COMMAND, "lsp"], input=b"Content-Length: 67108864\r\n\r\n{}",
                             capture_output=True, check=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        self.assertEqual(run.returncode, 2)

    def changed_texts_never_crash_it(self):
        with open(os.path.join(PROTOCOLS, "mesi3", "mesi3-l1.sm"), encoding="utf-8") as file:
            text = file.read()
        editor = Editor()
        path = self.path("l1.sm")
        editor.open(path, "")
        state = 7
        for _ in range(60):
            state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
            at, length = (state >> 16) % len(text), (state >> 40) % 400
            changed = text[:at] + text[at + length:]
            if state % 3 == 0:
                changed = text[:at] + "𝄞{}(;" + text[at:]
            editor.change(path, changed)
            line = changed.count("\n", 0, at)
            for method in ("hover", "definition"):
                editor.at(method, path, line, (state >> 8) % 60)
            editor.at("hover", path, 10 ** 6, 10 ** 6)
            self.assertIsNotNone(editor.found(path))
        self.assertEqual(editor.end(), (0, ""))


main()
