"""Document symbols, folding, code lenses, highlights and call hierarchy, over the wire, in each encoding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.client import RawClient
from tests.support.features import COMMAND, ENCODINGS, GRAPH, HEADER, SHOWING, TASKS, URI, at, cut, serving

GRAPH_URI = "file:///graph.py"
PROGRAM_URI = "file:///program.py"
PROGRAM = """\
import pypto.language as pl

T = 1


@pl.program
class Model:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
        o = pl.store(pl.load(a, [0, 0], [32, 64]), [0, 0], o)
        return o

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[32, 64], pl.FP32],
        o: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        名 = pl.create_tensor([32, 64], dtype=pl.FP32)
        名 = self.scale(a, 名)
        o = self.scale(名, o)
        return o


T = 2
"""
Server = tuple[RawClient, str]


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with serving(request.param, (URI, TASKS), (GRAPH_URI, GRAPH), (PROGRAM_URI, PROGRAM)) as client:
        yield client, request.param


def ask(server: Server, method: str, uri: str, **params: Any) -> Any:
    return server[0].ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **params})["result"]


def outline(symbols: list[dict[str, Any]], text: str, encoding: str) -> list[Any]:
    """Names as they stand in the text, each with what is in it."""
    found = []
    for symbol in symbols:
        whole = cut(text, symbol["range"], encoding)
        name = cut(text, symbol["selectionRange"], encoding)
        assert name in whole and symbol["name"] in name
        found.append((symbol["name"], symbol["detail"], outline(symbol["children"], text, encoding)))
    return found


def test_symbols_are_program_function_task(server: Server) -> None:
    found = outline(ask(server, "documentSymbol", PROGRAM_URI), PROGRAM, server[1])
    tasks: list[Any] = [("scale", "waits for nothing · followed by: 1", []), ("scale", "waits for: scale (RAW 名)", [])]
    assert found == [("Model", "program", [("scale", "kernel", []), ("main", "orchestration", tasks)])]


def test_a_task_holds_its_body(server: Server) -> None:
    _, main = ask(server, "documentSymbol", URI)
    band = main["children"][0]
    assert [child["name"] for child in main["children"]] == ["é𝄞band", "sum𝄞", "put", "put"]
    assert cut(TASKS, band["range"], server[1]).endswith("w[i * 64 : i * 64 + 64, :])")
    assert cut(TASKS, band["selectionRange"], server[1]).startswith("with pl.at(")
    assert "w[i" not in cut(TASKS, band["selectionRange"], server[1])


def test_blocks_and_brackets_fold(server: Server) -> None:
    lines = PROGRAM.splitlines()
    found = {
        (lines[f["startLine"]].strip(), lines[f["endLine"]].strip()) for f in ask(server, "foldingRange", PROGRAM_URI)
    }
    assert ("class Model:", "return o") in found
    assert ("def main(", "o: pl.Out[pl.Tensor[[32, 64], pl.FP32]],") in found
    assert (") -> pl.Tensor[[32, 64], pl.FP32]:", "return o") in found
    assert not any("T =" in start + end for start, end in found)


def test_folding_needs_no_dsl(server: Server) -> None:
    server[0].open("file:///plain.py", "if 1:\n    x = 1\n\ny = [\n    1,\n    2,\n]\n")
    found = ask(server, "foldingRange", "file:///plain.py")
    assert [(f["startLine"], f["endLine"]) for f in found] == [(0, 1), (3, 5)]


def test_lenses_say_what_launches_wait_for(server: Server) -> None:
    _, encoding = server
    found = [(cut(TASKS, lens["range"], encoding), lens["command"]["title"]) for lens in ask(server, "codeLens", URI)]
    assert [(text.split("(")[0], title) for text, title in found] == [
        ("with pl.at", "waits for nothing · followed by: 1 · ×2"),
        ("with pl.at", "waits for: é𝄞band (explicit)"),
        ("s = put", "waits for nothing · followed by: 1"),
        ("z = put", "waits for: put (WAW s)"),
    ]


def test_lenses_show_the_budget_of_a_graph(server: Server) -> None:
    found = [
        (cut(GRAPH, lens["range"], server[1]), lens["command"]["title"]) for lens in ask(server, "codeLens", GRAPH_URI)
    ]
    assert found[0] == ("layer", "tensors 2/128, scalars 1/64, tasks 3/1024")
    assert found[2] == ("s = layer(x, s, n)", "waits for: layer (WAW s, step→step+1) · ×4")


def highlighted(server: Server, marked: str, uri: str, text: str) -> list[tuple[str, int, str]] | None:
    """Word, line of the text and kind of each."""
    found = ask(server, "documentHighlight", uri, position=at(text, marked, server[1]))
    if found is None:
        return None
    kinds = {1: "text", 2: "read", 3: "write"}
    return [(cut(text, f["range"], server[1]), f["range"]["start"]["line"], kinds[f["kind"]]) for f in found]


def test_readers_and_writers_of_a_tensor(server: Server) -> None:
    lines = PROGRAM.splitlines()
    write, read = lines.index("        名 = self.scale(a, 名)"), lines.index("        o = self.scale(名, o)")
    assert highlighted(server, "o = self.scale(⟦名", PROGRAM_URI, PROGRAM) == [
        ("名", write, "write"),
        ("名", write, "write"),
        ("名", read, "read"),
    ]
    lines = TASKS.splitlines()
    band = next(n for n, line in enumerate(lines) if line.strip().startswith("w[i"))
    found = highlighted(server, "pl.add(y[:, :], ⟦w", URI, TASKS)
    assert found is not None
    assert {(word, line - band, kind) for word, line, kind in found} >= {
        ("w", 0, "write"),
        ("w", 0, "read"),
        ("w", 3, "read"),
    }
    assert found[0] == ("w", lines.index("    w: pl.Tensor[[128, 64], pl.FP32],"), "text")
    assert found == highlighted(server, "    ⟦w: pl.Tensor", URI, TASKS)


@pytest.mark.parametrize("marked", ["ids[⟦i] = t", "pl.⟦store", "import ⟦pypto", "# 𝄞⟦"])
def test_highlights_of_the_rest_are_left_to_the_client(server: Server, marked: str) -> None:
    assert highlighted(server, marked, URI, TASKS) is None


def test_predecessors_and_successors(server: Server) -> None:
    client, encoding = server
    (put,) = ask(server, "prepareCallHierarchy", URI, position=at(TASKS, "z = p⟦ut(", encoding))
    assert cut(TASKS, put["range"], encoding) == "z = put(x, s)"
    (call,) = client.ask("callHierarchy/incomingCalls", {"item": put})["result"]
    assert (call["from"]["name"], call["from"]["detail"]) == ("put", "WAW s")
    assert [cut(TASKS, r, encoding) for r in call["fromRanges"]] == ["s = put(x, s)"]
    (back,) = client.ask("callHierarchy/outgoingCalls", {"item": call["from"]})["result"]
    assert back["to"]["range"] == put["range"]
    assert [cut(TASKS, r, encoding) for r in back["fromRanges"]] == ["s = put(x, s)"]
    assert client.ask("callHierarchy/outgoingCalls", {"item": put})["result"] is None


def test_a_region_is_found_from_its_body(server: Server) -> None:
    client, encoding = server
    (total,) = ask(server, "prepareCallHierarchy", URI, position=at(TASKS, "pl.add(y⟦[:", encoding))
    assert total["name"] == "sum𝄞"
    (call,) = client.ask("callHierarchy/incomingCalls", {"item": total})["result"]
    assert (call["from"]["name"], call["from"]["detail"]) == ("é𝄞band", "explicit")
    assert ask(server, "prepareCallHierarchy", URI, position=at(TASKS, "⟦ids = pl", encoding)) is None


def test_files_without_launches_have_nothing_to_say(server: Server) -> None:
    client, _ = server
    client.open("file:///kernels.py", HEADER)
    assert ask(server, "codeLens", "file:///kernels.py") == []
    client.open("file:///other.py", "def f():\n    return 1\n")
    place = {"line": 0, "character": 4}
    for method in ("codeLens", "documentSymbol"):
        assert ask(server, method, "file:///other.py") is None
    for method in ("documentHighlight", "prepareCallHierarchy", "hover"):
        assert ask(server, method, "file:///other.py", position=place) is None
        assert ask(server, method, "file:///never-opened.py", position=place) is None


def test_what_a_client_cannot_show_is_not_offered() -> None:
    with RawClient() as client:
        offered = client.initialize({})
        assert "hoverProvider" in offered
        assert not {"codeLensProvider", "documentSymbolProvider", "foldingRangeProvider"} & offered.keys()
        assert not {"callHierarchyProvider", "documentHighlightProvider"} & offered.keys()
        assert client.leave() == 0


def test_findings_are_out_before_anything_else_is_answered() -> None:
    with RawClient(COMMAND) as client:
        client.initialize({"textDocument": {"publishDiagnostics": {}, **SHOWING}})
        client.open(URI, TASKS)
        for version in range(2, 12):
            client.change(URI, version, TASKS.replace("range(2)", f"range({version})") + f"# {version}\n")
            identity = client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
        assert client.answer(identity)["result"]
        published = [m["params"] for m in client.received if m.get("method") == "textDocument/publishDiagnostics"]
        assert published and published[-1]["version"] == 11
        assert client.leave() == 0
