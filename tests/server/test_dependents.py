"""An edit is felt by exactly the open documents that depend on it; closed files count as they are on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import pto_lsp.server.documents as server_documents
from pto_lsp.checking import checked
from tests.robustness.fuzzing.edits import Edit
from tests.robustness.fuzzing.sessions import Editor

SIZES = """import pypto
ROWS = 64
TRIPS = 3
"""
KERNELS = """import pypto.language as pl
from sizes import ROWS


@pl.jit.incore
def shift(a: pl.Tensor[[ROWS, 64], pl.FP32], c: pl.InOut[pl.Tensor[[ROWS, 64], pl.FP32]], off: pl.Scalar[pl.INDEX]):
    t = pl.load(a, [off, 0], [8, 64])
    c = pl.store(t, [0, 0], c)
    return c
"""
GRAPHS = """import pypto.language as pl
from kernels import shift


@pl.jit.graph
def layer(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], i: pl.Scalar[pl.INDEX]):
    c = shift(a, c, i)
    return c
"""
ENTRY = """import pypto.language as pl
from graphs import layer


@pl.jit
def main(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    for n in pl.range(3):
        c = layer(a, c, n)
    return c
"""
OTHER = """import pypto.language as pl


@pl.jit
def alone(c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    return c
"""
MORE = GRAPHS.replace("i: pl.Scalar[pl.INDEX]", "i: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INDEX]")
FILES = {"sizes": SIZES, "kernels": KERNELS, "graphs": GRAPHS, "entry": ENTRY, "other": OTHER}


class World:
    """An editor on a folder; ``again()`` are the documents whose findings were computed since it was last asked."""

    def __init__(self, folder: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._checked: list[str] = []
        self.editor = Editor()
        for name, text in FILES.items():
            (folder / f"{name}.py").write_text(text)

        def counting(project, path, settings, cancelled):  # type: ignore[no-untyped-def]
            self._checked.append(Path(path).stem)
            return checked(project, path, settings, cancelled)

        monkeypatch.setattr(server_documents, "checked", counting)
        for name in opened:
            self.editor.open(self.path(name), FILES[name])
        self.again()

    def path(self, name: str) -> str:
        return str(self._folder / f"{name}.py")

    def again(self) -> list[str]:
        self.editor.settle()
        found, self._checked = sorted(self._checked), []
        return found

    def edit(self, name: str, old: str, new: str) -> None:
        at = self.editor.texts[self.path(name)].index(old)
        self.editor.edit(self.path(name), Edit(at, at + len(old), new))

    def on_disk(self, name: str, text: str | None) -> None:
        path = Path(self.path(name))
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
        self.editor.session.files_changed([str(path)])

    def codes(self, name: str) -> list[str]:
        return [found.code for found in self.editor.findings(self.path(name))]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    yield World(tmp_path, list(FILES), monkeypatch)


@pytest.mark.parametrize(
    ("name", "old", "new", "again"),
    [
        ("sizes", "ROWS = 64", "ROWS = 32", ["entry", "graphs", "kernels", "sizes"]),
        ("kernels", "c: pl.InOut[", "c: pl.Out[", ["entry", "graphs", "kernels"]),
        ("kernels", "[8, 64]", "[4, 64]", ["entry", "graphs", "kernels"]),
        ("graphs", "i: pl.Scalar[pl.INDEX]", "i: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INDEX]", ["entry", "graphs"]),
        ("entry", "pl.range(3)", "pl.range(4)", ["entry"]),
        ("other", "return c", "return  c", ["other"]),
    ],
)
def test_exactly_the_dependents_are_checked_again(
    world: World, name: str, old: str, new: str, again: list[str]
) -> None:
    world.edit(name, old, new)
    assert world.again() == again
    assert world.editor.differences() == []


def test_the_result_changes_where_the_cause_is_elsewhere(world: World) -> None:
    assert world.codes("entry") == []
    world.edit("graphs", "i: pl.Scalar[pl.INDEX]", "i: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INDEX]")
    assert world.codes("entry") == ["PTO414"]
    world.edit("graphs", ", k: pl.Scalar[pl.INDEX]", "")
    assert world.codes("entry") == []


def test_closed_files_count_as_they_are_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, ["entry", "other"], monkeypatch)
    assert world.codes("entry") == []
    world.on_disk("graphs", MORE)
    assert world.again() == ["entry"]
    assert world.codes("entry") == ["PTO414"]
    # An open document counts instead of its file, and its file again when it is closed.
    world.editor.open(world.path("graphs"), GRAPHS)
    assert world.again() == ["entry", "graphs"]
    assert world.codes("entry") == []
    world.on_disk("graphs", MORE)
    assert world.again() == []
    world.editor.session.close(Path(world.path("graphs")).as_uri())
    del world.editor.texts[world.path("graphs")]
    assert world.again() == ["entry"]
    assert world.codes("entry") == ["PTO414"]
    world.on_disk("other", OTHER + "\n# changed\n")
    assert world.again() == [], "it is open"


def test_files_that_come_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, ["entry", "other"], monkeypatch)
    world.on_disk("graphs", MORE)
    world.again()
    assert world.codes("entry") == ["PTO414"]
    world.on_disk("graphs", None)
    assert world.again() == ["entry"]
    assert world.codes("entry") == [], "what cannot be known is not reported"
    world.on_disk("graphs", MORE)
    assert world.again() == ["entry"], "a module that was looked for in vain"
    assert world.codes("entry") == ["PTO414"]
    world.on_disk("graphs", None)
    world.again()
    world.editor.open(world.path("graphs"), MORE)
    assert world.again() == ["entry", "graphs"]
    assert world.codes("entry") == ["PTO414"]


def test_events_about_nothing_new_cost_nothing(world: World) -> None:
    world.editor.session.files_changed([f"/elsewhere/{number}.py" for number in range(2000)])
    assert world.again() == []
    # Nor does a configuration file that says the same as before.
    configuration = Path(world.path("entry")).with_name("pto-lsp.toml")
    world.editor.session.files_changed([str(configuration)] * 2000)
    assert world.again() == []
    configuration.write_text("ignore = ['PTO101']\n")
    world.editor.session.files_changed([str(configuration)] * 2000)
    assert world.again() == sorted(FILES)
    configuration.write_text("# The same.\nignore = ['PTO101']\n")
    world.editor.session.files_changed([str(configuration)])
    assert world.again() == []
