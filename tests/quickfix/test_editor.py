"""Code actions as an editor sees them: asked for, resolved, applied."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pto_lsp.analysis.rules.graph_frames import regions
from tests.quickfix.kernels import jit
from tests.support.client import Message, RawClient, edit

COMMAND = [sys.executable, "-m", "pto_lsp"]
ABILITIES: Message = {
    "textDocument": {
        "diagnostic": {},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}},
            "isPreferredSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
            "honorsChangeAnnotations": True,
        },
    },
    "workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}},
    "general": {"positionEncodings": ["utf-16"]},
}

LAYER = jit(
    """\
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], index: <I>):
    part = pl.slice(w, [64, 64], [index * 64, 0])
    acc = add(part, acc)
    base = index * 8
    acc = row(w, base, acc)
    return acc
"""
)
MAIN = """\
import pypto.language as pl

from layer import layer


@pl.jit
def main(w: pl.Tensor[[512, 64], pl.FP32], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    for i in pl.range(4):
        acc = layer(w, acc, i)
    return acc
"""


class Editor:
    """Keeps documents as an editor does, with UTF-16 columns."""

    def __init__(self, client: RawClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def open(self, name: str, text: str) -> str:
        uri = self.write(name, text)
        self.texts[uri], self.versions[uri] = text, 1
        self.client.open(uri, text)
        return uri

    def write(self, name: str, text: str) -> str:
        """Put a file on disk."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 1}]})
        return path.as_uri()

    def type(self, uri: str, line: int, text: str) -> None:
        """Insert a line."""
        lines = self.texts[uri].splitlines(keepends=True)
        lines.insert(line, text)
        self.texts[uri] = "".join(lines)
        self.versions[uri] += 1
        self.client.change(uri, self.versions[uri], edit((line, 0), (line, 0), text))

    def actions(self, uri: str, line: int, only: list[str] | None = None) -> list[Message]:
        at = {"line": line, "character": 4}
        context: Message = {"diagnostics": []} if only is None else {"diagnostics": [], "only": only}
        params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": context}
        found: list[Message] = self.client.ask("textDocument/codeAction", params)["result"]
        return found

    def resolve(self, action: Message) -> Message:
        return self.client.ask("codeAction/resolve", action)

    def apply(self, workspace_edit: Message) -> None:
        """Raises when an edit is for another version of a document."""
        for change in workspace_edit["documentChanges"]:
            uri, version = change["textDocument"]["uri"], change["textDocument"]["version"]
            path = Path(uri.removeprefix("file://"))
            assert version == self.versions.get(uri)
            text = self.texts.get(uri) or path.read_text(encoding="utf-8")
            for one in reversed(change["edits"]):
                start, end = (_offset(text, one["range"][which]) for which in ("start", "end"))
                text = text[:start] + one["newText"] + text[end:]
            if uri in self.texts:
                self.texts[uri] = text
                self.versions[uri] += 1
                self.client.change(uri, self.versions[uri], text)
            else:
                path.write_text(text, encoding="utf-8")
                self.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})

    def codes(self, uri: str) -> list[str]:
        return [item["code"] for item in self.client.answer(self.client.pull(uri))["result"]["items"]]


def _offset(text: str, position: Message) -> int:
    line = text.splitlines(keepends=True)[: position["line"]]
    rest = text[sum(map(len, line)) :].encode("utf-16-le")
    return sum(map(len, line)) + len(rest[: position["character"] * 2].decode("utf-16-le"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RawClient, Path]]:
    root = tmp_path_factory.mktemp("workspace")
    with RawClient(COMMAND) as client:
        client.initialize(ABILITIES, rootUri=root.as_uri())
        yield client, root
        assert client.leave() == 0
        assert client.stderr == b""


@pytest.fixture
def editor(server: tuple[RawClient, Path], request: pytest.FixtureRequest) -> Iterator[Editor]:
    """An editor in a folder of its own."""
    client, root = server
    folder = root / str(request.node.name)
    folder.mkdir()
    editor = Editor(client, folder)
    yield editor
    for uri in editor.texts:
        client.close(uri)
    created = [{"uri": path.as_uri(), "type": 3} for path in folder.iterdir()]
    shutil.rmtree(folder)
    client.notify("workspace/didChangeWatchedFiles", {"changes": created})


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.splitlines()) if line.strip().startswith(start))


def named(actions: list[Message], title: str) -> Message:
    found = [action for action in actions if action["title"].startswith(title)]
    assert len(found) == 1, [action["title"] for action in actions]
    return found[0]


def test_a_hoist_changes_two_files(editor: Editor) -> None:
    editor.write("main.py", MAIN)
    uri = editor.open("layer.py", LAYER)
    line = line_of(LAYER, "part =")
    action = named(editor.actions(uri, line), "Hoist 'part'")
    assert action["title"] == "Hoist 'part' to call site (2 files)"
    assert action["isPreferred"] is True
    assert action["kind"] == "quickfix"
    assert action["diagnostics"][0]["code"] == "PTO201"
    assert "edit" not in action
    resolved = editor.resolve(action)["result"]
    changes = {Path(c["textDocument"]["uri"]).name: c for c in resolved["edit"]["documentChanges"]}
    assert changes["layer.py"]["textDocument"]["version"] == 1
    assert changes["main.py"]["textDocument"]["version"] is None
    (annotation,) = resolved["edit"]["changeAnnotations"]
    assert {each["annotationId"] for each in changes["main.py"]["edits"]} == {annotation}
    assert all("annotationId" not in each for each in changes["layer.py"]["edits"])
    editor.apply(resolved["edit"])
    assert "part = pl.slice(w, [64, 64], [i * 64, 0])" in (editor.folder / "main.py").read_text(encoding="utf-8")
    assert "PTO201" not in editor.codes(uri)


def test_two_repairs_in_a_row_without_saving(editor: Editor) -> None:
    main = editor.open("main.py", MAIN)
    uri = editor.open("layer.py", LAYER)
    for name in ("part", "base"):
        action = named(editor.actions(uri, line_of(editor.texts[uri], f"{name} =")), f"Hoist '{name}'")
        editor.apply(editor.resolve(action)["result"]["edit"])
    assert "acc = layer(w, acc, i, part, i * 8)" in editor.texts[main]
    assert not {"PTO101", "PTO201"}.intersection(editor.codes(uri))


def test_an_action_for_an_older_text_is_computed_again(editor: Editor) -> None:
    main = editor.open("main.py", MAIN)
    uri = editor.open("layer.py", LAYER)
    action = named(editor.actions(uri, line_of(LAYER, "part =")), "Hoist 'part'")
    editor.type(uri, 0, "# a new line\n")
    editor.apply(editor.resolve(action)["result"]["edit"])
    assert "part = pl.slice" in editor.texts[main]
    assert "part = pl.slice" not in editor.texts[uri]


def test_an_action_whose_finding_is_gone_is_refused(editor: Editor) -> None:
    uri = editor.open("layer.py", LAYER)
    line = line_of(LAYER, "part =")
    action = named(editor.actions(uri, line), "Hoist 'part'")
    editor.client.change(uri, 9, LAYER.replace("part = pl.slice(w, [64, 64], [index * 64, 0])", "part = w"))
    error = editor.resolve(action)["error"]
    assert error["code"] == -32803
    assert "gone" in error["message"]


def test_somebody_elses_action_is_refused(editor: Editor) -> None:
    editor.open("layer.py", LAYER)
    assert editor.resolve({"title": "x", "data": {"id": 3}})["error"]["code"] == -32803
    assert editor.resolve({"title": "x"})["error"]["code"] == -32803


def test_ignoring_a_finding(editor: Editor) -> None:
    uri = editor.open("layer.py", LAYER)
    action = named(editor.actions(uri, line_of(LAYER, "base =")), "Ignore PTO101")
    assert "isPreferred" not in action
    editor.apply(editor.resolve(action)["result"]["edit"])
    assert "base = index * 8  # pto: ignore[PTO101]\n" in editor.texts[uri]
    assert "PTO101" not in editor.codes(uri)


def test_everything_at_once(editor: Editor) -> None:
    main = editor.open("main.py", MAIN)
    uri = editor.open("layer.py", LAYER)
    (action,) = editor.actions(uri, 0, ["source.fixAll"])
    assert action["kind"] == "source.fixAll.pto-lsp"
    editor.apply(editor.resolve(action)["result"]["edit"])
    assert "acc = layer(w, acc, part, i * 8)" in editor.texts[main]
    assert not {"PTO101", "PTO201"}.intersection(editor.codes(uri))
    assert editor.actions(uri, 0, ["source.organizeImports"]) == []


def test_every_hoist_of_a_graph(editor: Editor) -> None:
    main = editor.open("main.py", MAIN)
    uri = editor.open("layer.py", LAYER)
    actions = editor.actions(uri, line_of(LAYER, "part ="), ["refactor.rewrite"])
    editor.apply(editor.resolve(named(actions, "Make every hoist of 'layer' explicit"))["result"]["edit"])
    assert "acc = layer(w, acc, i, part, i * 8)" in editor.texts[main]


def test_a_region_becomes_a_function_and_back(editor: Editor) -> None:
    text = jit(
        """\
@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for i in pl.range(4):
        with pl.graph("layer"):
            acc = row(w, i, acc)
    return acc
"""
    )
    uri = editor.open("layer.py", text)
    found = editor.actions(uri, line_of(text, "with pl.graph"), ["refactor"])
    editor.apply(editor.resolve(named(found, "Convert to a Graph function"))["result"]["edit"])
    assert "        acc = layer(w, i, acc)\n" in editor.texts[uri]
    line = line_of(editor.texts[uri], "def layer(")
    editor.apply(editor.resolve(named(editor.actions(uri, line), "Convert 'layer'"))["result"]["edit"])
    assert editor.texts[uri] == text


def test_a_missing_wait_is_declared(editor: Editor) -> None:
    """The light bulb at a race, with code points outside of the basic plane before the edits."""
    text = regions(
        """
with pl.at(level=pl.Level.CORE_GROUP, name_hint="make"):
    s[:] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="réad𝄞"):
    y[:] = pl.mul(s, s)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="reuse"):  # 𝄞
    s[:] = pl.sub(x, x)
"""
    )
    uri = editor.open("race.py", text)
    found = named(
        editor.actions(uri, line_of(text, 'with pl.at(level=pl.Level.CORE_GROUP, name_hint="reuse"')), "Declare"
    )
    assert found["isPreferred"]
    editor.apply(editor.resolve(found)["result"]["edit"])
    lines = editor.texts[uri].splitlines()
    assert any(line.endswith('name_hint="reuse", deps=[réad_tid]):  # 𝄞') for line in lines), lines
    assert "PTO701" not in editor.codes(uri)


def test_a_client_without_resolve_gets_edits_at_once(tmp_path: Path) -> None:
    action = {**ABILITIES["textDocument"]["codeAction"], "dataSupport": False}
    abilities = {"textDocument": {"diagnostic": {}, "codeAction": action}, "workspace": {}}
    with RawClient(COMMAND) as client:
        client.initialize(abilities, rootUri=tmp_path.as_uri())
        editor = Editor(client, tmp_path)
        uri = editor.open("layer.py", LAYER)
        found = named(editor.actions(uri, line_of(LAYER, "part =")), "Hoist 'part'")
        assert list(found["edit"]["changes"]) == [uri]
        assert "data" not in found
        assert client.leave() == 0


def test_listing_is_instant(editor: Editor) -> None:
    """Within 15 ms on 1,000 lines: of the server's time, since the machine may do something else as well."""
    graph = LAYER[LAYER.index("@pl.jit.graph") :]
    text = LAYER + "".join(f"\n\n{graph.replace('layer(', f'layer_{number}(')}" for number in range(120))
    assert text.count("\n") >= 1000
    uri = editor.open("layer.py", text)
    editor.codes(uri)
    lines = [number for number, line in enumerate(text.splitlines()) if line.startswith("    part =")]
    assert editor.actions(uri, lines[0])
    before = editor.client.cpu()
    for line in lines[:20]:
        assert editor.actions(uri, line)
    assert (editor.client.cpu() - before) / 20 < 0.015
