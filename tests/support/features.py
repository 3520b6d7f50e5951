"""A server with the real analysis in one of the three encodings, and places in a text by its words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.client import PULLING, Message, RawClient

COMMAND = [sys.executable, "-m", "pto_lsp"]
SHOWING: Message = {
    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    "foldingRange": {},
    "codeLens": {},
    "documentHighlight": {},
    "callHierarchy": {},
    "definition": {},
    "references": {},
}
ENCODINGS = ("utf-8", "utf-16", "utf-32")
URI = "file:///features.py"

HEADER = """\
import pypto.language as pl


@pl.jit.incore
def put(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    s = pl.store(pl.load(x, [0, 0], [32, 64]), [0, 0], s)
    return s


"""

TASKS = (
    HEADER
    + """\
@pl.jit
def main(
    x: pl.Tensor[[128, 64], pl.FP32],
    w: pl.Tensor[[128, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]],
):
    ids = pl.array.create(2, pl.TASK_ID)
    for i in pl.parallel(2):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="é𝄞band", no_dep_args=[w]) as t:
            w[i * 64 : i * 64 + 64, :] = pl.add(w[i * 64 : i * 64 + 64, :], w[i * 64 : i * 64 + 64, :])
        ids[i] = t
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum𝄞", deps=[ids]) as total:
        y[:, :] = pl.add(y[:, :], w[0:32, :])
    s = put(x, s)  # 𝄞
    z = put(x, s)
    return y, z
"""
)

GRAPH = (
    HEADER
    + """\
@pl.jit.graph
def layer(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    for i in pl.range(3):
        s = put(x, s)
    return s


@pl.jit
def main(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    for step in pl.range(4):
        s = layer(x, s, n)
    return s
"""
)


@contextmanager
def serving(encoding: str, *texts: tuple[str, str]) -> Iterator[RawClient]:
    """A server that counts in ``encoding`` and has the texts (address, text) open."""
    with RawClient(COMMAND) as client:
        document = {**PULLING["textDocument"], **SHOWING}
        client.initialize({"textDocument": document, "general": {"positionEncodings": [encoding]}})
        for uri, text in texts:
            client.open(uri, text)
        yield client
        assert client.leave() == 0
        assert client.stderr == b""
        assert not [m for m in client.received if m.get("method") == "window/logMessage"]


def units(text: str, encoding: str) -> int:
    """The length of ``text`` in code units."""
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode({1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[width])) // width


def position(text: str, offset: int, encoding: str) -> Message:
    """Of an offset in code points."""
    before = text[:offset]
    return {"line": before.count("\n"), "character": units(before[before.rfind("\n") + 1 :], encoding)}


def cut(text: str, place: Message, encoding: str) -> str:
    """What stands at a range."""
    lines = text.splitlines(keepends=True)

    def offset(at: Message) -> int:
        line = lines[at["line"]] if at["line"] < len(lines) else ""
        column = next(c for c in range(len(line) + 1) if units(line[:c], encoding) == at["character"])
        return sum(map(len, lines[: at["line"]])) + column

    return text[offset(place["start"]) : offset(place["end"])]


def at(text: str, marked: str, encoding: str) -> Message:
    """The position of ⟦ in the only place that reads like ``marked``."""
    plain = marked.replace("⟦", "")
    assert text.count(plain) == 1, plain
    return position(text, text.index(plain) + marked.index("⟦"), encoding)
