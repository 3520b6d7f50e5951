"""Inlay hints, semantic tokens and the switch of code lenses, over the wire, in each encoding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pto_lsp.server.features.token_legend import MODIFIERS, TYPES
from tests.support.client import PULLING, RawClient
from tests.support.features import COMMAND, ENCODINGS, HEADER, TASKS, units

LAYER = (
    HEADER
    + """\
@pl.jit.graph
def layer(x: pl.Tensor[[256, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]], 名𠀀: pl.Scalar[pl.INDEX]):
    é = 名𠀀 * 32
    rows = x[é : é + 128, :]
    s = put(rows, s)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        s[:, :] = pl.mul(s[:, :], 名𠀀)
    return s


@pl.jit
def main(x: pl.Tensor[[256, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    for step in pl.range(4):
        s = layer(x, s, step)  # 𝄞
    return s
"""
)
LAYER_URI, TASKS_URI, PLAIN_URI = "file:///layer.py", "file:///tasks.py", "file:///plain.py"
SCOPED = (
    HEADER
    + """\
@pl.jit
def main(x: pl.Tensor[[256, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    for step in pl.range(2):
        with pl.graph("block"):
            rows = x[step * 128 : step * 128 + 128, :]
            s = put(rows, s)
    return s
"""
)
SCOPED_URI = "file:///scoped.py"
SHOWING = {"codeLens": {}, "inlayHint": {}, "semanticTokens": {"requests": {"full": True}, "tokenTypes": [],
           "tokenModifiers": [], "formats": ["relative"]}}  # fmt: skip
Server = tuple[RawClient, str]


def started(client: RawClient, encoding: str, **settings: Any) -> dict[str, Any]:
    document = {**PULLING["textDocument"], **SHOWING}
    workspace = {"codeLens": {"refreshSupport": True}, "inlayHint": {"refreshSupport": True}}
    capabilities = {"textDocument": document, "workspace": workspace, "general": {"positionEncodings": [encoding]}}
    return client.initialize(capabilities, initializationOptions=settings)


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with RawClient(COMMAND) as client:
        offered = started(client, request.param, **{"inlay-hints": True})
        legend = offered["semanticTokensProvider"]["legend"]
        assert (tuple(legend["tokenTypes"]), tuple(legend["tokenModifiers"])) == (TYPES, MODIFIERS)
        assert offered["inlayHintProvider"] is not None
        for uri, text in ((LAYER_URI, LAYER), (TASKS_URI, TASKS), (SCOPED_URI, SCOPED), (PLAIN_URI, "x = 1\n")):
            client.open(uri, text)
        yield client, request.param
        assert client.leave() == 0
        assert not [m for m in client.received if m.get("method") == "window/logMessage"]


def lines(text: str, first: int = 0, last: int | None = None) -> dict[str, Any]:
    end = text.count("\n") if last is None else last
    return {"start": {"line": first, "character": 0}, "end": {"line": end, "character": 0}}


def ask(client: RawClient, method: str, uri: str, **params: Any) -> Any:
    return client.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **params})["result"]


def hinted(server: Server, uri: str, text: str, **within: Any) -> list[str]:
    """Each line that has hints, with them in it."""
    client, encoding = server
    found = ask(client, "inlayHint", uri, range=lines(text, **within)) or []
    shown = text.splitlines()
    for hint in reversed(found):
        at = hint["position"]
        line = shown[at["line"]]
        column = next(c for c in range(len(line) + 1) if units(line[:c], encoding) == at["character"])
        assert hint["tooltip"]
        shown[at["line"]] = f"{line[:column]}«{hint['label']}»{line[column:]}"
    return [line.strip() for line in shown if "«" in line]


def test_hints_of_launches(server: Server) -> None:
    assert hinted(server, TASKS_URI, TASKS) == [
        'with pl.at(level=pl.Level.CORE_GROUP, name_hint="é𝄞band", no_dep_args=[w]) as t:«no dep: w»',
        'with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum𝄞", deps=[ids]) as total:«in: w · inout: y»',
        "s = put(x, «inout:»s)  # 𝄞",
        "z = put(x, «inout:»s)",
    ]


def test_hints_of_what_hoisting_adds(server: Server) -> None:
    found = hinted(server, LAYER_URI, LAYER)
    assert found[0].endswith("名𠀀: pl.Scalar[pl.INDEX]«, rows, é»):")
    assert found[1:] == [
        "s = put(rows, «inout:»s)",
        'with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):«inout: s»',
        "s = layer(x, «inout:»s, step«, rows, é»)  # 𝄞",
    ]


def test_hints_of_the_lines_asked_for(server: Server) -> None:
    last = LAYER.count("\n")
    assert len(hinted(server, LAYER_URI, LAYER, first=last - 3)) == 1
    assert hinted(server, LAYER_URI, LAYER, last=3) == []


def tokens(server: Server, uri: str, text: str, method: str = "full", **params: Any) -> list[tuple[str, str, int]]:
    """Word, type with modifiers, line of each."""
    client, encoding = server
    data = ask(client, f"semanticTokens/{method}", uri, **params)["data"]
    found = []
    line = character = 0
    for step in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[step : step + 5]
        line, character = line + down, right if down else character + right
        written = text.splitlines()[line]
        start = next(c for c in range(len(written) + 1) if units(written[:c], encoding) == character)
        end = next(c for c in range(len(written) + 1) if units(written[:c], encoding) == character + length)
        names = [name for bit, name in enumerate(MODIFIERS) if modifiers & 1 << bit]
        found.append((written[start:end], ".".join([TYPES[kind], *names]), line))
    return found


def test_boundary_scalars_and_what_is_hoisted_are_told_apart(server: Server) -> None:
    first = next(n for n, line in enumerate(LAYER.splitlines()) if line.startswith("def layer"))
    wanted = [
        ("名𠀀", "parameter.declaration.boundary", first),
        ("é", "variable.declaration.hoisted", first + 1),
        ("名𠀀", "parameter.boundary", first + 1),
        ("rows", "variable.declaration.hoisted", first + 2),
        ("é", "variable.hoisted", first + 2),
        ("é", "variable.hoisted", first + 2),
        ("rows", "variable.hoisted", first + 3),
        ("名𠀀", "parameter.boundary", first + 5),
    ]
    found = tokens(server, LAYER_URI, LAYER)
    assert found == wanted
    part = tokens(server, LAYER_URI, LAYER, "range", range=lines(LAYER, first + 2, first + 3))
    assert part == wanted[3:7]


def test_a_scope_has_them_too(server: Server) -> None:
    found = tokens(server, SCOPED_URI, SCOPED)
    assert [(word, kind) for word, kind, _ in found if word == "step"] == [("step", "parameter.boundary")] * 2
    assert ("rows", "variable.declaration.hoisted") in [(word, kind) for word, kind, _ in found]
    assert tokens(server, TASKS_URI, TASKS) == []


def test_files_of_others_have_nothing(server: Server) -> None:
    client, _ = server
    assert ask(client, "semanticTokens/full", PLAIN_URI) is None
    assert ask(client, "inlayHint", PLAIN_URI, range=lines("x = 1\n")) is None


def test_hints_are_off_and_lenses_on_until_somebody_says_otherwise() -> None:
    with RawClient(COMMAND) as client:
        started(client, "utf-16")
        client.open(LAYER_URI, LAYER)
        assert ask(client, "inlayHint", LAYER_URI, range=lines(LAYER)) is None
        assert ask(client, "codeLens", LAYER_URI)
        changed = {"settings": {"pto-lsp": {"inlay-hints": True, "code-lens": False}}}
        client.notify("workspace/didChangeConfiguration", changed)
        assert ask(client, "codeLens", LAYER_URI) is None
        assert ask(client, "inlayHint", LAYER_URI, range=lines(LAYER))
        asked = [m["method"] for m in client.received if "id" in m and "method" in m]
        assert asked == ["workspace/codeLens/refresh", "workspace/inlayHint/refresh"]
        client.notify("workspace/didChangeConfiguration", changed)
        assert ask(client, "codeLens", LAYER_URI) is None
        assert len([m for m in client.received if "id" in m and "method" in m]) == 2
        assert client.leave() == 0
