"""A fault of our own costs the findings of one step about one program, and is said once."""

from __future__ import annotations

import logging
import traceback

import pytest

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.linker import Linker, LoweredFunction
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.graph_boundary import plan
from pto_lsp.analysis.passes.standard import StandardPasses
from pto_lsp.analysis.task_graph.checks import run
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.project import Cancelled, Project
from tests.support.worlds import HEAD

SOURCE = (
    HEAD
    + """
T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit.graph
def layer(a: T, c: pl.InOut[T], n: pl.Scalar[pl.INDEX]):
    base = n * 8
    with pl.at(level=pl.Level.CORE_GROUP):
        c[:, :] = pl.mul(a[:, :], base)
    return c


@pl.jit
def main(a: T, c: pl.InOut[T]):
    c = layer(a, c, missing)
    return c
"""
)


def test_a_rule_that_raises(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    project = Project()
    project.open("/layer.py", SOURCE)
    assert {d.code for d in project.check("/layer.py")} >= {"PTO101", "PTO003"}
    assert project.faults("/layer.py") == ()

    def broken(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(plan, "plan_program", broken)
    project = Project()
    project.open("/layer.py", SOURCE)
    with caplog.at_level(logging.ERROR):
        codes = {d.code for d in project.check("/layer.py")}
    assert "PTO003" in codes and "PTO101" not in codes
    (fault,) = project.faults("/layer.py")
    assert "'main'" in fault
    assert "planted" in caplog.text


RACE = (
    HEAD
    + """
T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit
def race(x: T, scratch: pl.Out[T], out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        scratch[:, :] = pl.add(x[:, :], x[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        out[:, :] = pl.add(scratch[:, :], scratch[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="third"):
        scratch[:, :] = pl.mul(x[:, :], x[:, :])
    v = nowhere
    return scratch, out


@pl.jit
def other(x: T, out: pl.Out[T]):
    with pl.at(level=pl.Level.CORE_GROUP):
        out[:, :] = pl.add(x[:, :], absent)
    return out
"""
)


def checked(text: str = RACE) -> tuple[list[str], tuple[str, ...]]:
    """Codes and faults, the same when asked a second time and after an edit that changes nothing of importance."""
    project = Project()
    project.open("/race.py", text)
    found = [d.code for d in project.check("/race.py")]
    faults = project.faults("/race.py")
    project.open("/race.py", text + "\n# edited\n")
    assert [d.code for d in project.check("/race.py")] == found
    assert project.faults("/race.py") == faults
    return found, faults


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("planted")


@pytest.mark.parametrize("family", range(len(run.FAMILIES)))
def test_a_family_of_task_rules_that_raises_costs_its_own_findings(
    family: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole, faults = checked()
    assert "PTO701" in whole and not faults

    def failing(graph: TaskGraph) -> list[Finding]:
        raise RuntimeError("planted")

    failing.__module__ = run.FAMILIES[family].__module__
    mine = [
        found.code
        for program in _project(RACE).analysis("/race.py").programs
        for graph in program.tasks.graphs
        for found in run.FAMILIES[family](graph)
    ]
    families = list(run.FAMILIES)
    families[family] = failing
    monkeypatch.setattr(run, "FAMILIES", tuple(families))
    with caplog.at_level(logging.ERROR):
        found, faults = checked()
    assert sorted(found) == sorted(code for code in whole if code not in mine)
    assert faults and "planted" in caplog.text


def _project(text: str) -> Project:
    project = Project()
    project.open("/race.py", text)
    return project


def test_a_pass_that_raises_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandardPasses, "run", broken)
    found, faults = checked()
    assert "PTO003" in found and "PTO701" not in found
    assert [message for message in faults if "'race'" in message] == [faults[0]]


def test_a_function_that_cannot_be_lowered_costs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = Linker.lowered

    def picky(self: Linker, entry: str, module: Module, placed: Placed) -> LoweredFunction:
        if placed.function.name == "race":
            raise RuntimeError("planted")
        return lowered(self, entry, module, placed)

    monkeypatch.setattr(Linker, "lowered", picky)
    found, faults = checked()
    assert found == ["PTO003"], "that of the other function"
    assert "'race'" in faults[0]


def test_an_analysis_is_stopped_between_two_functions_of_every_pass() -> None:
    body = "    c[:, :] = pl.add(x[:, :], c[:, :])\n    return c\n\n\n"
    helpers = "".join(f"@pl.jit.incore\ndef kernel_{n}(x: T, c: pl.InOut[T]):\n{body}" for n in range(12))
    calls = "".join(f"    c = kernel_{n}(x, c)\n" for n in range(12))
    entry = "@pl.jit\ndef main(x: T, c: pl.InOut[T]):\n" + calls
    graph = "    with pl.graph('g'):\n        c = kernel_0(x, c)\n    with pl.at(level=pl.Level.CORE_GROUP):\n"
    graph += "        c[:, :] = pl.add(x[:, :], c[:, :])\n    return c\n"
    text = HEAD + "T = pl.Tensor[[64, 64], pl.FP32]\n\n\n" + helpers + entry + graph
    asked: list[list[str]] = []

    def counting() -> bool:
        asked.append([frame.name for frame in traceback.extract_stack()])
        return False

    project = Project()
    project.open("/many.py", text)
    whole = project.check("/many.py", counting)
    assert {"next_function", "findings", "_analyse"} <= {name for names in asked for name in names}
    assert sum("next_function" in names for names in asked) > 3 * 13
    # Wherever it is stopped, what it knows is still right, and going on leads to the same.
    for stop in range(1, len(asked), 7):
        project = Project()
        project.open("/many.py", text)
        left = iter(range(stop))
        with pytest.raises(Cancelled):
            project.check("/many.py", lambda left=left: next(left, None) is None)  # type: ignore[misc]
        assert project.check("/many.py") == whole
