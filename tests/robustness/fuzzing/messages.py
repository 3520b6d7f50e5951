"""Messages that a client may send, and what becomes of them when something is wrong with the client."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

from pto_lsp.server.uris import to_uri
from tests.robustness.fuzzing.corpus import Source
from tests.robustness.fuzzing.edits import Edit, apply
from tests.support.client import Message

LANGUAGE_REQUESTS = (
    "textDocument/hover",
    "textDocument/codeAction",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/documentHighlight",
    "textDocument/prepareCallHierarchy",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/inlayHint",
    "textDocument/diagnostic",
    "textDocument/completion",
    "textDocument/rename",
    "textDocument/semanticTokens/full",
)
_COMMANDS = (
    *("pto.compile", "pto.generatedCpp", "pto.legalizedSource", "pto.taskGraph", "pto.replayTable", "pto.explain"),
    *("pto.printDebugInformation", "pto.showSettings", "pto.applyAllFixes", "pto.nothing"),
)
_ODD_ADDRESSES = (
    *("untitled:Untitled-1", "file:///nowhere.py", "", "http://[", "file://\x00", "::", "file:", "file:// ", "."),
    *("file://elsewhere/x.py", "file:///a%00.py", "file:///%FF.py", "file:///a#b?c.py", "file:///a%2Fb.py", "\ud800"),
)
_NOTIFICATIONS = frozenset(
    (
        *("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave"),
        *("workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "initialized", "$/setTrace"),
        *("workspace/didChangeWorkspaceFolders", "$/cancelRequest", "pto/unknown", "window/workDoneProgress/cancel"),
    )
)


class Messages:
    """A client's documents and what it says about them."""

    def __init__(self, rng: random.Random, sources: Sequence[Source]) -> None:
        self._rng = rng
        self.sources = list({source.path: source for source in sources}.values())
        self.texts = {source.path: source.text for source in self.sources}
        self._versions = dict.fromkeys(self.texts, 1)

    @staticmethod
    def is_request(method: str) -> bool:
        return method not in _NOTIFICATIONS

    def capabilities(self) -> Message:
        """UTF-32, so that a character is a code point."""
        rng = self._rng
        publish = {"relatedInformation": rng.random() < 0.5, "tagSupport": {"valueSet": [1, 2]}}
        actions = {
            "dataSupport": True,
            "disabledSupport": True,
            "resolveSupport": {"properties": ["edit"]},
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}},
        }
        document: Message = {
            "publishDiagnostics": publish,
            "codeAction": actions,
            "hover": {"contentFormat": ["markdown"]},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": rng.random() < 0.7},
            "callHierarchy": {},
            "foldingRange": {},
            "codeLens": {},
            "documentHighlight": {},
            "definition": {},
            "inlayHint": {},
        }
        if rng.random() < 0.5:
            document["diagnostic"] = {}
        workspace = {
            "configuration": rng.random() < 0.5,
            "didChangeWatchedFiles": {"dynamicRegistration": rng.random() < 0.5},
            "diagnostics": {"refreshSupport": rng.random() < 0.5},
            "workspaceEdit": {"documentChanges": rng.random() < 0.5},
        }
        return {"general": {"positionEncodings": ["utf-32"]}, "textDocument": document, "workspace": workspace}

    def opening(self, source: Source) -> Message:
        self.texts[source.path] = source.text
        item = {"uri": to_uri(source.path), "languageId": "python", "version": 1, "text": source.text}
        return {"method": "textDocument/didOpen", "params": {"textDocument": item}}

    def change(self, path: str, edit: Edit) -> Message:
        text = self.texts[path]
        self.texts[path] = apply(text, edit)
        self._versions[path] += 1
        place = {"start": _position(text, edit.start), "end": _position(text, edit.end)}
        return {
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": to_uri(path), "version": self._versions[path]},
                "contentChanges": [{"range": place, "text": edit.content}],
            },
        }

    def language_request(self, method: str) -> Message:
        rng = self._rng
        path = rng.choice(list(self.texts))
        text = self.texts[path]
        at = _position(text, rng.randint(0, len(text)))
        to = _position(text, rng.randint(0, len(text)))
        params: Message = {"textDocument": {"uri": to_uri(path)}, "position": at, "range": {"start": at, "end": to}}
        params["context"] = {"diagnostics": [], "includeDeclaration": True}
        if rng.random() < 0.2:
            params["context"]["only"] = [rng.choice(("quickfix", "source.fixAll", "refactor", ""))]
        if method == "textDocument/rename":
            params["newName"] = "other"
        return {"method": method, "params": params}

    def any_message(self) -> Message:
        rng = self._rng
        path = rng.choice(list(self.texts))
        uri = rng.choice((to_uri(path), *_ODD_ADDRESSES))
        document = {"uri": uri, "version": rng.choice((0, -1, 7, 10**9))}
        choice = rng.randrange(10)
        if choice == 0:
            return self.language_request(rng.choice(LANGUAGE_REQUESTS))
        if choice == 1:
            # Positions that are nowhere in the text.
            far = {"line": rng.choice((0, 10**6)), "character": rng.choice((0, 10**6))}
            part = {"range": {"start": far, "end": {"line": 0, "character": 0}}, "text": "x"}
            return {"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [part]}}
        if choice == 2:
            item = {"uri": uri, "languageId": "python", "version": 1, "text": rng.choice(list(self.texts.values()))}
            return {"method": "textDocument/didOpen", "params": {"textDocument": item}}
        if choice == 3 and uri != to_uri(path):
            return {"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}}
        if choice == 4:
            events = [{"uri": uri, "type": rng.randint(0, 4)}, {"uri": to_uri(path), "type": rng.randint(1, 3)}]
            return {"method": "workspace/didChangeWatchedFiles", "params": {"changes": events}}
        if choice == 5:
            settings = rng.choice(
                (None, [], 5, {"pto-lsp": {"select": rng.choice((["PTO1"], 3, None))}}, {"ignore": "x"})
            )
            return {"method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
        if choice == 6:
            arguments = rng.choice(([], [uri], [uri, None], [uri, {"line": 1, "character": 1}], [None], [1, 2, 3]))
            return {
                "method": "workspace/executeCommand",
                "params": {"command": rng.choice(_COMMANDS), "arguments": arguments},
            }
        if choice == 7:
            folders = {"added": [{"uri": uri, "name": "x"}], "removed": []}
            return {"method": "workspace/didChangeWorkspaceFolders", "params": {"event": folders}}
        if choice == 8:
            return {
                "method": rng.choice(("pto/unknown", "pto/question", "textDocument/didSave", "$/setTrace")),
                "params": document,
            }
        return {
            "method": "codeAction/resolve",
            "params": {"title": "x", "data": rng.choice((None, 5, {"uri": uri}, []))},
        }


def _position(text: str, offset: int) -> Message:
    head = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    if text[offset - 1 : offset + 1] == "\r\n":
        head = head[:-1]
    line = head.count("\n")
    return {"line": line, "character": len(head) - head.rfind("\n") - 1}


def mutated(rng: random.Random, message: Any) -> Any:
    """The same with one part of it gone, or another value in its place. The method stays."""
    message = copy.deepcopy(message)
    holders: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in list(items):
            if key != "method":
                holders.append((value, key))
            walk(inner)

    walk(message)
    if holders:
        holder, key = rng.choice(holders)
        if isinstance(holder, dict) and rng.random() < 0.3:
            del holder[key]
        else:
            holder[key] = rng.choice(
                (None, 0, -5, 10**12, 1.5, "", "x", [], {}, [[]], True, {"line": -1, "character": -1})
            )
    return message
