"""Nothing that was found out about a document stays once it is closed and no open one depends on it."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from weakref import ref

import pytest

from pto_lsp.analysis.node import Referable
from pto_lsp.diagnostics import Position, Range
from pto_lsp.project import Change, Project

pytestmark = pytest.mark.usefixtures("only_what_comes")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/*.py"))
TEXT_CACHES = (
    "pto_lsp.analysis.source.syntax",
    "pto_lsp.analysis.source.signature",
    "pto_lsp.analysis.frontend.constants.code",
    "pto_lsp.analysis.frontend.constants.chunk_code",
    "pto_lsp.diagnostics",
)
"""Lines and their meaning are known by their text, whoever has it, within bounds."""

HELPERS = """
import pypto.language as pl

ROWS = 64


@pl.jit.inline
def helper(x: pl.Tensor[[ROWS, ROWS], pl.FP32], out: pl.Tensor[[ROWS, ROWS], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="helper"):
        out[:, :] = pl.add(x[:, :], x[:, :])
    return out
"""
ENTRY = """
import pypto.language as pl
from helpers import ROWS, helper


def made(count):
    @pl.jit
    def main(x: pl.Tensor[[ROWS, ROWS], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, ROWS], pl.FP32]]):
        for part in pl.unroll(count):
            out = helper(x, out)
        return out

    return main


@pl.jit
def main(x: pl.Tensor[[ROWS, ROWS], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, ROWS], pl.FP32]]):
    scratch = pl.create_tensor([ROWS, ROWS], dtype=pl.FP32)
    scratch = helper(x, scratch)
    out = helper(scratch, out)
    return out
"""


def alive() -> Counter[type]:
    """Objects of ours, without those that are known by their text."""
    gc.collect()
    kinds = Counter(map(type, gc.get_objects()))
    ours = {kind: n for kind, n in kinds.items() if kind.__module__.startswith("pto_lsp.")}
    return Counter({kind: n for kind, n in ours.items() if kind.__module__ not in TEXT_CACHES})


def functions(path: str) -> list[ref[Referable]]:
    """The functions and statements written in ``path`` that are alive."""
    gc.collect()
    found = [each for each in gc.get_objects() if isinstance(each, Referable)]
    return [ref(each) for each in found if each.at.source.path == path]  # type: ignore[attr-defined]


def edit(project: Project, path: str) -> None:
    """Type something at the end of each third line that has a value, and take it back."""
    lines = (project.text(path) or "").split("\n")
    for number in [number for number, line in enumerate(lines) if " = " in line][::3]:
        end = Position(number, len(lines[number]))
        for where, text in ((Range(end, end), " + 1"), (Range(end, Position(number, end.column + 4)), "")):
            project.change(path, [Change(where, text)])
            project.check(path)


def entries(folder: Path, count: int) -> list[str]:
    """So many files that import the same module."""
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    for number in range(count):
        (folder / f"entry{number}.py").write_text(ENTRY, encoding="utf-8")
    return [str(folder / f"entry{number}.py") for number in range(count)]


def opened(project: Project, path: str) -> None:
    project.open(path, Path(path).read_text(encoding="utf-8"))
    project.check(path)


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "all at once"])
def test_nothing_of_closed_documents_lives(tmp_path: Path, together: bool) -> None:
    paths = [*map(str, EXAMPLES), *entries(tmp_path, 3)]
    project = Project()

    def all_of_them() -> None:
        for path in paths:
            opened(project, path)
            edit(project, path)
            if not together:
                project.close(path)
        for path in paths:
            project.close(path)

    opened(project, paths[0])
    project.close(paths[0])
    before = alive()
    all_of_them()
    # A memory of its own for each conformance and target, and what a module keeps for the next caller, may be new.
    left = {kind.__qualname__: n - before[kind] for kind, n in alive().items() if n > before[kind] + 20}
    assert left == {}
    assert [each() for path in paths for each in functions(path)] == []
    assert functions(str(tmp_path / "helpers.py")) == []


def test_what_open_documents_depend_on_stays(tmp_path: Path) -> None:
    first, second = entries(tmp_path, 2)
    project = Project()
    opened(project, first)
    opened(project, second)
    program = project.analysis(first).programs[0].program
    assert any(function.at.source.path == str(tmp_path / "helpers.py") for function in program.functions.values())
    project.close(second)
    assert functions(second) == []
    assert project.analysis(first).programs[0].program is program
    edit(project, first)
    assert project.check(first) == fresh(first)


def test_what_was_closed_is_found_out_anew(tmp_path: Path) -> None:
    first, second = entries(tmp_path, 2)
    project = Project()
    for rows, path in enumerate((first, second, first), 100):
        opened(project, path)
        project.close(path)
        (tmp_path / "helpers.py").write_text(HELPERS.replace("64", str(rows)), encoding="utf-8")
        opened(project, path)
        assert project.check(path) == fresh(path)
        project.close(path)


def fresh(path: str) -> object:
    project = Project()
    opened(project, path)
    return project.check(path)
