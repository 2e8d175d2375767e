# SPDX-License-Identifier: MIT
"""A scripted editor: starts the language server and speaks to it as editors do."""
import json
import os
import pathlib
import subprocess

COMMAND = os.environ["COLLIDER_COMMAND"]


class Editor:
    def __init__(self, capabilities=None, **settings):
        self.process = subprocess.Popen([COMMAND, "lsp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings)
        self.last = 0
        self.diagnostics = {}  # by path: the last that were published
        self.initialized = None
        if capabilities is not False:
            if capabilities is None:
                capabilities = {"textDocument": {
                    "hover": {"contentFormat": ["markdown", "plaintext"]},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
            self.initialized = self.ask("initialize", {"processId": None, "rootUri": None,
                                                       "capabilities": capabilities})
            self.tell("initialized", {})

    # ---- Messages.

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_text(self, text):
        body = text.encode() if isinstance(text, str) else text
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if line == b"":
                return None
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            if name == b"Content-Length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        assert message["jsonrpc"] == "2.0"
        if message.get("method") == "textDocument/publishDiagnostics":
            path = message["params"]["uri"]
            self.diagnostics[path] = message["params"]["diagnostics"]
        return message

    def tell(self, method, params):
        self.send_text(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask_whole(self, method, params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        if params is not None:
            message["params"] = params
        self.send_text(json.dumps(message))
        while True:
            message = self.receive()
            if message is None:
                raise AssertionError("the server is gone: " + self.process.stderr.read().decode())
            if message.get("id") == self.last:
                return message

    def ask(self, method, params=None):
        message = self.ask_whole(method, params)
        assert "error" not in message, message
        return message["result"]

    # ---- Documents.

    @staticmethod
    def uri(path):
        return path if ":" in str(path) else pathlib.Path(path).resolve().as_uri()

    def open(self, path, text=None, language="slicc"):
        if text is None:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.tell("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(path), "languageId": language, "version": 1, "text": text}})

    def change(self, path, text):
        self.tell("textDocument/didChange", {
            "textDocument": {"uri": self.uri(path), "version": 2}, "contentChanges": [{"text": text}]})

    def close(self, path):
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})

    def found(self, path):
        """What is published about a document once all that was sent is dealt with."""
        self.ask("textDocument/documentSymbol", {"textDocument": {"uri": self.uri(path)}})
        return self.diagnostics.get(self.uri(path))

    def at(self, method, path, line, character):
        return self.ask("textDocument/" + method, {
            "textDocument": {"uri": self.uri(path)},
            "position": {"line": line, "character": character}})

    # ---- The end.

    def end(self):
        """Shuts the server down; its exit status and what it complained about."""
        self.ask("shutdown")
        self.tell("exit", None)
        return self.wait()

    def wait(self):
        self.process.stdin.close()
        while self.receive() is not None:
            pass
        error = self.process.stderr.read().decode()
        status = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return status, error
