"""Task graphs of which an edit left most as it was: equal to those made afresh, and taken over where they can be."""

from __future__ import annotations

import os
import random

import pytest

from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.hazards import Hazard
from pto_lsp.analysis.task_graph.regions import View
from pto_lsp.analysis.task_graph.scalars import text as written
from pto_lsp.project import Change, Project

SEEDS = range(int(os.environ.get("PTO_FUZZ_SEEDS", "3")))
PATH = "/orchestration.py"
SOURCE = """
import pypto.language as pl

N = pl.dynamic("N")
ROWS = 16


@pl.jit
def model(
    x: pl.Tensor[[N, 64], pl.FP32],
    w: pl.Tensor[[64, 64], pl.FP32],
    out: pl.InOut[pl.Tensor[[N, 64], pl.FP32]],
    base: pl.Scalar[pl.INDEX],
):
    rows = pl.tensor.dim(x, 0)
    count = rows // ROWS
    start = base % ROWS
    scratch = pl.create_tensor([64, 64], dtype=pl.FP32)
    other = pl.create_tensor([64, 64], dtype=pl.FP32)
    first = pl.slice(scratch, [ROWS, 64], [0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill") as filled:
        first[:, :] = pl.exp(w[0:ROWS, :])
    for block in pl.range(count):
        offset = block * ROWS + start
        band = pl.slice(out, [ROWS, 64], [offset, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", deps=[filled]) as banded:
            band[:, :] = pl.add(x[offset : offset + ROWS, :], scratch[0:ROWS, :])
        for part in pl.range(4):
            column = part * 16
            piece = pl.slice(other, [ROWS, 16], [(block % 2) * ROWS, column])
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="part", deps=[banded]):
                piece[:, :] = pl.exp(band[:, column : column + 16])
        if block > start:
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="again"):
                other[0:ROWS, :] = pl.exp(first[:, :])
    for lane in pl.parallel(3):
        place = lane * ROWS
        lane_view = pl.slice(scratch, [ROWS, 64], [place, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="lane", no_dep_args=[other]):
            lane_view[:, :] = pl.add(other[0:ROWS, :], w[place : place + ROWS, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="last"):
        out[0:ROWS, :] = pl.exp(scratch[48:64, :])
    return out
"""
WORDS = ["0", "1", "2", "16", "ROWS", "start", "block", "count", "base", "x", "scratch", "other", "first"]


def _view(view: View | None) -> object:
    if view is None:
        return None
    parts = [None if each is None else tuple(map(written, each)) for each in (view.offsets, view.shape, view.strides)]
    return (view.buffer.index, view.buffer.label, view.label, view.manual_dep, *parts)


def _hazard(hazard: Hazard) -> object:
    touches = [
        (t.task, t.argument.index, t.write, _view(t.hull), _view(t.least)) for t in (hazard.first, hazard.second)
    ]
    return (hazard.kind, hazard.buffer.index, touches)


def shape(graph: TaskGraph) -> object:
    """Everything that edges and races say."""
    edges = [(e.pred, e.succ, e.source, e.certain, e.hazard, e.covered) for e in graph.edges.edges]
    tasks = [
        (t.site.name, [[_view(v) for v in a.views] for a in t.arguments], t.arms, t.epoch) for t in graph.walk.tasks
    ]
    stalls = [(s.waits, s.certain, s.before) for s in graph.edges.stalls]
    orders = (graph.edges.before, graph.edges.surely, sorted(graph.edges.allocation))
    symbols = [(s.name, s.ordinal, s.low, s.high) for s in graph.walk.symbols.made[:40]]
    return (tasks, edges, stalls, orders, [_hazard(h) for h in graph.races], symbols)


def graphs(project: Project) -> list[TaskGraph]:
    return [graph for program in project.analysis(PATH).programs for graph in program.tasks.graphs]


def opened(text: str) -> Project:
    project = Project()
    project.open(PATH, text)
    project.check(PATH)
    return project


def word_edit(rng: random.Random, text: str) -> str:
    """``text`` with a word of the body replaced, or a line of it doubled, dropped or moved by one."""
    lines = text.split("\n")
    at = rng.randrange(lines.index("):") + 1, len(lines) - 2)
    kind = rng.randrange(6)
    if kind == 0:
        lines.insert(at, lines[at])
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        words = lines[at].replace(",", " ,").replace("[", "[ ").replace("]", " ]").split(" ")
        places = [number for number, word in enumerate(words) if word]
        words[rng.choice(places or [0])] = rng.choice(WORDS)
        lines[at] = " ".join(words)
    return "\n".join(lines)


def replace_all(project: Project, text: str) -> None:
    project.change(PATH, [Change(None, text)])
    project.check(PATH)


@pytest.mark.parametrize("seed", SEEDS)
def test_graphs_after_edits_equal_fresh_ones(seed: int) -> None:
    rng = random.Random(seed)
    project, text = opened(SOURCE), SOURCE
    history = [SOURCE]
    for _ in range(30):
        text = history.pop() if len(history) > 3 or (len(history) > 1 and rng.random() < 0.4) else word_edit(rng, text)
        history.append(text)
        if rng.random() < 0.3:
            history.append(SOURCE)
        replace_all(project, text)
        assert [shape(g) for g in graphs(project)] == [shape(g) for g in graphs(opened(text))]


def test_views_and_buffers_outlive_an_edit_of_something_else() -> None:
    project = opened(SOURCE)
    for offset in ("block * ROWS + 1", "block * ROWS + 2"):
        before = graphs(project)[0]
        assert before.races == before.races
        replace_all(project, SOURCE.replace("block * ROWS + start", offset))
        after = graphs(project)[0]
        assert after is not before
    assert after.walk.buffers == before.walk.buffers
    for name in ("fill", "lane", "last"):
        old = [t for t in before.walk.tasks if t.site.name == name]
        new = [t for t in after.walk.tasks if t.site.name == name]
        assert [[a.views for a in t.arguments] for t in old] == [[a.views for a in t.arguments] for t in new]
    bands = [[a.views for t in g.walk.tasks if t.site.name == "band" for a in t.arguments] for g in (before, after)]
    assert bands[0] != bands[1]
    assert after.edges.compared.keys() & before.edges.compared.keys()


def test_a_graph_holds_nothing_of_earlier_ones() -> None:
    project = opened(SOURCE)
    replace_all(project, SOURCE.replace("+ start", "+ 1"))
    replace_all(project, SOURCE.replace("+ start", "+ 2"))
    graph = graphs(project)[0]
    assert graph.memo is not None
    assert not graph.memo._known
    assert not graph.memo._buffers
    assert len(graph.edges.compared) <= len(graph.edges.edges) * 20
