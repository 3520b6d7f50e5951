"""Go to definition and find references, over the wire, in each encoding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import Message, RawClient
from tests.support.features import ENCODINGS, at, cut, serving

LIBRARY = """\
import pypto.language as pl


@pl.jit.incore
def put(x: pl.Tensor[[32, 64], pl.FP32], s: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    s = pl.store(pl.load(x, [0, 0], [32, 64]), [0, 0], s)
    return s


@pl.jit.inline
def twice(a: pl.Tensor[[32, 64], pl.FP32], b: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    b = put(a, b)
    b = put(a, s=b)
    return b
"""
MODEL = """\
import pypto.language as pl

from library import put, twice


@pl.jit.graph
def layer(x: pl.Tensor[[32, 64], pl.FP32], s: pl.InOut[pl.Tensor[[32, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    s = twice(x, s)
    return s


@pl.jit
def main(x: pl.Tensor[[32, 64], pl.FP32], s: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    名 = pl.create_tensor([32, 64], dtype=pl.FP32)
    名 = put(x, 名)  # 𝄞
    ids = pl.array.create(2, pl.TASK_ID)
    for i in pl.range(2):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="𝄞") as t:
            名[:, :] = pl.add(名[:, :], x[:, :])
        ids[i] = t
    s = put(名, s)
    s = layer(x, n=2, s=s)
    return s
"""
OTHER = """\
import pypto.language as pl
from library import put as store


@pl.program
class Other:
    @pl.function(type=pl.FunctionType.InCore)
    def local(self, x: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
        o = pl.store(pl.load(x, [0, 0], [32, 64]), [0, 0], o)
        return o

    @pl.function(type=pl.FunctionType.Orchestration)
    def run(self, x: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
        o = self.local(x, o)
        with pl.manual_scope():
            o, done = pl.submit(self.local, x, o)
        o = store(x, o)
        return o
"""
TEXTS = {"library": LIBRARY, "model": MODEL, "other": OTHER}
Server = tuple[RawClient, str, Path]


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A project of three files, of which ``library`` is not open."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pto-lsp.toml").touch()
    for name, text in TEXTS.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    opened = [((folder / f"{name}.py").as_uri(), TEXTS[name]) for name in ("model", "other")]
    with serving(request.param, *opened) as client:
        yield client, request.param, folder


def ask(server: Server, method: str, name: str, marked: str, **params: Any) -> list[str] | None:
    """File, line and text of each place."""
    client, encoding, folder = server
    document = {"uri": (folder / f"{name}.py").as_uri()}
    params = {"textDocument": document, "position": at(TEXTS[name], marked, encoding), **params}
    found: list[Message] | None = client.ask(f"textDocument/{method}", params)["result"]
    if found is None:
        return None
    shown = []
    for place in found:
        stem = Path(place["uri"]).stem
        text = TEXTS[stem]
        line = text.splitlines()[place["range"]["start"]["line"]].strip()
        shown.append(f"{stem}: {cut(text, place['range'], encoding)} in {line}")
    return shown


BINDING = "model: 名 in 名 = pl.create_tensor([32, 64], dtype=pl.FP32)"
WRITING = "model: 名 in 名 = put(x, 名)  # 𝄞"
PUT = "library: put in def put(x: pl.Tensor[[32, 64], pl.FP32], s: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):"


@pytest.mark.parametrize(
    ("name", "marked", "wanted"),
    [
        ("model", "名 = pu⟦t(x", PUT),
        ("model", "s = p⟦ut(", PUT),
        ("other", "pl.submit(self.lo⟦cal", "other: local in def local("),
        ("model", "s = twi⟦ce(", "library: twice in def twice("),
        ("model", "s = lay⟦er(", "model: layer in def layer("),
        ("model", "def lay⟦er(", "model: layer in def layer("),
        ("model", "s = twice(⟦x", "model: x in def layer("),
        ("model", "layer(x, ⟦n=2", "model: n in def layer("),
        ("model", "s⟦=s)", "model: s in def layer("),
        ("model", "s=⟦s)", "model: s in s = put("),
        ("model", "put(x, 名⟦)", BINDING),
        ("model", "pl.add(⟦名[", WRITING),
        ("model", "ids[⟦i]", "model: i in for i in pl.range(2):"),
        ("model", "ids[i] = ⟦t", "model: t in with pl.at("),
        ("model", "        i⟦ds[i]", "model: ids in ids = pl.array"),
        ("other", "self.lo⟦cal(", "other: local in def local("),
        ("other", "o = sto⟦re(", PUT),
    ],
)
def test_definitions(server: Server, name: str, marked: str, wanted: str) -> None:
    found = ask(server, "definition", name, marked)
    assert found is not None and len(found) == 1
    assert found[0].startswith(wanted)


@pytest.mark.parametrize("marked", ["pl.Lev⟦el", "dtype⟦=", "from li⟦brary", "# ⟦𝄞\n", "pl.ad⟦d(", "    for⟦ i"])
def test_the_rest_has_its_own_server(server: Server, marked: str) -> None:
    assert ask(server, "definition", "model", marked) is None
    assert ask(server, "references", "model", marked, context={"includeDeclaration": True}) is None


CALLS = [
    "model: put in 名 = put(x, 名)  # 𝄞",
    "model: put in s = put(名, s)",
    "other: store in o = store(x, o)",
    "library: put in b = put(a, b)",
    "library: put in b = put(a, s=b)",
]


@pytest.mark.parametrize(("name", "marked"), [("model", "s = p⟦ut("), ("other", "o = sto⟦re(")])
def test_references_of_a_function_are_found_in_every_file(server: Server, name: str, marked: str) -> None:
    found = ask(server, "references", name, marked, context={"includeDeclaration": True})
    assert found is not None
    assert found[0] == PUT and sorted(found[1:]) == sorted(CALLS)
    without = ask(server, "references", name, marked, context={"includeDeclaration": False})
    assert without == found[1:]


def test_references_of_a_method(server: Server) -> None:
    found = ask(server, "references", "other", "self.lo⟦cal(", context={"includeDeclaration": False})
    assert found == ["other: local in o = self.local(x, o)", "other: local in o, done = pl.submit(self.local, x, o)"]


def test_references_of_a_name_stay_in_its_function(server: Server) -> None:
    found = ask(server, "references", "model", "pl.add(⟦名[", context={"includeDeclaration": True})
    assert found is not None and [place.partition(" in ")[2] for place in found] == [
        "名 = pl.create_tensor([32, 64], dtype=pl.FP32)",
        "名 = put(x, 名)  # 𝄞",
        "名 = put(x, 名)  # 𝄞",
        "名[:, :] = pl.add(名[:, :], x[:, :])",
        "名[:, :] = pl.add(名[:, :], x[:, :])",
        "s = put(名, s)",
    ]
    without = ask(server, "references", "model", "pl.add(⟦名[", context={"includeDeclaration": False})
    assert without == found[1:]
    parameter = ask(server, "references", "model", "def layer(⟦x", context={"includeDeclaration": True})
    assert parameter is not None and [place.partition(" in ")[2][:9] for place in parameter] == [
        "def layer",
        "s = twice",
    ]
    unused = ask(server, "references", "model", "FP32]], ⟦n:", context={"includeDeclaration": True})
    assert unused is not None and len(unused) == 1


def test_an_edit_moves_the_answers(server: Server) -> None:
    client, encoding, folder = server
    uri = (folder / "model.py").as_uri()
    text = MODEL.replace("    ids = pl", "    ids = 1 +\n    ids = pl")
    client.change(uri, 2, text)
    params = {"textDocument": {"uri": uri}, "position": at(text, "pl.add(⟦名[", encoding)}
    (found,) = client.ask("textDocument/definition", params)["result"]
    assert cut(text, found["range"], encoding) == "名"
    client.change(uri, 3, MODEL)
