"""Documents with odd addresses: whatever a client calls a document, it is that document in every message about it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pto_lsp.server.uris import to_key, to_uri
from tests.robustness.fuzzing.messages import LANGUAGE_REQUESTS
from tests.support.client import CAPABILITIES, PULLING, Message, RawClient, edit

TEXT = """import pypto.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.add(x, x)
    return out
"""
_VALUE = TEXT.split("\n")[5].index("pl.")
ADDRESSES = (
    "file:///odd/a b.py",
    "file:///odd/a%20b.py",
    "file:///odd/%E2%82%AC.py",
    "file:///odd/€𝒳.py",
    "file:///odd/a%23b%3F.py",
    "file:///odd/a#b.py",
    "file:///odd/a?b.py",
    "file:///odd/a%2Fb.py",
    "file:///odd/%00.py",
    "file:///odd/\x00.py",
    "file:///odd/%FF.py",
    "file:///odd/../odd/./x.py",
    "file:///odd/x.py/",
    "file://localhost/odd/x.py",
    "file://elsewhere/odd/x.py",
    "file://\x00",
    "file:// ",
    "file://",
    "file:",
    "file:x.py",
    "file:///",
    "file://[",
    "FILE:///odd/upper.py",
    "untitled:Untitled-1",
    "untitled:a b.py",
    "vscode-vfs://github/a/b.py",
    "vscode-notebook-cell:/odd/x.ipynb#W0",
    "http://[",
    "x.py",
    "/odd/no_scheme.py",
    ".",
    " ",
    "::",
    "",
    "\ud800",
)
FEATURES: Message = {
    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}}},
    "hover": {"contentFormat": ["markdown"]},
    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    **{name: {} for name in ("callHierarchy", "foldingRange", "codeLens", "documentHighlight", "definition")},
    **{name: {} for name in ("references", "inlayHint", "completion", "rename")},
}
_ORIGIN = {"line": 0, "character": 0}


@pytest.fixture(scope="module", params=["pulling", "pushed"])
def client(request: pytest.FixtureRequest) -> Iterator[RawClient]:
    with RawClient([sys.executable, "-m", "pto_lsp", "server"]) as client:
        client.pulls = request.param == "pulling"  # type: ignore[attr-defined]
        base = PULLING if request.param == "pulling" else CAPABILITIES
        client.initialize({"textDocument": {**base["textDocument"], **FEATURES}})
        yield client


def found(client: RawClient, uri: str, version: int) -> list[str]:
    """The codes found in a version."""
    if client.pulls:  # type: ignore[attr-defined]
        items = client.answer(client.pull(uri))["result"]["items"]
    else:
        items = client.published(uri, version)
    return sorted(item["code"] for item in items)


@pytest.mark.parametrize("uri", ADDRESSES, ids=ascii)
def test_it_is_the_same_document_in_every_message(client: RawClient, uri: str) -> None:
    client.received.clear()
    client.open(uri, TEXT)
    before = found(client, uri, 1)
    assert before
    client.change(uri, 2, edit((5, _VALUE), (5, _VALUE + len("pl.add(x, x)")), "1"))
    after = found(client, uri, 2)
    assert after != before
    for method in LANGUAGE_REQUESTS:
        place = {"start": _ORIGIN, "end": _ORIGIN}
        params: Message = {"textDocument": {"uri": uri}, "position": _ORIGIN, "range": place, "newName": "other"}
        params["context"] = {"diagnostics": [], "includeDeclaration": True}
        answer = client.ask(method, params)
        assert "result" in answer or answer["error"]["code"] != -32603, answer
    client.close(uri)
    client.open(uri, TEXT, 3)
    assert found(client, uri, 3) == before
    client.close(uri)
    assert client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": _ORIGIN})["result"] is None
    logged = [each for each in client.received if each.get("method") in ("window/logMessage", "window/showMessage")]
    assert not logged


def test_different_documents_are_different() -> None:
    """Not those that the operating system takes for one file."""
    several = [
        ("file://elsewhere/odd/x.py", "file:///odd/x.py", "file://other/odd/x.py"),
        ("file://", "file:// ", "file://\x00", "file:", "file:///"),
        ("file:///odd/a#b.py", "file:///odd/a?b.py", "file:///odd/a.py"),
        ("untitled:a", "a", "untitled:A"),
    ]
    for group in several:
        assert len({to_key(uri) for uri in group}) == len(group), group


def test_the_same_file_is_one_document() -> None:
    same = ("file:///odd/a%20b.py", "file:///odd/a b.py", "FILE:///odd/./a b.py", "file://localhost/odd/a%20b.py")
    assert len({to_key(uri) for uri in same}) == 1


@pytest.mark.parametrize("uri", ADDRESSES, ids=ascii)
def test_a_key_is_a_path_of_a_file_or_the_address_itself(uri: str) -> None:
    key = to_key(uri)
    if os.path.isabs(key) and key != uri:
        assert "\0" not in key
        assert to_key(to_uri(key)) == key
        Path(key).exists()
    else:
        assert key == uri
