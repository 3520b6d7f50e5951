"""Loops whose trip count is not known: two iterations stand for all, and counts become expressions."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.task_graph.describe import region_text
from pto_lsp.analysis.task_graph.sitegraph import fold, multiplicity
from pto_lsp.analysis.task_graph.summary import summarise
from pto_lsp.analysis.task_graph.text_view import reason
from tests.task_graph.build import HEADER, Source

KERNELS = HEADER[HEADER.index("@pl.jit.incore") : HEADER.index("@pl.jit\n")]
SIGNATURE = """\
@pl.jit
def main(
    x: pl.Tensor[[32, 64], pl.FP32],
    table: pl.Tensor[[N, M], pl.INT32],
    w: pl.InOut[pl.Tensor[[N, 64], pl.FP32]],
    s: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]],
):
    n = pl.tensor.dim(table, 0)
    m = pl.tensor.dim(table, 1)
"""


def source(body: str) -> Source:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    head = 'import pypto.language as pl\n\nN = pl.dynamic("N")\nM = pl.dynamic("M")\n\n\n'
    return Source(f"{head}{KERNELS}{SIGNATURE}{lines}    return s, y, w\n")


def edges(found: Source) -> set[tuple[str, str, str]]:
    return {(e.pred.name, e.succ.name, reason(e)) for e in fold(found.graph()).edges}


def codes(found: Source) -> set[str]:
    return {f.code for f in found.findings() if f.code < "PTO800"}


def test_counts_of_a_chain() -> None:
    found = source("s = put(x, s)\nfor i in pl.range(n):\n    y = bump(x, y)").graph(4096)
    counts = summarise(found)
    assert not found.walk.exact
    assert counts == {
        "tasks": "1+N", "dummies": 0, "edges": "-1+N", "depth": "N", "width": 2, "roots": 2, "leaves": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "tasks", "depth"),
    [
        ("for i in pl.range(n):\n    for j in pl.range(m):\n        y = bump(x, y)", "N·M", "N·M"),
        ("for i in pl.parallel(n):\n    for j in pl.range(2):\n        s = put(x, s)", "2N", "2N"),
        ("for i in pl.range(2 * n):\n    y = bump(x, y)", "2N", "2N"),
        ("for i in pl.range(3):\n    for j in pl.range(i):\n        y = bump(x, y)", 3, 3),
    ],
)
def test_counts(body: str, tasks: object, depth: object) -> None:
    counts = summarise(source(body).graph(4096))
    assert (counts["tasks"], counts["depth"]) == (tasks, depth)


def test_unknown_conditions_give_bounds() -> None:
    body = "c = pl.tensor.read(table, [0, 0])\nif c > 0:\n    s = put(x, s)\nelse:\n    s = bump(x, s)\ny = bump(s, y)"
    found = source(body)
    assert summarise(found.graph())["tasks"] == "<=3"
    assert edges(found) == {("put", "bump", "RAW s"), ("bump", "bump", "RAW s")}
    assert codes(found) == set()


def test_bands_of_a_dynamic_tensor_do_not_meet() -> None:
    body = "for i in pl.range(n // 32):\n    v = pl.slice(w, [32, 64], [i * 32, 0])\n    v = put(x, v)"
    found = source(body)
    assert edges(found) == set()
    assert codes(found) == set()
    (first, second) = [task.arguments[1].views[0] for task in found.graph().walk.tasks]
    assert region_text(first) == "w[i*32 : i*32 + 32, 0 : 64]"
    assert region_text(second) == "w[i*32 + 32 : i*32 + 64, 0 : 64]"


def test_carried_edges_and_races() -> None:
    body = "for i in pl.range(n):\n    s = put(x, s)\n    v = pl.slice(w, [32, 64], [i * 32, 0])\n    v = put(s, v)"
    found = source(body)
    assert edges(found) == {("put", "put", "RAW s"), ("put", "put", "WAW s, i→i+1")}
    assert codes(found) == {"PTO702"}


def test_offsets_read_from_data_are_silent() -> None:
    body = (
        "for i in pl.parallel(n):\n    row = pl.tensor.read(table, [i, 0])\n"
        "    v = pl.slice(w, [32, 64], [row, 0])\n    v = put(x, v)"
    )
    found = source(body)
    assert codes(found) == set()
    assert all(not edge.certain for edge in fold(found.graph()).edges)


def test_ids_carried_through_a_slot() -> None:
    body = """\
slot = pl.array.create(1, pl.TASK_ID)
for i in pl.range(n):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill", deps=[slot[0]]):
        s[:, :] = pl.add(x[:, :], x[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="drain") as done:
        w[i * 32 : i * 32 + 32, :] = pl.mul(s[:, :], s[:, :])
    slot[0] = done
"""
    found = source(body)
    assert ("drain", "fill", "explicit, i→i+1") in edges(found)
    assert codes(found) == set()
    assert codes(source(body.replace(", deps=[slot[0]]", ""))) == {"PTO702"}


def test_parameters_of_a_factory_are_numbers_without_a_value() -> None:
    text = f"""\
import pypto.language as pl


def build(*, lanes: int):
    @pl.program
    class Layer:
        @pl.function(type=pl.FunctionType.InCore)
        def bump(self, a: {TILE}, o: pl.InOut[{TILE}]) -> {TILE}:
            o = pl.store(pl.add(pl.load(a, [0, 0], [32, 64]), pl.load(o, [0, 0], [32, 64])), [0, 0], o)
            return o

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: {TILE}, y: pl.InOut[{TILE}]) -> {TILE}:
            for stage in pl.range(3):
                for lane in pl.parallel(lanes):
                    y = self.bump(x, y)
            return y

    return Layer
"""
    counts = summarise(Source(text).graph(4096))
    assert (counts["tasks"], counts["edges"], counts["depth"]) == ("3lanes", "-1+3lanes", "3lanes")


TILE = "pl.Tensor[[32, 64], pl.FP32]"


HELPER = """\
@pl.jit.inline
def twice(src: pl.Tensor[[32, 64], pl.FP32], dst: pl.Tensor[[32, 64], pl.FP32], before: pl.Scalar[pl.TASK_ID]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first", deps=[before]) as one:
        dst[:, :] = pl.add(src[:, :], src[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second", deps=[one]) as two:
        dst[:, :] = pl.add(dst[:, :], src[:, :])
    return dst, two


"""


def test_what_one_caller_of_a_helper_does_is_no_finding_in_the_helper() -> None:
    body = "none = None\ns, t = twice(x, s, none)\ny, u = twice(s, y, t)\nd = pl.system.task_dummy(deps=[t, u])\n"
    found = source(body)
    text = found.text.replace("@pl.jit\n", HELPER + "@pl.jit\n")
    spliced = Source(text)
    reported = {(f.code, f.subject) for f in spliced.findings() if f.subject != "d"}
    assert reported == {("PTO801", "one"), ("PTO802", "t")}
    (redundant,) = {f.place for f in spliced.findings() if f.code == "PTO801"}
    assert redundant.anchor.inlined_at is not None
    notes = [note.message for f in spliced.findings() if f.code == "PTO801" for note in f.notes]
    assert "through this call" in notes


def test_launches_are_counted_even_where_edges_are_not() -> None:
    body = """\
k = pl.tensor.read(table, [0, 0])
for i in pl.range(n):
    for j in pl.range(m):
        for r in pl.range(k):
            y = bump(x, y)
        s = put(x, s)
"""
    counts = summarise(source(body).graph(4096))
    assert (counts["tasks"], counts["dummies"], counts["edges"]) == ("N·M+N·M·k", 0, "?")


def test_trips_that_change_from_iteration_to_iteration_are_no_factor() -> None:
    body = (
        "for i in pl.range(n):\n    k = pl.tensor.read(table, [i, 0])\n    for r in pl.range(k):\n        y = "
        "bump(x, y)"
    )
    found = source(body).graph(4096)
    assert summarise(found)["tasks"] == "?"
    assert multiplicity(found, found.walk.sites[0]) == "?"
